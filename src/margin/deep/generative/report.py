"""How good forged cases are, beside real ones and beside draws from plain distributions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from margin.data.table import Table
from margin.deep.generative.baselines import drawn_by_naive_bayes, drawn_from_one_normal
from margin.deep.generative.cases import Cases, read_cases
from margin.deep.generative.distances import (
    frechet_distance,
    jackknife,
    kernel_distance,
    nearest_distances,
    two_sample_accuracy,
)
from margin.errors import ParameterError
from margin.evaluation.intervals.interval import Interval, check_confidence, wilson
from margin.random import generator
from margin.typing import SeedLike

__all__ = ["ForgeryMeasures", "GenerativeReport", "generative_report"]

#: Cases of each kind that are compared, at most.
MOST = 2000
#: A class is covered by cases that have a tenth of the share of it that real ones have.
TENTH = 0.1
#: A case is a copy if it is nearer to a training case than all but one in a hundred real ones.
COPY = 0.01
RESAMPLES = 500

Measure = tuple[float, Interval]


@dataclass(frozen=True)
class ForgeryMeasures:
    """What is measured of one collection of cases, each value with its interval.

    Attributes
    ----------
    frechet, kernel
        Distances to real cases in features; the smaller, the better.
    two_sample
        How often the nearest other case is of the same collection, of real ones and these: .5 at best.
    classes
        How many classes are covered, as the classifier sees them; None without a classifier.
    entropy
        Of the classes, in units of the logarithm of their number: 1 if all are equally frequent.
    copies
        The share of cases that are nearer to a training case than all but one in a hundred real ones.
    """

    frechet: Measure
    kernel: Measure
    two_sample: Measure
    classes: Measure | None
    entropy: Measure | None
    copies: Measure


COLUMNS = {
    "frechet": "Fréchet", "kernel": "kernel", "two_sample": "1-NN", "classes": "classes", "entropy": "entropy",
    "copies": "copies",
}  # fmt: skip


@dataclass(frozen=True)
class GenerativeReport:
    """Measures of forged cases, of other real ones, and of two baselines; prints itself as a table.

    Attributes
    ----------
    lines
        Measures by "made", "real", "one Gaussian" and "naive Bayes" (where there are labels).
    n
        How many cases of each are compared.
    n_classes
        Classes that the classifier knows; 0 without.
    nearest
        For each of the made cases the training case that is nearest to it.
    """

    lines: dict[str, ForgeryMeasures]
    n: int
    n_classes: int
    nearest: np.ndarray = field(repr=False)

    def __getitem__(self, name: str) -> ForgeryMeasures:
        if name not in self.lines:
            raise ParameterError(f"GenerativeReport[{name!r}]: the lines are {', '.join(self.lines)}.")
        return self.lines[name]

    def __str__(self) -> str:
        shown = {name: label for name, label in COLUMNS.items() if self.n_classes or name not in ("classes", "entropy")}
        rows = [["", *shown.values()]]
        for line, measures in self.lines.items():
            rows.append([line, *(_told(getattr(measures, name)) for name in shown)])
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        text = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        known = f" of {self.n_classes} classes" if self.n_classes else ""
        return "\n".join([*text, f"{self.n} cases of each{known}; what is best: distances 0, 1-NN 0.5, copies few."])

    def to_table(self) -> Table:
        """A line for each collection, with the ends of every interval."""
        columns: dict[str, Any] = {"cases": list(self.lines)}
        for name in COLUMNS:
            found = [getattr(each, name) for each in self.lines.values()]
            if None not in found:
                columns[name] = [value for value, _ in found]
                columns[f"{name}_low"] = [interval.low for _, interval in found]
                columns[f"{name}_high"] = [interval.high for _, interval in found]
        return Table.from_columns(columns, name="generative report")


def _told(measure: Measure) -> str:
    value, interval = measure
    return f"{value:.3g} [{interval.low:.3g}, {interval.high:.3g}]"


def generative_report(
    real: Any,
    made: Any,
    labels: Any = None,
    *,
    training: Any = None,
    training_labels: Any = None,
    classifier: Any = None,
    confidence: float = 0.95,
    random_state: SeedLike = 0,
    n_jobs: int | None = None,
) -> GenerativeReport:
    """How near made cases come to real ones, in numbers beside which plain distributions stand.

    One half of the real cases is what all is compared with; the other half is the line "real", the best that can be
    asked for. All lines have equally many cases, since distances of few are larger. Pictures are compared in
    what the head of a classifier is handed (LeNet-5, trained on the training cases, where none is given), rows of a
    table in their columns; each of these has deviation 1 over the training cases.

    Parameters
    ----------
    real, made
        Real cases, at best such as the generator has not learnt from, and what it made, in the same units: pictures
        (``Images``, arrays), or rows of numbers.
    labels
        Classes of the real cases; ``Images`` bring their own.
    training, training_labels
        The cases that the generator has learnt from: baselines learn from them, and copies are looked for among them.
        The real ones if None.
    classifier
        A fitted classifier of such cases; for pictures an ``ImageClassifier``, which is trained on the training cases
        if None.
    confidence
        Of all intervals: by leaving out twentieths, by Wilson for shares, by resampling for classes.
    random_state
        Decides the halves, the draws of the baselines and the classifier.

    Examples
    --------
    >>> from margin.data.generators import gaussian_ring
    >>> X, y = gaussian_ring(400, seed=0)
    >>> report = generative_report(X, gaussian_ring(200, seed=1).X, y)
    >>> report["made"].classes[0], report["made"].two_sample[0] < 0.6 < report["one Gaussian"].two_sample[0]
    (8.0, True)
    """
    who = "generative_report"
    check_confidence(who, confidence)
    given = read_cases(real, labels, made, training, training_labels, classifier, who, random_state, n_jobs)
    order = generator(random_state, "halves").permutation(len(given.real))
    n = min(len(given.real) // 2, len(given.made), MOST)
    reference, other = order[:n], order[n : 2 * n]
    chosen = generator(random_state, "made").permutation(len(given.made))[:n]
    collections = {"made": given.made[chosen], "real": given.real[other]}
    random = generator(random_state, "baselines")
    collections["one Gaussian"] = given.shown(drawn_from_one_normal(given.training, n, random))
    if given.codes is not None:
        collections["naive Bayes"] = given.shown(drawn_by_naive_bayes(given.training, given.codes, n, random))
    judge = _Judge(given, given.features(given.real[reference]), float(confidence), random_state, reference)
    lines = {name: judge.of(cases, other if name == "real" else None) for name, cases in collections.items()}
    nearest = nearest_distances(given.made, given.training)[1]
    return GenerativeReport(lines, n, given.n_classes, nearest)


@dataclass
class _Judge:
    """Compares collections with the same half of the real cases."""

    given: Cases
    features: np.ndarray
    confidence: float
    seed: SeedLike
    reference: np.ndarray

    def __post_init__(self) -> None:
        self.near = float(np.quantile(self._distances(self.given.real[self.reference], self.reference), COPY))

    def of(self, cases: np.ndarray, rows: np.ndarray | None) -> ForgeryMeasures:
        theirs = self.given.features(cases)
        found: list[Measure] = []
        for measure, low, high in (
            (frechet_distance, 0.0, np.inf), (kernel_distance, -np.inf, np.inf), (two_sample_accuracy, 0.0, 1.0)
        ):  # fmt: skip
            interval = jackknife(measure, self.features, theirs, self.confidence, lowest=low, highest=high)
            found.append((measure(self.features, theirs), interval))
        classes, entropy = self._classes(cases)
        copies = int((self._distances(cases, rows) <= self.near).sum())
        interval = Interval(*wilson(copies, len(cases), self.confidence), self.confidence, "Wilson")
        return ForgeryMeasures(found[0], found[1], found[2], classes, entropy, (copies / len(cases), interval))

    def _distances(self, cases: np.ndarray, rows: np.ndarray | None) -> np.ndarray:
        """To the nearest training case; a real one that is among them is not its own."""
        if rows is None or not self.given.trained_on_real:
            return nearest_distances(cases, self.given.training)[0]
        far = np.empty(len(cases))
        for k, row in enumerate(rows):
            others = np.arange(len(self.given.training)) != row
            far[k] = nearest_distances(cases[k : k + 1], self.given.training[others])[0][0]
        return far

    def _classes(self, cases: np.ndarray) -> tuple[Measure | None, Measure | None]:
        if not self.given.n_classes:
            return None, None
        k = self.given.n_classes
        usual = np.bincount(self.given.classes_of(self.given.real), minlength=k) / len(self.given.real)
        counts = np.bincount(self.given.classes_of(cases), minlength=k)

        def covered(counts: np.ndarray) -> float:
            return float((counts[usual > 0] >= np.maximum(TENTH * usual[usual > 0] * counts.sum(), 1)).sum())

        def entropy(counts: np.ndarray) -> float:
            shares = counts[counts > 0] / counts.sum()
            return float(-(shares * np.log(shares)).sum() / np.log(max(k, 2))) + 0.0

        draws = generator(self.seed, "classes").multinomial(counts.sum(), counts / counts.sum(), RESAMPLES)
        tails = [(1 - self.confidence) / 2, (1 + self.confidence) / 2]
        made: list[Measure] = []
        for measure in (covered, entropy):
            low, high = np.quantile([measure(each) for each in draws], tails)
            value = measure(counts)
            ends = Interval(float(min(low, value)), float(max(high, value)), self.confidence, "bootstrap percentiles")
            made.append((value, ends))
        return made[0], made[1]
