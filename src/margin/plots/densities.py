"""Pictures of what a generative model holds of its classes: densities of a column, ellipses over two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from margin.bayes.class_shapes import ColumnDensities, class_ellipses, column_densities, fitted_classes, log_normal
from margin.bayes.discriminant.normal_classes import factor_of
from margin.data.labels import codes_of, label_array
from margin.data.table import Table
from margin.errors import InputError, ParameterError
from margin.neighbors.regions import Axis, Regions, limits_of, name_of
from margin.plots.regions import plot_regions
from margin.plots.style import INK, PALE, axes_of, class_colours, picture
from margin.typing import LabelsLike, TableLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_densities", "plot_ellipses"]

# Bars of a histogram: fewer say nothing, more are noise.
FEWEST_BARS, MOST_BARS = 8, 40
# With more classes than this, bars are but a hint.
FEW_CLASSES = 4
# Points of a curve are marked where there are no more than this.
MOST_MARKS = 60
DATA = ("histogram", "rug", None)


@picture
def plot_densities(
    model: Any,
    X: TableLike,
    y: LabelsLike,
    ax: Axes | None = None,
    *,
    column: Any = 0,
    priors: bool = False,
    data: Literal["histogram", "rug"] | None = "histogram",
) -> Axes:
    """Draw how a numeric column is distributed in each class as the model has it, over the rows as they are.

    Columns that are gaussian or kernel have a density. Those that are poisson, or numbers taken as categories, have a
    point for every number. A class that does not vary in the column has no curve.

    Parameters
    ----------
    model
        A fitted ``NaiveBayes``, ``GaussianNB`` or discriminant analysis.
    X, y
        Rows as the model was fitted on, and their labels.
    column
        The column by name or position.
    priors
        Whether to weigh each class by its prior. The curves then add up to the dashed one, the density of all rows, and
        the highest of them is the answer of a model that knows this column alone.
    data
        ``"histogram"`` for the rows as bars, ``"rug"`` for a mark each beneath, None for none of them.

    Examples
    --------
    >>> from margin import NaiveBayes
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> ax = plot_densities(NaiveBayes().fit(X, y), X, y, column="petallength")
    >>> ax.get_xlabel(), [text.get_text() for text in ax.get_legend().get_texts()]
    ('petallength', ['Iris-setosa', 'Iris-versicolor', 'Iris-virginica'])
    """
    who = "plot_densities"
    if data not in DATA:
        raise ParameterError(f"{who}(data={data!r}): data must be one of {', '.join(map(repr, DATA))}.")
    model = fitted_classes(model, who)
    name = name_of(column, model._columns.described().names, who, "column")
    found = column_densities(model, name, who)
    if np.isnan(found.values).all():
        raise InputError(f"{who}: no class varies in column {name!r}, so none has a density there.")
    cells = _cells(model, X, (name,), who)[:, 0]
    labels = _labels(model, y, len(cells), who)
    share = model.priors_ if priors else np.ones(len(model.classes_))
    ax = axes_of(ax, 7.0, 4.0)
    colours = class_colours(len(share))
    groups = [cells[(labels == k) & np.isfinite(cells)] for k in range(len(share))]
    _draw_curves(ax, found, share, colours, priors)
    _draw_data(ax, data, found, groups, share, colours)
    what = "probability" if found.discrete else "density"
    ax.set(xlabel=name, ylabel=f"prior × {what}" if priors else f"{what} within the class")
    ax.set_title(f"{type(model).__name__}, {found.distribution}", fontsize=8, loc="left", color=PALE)
    _add_legend(ax, [str(label) for label in model.classes_.tolist()], colours, priors)
    return ax


@picture
def plot_ellipses(
    model: Any,
    X: TableLike,
    y: LabelsLike,
    ax: Axes | None = None,
    *,
    columns: Sequence[Any] | None = None,
    deviations: Sequence[float] = (1, 2),
    regions: bool = True,
    steps: int = 200,
) -> Axes:
    """Draw the normal distribution of each class in two columns: its mean, and ellipses of equal density around it.

    The regions behind them are the classes most probable from these two columns alone, those that the ellipses and the
    priors give. Where the model has no other columns, they are its answers; :func:`margin.decision_regions` asks a
    model of more columns with the others held still. Where a class does not vary in both columns there are no regions.

    Parameters
    ----------
    model
        A fitted discriminant analysis, ``GaussianNB``, or ``NaiveBayes`` with two gaussian columns.
    X, y
        Rows as the model was fitted on, and their labels.
    columns
        Two numeric columns by name or position; None for the first two.
    deviations
        How far the ellipses are from the mean, in standard deviations (Mahalanobis distances).
    regions
        Whether to draw which class is the most probable where.
    steps
        Places in each direction at which that is asked.

    Examples
    --------
    >>> from margin import QuadraticDiscriminantAnalysis
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> model = QuadraticDiscriminantAnalysis().fit(X, y)
    >>> ax = plot_ellipses(model, X, y, columns=("petallength", "petalwidth"), regions=False)
    >>> ax.get_xlabel(), ax.get_title(loc="left")
    ('petallength', 'ellipses at 1, 2 deviations hold 39 %, 86 % of a class')
    """
    who = "plot_ellipses"
    model = fitted_classes(model, who)
    names = _two_names(model, columns, who)
    reach = _reach(deviations, steps, who)
    means, covariances = class_ellipses(model, names, who)
    points = _cells(model, X, names, who)
    labels = _labels(model, y, len(points), who)
    curves = [[_ellipse(mean, covariance, r) for r in reach] for mean, covariance in zip(means, covariances)]
    shown = np.concatenate([*(curve for of_class in curves for curve in of_class), points])
    shown = shown[np.isfinite(shown).all(axis=1)]
    across, up = (np.linspace(*limits_of(shown[:, i]), int(steps)) for i in (0, 1))
    winner, probability = _most_probable(across, up, means, covariances, model.priors_ if regions else None)
    drawn = Regions(Axis(names[0], across), Axis(names[1], up), model.classes_, winner, probability, points, labels, {})
    ax = plot_regions(drawn, axes_of(ax, 7.0, 4.8))
    _draw_ellipses(ax, curves, means)
    ax.set_title(_in_words(reach, regions and model._columns.n > 2), fontsize=8, loc="left", color=PALE)
    return ax


# ---- What is asked for.


def _cells(model: Any, X: TableLike, names: tuple[str, ...], who: str) -> np.ndarray:
    """The numbers of some columns, NaN where a cell is missing."""
    source = model._columns.read(X, who)
    if isinstance(source, Table):
        columns = [np.where(source.missing(name), np.nan, source.cells(name)) for name in names]
    else:
        known = model._columns.described().names
        matrix = source if isinstance(source, np.ndarray) else source.tocsc()
        parts = [matrix[:, [known.index(name)]] for name in names]
        columns = [(part if isinstance(part, np.ndarray) else part.toarray())[:, 0] for part in parts]
    return np.column_stack(columns).astype(np.float64)


def _labels(model: Any, y: LabelsLike, n: int, who: str) -> np.ndarray:
    """The class of each row as its number, -1 where the model does not know it."""
    labels = label_array(y, who)
    if len(labels) != n:
        raise InputError(f"{who}: y must have one label per row ({n}), but has {len(labels)}.")
    return codes_of(labels, model.classes_)


def _two_names(model: Any, columns: Any, who: str) -> tuple[str, str]:
    schema = model._columns.described()
    if columns is None:
        columns = [column.name for column in schema if column.is_numeric][:2]
        if len(columns) < 2:
            raise InputError(f"{who}: the model must have two numeric columns, but has {len(columns)}.")
    if isinstance(columns, str) or not hasattr(columns, "__len__") or len(columns) != 2:
        raise ParameterError(f"{who}(columns={columns!r}): columns must be two names or positions.")
    first, second = (name_of(column, schema.names, who, "columns") for column in columns)
    if first == second:
        raise ParameterError(f"{who}(columns={columns!r}): the two columns must be different ones.")
    return first, second


def _reach(deviations: Any, steps: Any, who: str) -> list[float]:
    """The deviations in ascending order; both settings are checked."""
    if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 2:
        raise ParameterError(f"{who}(steps={steps!r}): steps must be a whole number of at least 2.")
    try:
        reach = sorted(float(r) for r in deviations)
    except (TypeError, ValueError):
        reach = []
    if not reach or not all(0 < r < np.inf for r in reach):
        raise ParameterError(f"{who}(deviations={deviations!r}): deviations must be some numbers above 0.")
    return reach


# ---- Densities of one column.


def _draw_curves(ax: Axes, found: ColumnDensities, share: np.ndarray, colours: list[Any], together: bool) -> None:
    marked = found.discrete and len(found.at) <= MOST_MARKS
    style: dict[str, Any] = {"marker": "o", "markersize": 4} if marked else {}
    for k, values in enumerate(share[:, None] * found.values):
        ax.plot(found.at, values, color=colours[k], linewidth=1.0 if marked else 1.8, zorder=3, **style)
    if together:
        whole = np.nansum(share[:, None] * found.values, axis=0)
        ax.plot(found.at, whole, color=INK, linewidth=1.0, linestyle=(0, (4, 3)), zorder=2.5)


def _draw_data(
    ax: Axes, data: Any, found: ColumnDensities, groups: list[np.ndarray], share: np.ndarray, colours: list[Any]
) -> None:
    if data == "histogram":
        _draw_bars(ax, found, groups, share, colours)
    elif data == "rug":
        _draw_rug(ax, groups, colours)
    if data != "rug":
        ax.set_ylim(bottom=0.0)


def _draw_bars(
    ax: Axes, found: ColumnDensities, groups: list[np.ndarray], share: np.ndarray, colours: list[Any]
) -> None:
    """The rows of each class as pale bars, of the same area as its curve."""
    cells = np.concatenate(groups)
    if not len(cells):
        return
    few = np.unique(cells)
    alone = found.discrete and (len(few) <= MOST_MARKS or bool((few != np.floor(few)).any()))
    edges = _around(few) if alone else _edges(groups)
    faint = 1.0 if len(groups) <= FEW_CLASSES else 0.4
    for group, weight, colour in zip(groups, share, colours):
        if len(group):
            counts = np.histogram(group, edges)[0][::2] if alone else np.histogram(group, edges)[0]
            heights = weight * counts / len(group)
            if alone:  # a bar for each number, and nothing between them
                heights = np.insert(heights, np.arange(1, len(heights)), 0.0)
            else:
                heights = heights / np.diff(edges)
            ax.stairs(heights, edges, fill=True, color=colour, alpha=0.22 * faint, linewidth=0, zorder=1)
            ax.stairs(heights, edges, color=colour, alpha=0.5 * faint, linewidth=0.6, zorder=1.5)


def _around(numbers: np.ndarray) -> np.ndarray:
    """Where the bar around each number begins and ends, one after the other."""
    half = 0.4 * float(np.diff(numbers).min(initial=np.inf)) if len(numbers) > 1 else 0.4
    return np.column_stack([numbers - half, numbers + half]).ravel()


def _edges(groups: list[np.ndarray]) -> np.ndarray:
    """Where bars begin and end: around each number where there are few whole ones, else as wide as the rows allow."""
    cells = np.concatenate(groups)
    low, high = cells.min(), cells.max()
    if high - low <= MOST_BARS and bool((cells == np.floor(cells)).all()):
        return np.arange(low, high + 2) - 0.5
    # Freedman and Diaconis (1981) for the narrowest class; no width at all where half of its cells are alike.
    widths = [2 * np.subtract(*np.quantile(part, (0.75, 0.25))) / np.cbrt(len(part)) for part in groups if len(part)]
    width = min((width for width in widths if width > 0), default=high - low)
    n = int(np.clip((high - low) / width, FEWEST_BARS, MOST_BARS)) if high > low else 1
    first, last = (low, high) if high > low else limits_of(cells)
    return np.linspace(first, last, n + 1)


def _draw_rug(ax: Axes, groups: list[np.ndarray], colours: list[Any]) -> None:
    """A mark for each row beneath the curves, every class in a line of its own."""
    top = ax.get_ylim()[1]
    height = min(0.05, 0.3 / len(groups)) * top
    for k, (group, colour) in enumerate(zip(groups, colours)):
        base = -height * (k + 1.2)
        ax.vlines(group, base, base + 0.8 * height, color=colour, linewidth=0.7, alpha=0.6, rasterized=True)
    ax.axhline(0, color=PALE, linewidth=0.8, zorder=1)
    ax.set_ylim(-height * (len(groups) + 0.6), top)
    ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= top])


def _add_legend(ax: Axes, names: list[str], colours: list[Any], together: bool) -> None:
    from matplotlib.lines import Line2D

    marks = [Line2D([], [], color=colour, linewidth=1.8, label=name) for name, colour in zip(names, colours)]
    if together:
        marks.append(Line2D([], [], color=INK, linewidth=1.0, linestyle=(0, (4, 3)), label="all classes"))
    ax.legend(
        handles=marks,
        loc="center left",
        bbox_to_anchor=(1.01, 0.5),
        frameon=False,
        fontsize=9,
        labelcolor=INK,
        ncols=1 + len(marks) // 16,
    )


# ---- Ellipses over two.


def _ellipse(mean: np.ndarray, covariance: np.ndarray, r: float) -> np.ndarray:
    """Points at Mahalanobis distance r all around; a line or a point where a class does not vary."""
    angle = np.linspace(0.0, 2 * np.pi, 181)
    return mean + r * np.column_stack([np.cos(angle), np.sin(angle)]) @ factor_of(covariance).T


def _most_probable(
    across: np.ndarray, up: np.ndarray, means: np.ndarray, covariances: np.ndarray, priors: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Which class wins where, and its probability; nobody (-1) without priors or where a density is not known."""
    shape = len(up), len(across)
    nobody = np.full(shape, -1), np.full(shape, np.nan)
    if priors is None:
        return nobody
    mesh = np.meshgrid(across, up)
    places = np.column_stack([mesh[0].ravel(), mesh[1].ravel()])
    with np.errstate(divide="ignore"):
        scores = np.log(priors)[:, None] + [log_normal(places, m, v) for m, v in zip(means, covariances)]
    if np.isnan(scores).any():
        return nobody
    shares = np.exp(scores - scores.max(axis=0))
    return scores.argmax(axis=0).reshape(shape), (1 / shares.sum(axis=0)).reshape(shape)


def _draw_ellipses(ax: Axes, curves: list[list[np.ndarray]], means: np.ndarray) -> None:
    from matplotlib.patheffects import Normal, Stroke

    colours = class_colours(len(means))
    cased = [Stroke(linewidth=3.2, foreground="white", alpha=0.8), Normal()]
    for of_class, mean, colour in zip(curves, means, colours):
        for curve in of_class:
            ax.plot(curve[:, 0], curve[:, 1], color=colour, linewidth=1.6, zorder=4, path_effects=cased)
        ax.scatter(mean[0], mean[1], s=90, marker="X", color=[colour], edgecolors=INK, linewidths=1.0, zorder=5)


def _in_words(reach: list[float], alone: bool) -> str:
    held = ", ".join(f"{100 * (1 - np.exp(-(r**2) / 2)):.0f} %" for r in reach)
    many = "1 deviation" if reach == [1] else f"{', '.join(f'{r:g}' for r in reach)} deviations"
    return f"ellipses at {many} hold {held} of a class" + ("; regions by these two columns alone" if alone else "")
