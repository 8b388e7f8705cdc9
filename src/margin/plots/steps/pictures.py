"""Pictures of training steps, one beside another or one after another in a film."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from margin.errors import MissingPackageError, ParameterError
from margin.plots.margins import two_columns
from margin.plots.steps.boundaries import Boundary
from margin.plots.style import ACCENT, INK, PALE, axes_of, class_colours, figure_axes, picture

__all__ = ["plot_step", "plot_steps", "save_steps"]

#: Earlier boundaries that are still seen, the palest first.
TRAIL = 4


@picture
def plot_step(steps: Sequence[Boundary], X: Any, y: Any, ax: Any = None, *, step: int = -1) -> Any:
    """Draw the boundary after one step, the last few before it in pale, and the row that caused it in a ring.

    Parameters
    ----------
    steps
        As of :func:`margin.plots.perceptron_steps` or :func:`margin.plots.gradient_steps`.
    X, y
        The rows and labels that were learnt from.
    step
        Which of the steps, from 0; -1 for the last.

    Examples
    --------
    >>> from margin import Perceptron
    >>> from margin.plots import perceptron_steps
    >>> X, y = [[2.0, 1.0], [1.0, 3.0], [-1.0, -1.0], [-2.0, 0.0]], ["in", "in", "out", "out"]
    >>> plot_step(perceptron_steps(Perceptron().fit(X, y), X, y), X, y).get_title(loc="left")
    'mistake 1, pass 1'
    """
    if not -len(steps) <= step < len(steps):
        raise ParameterError(f"plot_step(step={step}): there are steps 0 to {len(steps) - 1}.")
    at = step % len(steps)
    cells, names, _ = two_columns(X, "plot_step")
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    ax = axes_of(ax, 4.6, 4.0)
    colours = class_colours(len(classes))
    for k, label in enumerate(classes.tolist()):
        some = cells[codes == k]
        ax.scatter(
            some[:, 0],
            some[:, 1],
            s=20,
            color=[colours[k]],
            edgecolors="white",
            linewidths=0.5,
            label=str(label),
            zorder=3,
        )
    low, high = cells.min(axis=0), cells.max(axis=0)
    room = 0.08 * np.where(high > low, high - low, 1.0)
    ax.set(xlim=(low[0] - room[0], high[0] + room[0]), ylim=(low[1] - room[1], high[1] + room[1]))
    for back in range(min(TRAIL, at), -1, -1):
        _line(ax, steps[at - back], PALE if back else INK, 1.8 if not back else 1.0, 1.0 - 0.2 * back)
    if steps[at].row >= 0:
        ax.scatter(*cells[steps[at].row], s=130, facecolors="none", edgecolors=ACCENT, linewidths=1.8, zorder=4)
    ax.set(xlabel=names[0], ylabel=names[1])
    ax.set_title(steps[at].says, fontsize=9, loc="left", color=INK)
    ax.legend(fontsize=8, labelcolor=INK, framealpha=0.85, edgecolor="none", loc="best")
    return ax


def _line(ax: Any, boundary: Boundary, colour: str, width: float, alpha: float) -> None:
    """The boundary within the axes; none where all weights are 0."""
    (a, c), b = boundary.w, boundary.b
    if a == 0 and c == 0:
        return
    x, y = np.array(ax.get_xlim()), np.array(ax.get_ylim())
    if abs(c) * (y[1] - y[0]) >= abs(a) * (x[1] - x[0]):
        ax.plot(x, -(a * x + b) / c, color=colour, linewidth=width, alpha=alpha, zorder=2, scalex=False, scaley=False)
    else:
        ax.plot(-(c * y + b) / a, y, color=colour, linewidth=width, alpha=alpha, zorder=2, scalex=False, scaley=False)


def plot_steps(steps: Sequence[Boundary], X: Any, y: Any, axes: Any = None, *, most: int = 6) -> Any:
    """Draw steps of training side by side: the first, the last, and some evenly spaced between.

    Parameters
    ----------
    steps, X, y
        As of :func:`margin.plots.plot_step`.
    axes
        Axes of matplotlib, one for each picture; None makes a new figure.
    most
        Pictures at most.

    Returns
    -------
    axes
        The axes that were drawn on.

    Examples
    --------
    >>> from margin.plots import gradient_steps
    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]], [0, 0, 1, 1]
    >>> [ax.get_title(loc="left")[:6] for ax in plot_steps(gradient_steps(X, y, steps=9), X, y, most=3)]
    ['step 0', 'step 4', 'step 9']
    """
    if most < 1:
        raise ParameterError(f"plot_steps(most={most}): must be 1 or more.")
    shown = np.unique(np.linspace(0, len(steps) - 1, min(most, len(steps))).astype(int)).tolist()
    across = min(3, len(shown))
    grid = figure_axes(axes, -(-len(shown) // across), across, 3.2, 2.9, "plot_steps").ravel()
    for ax, step in zip(grid, shown):
        plot_step(steps, X, y, ax, step=step)
        if step != shown[0]:
            ax.get_legend().remove()
    for ax in grid[len(shown) :]:
        ax.set_visible(False)
    return grid[: len(shown)]


def save_steps(steps: Sequence[Boundary], X: Any, y: Any, file: Any, *, per_second: int = 2, most: int = 60) -> Path:
    """Write the steps of training as a film to a GIF file; where it was written.

    Parameters
    ----------
    steps, X, y
        As of :func:`margin.plots.plot_step`.
    file
        Where to write, with the ending ``.gif``.
    per_second
        Pictures in a second.
    most
        Pictures at most, evenly spaced among the steps.

    Examples
    --------
    >>> import tempfile
    >>> from margin.plots import gradient_steps
    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]], [0, 0, 1, 1]
    >>> place = save_steps(gradient_steps(X, y, steps=2), X, y, tempfile.mkdtemp() + "/steps.gif")
    >>> place.read_bytes()[:3]
    b'GIF'
    """
    try:
        from matplotlib.animation import PillowWriter
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingPackageError(
            "save_steps: pictures need matplotlib, which is not installed (pip install 'margin[plots]')."
        ) from None
    place = Path(file)
    if place.suffix.lower() != ".gif":
        raise ParameterError(f"save_steps(file={str(file)!r}): must end in .gif.")
    figure = Figure(figsize=(4.6, 4.0), layout="constrained")
    ax = figure.subplots()
    writer = PillowWriter(fps=per_second)
    with writer.saving(figure, str(place), dpi=110):
        for step in np.unique(np.linspace(0, len(steps) - 1, min(most, len(steps))).astype(int)).tolist():
            ax.clear()
            plot_step(steps, X, y, ax, step=step)
            writer.grab_frame()
    return place
