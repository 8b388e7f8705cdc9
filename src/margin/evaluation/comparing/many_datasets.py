"""Several models on several data sets: Friedman's test, and which models Nemenyi's critical difference tells apart."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from scipy import special

from margin.errors import InputError, ParameterError, closest, listing
from margin.evaluation.comparing.multiple_testing import correct
from margin.evaluation.comparing.pairing import held_metric
from margin.evaluation.comparing.wilcoxon import mid_ranks
from margin.evaluation.cross_validation.result import Evaluation
from margin.evaluation.intervals.interval import Score, check_confidence
from margin.evaluation.metrics.definitions import Metric

__all__ = ["ControlTest", "FriedmanTest", "compare_on", "friedman", "range_above", "range_quantile"]

#: The most data sets for which p is counted exactly, by the number of models.
_EXACT = {2: 100, 3: 30, 4: 15, 5: 6}


@dataclass(frozen=True, slots=True)
class ControlTest:
    """A model against the control: difference in mean rank (positive where the model is worse), p and corrected p."""

    name: str
    difference: float
    p: float
    corrected: float


@dataclass(frozen=True)
class FriedmanTest:
    """Mean ranks of models over data sets, best first, and which of them cannot be told apart.

    Attributes
    ----------
    names, mean_ranks
        The models and their mean ranks, 1 being the best, in ascending order.
    statistic, p_chi2
        Friedman's χ², corrected for ties, and its p.
    f, p_f
        Iman and Davenport's F, which is less cautious, and its p.
    p_exact
        Counted over all ways to rank, for few models and data sets; else ``None``.
    critical_difference
        Two models whose mean ranks differ by at least this much differ (Nemenyi 1963), at ``confidence``.
    groups
        Models not told apart, as the bars of a critical difference diagram show them.
    table, datasets
        The scores, models in the order of ``names``, and the data sets of its rows.
    """

    names: tuple[str, ...]
    mean_ranks: np.ndarray
    statistic: float
    p_chi2: float
    f: float
    p_f: float
    p_exact: float | None
    critical_difference: float
    groups: tuple[tuple[str, ...], ...]
    confidence: float
    table: np.ndarray
    datasets: tuple[str, ...]

    @property
    def p(self) -> float:
        """The exact p where it was counted, else that of Iman and Davenport."""
        return self.p_f if self.p_exact is None else self.p_exact

    @property
    def method(self) -> str:
        return "Friedman's test, exact" if self.p_exact is not None else "Friedman's test, Iman–Davenport F"

    @property
    def p_values(self) -> np.ndarray:
        """Nemenyi's p of each pair, which allows for the number of pairs; in the order of ``names``."""
        apart = np.abs(self.mean_ranks[:, None] - self.mean_ranks) / self._unit
        matrix = np.array([[range_above(math.sqrt(2) * z, len(self.names)) for z in row] for row in apart])
        np.fill_diagonal(matrix, 1.0)
        return matrix

    @property
    def _unit(self) -> float:
        """The standard deviation of a difference of two mean ranks."""
        k = len(self.names)
        return math.sqrt(k * (k + 1) / (6 * len(self.table)))

    def against(self, control: str, correction: str = "holm") -> tuple[ControlTest, ...]:
        """Each other model against one that was named in advance: more is found than among all pairs."""
        if control not in self.names:
            raise ParameterError(
                f"FriedmanTest.against({control!r}): no such model; there are {listing(list(self.names))}"
                f"{closest(control, self.names)}."
            )
        own = self.mean_ranks[self.names.index(control)]
        apart = {name: float(rank - own) for name, rank in zip(self.names, self.mean_ranks) if name != control}
        p = [float(2 * special.ndtr(-abs(difference) / self._unit)) for difference in apart.values()]
        tested = zip(apart.items(), p, correct(p, correction))
        return tuple(ControlTest(name, difference, each, fixed) for (name, difference), each, fixed in tested)

    def __str__(self) -> str:
        width = max(map(len, self.names))
        lines = [self._headline(), f"{'':<{width}}  mean rank  not told apart"]
        for name, rank, bars in zip(self.names, self.mean_ranks, self._bars()):
            lines.append(f"{name:<{width}}  {rank:9.3f}  {bars}".rstrip())
        lines.append(f"critical difference {self.critical_difference:.3f} (Nemenyi, {100 * self.confidence:g} %)")
        return "\n".join(lines)

    def _headline(self) -> str:
        n, k = self.table.shape
        found = f"χ² = {self.statistic:.2f}, F = {self.f:.2f}, p = {self.p:.3g}"
        return f"{k} models on {n} data sets: {found} ({self.method})"

    def _bars(self) -> list[str]:
        """One letter per group, under one another for models of the same group."""
        letters = "abcdefghijklmnopqrstuvwxyz"
        return [
            "".join(letters[at % 26] if name in group else " " for at, group in enumerate(self.groups))
            for name in self.names
        ]

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{html.escape(name)}</th><td>{rank:.3f}</td><td><pre>{bars}</pre></td></tr>"
            for name, rank, bars in zip(self.names, self.mean_ranks, self._bars())
        )
        head = "<tr><th></th><th>mean rank</th><th>not told apart</th></tr>"
        cd = f"critical difference {self.critical_difference:.3f} (Nemenyi, {100 * self.confidence:g} %)"
        return f"<p>{html.escape(self._headline())}</p><table>{head}{rows}</table><p>{cd}</p>"


def friedman(
    scores: Any,
    *,
    names: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    greater_is_better: bool = True,
    confidence: float = 0.95,
) -> FriedmanTest:
    """Whether several models do equally well over several data sets, by their ranks on each (Friedman 1937).

    On each data set the models are ranked from the best (1), equal scores sharing their mean rank. χ² measures how far
    the mean ranks R lie apart, F = (n - 1)χ² / (n(k - 1) - χ²) is the better version of Iman and Davenport (1980), and
    for few models and data sets p is counted. Two models then differ where their mean ranks are
    q·√(k(k + 1)/6n) or more apart, with q from the studentized range (Nemenyi 1963; Demšar 2006).

    Parameters
    ----------
    scores
        A table with a row per data set and a column per model; or, by the name of the model, its scores.
    names, datasets
        Of the columns and the rows.
    greater_is_better
        Whether the greatest score of a row has rank 1.
    confidence
        Of the critical difference.

    Examples
    --------
    >>> print(friedman({"tree": [0.7, 0.8, 0.6, 0.9], "forest": [0.8, 0.9, 0.7, 0.95], "guess": [0.5, 0.5, 0.5, 0.5]}))
    3 models on 4 data sets: χ² = 8.00, F = inf, p = 0.00463 (Friedman's test, exact)
            mean rank  not told apart
    forest      1.000  a
    tree        2.000  ab
    guess       3.000   b
    critical difference 1.657 (Nemenyi, 95 %)
    """
    check_confidence("friedman", confidence)
    table, known, rows = _table(scores, names, datasets)
    n, k = table.shape
    ranks = mid_ranks(np.round(-table if greater_is_better else table, 12))
    mean = ranks.mean(axis=0)
    order = np.argsort(mean, kind="stable")
    chi2, f = _statistics(ranks)
    cd = range_quantile(confidence, k) / math.sqrt(2) * math.sqrt(k * (k + 1) / (6 * n))
    ordered = tuple(known[at] for at in order)
    return FriedmanTest(
        ordered,
        mean[order],
        chi2,
        float(special.chdtrc(k - 1, chi2)),
        f,
        float(special.fdtrc(k - 1, (k - 1) * (n - 1), f)) if n > 1 else 1.0,
        _exact_p(ranks) if n <= _EXACT.get(k, 0) else None,
        cd,
        _groups(ordered, mean[order], cd),
        confidence,
        table[:, order],
        rows,
    )


def compare_on(
    evaluations: Mapping[str, Mapping[str, Evaluation | Score | float]],
    metric: str | Metric = "accuracy",
    *,
    confidence: float = 0.95,
    greater_is_better: bool | None = None,
) -> FriedmanTest:
    """Compare models over data sets: for each data set, by name, the evaluation (or score) of each model, by name.

    >>> print(compare_on({"iris": {"tree": 0.95, "bayes": 0.96}, "wine": {"tree": 0.91, "bayes": 0.97}}))
    2 models on 2 data sets: χ² = 2.00, F = inf, p = 0.5 (Friedman's test, exact)
           mean rank  not told apart
    bayes      1.000  a
    tree       2.000  a
    critical difference 1.386 (Nemenyi, 95 %)
    """
    if not evaluations:
        raise InputError("compare_on(evaluations={}): at least one data set is needed.")
    names = list(next(iter(evaluations.values())))
    ways, rows = set(), []
    for dataset, models in evaluations.items():
        if set(models) != set(names):
            raise InputError(
                f"compare_on: every data set needs the same models; {dataset!r} has {listing(sorted(models))}, not "
                f"{listing(sorted(names))}."
            )
        for name, given in models.items():
            if isinstance(given, Evaluation):
                ways.add(held_metric("compare_on", given, metric, f"{name} on {dataset}").greater_is_better)
        rows.append([_number(models[name], metric) for name in names])
    better = greater_is_better if greater_is_better is not None else ways != {False}
    return friedman(rows, names=names, datasets=list(evaluations), greater_is_better=better, confidence=confidence)


def _number(given: Evaluation | Score | float, metric: str | Metric) -> float:
    if isinstance(given, Evaluation):
        return given.scores[metric.name if isinstance(metric, Metric) else metric].value
    return float(given)


def _table(
    scores: np.ndarray, names: Sequence[str] | None, datasets: Sequence[str] | None
) -> tuple[np.ndarray, tuple[str, ...], tuple[str, ...]]:
    if isinstance(scores, Mapping):
        names, columns = list(scores), list(scores.values())
        if len({len(column) for column in columns}) > 1:
            raise InputError("friedman: every model needs a score on each data set.")
        scores = np.column_stack(columns) if columns else np.empty((0, 0))
    try:
        table = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("friedman: scores must be numbers, a row per data set and a column per model.") from None
    if table.ndim != 2 or table.shape[1] < 2 or len(table) < 1 or not np.isfinite(table).all():
        raise InputError(
            f"friedman: finite scores of at least 2 models (columns) on 1 data set (rows) are needed, not the shape "
            f"{table.shape} or missing scores."
        )
    known = tuple(names) if names is not None else tuple(f"model {at + 1}" for at in range(table.shape[1]))
    rows = tuple(datasets) if datasets is not None else tuple(f"data set {at + 1}" for at in range(len(table)))
    if (len(rows), len(known)) != table.shape or len(set(known)) < len(known):
        raise InputError(
            f"friedman: {len(known)} different names and {len(rows)} data sets must fit the shape {table.shape}."
        )
    return table, known, rows


def _statistics(ranks: np.ndarray) -> tuple[float, float]:
    """Friedman's χ², corrected for ties, and Iman and Davenport's F."""
    n, k = ranks.shape
    spread = float(((ranks - (k + 1) / 2) ** 2).sum())  # n·k(k² - 1)/12 without ties
    if spread == 0:
        return 0.0, 0.0
    apart = float(((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2).sum())
    chi2 = (k - 1) * apart / spread
    rest = n * (k - 1) - chi2
    return chi2, (n - 1) * chi2 / rest if rest > 1e-9 else math.inf


def _exact_p(ranks: np.ndarray) -> float:
    """The share of all ways to give each data set's ranks to the models whose rank sums lie as far apart.

    Data set by data set: rank sums and how often they come about. Which model has which sum does not matter, since the
    next data set's ranks go to the models in every order; so sums are kept sorted, which leaves few of them.
    """
    n, k = ranks.shape
    doubled = np.rint(2 * ranks).astype(np.int64)
    base = int(doubled.sum(axis=1).max()) * n + 1
    powers = np.array([base**at for at in range(k)], dtype=object if k * math.log2(base) > 62 else np.int64)
    sums: np.ndarray = np.zeros((1, k), dtype=np.int64)
    chances: np.ndarray = np.ones(1)
    for row in doubled:
        orders = np.array(list(permutations(row.tolist())))
        grown = np.sort((sums[:, None, :] + orders[None]).reshape(-1, k), axis=1)
        _, first, place = np.unique(grown @ powers, return_index=True, return_inverse=True)
        weights = np.repeat(chances / len(orders), len(orders))
        sums, chances = grown[first], np.bincount(place, weights)
    apart = ((sums - n * (k + 1)) ** 2).sum(axis=1)
    seen = int(((doubled.sum(axis=0) - n * (k + 1)) ** 2).sum())
    return min(1.0, float(chances[apart >= seen].sum()))


def _groups(names: tuple[str, ...], mean_ranks: np.ndarray, cd: float) -> tuple[tuple[str, ...], ...]:
    """The longest runs of models, in order of rank, whose first and last are not told apart; at least two each."""
    groups, reached = [], 0
    for start in range(len(names)):
        end = int(np.searchsorted(mean_ranks, mean_ranks[start] + cd - 1e-12, side="left"))
        if end > reached and end - start > 1:
            groups.append(names[start:end])
        reached = max(reached, end)
    return tuple(groups)


def range_above(q: float, k: int) -> float:
    """The chance that of k standard normal numbers the largest and the smallest lie more than q apart.

    1 - k ∫ φ(z) (Φ(z) - Φ(z - q))^(k-1) dz, with z the largest. The trapezoidal rule is exact to rounding, since the
    integrand is smooth and falls to nothing at both ends.

    >>> round(range_above(3.3145, 3), 4)
    0.05
    """
    if q <= 0:
        return 1.0
    z = np.linspace(-9.0, 9.0 + q, 1200)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    within = k * np.trapezoid(density * (special.ndtr(z) - special.ndtr(z - q)) ** (k - 1), z)
    return float(min(1.0, max(0.0, 1 - within)))


def range_quantile(confidence: float, k: int) -> float:
    """The range that k standard normal numbers stay within with this confidence; by halving.

    >>> round(range_quantile(0.95, 4) / 2**0.5, 3)  # the figure of Nemenyi's test for four models
    2.569
    """
    low, high = 0.0, 1.0
    while range_above(high, k) > 1 - confidence:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if range_above(middle, k) > 1 - confidence else (low, middle)
    return (low + high) / 2
