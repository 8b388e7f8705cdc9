"""Pictures of choices that trees make: what each column gains at a node, and how large a tree should be."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.errors import InputTypeError
from margin.plots.style import ACCENT, INK, PALE, PALETTE, axes_of, class_colours, picture
from margin.tree.pruning.choose import AlphaChoice
from margin.tree.pruning.reduced_error import PruningTrace
from margin.tree.reading.gains import ColumnGain, Gains

__all__ = ["plot_gains", "plot_tree_size"]

#: Columns that are drawn, and how long the words beside them may be.
MOST_COLUMNS, LONGEST = 10, 28


@picture
def plot_gains(gains: Gains, ax: Any = None) -> Any:
    """Draw what each column gains at a node, and below it a bar of the classes in each branch of its best split.

    Bars are as thick as their branch is heavy. The ten columns that gain most are drawn.

    Parameters
    ----------
    gains
        What ``gains`` of a tree gives.

    Examples
    --------
    >>> from margin import ID3
    >>> from margin.data import catalog
    >>> X, y = catalog.load("weather_nominal").target("play")
    >>> ax = plot_gains(ID3().fit(X, y).gains(X, y))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['no', 'yes']
    """
    if not isinstance(gains, Gains):
        raise InputTypeError(f"plot_gains({type(gains).__name__}): must be what gains() of a tree gives.")
    shown = gains[:MOST_COLUMNS]
    n_lines = sum(1 + len(found.branches) for found in shown)
    ax = axes_of(ax, 7.0, max(1.5, 0.28 * n_lines + 0.8))
    colours = [] if gains.classes is None else class_colours(len(gains.classes))
    line = 0
    for found in shown:
        mark = " (asked)" if found.asked else ""
        ax.text(0, -line, f"{found.column}: gain {found.gain:.4f}{mark}", fontsize=9, color=INK, va="center",
                weight="bold" if found.asked else "normal")  # fmt: skip
        _draw_branches(ax, found, gains.classes, colours, line + 1)
        line += 1 + len(found.branches)
    ax.set(xlim=(-0.75, 1.02), ylim=(-line + 0.4, 0.6))
    ax.axis("off")
    if gains.classes is not None:
        _add_legend(ax, gains.classes, colours)
    return ax


def _draw_branches(ax: Any, found: ColumnGain, classes: Any, colours: list[Any], line: int) -> None:
    heaviest = max((branch.weight for branch in found.branches), default=1.0) or 1.0
    for branch in found.branches:
        words = branch.test if len(branch.test) <= LONGEST else branch.test[: LONGEST - 1] + "…"
        ax.text(-0.02, -line, words, fontsize=8, color=INK, ha="right", va="center")
        thickness, left = 0.15 + 0.6 * branch.weight / heaviest, 0.0
        if classes is None or branch.weight <= 0:
            ax.text(0.01, -line, f"{branch.weight:.6g} cases", fontsize=8, color=INK, va="center")
        for label, colour in zip(classes or (), colours, strict=True):
            share = branch.counts.get(label, 0.0) / branch.weight if branch.weight > 0 else 0.0
            ax.barh(-line, share, height=thickness, left=left, color=colour, linewidth=0)
            left += share
        line += 1


def _add_legend(ax: Any, classes: Any, colours: list[Any]) -> None:
    from matplotlib.patches import Patch

    ax.legend(
        [Patch(facecolor=colour) for colour in colours], [str(label) for label in classes], loc="lower center",
        bbox_to_anchor=(0.5, 1.0), ncols=min(len(classes), 6), frameon=False, fontsize=9, labelcolor=INK,
    )  # fmt: skip


@picture
def plot_tree_size(pruned: Any, ax: Any = None) -> Any:
    """Draw the loss on rows that a tree was not grown from against its number of leaves, with the size that was chosen.

    Parameters
    ----------
    pruned
        A tree with ``prune="cost_complexity"`` (losses by cross-validation, with their standard errors) or
        ``"reduced_error"`` (losses on the validation part), or its ``pruning_path_`` or ``pruning_trace_``. For sizes
        along the growth of a tree, ask :func:`margin.validation_curve` for ``"max_leaf_nodes"``.

    Examples
    --------
    >>> from margin import DecisionTreeClassifier
    >>> from margin.data import catalog
    >>> X, y = catalog.load("iris").target("class")
    >>> ax = plot_tree_size(DecisionTreeClassifier(prune="cost_complexity", random_state=0).fit(X, y))
    >>> ax.get_xlabel()
    'leaves'
    """
    found = getattr(pruned, "pruning_path_", getattr(pruned, "pruning_trace_", pruned))
    if not isinstance(found, AlphaChoice | PruningTrace):
        raise InputTypeError(
            f"plot_tree_size({type(pruned).__name__}): must be a fitted tree with prune='cost_complexity' or "
            "prune='reduced_error', or what it left of pruning."
        )
    ax = axes_of(ax)
    by_folds = isinstance(found, AlphaChoice)
    leaves, losses = (
        np.asarray(found.leaves),
        np.asarray(found.losses if isinstance(found, AlphaChoice) else found.loss),
    )
    chosen = found.chosen if isinstance(found, AlphaChoice) else len(leaves) - 1
    handles, names = [], []
    if isinstance(found, AlphaChoice):
        width, best = found.standard_errors, int(np.argmin(losses))
        low, high = np.maximum(losses - width, 0.0), losses + width
        handles.append(ax.fill_between(leaves, low, high, color=ACCENT, alpha=0.15, lw=0))
        names.append("± one standard error")
        ax.axhline(losses[best] + width[best], color=PALE, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    ax.plot(leaves, losses, color=ACCENT, linewidth=1.6, marker="o" if len(leaves) <= 60 else None, markersize=3)
    handles.append(ax.scatter([leaves[chosen]], [losses[chosen]], s=60, color=PALETTE[5], edgecolors="white", zorder=4))
    names.append(f"chosen: {leaves[chosen]:,} leaves")
    ax.legend(handles, names, frameon=False, fontsize=9, labelcolor=INK)
    where = "in cross-validation" if by_folds else "on the validation part"
    ax.set(xlabel="leaves", ylabel=f"loss {where}", xscale="log")
    ax.set_ylim(bottom=0)
    return ax
