"""Several targets, each learnt with those before it as columns."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from margin.base.meta.inner_model import Estimator, Folds, on_tables
from margin.base.meta.members import Member, together
from margin.base.representations.representation import TrainingRows
from margin.base.sklearn_classes import available_if, clone
from margin.data.table import Table
from margin.errors import InputError, ParameterError, listing
from margin.multiclass.chain_links import (
    Chain,
    ChainRows,
    Units,
    held_out_codes,
    learn_cross_fitted,
    learn_link,
)
from margin.multiclass.feeding import Feeding
from margin.multiclass.strategy import Strategy, inner_name
from margin.params import Count, Jobs, Rule, Seed, rule_of
from margin.random import generator
from margin.typing import Encoded, TableLike

__all__ = ["ClassifierChain"]

NAMED = ("random", "learnt")
Order = Annotated[
    Any,
    Rule(
        "None, one of 'random', 'learnt', or a list of all targets by number or name",
        lambda value: (
            value is None
            or (isinstance(value, str) and value in NAMED)
            or (isinstance(value, (list, tuple, np.ndarray)) and len(value) > 0)
        ),
        lambda text: {"none": None, **{name: name for name in NAMED}}[text.lower()],
        lambda: NAMED,
    ),
]
HeldOut = Annotated[
    Any,
    Rule(
        "None, a whole number of at least 2, a splitter or a list of (training rows, test rows)",
        lambda value: value is None or (not isinstance(value, str) and rule_of(Folds).accepts(value)),
        lambda text: None if text.lower() == "none" else int(text),
    ),
]
#: Folds by which it is found out how hard each target is.
FOLDS = 5


class ClassifierChain(Strategy):
    r"""A classifier for each target, which also sees the targets before it in the chain.

    What targets have to do with each other is learnt that way: with a chain :math:`y_1, y_2, …` the answer is built
    by :math:`P(y_1 \mid x)\, P(y_2 \mid x, y_1)\,…`, each link taking the answers of the earlier ones as they come.
    Tables get them as nominal columns called as the targets are, arrays as numbers. Costs as many fits as targets.

    Links learn from the true labels of earlier targets and are asked with answers, which may be wrong; ``cv`` has them
    learn from answers to rows that earlier links had not seen. A chain depends on its order; ``n_chains`` of them in
    random orders are averaged.

    Targets are a matrix of 0 and 1, a frame or table with a column for each, of two classes or more, or a list of sets
    of labels. One target is learnt as by the classifier alone.

    Parameters
    ----------
    order
        None takes the targets as they stand; ``"random"``; ``"learnt"`` puts first what can be answered best without
        the others (cross-validated error against that of the most frequent class); or a list of all targets, by their
        numbers or names.
    cv
        None: links learn from true labels. A number of folds, or splits that hold every row out once (a list of
        (training rows, test rows), a protocol or a splitter of scikit-learn): from answers to rows held out.
    feed
        ``"labels"``, or ``"probabilities"`` for what is not certain to be passed on as such.
    n_chains
        Chains with random orders, whose probabilities (votes, if they have none) are averaged.
    random_state
        Of random orders; folds are dealt in the order of the rows without it.

    Attributes
    ----------
    chains_
        The chains, each with its ``order`` (numbers of targets) and its ``members`` in that order.

    References
    ----------
    Read, Pfahringer, Holmes, Frank (2009, 2011); Senge, del Coz, Hüllermeier (2013) for learning from answers.

    Examples
    --------
    >>> from margin import DecisionTreeClassifier
    >>> from margin.data import Table
    >>> X = Table.from_columns({"sky": ["grey", "grey", "blue", "blue"] * 4})
    >>> y = Table.from_columns({"rain": ["yes", "yes", "no", "no"] * 4, "walk": ["no", "no", "yes", "yes"] * 4})
    >>> model = ClassifierChain(DecisionTreeClassifier()).fit(X, y)
    >>> model.predict(X.take([0, 2])).tolist()
    [['yes', 'no'], ['no', 'yes']]
    """

    several_outputs = True

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        order: Order = None,
        cv: HeldOut = None,
        feed: Literal["labels", "probabilities"] = "labels",
        n_chains: Count = 1,
        random_state: Seed = None,
        n_jobs: Jobs = None,
    ) -> None:
        self.estimator = estimator
        self.order = order
        self.cv = cv
        self.feed = feed
        self.n_chains = n_chains
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _class_lists(self) -> list[np.ndarray]:
        return self.classes_ if self.outputs_2d_ else [self.classes_]

    def _members(self) -> list[Member]:
        return [member for chain in self.__dict__.get("chains_", ()) for member in chain.members]

    def target_names(self) -> list[str]:
        """What the targets are called: by their labels, by the columns of the frame they came in, or ``y0``, ``y1``."""
        fitted = self._fitted("target_names")
        if "labels_" in fitted.__dict__:
            return [str(label) for label in fitted.labels_.tolist()]
        return fitted.__dict__.get("target_names_") or [f"y{j}" for j in range(len(self._class_lists()))]

    def _feeding(self) -> Feeding:
        return Feeding(self.target_names(), self._class_lists(), self.feed == "probabilities")

    # ---- Learning.

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        who = type(self).__name__
        self._refuse_pairwise(y.ndim == 2)
        self._refuse_wish()
        model = on_tables(self._inner()) if isinstance(X, Table) else self._inner()
        codes = y.reshape(len(y), -1)
        given = ChainRows(model, X, codes, rows.weight, self._feeding(), self._kind(), who, rows.groups)
        try:
            self._learn_chains(given, rows)
        except InputError:
            clone(model).fit(X, np.arange(X.shape[0]) % 2)  # refuses the same cell, and names its row as it was given
            raise

    def _refuse_wish(self) -> None:
        if self.feed == "probabilities" and not self._has_probabilities():
            raise ParameterError(
                f"ClassifierChain(feed='probabilities'): {inner_name(self._asked_model())} must have predict_proba, "
                "but has none."
            )
        if self.n_chains > 1 and not (self.order is None or (isinstance(self.order, str) and self.order == "random")):
            raise ParameterError(
                f"ClassifierChain(n_chains={self.n_chains}, order={self.order!r}): several chains must have random "
                "orders, or they would all be the same."
            )

    def _learn_chains(self, given: ChainRows, rows: TrainingRows) -> None:
        orders = self._orders(given, rows)
        units = None if self.cv is None else Units.dealt(self.cv, rows, self._fold_seed(), given.who)
        if units is not None:
            tasks = [partial(learn_cross_fitted, given, order, units) for order in orders]
            self.chains_ = together(tasks, self.n_jobs, given.X)
            return
        links = [partial(learn_link, given, order, place) for order in orders for place in range(len(order))]
        members = iter(together(links, self.n_jobs, given.X))
        self.chains_ = [Chain(order, [next(members) for _ in order]) for order in orders]

    def _fold_seed(self) -> Any:
        return self.random_state if self.random_state is None else generator(self.random_state, "chain folds")

    def _orders(self, given: ChainRows, rows: TrainingRows) -> list[np.ndarray]:
        n = given.y.shape[1]
        if self.n_chains > 1 or (isinstance(self.order, str) and self.order == "random"):
            rng = generator(self.random_state, "chain orders")
            return [rng.permutation(n).astype(np.int64) for _ in range(self.n_chains)]
        if self.order is None:
            return [np.arange(n, dtype=np.int64)]
        return [self._learnt_order(given, rows) if isinstance(self.order, str) else self._given_order(n)]

    def _given_order(self, n: int) -> np.ndarray:
        wanted = np.asarray(self.order).tolist()
        names = self.target_names()
        places = [names.index(each) if isinstance(each, str) and each in names else each for each in wanted]
        if sorted(map(str, places)) != sorted(map(str, range(n))):
            raise ParameterError(
                f"ClassifierChain(order={wanted!r}): order must name each of the {n} targets once, by number or by "
                f"name ({listing(names)})."
            )
        return np.array([int(place) for place in places], dtype=np.int64)

    def _learnt_order(self, given: ChainRows, rows: TrainingRows) -> np.ndarray:
        """Targets by how much of the error of the most frequent class is left, the least first."""
        n = given.y.shape[1]
        units = Units.dealt(FOLDS, rows, self._fold_seed(), given.who) if n > 1 else None
        if units is None:
            return np.arange(n, dtype=np.int64)
        whole = units.whole(given)
        tasks = [partial(held_out_codes, whole, whole.X, j, units) for j in range(n)]
        left = []
        for j, shares in enumerate(together(tasks, self.n_jobs, given.X)):
            wrong = units.weight @ (shares.argmax(axis=1) != whole.y[:, j])
            majority = units.weight.sum() - np.bincount(whole.y[:, j], units.weight).max()
            left.append(wrong / majority if majority > 0 else np.inf)
        return np.argsort(left, kind="stable").astype(np.int64)

    # ---- Answering.

    def _scores(self, X: Encoded) -> Any:
        kind = self._kind()
        found = self._walked(X, kind)
        return found if self.outputs_2d_ else found[0]

    def _walked(self, X: Encoded, wanted: Any) -> list[np.ndarray]:
        kind, feeding, who = self._kind(), self._feeding(), type(self).__name__
        walks = [chain.walk(X, feeding, kind, wanted, who) for chain in self.chains_]
        if len(walks) == 1:
            return walks[0]
        if kind == "decision":  # scores of different members are on no common scale: they vote
            walks = [[_votes(scores) for scores in walk] for walk in walks]
        return [np.mean(of_target, axis=0) for of_target in zip(*walks)]

    def _decides(self) -> bool:
        return self.n_chains == 1 and hasattr(self._asked_model(), "decision_function")

    @available_if(_decides)
    def decision_function(self, X: TableLike) -> Any:
        """The members' scores of a single chain: a column for each target of two classes, above 0 for the second."""
        found = self._walked(self._encoded(X, "decision_function"), "decision")
        found = [each[:, 1] if each.shape[1] == 2 else each for each in found]
        if not self.outputs_2d_:
            return found[0]
        return np.column_stack(found) if all(each.ndim == 1 for each in found) else found


def _votes(scores: np.ndarray) -> np.ndarray:
    return (np.arange(scores.shape[1]) == scores.argmax(axis=1)[:, None]).astype(np.float64)
