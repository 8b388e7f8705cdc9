"""What generative models of columns have learnt: the tables of naive Bayes, the joint table, shares of classes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from margin.baseline import MajorityClassifier
from margin.bayes import JointBayes, NaiveBayes
from margin.bayes.distributions.categorical import Categorical, CategoricalNumbers
from margin.bayes.distributions.gaussian import Gaussian
from margin.bayes.distributions.mdl_intervals import MdlIntervals
from margin.explain.learnt.describing import Given, sections_of, shares_table
from margin.explain.learnt.sections import Section, table

__all__: list[str] = []

#: Columns with a table of their own; of more, the others are listed together.
MOST_COLUMNS = 40
#: What distributions keep of each column and class: what it is called, and whether it is a logarithm.
OF_COLUMNS = {
    "rate": ("rate", False),
    "width": ("width of a bump", False),
    "present": ("share that has it", True),
    "table": ("share", True),
}
#: Words of a text, or columns of counts, that are listed.
MOST_WORDS = 20


@sections_of.register
def _(fitted: MajorityClassifier, given: Given) -> list[Section]:
    return [shares_table("Shares of the classes", fitted, fitted.priors_)]


@sections_of.register
def _(fitted: NaiveBayes, given: Given) -> list[Section]:
    found = [shares_table("Classes", fitted, fitted.priors_, fitted.class_count_)]
    labels = [str(label) for label in fitted.classes_]
    for block in fitted._blocks:
        described = block.described()
        distribution: Any = block.distribution
        if isinstance(distribution, Gaussian):
            found.append(_gaussian(fitted, distribution, described, labels))
        elif isinstance(distribution, Categorical):
            found += _categorical(distribution, described, labels)
        else:
            found.append(_other(distribution, described, labels))
    if len(found) > MOST_COLUMNS + 1:
        left = found[MOST_COLUMNS + 1 :]
        found = [*found[: MOST_COLUMNS + 1], table("Further columns", "", ("column",), [(s.title,) for s in left])]
    return found


def _gaussian(fitted: Any, distribution: Any, described: Any, labels: list[str]) -> Section:
    mean, deviation = distribution.mean * distribution.unit, np.sqrt(distribution.variance) * distribution.unit
    rows = [
        (column.name, *(cell for k in range(len(labels)) for cell in (float(mean[k, j]), float(deviation[k, j]))))
        for j, column in enumerate(described)
    ]
    heads = [head for label in labels for head in (f"mean {label}", f"deviation {label}")]
    return table("Numbers (gaussian)", "A normal distribution in each class.", ("column", *heads), rows)


def _categorical(distribution: Any, described: Any, labels: list[str]) -> list[Section]:
    how = "Counts of the training rows, and the probability of each level in each class."
    found = []
    for j, (column, (start, end)) in enumerate(zip(described, pairwise(distribution.first.tolist()))):
        counts, shares = distribution.level_counts[start:end], np.exp(distribution.log_share[start:end])
        names = _level_names(distribution, column, j, end - start)
        heads = [head for label in labels for head in (label, f"P({_what(distribution)} | {label})")]
        rows = [
            (name, *(cell for k in range(len(labels)) for cell in (_count(counts[v, k]), float(shares[v, k]))))
            for v, name in enumerate(names)
        ]
        found.append(table(f"{column.name} ({distribution.name})", how, (_what(distribution), *heads), rows))
    return found


def _what(distribution: Any) -> str:
    return "interval" if isinstance(distribution, MdlIntervals) else "level"


def _count(value: float) -> float | int:
    return int(value) if float(value).is_integer() else float(value)


def _level_names(distribution: Any, column: Any, j: int, n: int) -> list[str]:
    if isinstance(distribution, MdlIntervals):
        cuts = np.asarray(_of_column(distribution, "cuts", "cut_first", j), dtype=np.float64)
        if len(cuts) + 1 == n:
            ends = [-np.inf, *cuts.tolist(), np.inf]
            return [f"({low:.4g}, {high:.4g}]" if high < np.inf else f"> {low:.4g}" for low, high in pairwise(ends)]
        return [str(v) for v in range(n)]
    if isinstance(distribution, CategoricalNumbers):
        values = np.asarray(_of_column(distribution, "values", "first", j))
        return [f"{value:g}" for value in values.tolist()] if len(values) == n else [str(v) for v in range(n)]
    return [str(level) for level in column.levels[:n]]


def _of_column(distribution: Any, name: str, first: str, j: int) -> Any:
    """The part of an attribute that is about one column: a list of arrays, or one array in parts."""
    found, starts = vars(distribution).get(name), vars(distribution).get(first)
    if found is None:
        return ()
    if isinstance(found, (list, tuple)):
        return found[j]
    return found[starts[j] : starts[j + 1]] if starts is not None else found


def _other(distribution: Any, described: Any, labels: list[str]) -> Section:
    """What else there may be: a number for each class and column, the largest differences first."""
    shape = (len(labels), len(described))
    for name, (what, is_log) in OF_COLUMNS.items():
        values = vars(distribution).get(name)
        if isinstance(values, np.ndarray) and values.ndim == 2 and shape in (values.shape, values.shape[::-1]):
            values = np.nan_to_num(values if values.shape == shape else values.T, neginf=-745.0)
            shown = np.exp(values) if is_log else values
            order = np.argsort(-np.ptp(values, axis=0), kind="stable")[:MOST_WORDS]
            rows = [(described[j].name, *shown[:, j].tolist()) for j in order]
            heads = ("column", *(f"{what} {label}" for label in labels))
            return table(f"Columns ({distribution.name})", "The largest differences first.", heads, rows)
    names = ((column.name, distribution.n_parameters()) for column in described[:MOST_WORDS])
    return table(f"Columns ({distribution.name})", "", ("column", "free parameters of all"), names)


@sections_of.register
def _(fitted: JointBayes, given: Given) -> list[Section]:
    found = [shares_table("Classes", fitted, fitted.priors_)]
    rows = [
        ("shares of every combination of values", fitted.n_parameters_),
        ("the same if columns were independent (naive Bayes)", fitted.n_parameters_naive_),
    ]
    how = "A class has a share for each combination of values; so many free parameters have to be learnt."
    return [*found, table("Parameters", how, ("model", "free parameters"), rows)]
