"""Naive Bayes over mixed tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from margin.base import Mixed, MixedData
from margin.base.inputs.arrays import check_one_row
from margin.base.representations.representation import SQUARABLE
from margin.base.targets.class_weight import class_factors
from margin.bayes.column_blocks import Block, blocks_of, may_be_used, text_columns
from margin.bayes.distributions.distribution import Distribution
from margin.bayes.distributions.gaussian import LEAST_DEVIATION, Gaussian
from margin.bayes.distributions.smoothing import log_of
from margin.bayes.distributions.standard import DISTRIBUTIONS
from margin.bayes.generative import GenerativeClassifier, priors_of
from margin.bayes.sufficient_statistics import RowStatistics
from margin.data.schema import Schema
from margin.data.table import Table
from margin.data.weights import count_repeats
from margin.errors import ParameterError
from margin.params import ClassWeight, NonNegative, Priors, Rule
from margin.typing import LabelsLike, SeedLike, TableLike, WeightsLike

__all__ = ["Distributions", "NaiveBayes"]


def _distributions_from_text(text: str) -> Any:
    """``none``, a name, or pairs such as ``age=gaussian;words=multinomial``."""
    if text.lower() == "none":
        return None
    if "=" not in text:
        if text not in DISTRIBUTIONS:
            raise ValueError(text)
        return text
    pairs = [[part.strip() for part in pair.rpartition("=")] for pair in text.strip("; ").split(";")]
    if any(not column or name not in DISTRIBUTIONS for column, _, name in pairs):
        raise ValueError(text)
    return {column: name for column, _, name in pairs}


Distributions = Annotated[
    Any,
    Rule(
        f"None, one of {', '.join(map(repr, DISTRIBUTIONS))} or a mapping from columns to those "
        "(as text: column=name;column=name)",
        lambda v: v is None or isinstance(v, Mapping) or (isinstance(v, str) and v in DISTRIBUTIONS),
        _distributions_from_text,
        lambda: tuple(DISTRIBUTIONS),
    ),
]


class NaiveBayes(GenerativeClassifier):
    r"""Bayes' rule with columns taken as independent within each class.

    .. math:: P(k \mid x) \propto P(k) \prod_j P(x_j \mid k)

    Each column has a distribution of its own within each class: nominal columns are counted, numeric ones get a
    normal density and free text is counted in words, unless told otherwise. Missing cells are left out of the
    product, both at fit and at prediction. All of it is done in sums of logarithms. Learning is one pass over the
    table, and models of parts of the rows can be added up with ``merge``. It fails where columns depend on each other
    within a class (XOR), and its probabilities are then too sure of themselves.

    Parameters
    ----------
    alpha
        Virtual cases that smooth counts. In a categorical column they are added to every level: 1 is Laplace's rule, 0
        plain shares (a level that a class never had then rules that class out). Intervals, Bernoulli, multinomial,
        complement and Poisson have theirs likewise.
    distributions
        The distribution of each column within a class: one name for all, or a mapping from columns to names, in which
        ``"numeric"`` stands for all numeric columns that are not named; other columns are gaussian if numeric,
        multinomial if they are free text and categorical if not. Columns of a plain array go by their number. Numeric
        columns named multinomial or complement are counts of one text; a column of words so named is read as text.
        Where numbers are not normal, ``"kernel"`` puts a bump on every cell, and ``"mdl"`` cuts a column into intervals
        where that pays to tell the classes apart, and counts them like levels: a column without a cut says nothing.
    least_deviation
        The least standard deviation of a gaussian column within a class, in mean gaps between the different numbers of
        the column, but no more than the classes have on average: a class that is constant there (or next to it) gets
        this one, so that it does not win by an endlessly high density. A sixth is Weka's; 0 leaves only what keeps
        variances above 0.
    class_weight
        How much the rows of each class count, as a mapping from labels; ``"balanced"`` lets all classes count the same.

    Attributes
    ----------
    class_count_
        Weight of the training rows of each class.
    distributions_
        What was learnt of each column, by its name; columns of one distribution share an object.

    References
    ----------
    Duda, Hart (1973); Fayyad, Irani (1993); John, Langley (1995); McCallum, Nigam (1998); Rennie and others (2003).

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("weather_nominal").target("play")
    >>> model = NaiveBayes(alpha=0).fit(X, y)
    >>> day = {"outlook": ["sunny"], "temperature": ["cool"], "humidity": ["high"], "windy": ["TRUE"]}
    >>> from margin.data import Table
    >>> model.predict(Table.from_columns(day))
    array(['no'], dtype='<U3')

    Texts and numbers in one table:

    >>> words, calls = ["win money now", "lunch now?", "free money", "see you"], [0, 3, 1, 4]
    >>> X = Table.from_columns({"words": words, "calls": calls})
    >>> model = NaiveBayes(distributions={"words": "multinomial", "calls": "poisson"}).fit(X, [1, 0, 1, 0])
    >>> model.predict(Table.from_columns({"words": ["Money!", "you and lunch"], "calls": [0, 5]}))
    array([1, 0])
    """

    #: Whether the scores start from the priors.
    uses_priors = True
    _priors_parameter = "priors"

    def __init__(
        self,
        *,
        alpha: NonNegative = 1.0,
        priors: Priors = None,
        distributions: Distributions = None,
        least_deviation: NonNegative = LEAST_DEVIATION,
        class_weight: ClassWeight = None,
    ) -> None:
        self.alpha = alpha
        self.priors = priors
        self.distributions = distributions
        self.least_deviation = least_deviation
        self.class_weight = class_weight

    @property
    def representation(self) -> Mixed:
        """Columns as they are given; which of them are text, the parameters say."""
        known = [DISTRIBUTIONS[name] for name in may_be_used(self.distributions) if name in DISTRIBUTIONS]
        moments = any(distribution.moments for distribution in known)
        return Mixed(SQUARABLE, as_given=True, moments=moments, text=text_columns(self.distributions))

    _takes_bytes = True  # what a distribution does not take it is given wider

    @property
    def free_kinds(self) -> frozenset[str]:  # type: ignore[override]
        """Free text is counted in words, unless one distribution is named for all columns."""
        return frozenset() if isinstance(self.distributions, str) else frozenset({"text"})

    @property
    def keeps_cells(self) -> bool:  # type: ignore[override]
        """Whether bumps on cells, or cuts between them, want every different cell of a column."""
        return not {"kernel", "mdl"}.isdisjoint(may_be_used(self.distributions))

    def _made(self, distribution: type[Distribution], positions: np.ndarray) -> Distribution:
        """A distribution, with the settings of this model, for the columns at some positions."""
        if distribution is Gaussian:
            return Gaussian(float(self.alpha), least=float(self.least_deviation))
        return distribution(float(self.alpha))

    def _choose(self) -> tuple[Block, ...]:
        return blocks_of(self._columns, self.distributions, self._made, type(self).__name__)

    def _count(self, X: MixedData, y: np.ndarray, weight: np.ndarray | None) -> RowStatistics:
        totals = np.bincount(y, weight, len(self.classes_)).astype(np.float64)
        who = f"{type(self).__name__}.fit"
        parts = tuple(block.count(X, y, weight, totals, who) for block in self._choose())
        return RowStatistics(totals, weight is None or count_repeats(weight), parts)

    def _settle(self) -> None:
        found = self._statistics
        if self.class_weight is not None:
            factors = class_factors(self.class_weight, self.classes_, found.totals, type(self).__name__)
            found = found.scaled(factors)
        self.priors_ = self._learn_priors(found.totals)
        self._log_priors = log_of(self.priors_)
        self._start = self._log_priors if self.uses_priors else np.zeros(len(self.priors_))
        self._blocks = self._choose()
        for block, part in zip(self._blocks, found.parts, strict=True):
            block.learn(part, found.repeats)

    def _refuse_merge(self, other: Any, who: str) -> None:
        """Parameters may be set after fit, and counts of one kind are then no counts of another."""
        for model in (self, other):
            counted = model.__dict__.get("_blocks")
            if counted is None:
                continue
            wanted = model._choose()
            if len(counted) != len(wanted) or not all(map(Block.counts_like, counted, wanted)):
                raise ParameterError(
                    f"{who}: the parameters of {model!r} must be those of the fit, as other things would have to be "
                    "counted now (fit anew)."
                )

    def _learn_priors(self, totals: np.ndarray) -> np.ndarray:
        name = self._priors_parameter
        return priors_of(getattr(self, name), totals, type(self).__name__, name)

    @property
    def class_count_(self) -> np.ndarray:
        return self._fitted("class_count_")._statistics.totals

    @property
    def distributions_(self) -> dict[str, Distribution]:
        blocks = self._fitted("distributions_")._blocks
        return {column.name: block.distribution for block in blocks for column in block.described()}

    @property
    def n_parameters_(self) -> int:
        """What each column has in each class (L - 1 free shares of L levels, a mean and a variance, …), and priors."""
        fitted = self._fitted("n_parameters_")
        return sum(block.distribution.n_parameters() for block in fitted._blocks) + len(fitted.priors_)

    def least_deviations(self) -> dict[str, dict[Any, float]]:
        """The gaussian columns in which some class has the least deviation: by class, what its deviation is taken for.

        >>> model = NaiveBayes().fit([[1.0], [1.0], [1.0], [2.0], [4.0]], ["a", "a", "a", "b", "b"])
        >>> model.least_deviations()
        {'x0': {'a': 0.25}}
        """
        found: dict[str, dict[Any, float]] = {}
        for block in self._fitted("least_deviations")._blocks:
            if isinstance(block.distribution, Gaussian):
                least = block.distribution.at_least()
                described = block.described()
                for j in np.flatnonzero(least.any(axis=0)):
                    classes = np.flatnonzero(least[:, j])
                    found[described[j].name] = {self.classes_.tolist()[k]: float(least[k, j]) for k in classes}
        return found

    def joint_log_likelihood(self, X: TableLike) -> np.ndarray:
        """log P(k) + Σ log P(x_j | k): one row per case, one column per class."""
        encoded = self._encoded(X, "joint_log_likelihood")
        scores, _ = self._joint(encoded)
        for block in self._blocks:
            offset = block.offset(encoded, type(self).__name__)
            if offset is not None:
                scores += offset[:, None]
        return scores

    def predict_joint_log_proba(self, X: TableLike) -> np.ndarray:
        """scikit-learn's name for :meth:`joint_log_likelihood`."""
        return self.joint_log_likelihood(X)

    def column_terms(self, X: TableLike) -> list[tuple[str, str, np.ndarray]]:
        """For the one row X: each column's name, its value, and log P(value | k) for every class k.

        Of a text every word that the model knows is a column; where there are very many columns, those that say
        nothing are left out.
        """
        encoded = self._encoded(X, "column_terms")
        check_one_row(encoded, f"{type(self).__name__}.column_terms")
        return [term for block in self._blocks for term in block.terms(encoded, type(self).__name__)]

    def sample(self, n: int = 1, random_state: SeedLike = None) -> tuple[Any, np.ndarray]:
        """Draw n new records: a class by its prior, then each column from its distribution in that class.

        X is a table if the model was fitted on one, else an array. The same seed gives the same records.

        >>> X = np.array([[1.0], [1.2], [9.0], [9.1]])
        >>> rows, labels = NaiveBayes().fit(X, ["low", "low", "high", "high"]).sample(3, random_state=1)
        >>> rows.shape, all((rows[:, 0] > 5) == (labels == "high"))
        ((3, 1), True)
        """
        self._fitted("sample")
        y, rng = self._draw_classes(n, random_state)
        drawn = sorted((cell for block in self._blocks for cell in block.draw(y, rng)), key=lambda cell: cell[0])
        labels = self.classes_.take(y)
        if self._columns.schema is None:
            return np.column_stack([cells for _, _, cells in drawn]), labels
        return Table(Schema(column for _, column, _ in drawn), [cells for _, _, cells in drawn]), labels

    def left_out_answers(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Any:
        """Labels, probabilities and scores of each row as if fitted to all others; None where that takes new fits."""
        from margin.bayes.leave_one_out import naive_left_out  # only here: it loads the evaluation

        return naive_left_out(self, X, y, sample_weight)

    def _joint(self, X: MixedData) -> tuple[np.ndarray, bool]:
        """The scores, and whether any of them is minus infinity."""
        scores = np.empty((len(X), len(self._start)))
        scores[:] = self._start
        ruled_out = False
        for block in self._blocks:
            ruled_out |= block.add(X, scores, type(self).__name__)
        return scores, ruled_out

    def _scores(self, X: MixedData) -> np.ndarray:
        scores, ruled_out = self._joint(X)
        if ruled_out:
            # Every class ruled out (a new combination with alpha=0, a number beyond all densities): nothing is
            # known but the priors.
            scores[np.isneginf(scores.max(axis=1))] = self._log_priors
        return scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        given = self.distributions
        known = {given.get("numeric")} if isinstance(given, Mapping) else {given}
        counts = any(DISTRIBUTIONS[name].counts for name in known if name in DISTRIBUTIONS)
        tags.input_tags.positive_only = counts
        tags.classifier_tags.poor_score = counts  # on measurements that are no counts
        return tags
