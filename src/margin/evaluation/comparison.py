"""Which models really differ: paired tests on the same folds, corrected for shared rows and for the number of tries."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import special

from margin.errors import ParameterError, closest, listing
from margin.evaluation.intervals import Score
from margin.evaluation.metrics import Metric
from margin.evaluation.result import Evaluation

__all__ = ["Comparison", "PairTest", "Standing", "compare_scores", "corrected_t_test", "holm", "sign_test"]


@dataclass(frozen=True, slots=True)
class PairTest:
    """Two models on the same folds or cases: the mean difference and how easily chance would give one as large.

    ``p`` is of this pair alone, ``corrected`` allows for all pairs that were tested.
    """

    first: str
    second: str
    difference: float
    p: float
    corrected: float = 1.0


@dataclass(frozen=True, slots=True)
class Standing:
    """A model's place: its score, and whether it really differs from the best (``p`` is corrected)."""

    name: str
    score: Score
    p: float
    differs: bool


@dataclass(frozen=True)
class Comparison:
    """Models from best to worst, with what can be said about their differences.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from margin.evaluation import evaluate
    >>> X, y = load_iris(return_X_y=True)
    >>> found = compare_scores({"bayes": evaluate(GaussianNB(), X, y), "guess": evaluate(DummyClassifier(), X, y)})
    >>> found.best, found["guess"].differs
    ('bayes', True)
    """

    metric: str
    confidence: float
    standings: tuple[Standing, ...]
    pairs: tuple[PairTest, ...]
    method: str

    @property
    def best(self) -> str:
        """The model with the best score."""
        return self.standings[0].name

    @property
    def as_good_as_best(self) -> tuple[str, ...]:
        """The models, the best included, that the test cannot tell from the best."""
        return tuple(standing.name for standing in self.standings if not standing.differs)

    def __getitem__(self, name: str) -> Standing:
        for standing in self.standings:
            if standing.name == name:
                return standing
        known = [standing.name for standing in self.standings]
        raise ParameterError(f"Comparison[{name!r}]: no such model; there are {listing(known)}{closest(name, known)}.")

    def __str__(self) -> str:
        width = max(len(standing.name) for standing in self.standings)
        lines = [f"{self.metric}, best first ({self.method})"]
        lines += [
            f"{standing.name:<{width}}  {standing.score}  {self._verdict(standing)}" for standing in self.standings
        ]
        return "\n".join(lines)

    def _verdict(self, standing: Standing) -> str:
        if standing.name == self.best:
            return "best"
        what = "differs from the best" if standing.differs else "not told apart from the best"
        return f"{what} (p = {standing.p:.3g})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{html.escape(standing.name)}</th><td>{standing.score}</td><td>{self._verdict(standing)}</td></tr>"
            for standing in self.standings
        )
        return f"<table>{rows}</table><p>{html.escape(self.metric)}; {html.escape(self.method)}</p>"


def compare_scores(
    evaluations: Mapping[str, Evaluation], metric: str | Metric = "accuracy", *, confidence: float = 0.95
) -> Comparison:
    """Compare models that were evaluated on the same rows by the same protocol.

    Folds are compared pair by pair with the corrected resampled t-test (Nadeau, Bengio 2003). Where a protocol asks
    about each case once (hold-out, leave-one-out), accuracy and error are compared by the exact sign test on the cases
    that only one of the two got right (McNemar 1947). Since the best is found by looking, p-values are corrected by
    Holm's method for all pairs, not only for those with the best.

    Parameters
    ----------
    evaluations
        Evaluations by the name of the model.
    metric
        One that all of them hold.
    confidence
        A model differs from the best where its corrected p is below ``1 - confidence``.
    """
    name = metric.name if isinstance(metric, Metric) else metric
    which = _checked(evaluations, name)
    first = next(iter(evaluations.values()))
    by_folds = first.protocol.judged_by == "folds"
    if not by_folds and not which.proportion:
        raise ParameterError(
            f"compare_scores(metric={name!r}): after {first.protocol.name} only accuracy and error can be compared "
            "(evaluate with StratifiedFolds for other metrics)."
        )
    test = _test_folds if by_folds else _test_cases
    order = _best_first(evaluations, which)
    raw = [test(one, other, evaluations[one], evaluations[other], name) for one, other in combinations(order, 2)]
    pairs = tuple(
        PairTest(pair.first, pair.second, pair.difference, pair.p, corrected)
        for pair, corrected in zip(raw, holm([pair.p for pair in raw]))
    )
    against_best = {pair.second: pair.corrected for pair in pairs if pair.first == order[0]}
    standings = tuple(
        Standing(each, evaluations[each].scores[name], p := against_best.get(each, 1.0), p < 1 - confidence)
        for each in order
    )
    test_name = "corrected resampled t-test" if by_folds else "exact sign test"
    return Comparison(
        name, confidence, standings, pairs, f"{test_name}, Holm's correction, number of pairs {len(pairs)}"
    )


def _checked(evaluations: Mapping[str, Evaluation], name: str) -> Metric:
    """The metric, after a check that all evaluations hold it and rest on the same splits of the same rows."""
    if not evaluations:
        raise ParameterError("compare_scores(evaluations={}): there must be at least one evaluation.")
    first_name, first = next(iter(evaluations.items()))
    for model, evaluation in evaluations.items():
        if name not in evaluation.scores:
            known = list(evaluation.scores)
            raise ParameterError(
                f"compare_scores(metric={name!r}): {model!r} was not scored by it, but by "
                f"{listing(known)}{closest(name, known)}."
            )
        if not _same_splits(first, evaluation):
            raise ParameterError(
                f"compare_scores: {first_name!r} ({first.protocol.name}) and {model!r} ({evaluation.protocol.name}) "
                "must be evaluated on the same rows by the same protocol and seed."
            )
    return next(each for each in first.metrics if each.name == name)


def _same_splits(one: Evaluation, other: Evaluation) -> bool:
    sizes = [[(fold.n_train, fold.n_test) for fold in evaluation.folds] for evaluation in (one, other)]
    both = np.intersect1d(one.rows, other.rows, assume_unique=True)
    truths = [
        evaluation.truth[np.isin(evaluation.rows, both, assume_unique=True)].tolist() for evaluation in (one, other)
    ]
    return one.protocol == other.protocol and sizes[0] == sizes[1] and truths[0] == truths[1]


def _best_first(evaluations: Mapping[str, Evaluation], which: Metric) -> list[str]:
    sign = -1 if which.greater_is_better else 1
    return sorted(evaluations, key=lambda model: sign * evaluations[model].scores[which.name].value)


def _test_folds(one: str, other: str, first: Evaluation, second: Evaluation, name: str) -> PairTest:
    """On the folds that neither model failed in."""
    differences = first.fold_scores[name] - second.fold_scores[name]
    kept = ~np.isnan(differences)
    ratios = [fold.n_test / fold.n_train for fold, keep in zip(first.folds, kept) if keep]
    if not ratios:
        return PairTest(one, other, math.nan, 1.0)
    return PairTest(
        one, other, float(differences[kept].mean()), corrected_t_test(differences[kept], float(np.mean(ratios)))
    )


def _test_cases(one: str, other: str, first: Evaluation, second: Evaluation, name: str) -> PairTest:
    both = np.intersect1d(first.rows, second.rows, assume_unique=True)
    right = []
    for evaluation in (first, second):
        answers = evaluation.answers.take(np.searchsorted(evaluation.rows, both))
        right.append(answers.truth == answers.predicted)
    difference = first.scores[name].value - second.scores[name].value
    return PairTest(
        one, other, difference, sign_test(int((right[0] & ~right[1]).sum()), int((~right[0] & right[1]).sum()))
    )


def corrected_t_test(differences: Sequence[float] | np.ndarray, test_to_train: float) -> float:
    """Two-sided p of no difference, from differences by fold whose training rows overlap (Nadeau, Bengio 2003).

    t = mean / √((1/J + n_test/n_train)·s²) with J - 1 degrees of freedom. With ``test_to_train=0`` it is the plain
    paired t-test. Differences that are all equal are certain: p is 0, or 1 where they are all 0.

    >>> round(corrected_t_test([0.02, 0.04, 0.0, 0.02], test_to_train=1 / 3), 4)
    0.2071
    """
    values = np.asarray(differences, dtype=np.float64)
    mean = float(values.mean())
    if len(values) < 2:
        return 1.0
    deviation = math.sqrt((1 / len(values) + test_to_train) * values.var(ddof=1))
    # Equal differences leave a spread of rounding errors, which must not pass for evidence either way.
    if deviation <= 1e-12 * max(abs(mean), 1e-300):
        return 1.0 if mean == 0 else 0.0
    return float(2 * special.stdtr(len(values) - 1, -abs(mean) / deviation))


def sign_test(only_first: int, only_second: int) -> float:
    """Two-sided exact p that cases only one model gets right fall to either with equal chance.

    >>> sign_test(0, 5)
    0.0625
    """
    fewer, both = min(only_first, only_second), only_first + only_second
    return min(1.0, 2 * float(special.bdtr(fewer, both, 0.5))) if both else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values corrected so that the chance of any false claim among them stays below the level (Holm 1979).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda at: p_values[at])
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, at in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[at]))
        corrected[at] = largest
    return corrected
