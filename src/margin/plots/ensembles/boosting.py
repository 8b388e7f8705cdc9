"""Pictures of boosting: the boxes of the lectures, errors and their bounds, and where the margins lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from margin.boosting import AdaBoostClassifier, AdaBoostMHClassifier
from margin.boosting.adaboost.pseudo_loss import Mislabels
from margin.boosting.adaboost.votes import weights_after
from margin.data.labels import codes_of, label_array
from margin.errors import InputError
from margin.plots.margins import two_columns
from margin.plots.style import ACCENT, INK, PALE, PALETTE, axes_of, class_colours, picture
from margin.typing import LabelsLike, TableLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_boosting_bounds", "plot_boosting_boxes", "plot_boosting_margins"]

#: Boxes in a row, and how large the points of average weight are.
IN_A_ROW, SIZE = 4, 60.0


@picture
def plot_boosting_boxes(
    model: AdaBoostClassifier,
    X: TableLike,
    y: LabelsLike,
    ax: Any = None,
    *,
    rounds: Sequence[int] | None = None,
    steps: int = 150,
) -> Any:
    """Draw rounds as boxes: points as large as their weights, and which side of the rule is whose; all votes at last.

    Parameters
    ----------
    model
        A fitted ``AdaBoostClassifier`` of two columns of numbers.
    X, y
        The rows that it learnt from, and their labels.
    rounds
        The rounds to draw, counted from 1; None for the first three.
    steps
        Places in each direction at which rules are asked.

    Examples
    --------
    >>> from margin import AdaBoostClassifier
    >>> X, y = [[0, 0], [1, 2], [2, 1], [3, 3], [4, 0]], ["a", "b", "a", "b", "b"]
    >>> ax = plot_boosting_boxes(AdaBoostClassifier(n_estimators=2).fit(X, y), X, y, rounds=[1, 2])
    >>> [box.get_title() for box in ax.child_axes]
    ['round 1: ε 0.20, α 0.69', 'round 2: ε 0.12, α 0.97', 'all 2 rounds']
    """
    cells, names, rebuild = two_columns(X, "plot_boosting_boxes")
    labels = label_array(y, "plot_boosting_boxes")
    if not isinstance(model, AdaBoostClassifier) or len(labels) != len(cells) or not model.rounds_:
        raise InputError(
            "plot_boosting_boxes: model must be a fitted AdaBoostClassifier with rounds, y have a label a row."
        )
    codes = codes_of(labels, model.classes_)
    shown = [k for k in (rounds or range(1, 4)) if 1 <= k <= len(model.rounds_)]
    sums = [votes.copy() for votes in model._staged_votes(model._encoded(X, "plot_boosting_boxes"))]
    low, high = cells.min(axis=0), cells.max(axis=0)
    low, high = low - 0.08 * (high - low + 1e-9), high + 0.08 * (high - low + 1e-9)
    x, z = np.linspace(low[0], high[0], steps), np.linspace(low[1], high[1], steps)
    places = rebuild(np.stack(np.meshgrid(x, z), axis=-1).reshape(-1, 2))
    asked = [votes.copy() for votes in model._staged_votes(model._encoded(places, "plot_boosting_boxes"))]
    n_rows = -(-(len(shown) + 1) // IN_A_ROW)
    ax = axes_of(ax, 3.1 * min(len(shown) + 1, IN_A_ROW), 3.2 * n_rows)
    ax.axis("off")
    boxes = _boxes(ax, len(shown) + 1)
    before = [np.zeros_like(sums[0]), *sums]
    before_asked = [np.zeros_like(asked[0]), *asked]
    for box, number in zip(boxes, shown):
        said = model._by_class(asked[number - 1] - before_asked[number - 1]).argmax(axis=1).reshape(steps, steps)
        _draw_sides(box, x, z, said, len(model.classes_))
        _draw_points(box, cells, codes, _weights(model, before[number - 1], codes), len(model.classes_))
        record = model.rounds_[number - 1]
        box.set_title(f"round {number}: ε {record.epsilon:.2f}, α {record.alpha:.2f}", fontsize=9, color=INK)
    _draw_sides(boxes[-1], x, z, model._by_class(asked[-1]).argmax(axis=1).reshape(steps, steps), len(model.classes_))
    _draw_points(boxes[-1], cells, codes, np.full(len(cells), 1 / len(cells)), len(model.classes_))
    boxes[-1].set_title(f"all {len(model.rounds_)} rounds", fontsize=9, color=INK)
    boxes[0].set(xlabel=names[0], ylabel=names[1])
    return ax


@picture
def plot_boosting_bounds(model: AdaBoostClassifier | AdaBoostMHClassifier, ax: Any = None) -> Any:
    """Draw the error on training rows, and on rows held back, against the rounds, beneath its two bounds.

    Examples
    --------
    >>> from margin import AdaBoostClassifier
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> ax = plot_boosting_bounds(AdaBoostClassifier(n_estimators=20, algorithm="M1").fit(X, y))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['exp(-2 Σ(½ - ε)²)', 'ΠZ', 'training error']
    """
    rounds = _recorded(model, "plot_boosting_bounds")
    ax, n = axes_of(ax), np.arange(1, len(rounds) + 1)
    curves = (
        ("exp(-2 Σ(½ - ε)²)", "exponential_bound", PALE, (0, (2, 2))),
        ("ΠZ", "bound", PALETTE[1], "-"),
        ("training error", "training_error", ACCENT, "-"),
        ("error of rows held back", "validation_error", PALETTE[5], "-"),
    )
    for name, field, colour, dashes in curves:
        values = np.array([getattr(one, field) for one in rounds])
        if np.isfinite(values).any():
            ax.plot(n, values, color=colour, linestyle=dashes, linewidth=1.4, label=name)
    ax.set(xlabel="rounds", ylabel="share of the rows", ylim=(-0.02, None), xlim=(0.5, len(rounds) + 0.5))
    ax.grid(axis="y", color=PALE, alpha=0.25, linewidth=0.6)
    ax.legend(frameon=False, fontsize=9, labelcolor=INK)
    return ax


@picture
def plot_boosting_margins(
    model: AdaBoostClassifier | AdaBoostMHClassifier, ax: Any = None, *, rounds: Sequence[int] | None = None
) -> Any:
    """Draw which share of the training rows has at most which margin after some rounds; boosting pushes it right.

    Parameters
    ----------
    rounds
        After which rounds, counted from 1; None for the fifth, one in ten and the last.

    Examples
    --------
    >>> from margin import AdaBoostClassifier
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> ax = plot_boosting_margins(AdaBoostClassifier(n_estimators=20).fit(X, y), rounds=[1, 20])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['1 round', '20 rounds']
    """
    record = _recorded(model, "plot_boosting_margins")
    asked = rounds or sorted({min(5, len(record)), max(1, len(record) // 10), len(record)})
    shown = [k for k in asked if 1 <= k <= len(record)]
    ax = axes_of(ax)
    for at, number in enumerate(shown):
        cells = record[number - 1].margins
        edges = np.linspace(-1, 1, len(cells) + 1)
        share = np.concatenate([[0.0], np.cumsum(cells)])
        label = f"{number:,} round" + ("s" if number > 1 else "")
        ax.plot(edges, share, color=PALETTE[at % len(PALETTE)], linewidth=1.4, label=label, drawstyle="steps-post")
    ax.axvline(0, color=PALE, linewidth=0.8, linestyle=(0, (2, 2)))
    ax.set(xlabel="margin", ylabel="share of the rows with no larger margin", xlim=(-1, 1), ylim=(0, 1.02))
    ax.legend(frameon=False, fontsize=9, labelcolor=INK, title="after", title_fontsize=9)
    return ax


def _recorded(model: Any, who: str) -> list[Any]:
    if not isinstance(model, (AdaBoostClassifier, AdaBoostMHClassifier)) or not model.rounds_:
        raise InputError(
            f"{who}(model={type(model).__name__}): model must be a fitted AdaBoost of classes with rounds."
        )
    return list(model.rounds_)


def _weights(model: AdaBoostClassifier, votes: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The weights of rows that weighed the same in the beginning, after votes."""
    equal = np.full(len(codes), 1 / len(codes))
    if model._algorithm != "M2":
        return weights_after(equal, votes, codes, model._algorithm)
    pairs = Mislabels(codes, equal, len(model.classes_))
    pairs.reweigh(votes)
    found = pairs.of_rows()
    return found / found.sum()


def _boxes(ax: Axes, n: int) -> list[Axes]:
    rows, columns = -(-n // IN_A_ROW), min(n, IN_A_ROW)
    width, height = 1 / columns, 1 / rows
    made = []
    for k in range(n):
        row, column = divmod(k, columns)
        box = ax.inset_axes((column * width, 1 - (row + 1) * height, 0.9 * width, 0.84 * height))
        box.set_xticks([])
        box.set_yticks([])
        made.append(box)
    return made


def _draw_sides(ax: Axes, x: np.ndarray, z: np.ndarray, said: np.ndarray, n_classes: int) -> None:
    colours = np.array(class_colours(n_classes))
    ax.imshow(
        1 - 0.22 * (1 - colours[said]), origin="lower", extent=(x[0], x[-1], z[0], z[-1]), aspect="auto", zorder=0
    )
    for k in range(n_classes - 1 if n_classes == 2 else n_classes):
        if (said == k).any() and (said != k).any():
            ax.contour(x, z, (said == k).astype(float), levels=[0.5], colors=[INK], linewidths=1.2)


def _draw_points(ax: Axes, cells: np.ndarray, codes: np.ndarray, weight: np.ndarray, n_classes: int) -> None:
    colours, sizes = class_colours(n_classes), SIZE * weight * len(weight)
    marks = "_+ox^sDv" if n_classes == 2 else "ox^sDv+_"
    for k in range(n_classes):
        of = codes == k
        mark = marks[k % len(marks)]
        ax.scatter(cells[of, 0], cells[of, 1], s=sizes[of], color=[colours[k]], marker=mark, linewidths=1.8, zorder=3)
