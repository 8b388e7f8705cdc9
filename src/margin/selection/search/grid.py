"""Search over lists of values, or over values drawn at random."""

from __future__ import annotations

from margin.params import Count, Flag, Jobs, Seed, Share
from margin.random import generator
from margin.selection.search.parameter_grids import Distributions, Grid, check_names, combinations, drawn, listed
from margin.selection.search.search import Chosen, Folds, MetricName, Model, Search, Simpler
from margin.selection.search.trial_runner import Progress, TrialRunner

__all__ = ["GridSearch", "RandomSearch"]

#: What is tried of the tree that stands for no model.
DEPTHS = (1, 2, 4, 8)


class GridSearch(Search):
    r"""Tries every combination of listed values by cross-validation, and takes the best.

    Costs as many fits as combinations times folds, and one more; where the model shares work along a parameter (k of
    neighbours, alpha or depth of trees, C of logistic regression and support vector machines) all its values cost
    little more than one. A setting that fails is reported in ``results_`` with its error, and never chosen. To choose
    only k or C there are also ``choose_k``, ``choose_C`` and ``LogisticRegressionCV``.

    Parameters
    ----------
    model
        The classifier, of margin or of scikit-learn; None is a decision tree of different depths. One that takes no
        tables gets them through ``TableEncoder``.
    grid
        Lists of values by the name of the parameter, or a list of such grids. Parameters of steps or of models inside
        the model are named as in ``set_params``: ``svc__C``.
    metric
        What is to be best: the name of a metric, or one with options, as ``metric("f1", positive="bad")``.
    cv
        Number of folds, or the splits themselves: a list of (training rows, test rows), a protocol of
        ``margin.evaluation`` or a splitter of scikit-learn. Models that know how do ``LeaveOneOut()`` in one go.
    rule
        ``"best"`` takes the best score; ``"one_standard_error"`` the simplest setting at most one standard error worse.
    simpler
        For that rule, whether ``"larger"`` or ``"smaller"`` values of a parameter are simpler, where its name does not
        say so: of well-known ones, such as C, n_neighbors or max_depth, it does.
    refit
        Whether the chosen setting is then fitted on all rows.
    race
        Whether settings that are surely worse than the leader after three folds or more are dropped (corrected
        resampled t-test).
    n_jobs
        Trials at once, in threads; None for as many as there are cores. Results do not depend on it.
    progress
        True shows a line on the screen; a function is called with a ``ProgressReport`` after each trial.
    confidence
        Of intervals, and for telling settings apart.
    random_state
        None deals rows to folds in the order in which they stand; a seed shuffles them first.

    Attributes
    ----------
    best_params_, best_index_
        The chosen setting, and its place in ``results_``.
    best_score_
        Its score with an interval. It was chosen for its score, which is therefore optimistic: see ``nested``.
    results_
        Everything that was tried (:class:`SearchResults`): print it for a table.
    model_
        The classifier with the chosen setting, fitted on all rows.
    n_fits_
        How many fits it took; settings that share a fit count once.

    Examples
    --------
    >>> from margin import KNeighborsClassifier
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> search = GridSearch(KNeighborsClassifier(), {"n_neighbors": [1, 5, 15, 45]}).fit(X, y)
    >>> search.best_params_, search.n_fits_
    ({'n_neighbors': 15}, 5)
    >>> print(search.best_score_)
    0.973 [0.945, 1.000]
    """

    def __init__(
        self,
        model: Model = None,
        grid: Grid = None,
        *,
        metric: MetricName = "accuracy",
        cv: Folds = 5,
        rule: Chosen = "best",
        simpler: Simpler = None,
        refit: Flag = True,
        race: Flag = False,
        n_jobs: Jobs = 1,
        progress: Progress = None,
        confidence: Share = 0.95,
        random_state: Seed = None,
    ) -> None:
        self.model = model
        self.grid = grid
        self.metric = metric
        self.cv = cv
        self.rule = rule
        self.simpler = simpler
        self.refit = refit
        self.race = race
        self.n_jobs = n_jobs
        self.progress = progress
        self.confidence = confidence
        self.random_state = random_state

    def _races(self) -> bool:
        return bool(self.race)

    def _search(self, runner: TrialRunner) -> None:
        self._refuse_no_settings("grid", "{'C': [0.1, 1, 10]}")
        grid = {"max_depth": DEPTHS} if self.grid is None else self.grid
        check_names(runner.task.model, listed(grid), "GridSearch")
        settings = combinations(grid)
        runner.expect(len(settings))
        runner.try_out(settings)


class RandomSearch(Search):
    r"""Tries settings drawn at random by cross-validation, and takes the best.

    Where only a few of many parameters matter, a random draw tries more values of each than a grid of the same size
    (Bergstra, Bengio 2012). Costs ``n`` times the folds in fits, and one more.

    Parameters
    ----------
    model
        The classifier, of margin or of scikit-learn; None is a decision tree of different depths. One that takes no
        tables gets them through ``TableEncoder``.
    distributions
        By the name of the parameter: a list, a distribution of ``scipy.stats`` (``loguniform(1e-3, 1e3)``), or a
        function of a random generator.
    n
        How many settings are drawn; no setting twice.
    metric
        What is to be best: the name of a metric, or one with options, as ``metric("f1", positive="bad")``.
    cv
        Number of folds, or the splits themselves: a list of (training rows, test rows), a protocol of
        ``margin.evaluation`` or a splitter of scikit-learn. Models that know how do ``LeaveOneOut()`` in one go.
    rule
        ``"best"`` takes the best score; ``"one_standard_error"`` the simplest setting at most one standard error worse.
    simpler
        For that rule, whether ``"larger"`` or ``"smaller"`` values of a parameter are simpler, where its name does not
        say so: of well-known ones, such as C, n_neighbors or max_depth, it does.
    refit
        Whether the chosen setting is then fitted on all rows.
    race
        Whether settings that are surely worse than the leader after three folds or more are dropped (corrected
        resampled t-test).
    n_jobs
        Trials at once, in threads; None for as many as there are cores. Results do not depend on it.
    progress
        True shows a line on the screen; a function is called with a ``ProgressReport`` after each trial.
    confidence
        Of intervals, and for telling settings apart.
    random_state
        Draws the settings, and shuffles rows before they are dealt to folds; None draws the same ones in every run.

    Attributes
    ----------
    best_params_, best_index_
        The chosen setting, and its place in ``results_``.
    best_score_
        Its score with an interval. It was chosen for its score, which is therefore optimistic: see ``nested``.
    results_
        Everything that was tried (:class:`SearchResults`): print it for a table.
    model_
        The classifier with the chosen setting, fitted on all rows.
    n_fits_
        How many fits it took; settings that share a fit count once.

    References
    ----------
    Bergstra, Bengio (2012).

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from margin import SVC
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> search = RandomSearch(SVC(), {"C": loguniform(0.01, 100)}, n=6).fit(X, y)
    >>> len(search.results_), 0.01 <= search.best_params_["C"] <= 100
    (6, True)
    """

    def __init__(
        self,
        model: Model = None,
        distributions: Distributions = None,
        *,
        n: Count = 20,
        metric: MetricName = "accuracy",
        cv: Folds = 5,
        rule: Chosen = "best",
        simpler: Simpler = None,
        refit: Flag = True,
        race: Flag = False,
        n_jobs: Jobs = 1,
        progress: Progress = None,
        confidence: Share = 0.95,
        random_state: Seed = None,
    ) -> None:
        self.model = model
        self.distributions = distributions
        self.n = n
        self.metric = metric
        self.cv = cv
        self.rule = rule
        self.simpler = simpler
        self.refit = refit
        self.race = race
        self.n_jobs = n_jobs
        self.progress = progress
        self.confidence = confidence
        self.random_state = random_state

    def _races(self) -> bool:
        return bool(self.race)

    def _search(self, runner: TrialRunner) -> None:
        self._refuse_no_settings("distributions", "{'C': scipy.stats.loguniform(0.01, 100)}")
        given = {"max_depth": DEPTHS} if self.distributions is None else self.distributions
        check_names(runner.task.model, given, "RandomSearch")
        settings = drawn(given, int(self.n), generator(_seed(self.random_state), "settings"))
        runner.expect(len(settings))
        runner.try_out(settings)


def _seed(random_state: Seed) -> Seed:
    return 0 if random_state is None else random_state
