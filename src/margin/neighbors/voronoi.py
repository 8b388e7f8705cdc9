"""Voronoi cells: the exact borders between the regions of the nearest neighbour in the plane."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from margin.base.inputs.arrays import matrix_of, open_input
from margin.base.targets.labels import encode_labels
from margin.data.table import Table
from margin.errors import InputError, LabelError, ParameterError, closest
from margin.neighbors.regions import limits_of
from margin.neighbors.votes import class_sums
from margin.neighbors.voting.elections import winners
from margin.typing import Encoded, LabelsLike, TableLike

__all__ = ["voronoi_edges"]

# Guards stand so far out (in units of the picture's radius) that no place in the picture is nearer to them than to a
# row: they give every cell an end, and make few, equal or collinear rows no special cases.
GUARDS = 8.0 * np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])


BETWEEN = ("classes", "rows")


def voronoi_edges(
    X: TableLike, y: LabelsLike | None = None, bounds: Any = None, *, between: Literal["classes", "rows"] = "classes"
) -> np.ndarray:
    """The line segments between Voronoi cells of different class: where the nearest neighbour changes its answer.

    With ``between="rows"`` those between all cells, the whole diagram; it needs no labels. Of equal rows with different
    labels the class of most of them counts, then the more frequent one, as in ``KNeighborsClassifier(1)``.
    :math:`O(n \\log n)`.

    Parameters
    ----------
    X
        Rows of two numbers.
    y
        Their labels; None where they do not matter.
    bounds
        Low and high ends of the two axes, ``((x_low, x_high), (y_low, y_high))``, at which segments are cut off; None
        reaches a little beyond the rows, as :func:`decision_regions` does.
    between
        ``"classes"`` for the borders of classes, ``"rows"`` for those of the cells of all rows.

    Returns
    -------
    segments
        One row per segment: its two ends, each with two coordinates; of shape (m, 2, 2).

    Examples
    --------
    >>> voronoi_edges([[0.0, 0.0], [2.0, 0.0]], ["left", "right"], bounds=((-1, 3), (-1, 1))).tolist()
    [[[1.0, -1.0], [1.0, 1.0]]]
    >>> len(voronoi_edges([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]], between="rows"))
    2
    """
    if between not in BETWEEN:
        raise ParameterError(
            f"voronoi_edges(between={between!r}): between must be one of {BETWEEN}{closest(between, BETWEEN)}."
        )
    points = _points_of(X)
    if between == "rows":
        low, high = _bounds_of(points, bounds)
        points = np.unique(points, axis=0)
        return _clipped(_borders(points, np.arange(len(points)), low, high), low, high)
    if y is None:
        raise LabelError("voronoi_edges: y must be the labels of the rows (or between='rows').")
    classes, codes = encode_labels(y, len(points), "voronoi_edges")
    low, high = _bounds_of(points, bounds)
    points, which = np.unique(points, axis=0, return_inverse=True)
    counts = class_sums(which.reshape(-1), codes, np.ones(len(codes)), len(points), len(classes))
    totals = counts.sum(axis=0)
    winner = winners(
        counts, lambda some: np.zeros((len(some), len(totals))), lambda some: np.tile(totals, (len(some), 1))
    )
    segments = _borders(points, winner, low, high)
    return _clipped(segments, low, high)


def _points_of(X: Encoded) -> np.ndarray:
    source = open_input(X, "voronoi_edges")
    if isinstance(source, Table) and all(column.is_numeric for column in source.schema):
        source = matrix_of(source)
    if not isinstance(source, np.ndarray) or source.shape[1] != 2 or len(source) == 0:
        raise InputError("voronoi_edges: X must be an array of one or more rows of two numbers.")
    points = source.astype(np.float64)
    if not np.isfinite(points).all():
        row = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])
        raise InputError(f"voronoi_edges: row {row} has no place in the plane; both numbers must be finite.")
    return points + 0.0  # one zero for all


def _bounds_of(points: np.ndarray, bounds: Any) -> tuple[np.ndarray, np.ndarray]:
    try:
        ends = np.array([limits_of(axis) for axis in points.T] if bounds is None else bounds, dtype=np.float64)
    except (TypeError, ValueError):
        ends = np.empty(0)
    if ends.shape != (2, 2) or not np.isfinite(ends).all() or not (ends[:, 0] < ends[:, 1]).all():
        raise InputError(f"voronoi_edges(bounds={bounds!r}): bounds must be ((x_low, x_high), (y_low, y_high)).")
    return ends[:, 0], ends[:, 1]


def _borders(points: np.ndarray, codes: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The borders of cells of different class, long enough to leave the picture."""
    if (codes == codes[0]).all():
        return np.empty((0, 2, 2))
    from scipy.spatial import Voronoi

    center = (low + high) / 2
    reach = max(np.abs(points - center).max(), np.abs(high - center).max())
    cells = Voronoi(np.vstack([(points - center) / reach, np.sqrt(2) * GUARDS]))
    pair = cells.ridge_points
    between_rows = (pair < len(points)).all(axis=1)
    ends = np.array(cells.ridge_vertices)[between_rows]
    pair = pair[between_rows]
    differ = codes[pair[:, 0]] != codes[pair[:, 1]]
    return cells.vertices[ends[differ]] * reach + center


def _clipped(segments: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The parts of segments inside a box (Liang, Barsky 1984); those that only touch it are left out."""
    start, along = segments[:, 0], segments[:, 1] - segments[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        ways = np.stack([(low - start) / along, (high - start) / along])
    # A segment along an edge of the box never meets it: it is inside for good, or never.
    inside = (low <= start) & (start <= high)
    enter = np.where(along == 0, np.where(inside, -np.inf, np.inf), ways.min(axis=0)).max(axis=1, initial=0.0)
    leave = np.where(along == 0, np.where(inside, np.inf, -np.inf), ways.max(axis=0)).min(axis=1, initial=1.0)
    kept = enter < leave
    start, along = start[kept], along[kept]
    return np.stack([start + enter[kept, None] * along, start + leave[kept, None] * along], axis=1)
