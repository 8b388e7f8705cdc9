"""The curse of dimensionality, measured: is near near enough in these rows?"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from scipy.spatial.distance import cdist

from margin import params
from margin.base import MixedData, Numeric, TableEncoder
from margin.base.representations.moments import unit_for
from margin.base.representations.numeric import Scale
from margin.errors import ConstantColumnWarning, ParameterError
from margin.neighbors.equal_rows import EqualRows, words_of
from margin.neighbors.intrinsic_dimension import Dimension, maximum_likelihood, two_nearest
from margin.neighbors.knn import KNeighborsClassifier
from margin.params import Count, Jobs, Rule, Seed, is_real
from margin.random import generator
from margin.typing import SeedLike, TableLike

if TYPE_CHECKING:
    from margin.base.representations.representation import TrainingRows

__all__ = ["Curse", "curse", "edge_length"]

Metric = Literal["euclidean", "manhattan", "chebyshev"]
Fraction = Annotated[
    Any,
    Rule("None or a number above 0 and at most 1", lambda v: v is None or (is_real(v) and 0 < v <= 1), float),
]
# So many neighbours tell the dimension; more would reach too far, fewer say too little.
NEIGHBOURS = 10
# The nearest neighbour at so large a share of the mean distance is hardly nearer than a stranger …
STRANGER, DOUBTFUL = 0.7, 0.4
# … and a column with so large a share of all squared distances drowns the others.
DROWNS = 0.8


def edge_length(fraction: float, dimensions: float) -> float:
    r"""The edge of a cube that holds a fraction of the volume of the unit cube: :math:`f^{1/d}`.

    >>> edge_length(5 / 5000, 1)
    0.001
    >>> round(edge_length(5 / 5000, 10), 3)
    0.501
    """
    if not (is_real(fraction) and 0 < fraction <= 1):
        raise ParameterError(f"edge_length(fraction={fraction!r}): fraction must be a number above 0 and at most 1.")
    if not (is_real(dimensions) and dimensions > 0):
        raise ParameterError(f"edge_length(dimensions={dimensions!r}): dimensions must be a number above 0.")
    return float(fraction ** (1 / dimensions))


@dataclass(frozen=True)
class Curse:
    """How much the number of columns hurts neighbours in these rows.

    Attributes
    ----------
    rows, columns
        The size of the data as given.
    features
        Columns of the matrix that distances are measured in (nominal columns one-hot).
    missing
        Share of cells that are missing, and were filled with the mean or left out.
    duplicates
        Rows that equal an earlier one; all that follows is measured on the others.
    fraction
        The fraction of the rows that a neighbourhood is to hold.
    edge, edge_intrinsic
        Edge of a cube with that fraction of the unit cube, in as many dimensions as there are features, and in as many
        as the data make use of.
    contrast
        (farthest - nearest) / nearest of a typical row, the median over the sampled rows.
    variation
        Standard deviation of the distances between sampled rows divided by their mean.
    nearest_to_mean
        Distance to the nearest row divided by the mean distance, for a typical row: near 1, neighbours are strangers.
    dimension, two_nn
        Intrinsic dimension with its standard error, from ten neighbours and from two.
    dominant, dominance
        The feature that makes up the largest share of all squared distances, and that share.
    scale
        How columns were scaled.
    advice
        What to make of it.
    """

    rows: int
    columns: int
    features: int
    missing: float
    duplicates: int
    fraction: float
    edge: float
    edge_intrinsic: float
    contrast: float
    variation: float
    nearest_to_mean: float
    dimension: Dimension
    two_nn: Dimension
    dominant: str
    dominance: float
    scale: str | None
    advice: str

    def __str__(self) -> str:
        features = "" if self.features == self.columns else f" (as {self.features:,} features)"
        lines = [
            ("rows × columns", f"{self.rows:,} × {self.columns:,}{features}"),
            *([("missing cells", f"{self.missing:.1%}")] if self.missing else []),
            *([("repeated rows", f"{self.duplicates:,}")] if self.duplicates else []),
            ("edge length", f"{self.edge:.3g} of each column's range for {self.fraction:.2%} of the rows"),
        ]
        if not math.isnan(self.nearest_to_mean):
            lines += [
                ("nearest row", f"at {self.nearest_to_mean:.0%} of the mean distance"),
                ("contrast", f"farthest / nearest - 1 = {self.contrast:.3g}; distances vary by {self.variation:.0%}"),
                ("dimension", f"{self.dimension} from ten neighbours, {self.two_nn} from two"),
            ]
        width = max(len(name) for name, _ in lines)
        return "\n".join(["Curse of dimensionality", *(f"  {n:<{width}}  {v}" for n, v in lines), self.advice])


def curse(
    X: TableLike,
    *,
    n_neighbors: int = 5,
    fraction: float | None = None,
    metric: Metric = "euclidean",
    scale: Scale | None = None,
    sample: int = 1000,
    random_state: SeedLike = 0,
    n_jobs: int | None = None,
) -> Curse:
    """Measure whether the neighbours of a row are any nearer than other rows.

    One search for ten neighbours of the sampled rows among all, and the distances between the sampled rows.

    Parameters
    ----------
    X
        Rows: an array, a sparse matrix or a table with nominal columns and missing cells.
    n_neighbors
        How many neighbours are to be found; the fraction is then this many of all rows.
    fraction
        The fraction of the rows that a neighbourhood is to hold, if it is not ``n_neighbors`` of all.
    metric, scale
        How rows are compared, as in :class:`KNeighborsClassifier`.
    sample
        Most rows whose neighbours are looked at.
    random_state
        Seed of the sample: the same seed gives the same numbers.
    n_jobs
        Threads; None uses all cores.

    Examples
    --------
    >>> rows = np.random.default_rng(0).random((500, 2))
    >>> found = curse(rows, fraction=0.01)
    >>> found.edge, round(found.dimension.estimate)
    (0.1, 2)
    >>> print(found.advice)
    Neighbours are near: the nearest row is at 4% of the mean distance. Nothing to mend.
    """
    _check(n_neighbors=(n_neighbors, Count), sample=(sample, Count), random_state=(random_state, Seed))
    _check(n_jobs=(n_jobs, Jobs), scale=(scale, Scale | None), metric=(metric, Metric), fraction=(fraction, Fraction))
    encoder = _Encoder(scale=scale).fit(X)
    matrix = _in_ordinary_units(encoder.transform(X))
    n_rows = matrix.shape[0]
    fraction = min(n_neighbors / n_rows, 1.0) if fraction is None else fraction
    edge = edge_length(fraction, matrix.shape[1])
    different = _different_rows(matrix)
    chosen = np.sort(generator(random_state, "curse").permutation(different)[:sample])
    found = _measure(matrix[different], matrix[chosen], metric, n_jobs)
    within = found["dimension"].estimate
    dominant, dominance = _dominant(matrix, encoder)
    measured = {
        "rows": n_rows,
        "columns": encoder.n_features_in_,
        "features": matrix.shape[1],
        "missing": encoder.missing_share,
        "duplicates": n_rows - len(different),
        "fraction": fraction,
        "edge": edge,
        "edge_intrinsic": edge_length(fraction, within) if within > 0 else float("nan"),
        "dominant": dominant,
        "dominance": dominance,
        "scale": scale,
        **found,
    }
    return Curse(**measured, advice=_advice(**measured))


class _Encoder(TableEncoder):
    """The encoder of margin's neighbours, which leaves sparse rows sparse."""

    @property
    def representation(self) -> Numeric:
        return Numeric(scale=self.scale, sparse=True)

    def _learn_input(self, rows: TrainingRows, who: str) -> Any:
        self.missing_share = _missing_share(rows.source)
        return super()._learn_input(rows, who)


def _in_ordinary_units(matrix: Any) -> Any:
    """The same rows in a unit in which squares neither vanish nor overflow; all that is told is without units."""
    cells = matrix if isinstance(matrix, np.ndarray) else matrix.data
    unit = float(unit_for(np.abs(cells).max(initial=0.0)))
    return matrix if unit == 1 else matrix / unit


def _missing_share(source: Any) -> float:
    if hasattr(source, "schema"):
        return float(np.mean([source.missing(name).mean() for name in source.names]))
    cells = source if isinstance(source, np.ndarray) else source.data
    there = np.isnan(cells).sum() if cells.dtype.kind == "f" else 0
    return float(there / (source.shape[0] * source.shape[1]))


def _check(**given: tuple[Any, Any]) -> None:
    for name, (value, annotation) in given.items():
        rule = params.rule_of(annotation)
        if not rule.accepts(value):
            words = rule.words or "one of " + ", ".join(map(repr, rule.choices()))
            raise ParameterError(f"curse({name}={value!r}): {name} must be {words}{rule.hint(value)}.")


def _different_rows(matrix: Any) -> np.ndarray:
    """The first of each set of equal rows."""
    if not isinstance(matrix, np.ndarray):
        # Equal sparse rows have equal products with any vectors, and others as good as never.
        matrix = matrix @ np.random.Generator(np.random.Philox(key=1)).normal(size=(matrix.shape[1], 2))
    number = EqualRows().learn(words_of(MixedData(np.ascontiguousarray(matrix, dtype=np.float64))))
    return np.sort(np.unique(number, return_index=True)[1])


def _measure(rows: Any, sampled: Any, metric: str, n_jobs: int | None) -> dict[str, Any]:
    """Distances of the sampled rows to their nearest neighbours and to each other."""
    n, n_sampled = rows.shape[0], sampled.shape[0]
    if n < 2:
        nothing = Dimension(float("nan"), float("nan"))
        alone = dict.fromkeys(("contrast", "variation", "nearest_to_mean"), float("nan"))
        return {**alone, "dimension": nothing, "two_nn": nothing}
    nearest = _nearest(rows, sampled, min(NEIGHBOURS, n - 1) + 1, metric, n_jobs)[:, 1:]
    first, farthest, mean, variation = nearest[:, 0], nearest[:, -1], float(nearest.mean()), float("nan")
    if n_sampled > 1:
        between = _between(sampled, metric, n_jobs)
        farthest = np.maximum(farthest, between.max(axis=1))
        # A row's distance of 0 to itself is one of so many, and no distance to another row.
        mean = float(between.sum() / (n_sampled * (n_sampled - 1)))
        if mean > 0:
            squares = ((between / mean) ** 2).sum() / (n_sampled * (n_sampled - 1))
            variation = math.sqrt(max(squares - 1, 0.0))
    with np.errstate(divide="ignore"):
        contrast = float(np.median(farthest / first)) - 1
    return {
        "contrast": contrast,
        "variation": variation,
        "nearest_to_mean": float(np.median(first)) / mean if mean > 0 else float("nan"),
        "dimension": maximum_likelihood(nearest, n_sampled / n),
        "two_nn": two_nearest(nearest, n_sampled / n),
    }


def _between(rows: Any, metric: str, n_jobs: Any) -> np.ndarray:
    """The distance of every row to every row."""
    if isinstance(rows, np.ndarray):
        return cdist(rows, rows, {"manhattan": "cityblock"}.get(metric, metric))
    return _nearest(rows, rows, rows.shape[0], metric, n_jobs)


def _nearest(rows: Any, queries: np.ndarray, k: int, metric: str, n_jobs: Any) -> np.ndarray:
    """Distances to the k nearest rows, nearest first; each query is itself one of the rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantColumnWarning)
        model = KNeighborsClassifier(k, metric=metric, n_jobs=n_jobs).fit(rows, np.zeros(rows.shape[0], dtype=int))
    return model.kneighbors(queries)[0]


def _dominant(matrix: Any, encoder: _Encoder) -> tuple[str, float]:
    """The feature with the largest share of all squared distances, which is its share of all variance."""
    if isinstance(matrix, np.ndarray):
        deviation = matrix.std(axis=0)
    else:
        mean = np.asarray(matrix.mean(axis=0)).ravel()
        deviation = np.sqrt(np.maximum(np.asarray((matrix * matrix).mean(axis=0)).ravel() - mean**2, 0.0))
    if not deviation.any():
        return "", float("nan")
    share = (deviation / deviation.max()) ** 2
    at = int(share.argmax())
    return str(encoder.get_feature_names_out()[at]), float(share[at] / share.sum())


def _advice(**found: Any) -> str:
    """One or two sentences that depend on what was measured."""
    nearness, dimension, features = found["nearest_to_mean"], found["dimension"].estimate, found["features"]
    different = found["rows"] - found["duplicates"]
    if found["rows"] < 2:
        return "A single row has no neighbours."
    if different < 2 or math.isnan(nearness):
        return "All rows are equal: there is nothing to tell neighbours by."
    if different < 20:
        return f"There are only {different} different rows, too few to say whether neighbours are near."
    if features > 1 and found["scale"] is None and found["dominance"] > DROWNS:
        return (
            f"Column {found['dominant']!r} makes up {found['dominance']:.0%} of all squared distances and drowns the "
            "other columns: scale them (scale='standard'), unless they share one unit."
        )
    near = f"the nearest row is at {nearness:.0%} of the mean distance"
    if nearness > STRANGER:
        return (
            f"Neighbours are hardly nearer than strangers: {near}. Drop or weigh down columns that say nothing about "
            "the class, or use a model that chooses among columns."
        )
    if nearness > DOUBTFUL:
        return (
            f"Neighbours are not very near: {near}, in about {dimension:.0f} dimensions. More rows help little; fewer "
            "or better weighted columns may help, and more neighbours steady the vote."
        )
    if dimension < features / 2 and features >= 5:
        return (
            f"Neighbours are near: {near}. The {features} features make use of about {max(dimension, 1):.0f} "
            "dimensions, so that their number does no harm."
        )
    return f"Neighbours are near: {near}. Nothing to mend."
