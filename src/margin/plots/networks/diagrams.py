"""A network as circles and lines, the paths of optimisers, and how far the error reaches back."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.deep.backpropagation import BackPropagation
from margin.deep.mlp.fitted import FittedNetwork
from margin.deep.optimizer_paths import OptimizerPaths
from margin.errors import InputError
from margin.plots.style import ACCENT, INK, PALE, PALETTE, axes_of, picture

__all__ = ["plot_backpropagation", "plot_network", "plot_optimizer_paths"]

#: Units of a layer that are drawn; the others are counted.
MOST_UNITS = 12
LINES = ("#D55E00", "#0072B2")


@picture
def plot_network(model: Any, ax: Any = None) -> Any:
    """Draw the units of every layer and the weights between them: blue above 0, orange below, the stronger the wider.

    Parameters
    ----------
    model
        A fitted network. Of layers with more than twelve units the first ones are drawn, and how many are not.

    Examples
    --------
    >>> from margin.deep import MLPRegressor
    >>> model = MLPRegressor((3,), solver="lbfgs").fit([[0.0, 1], [1, 0], [2, 1]], [0.0, 1, 0])
    >>> [text.get_text() for text in plot_network(model).texts][:3]
    ['inputs\\n2', 'hidden 1\\n3', 'outputs\\n1']
    """
    if not isinstance(model, FittedNetwork):
        raise InputError(f"plot_network: {type(model).__name__} has no layers of units; give a fitted network.")
    units = model._fitted("plot_network").units_
    ax = axes_of(ax, 2.0 + 1.7 * len(units), 4.6)
    ax.axis("off")
    heights = [_heights(min(n, MOST_UNITS)) for n in units]
    for i, W in enumerate(model.coefs_):
        _draw_weights(ax, i, W, heights[i], heights[i + 1])
    titles = ["inputs", *[f"hidden {i}" for i in range(1, len(units) - 1)], "outputs"]
    for i, (n, ys) in enumerate(zip(units, heights)):
        ax.scatter(np.full(len(ys), i), ys, s=90, facecolor="white", edgecolor=INK, linewidth=1.0, zorder=3)
        more = f"\n… {n - MOST_UNITS:,} more" if n > MOST_UNITS else ""
        ax.text(i, -0.1, f"{titles[i]}\n{n:,}{more}", ha="center", va="top", color=INK, fontsize=9)
    between = [model.activation] * (len(units) - 2) + [model.out_activation_]
    for i, name in enumerate(between, start=1):
        ax.text(i, 1.09, name, ha="center", va="bottom", color=PALE, fontsize=9)
    _name_ends(ax, model, heights)
    ax.set(xlim=(-0.9, len(units) - 0.2), ylim=(-0.3, 1.18))
    return ax


def _heights(n: int) -> np.ndarray:
    """From the top down; few units stand in the middle."""
    return np.linspace(1.0, 0.0, n) if n > 5 else 0.5 + 0.18 * ((n - 1) / 2 - np.arange(n))


def _draw_weights(ax: Any, layer: int, W: np.ndarray, left: np.ndarray, right: np.ndarray) -> None:
    from matplotlib.collections import LineCollection

    W = W[: len(left), : len(right)].astype(np.float64)
    size = np.abs(W) / max(float(np.abs(W).max(initial=0.0)), 1e-300)
    ends = [[(layer, a), (layer + 1, b)] for a in left for b in right]
    colours = [LINES[int(w > 0)] for w in W.ravel()]
    ax.add_collection(
        LineCollection(ends, colors=colours, linewidths=0.2 + 2.2 * size.ravel(), alpha=0.65, zorder=1)
    )  # fmt: skip


def _name_ends(ax: Any, model: Any, heights: list[np.ndarray]) -> None:
    """Columns beside the inputs, classes beside the outputs."""
    names = model._encoder.names_out() if not model.embeddings_ else []
    for name, y in zip(names, heights[0]):
        ax.text(-0.07, y, name, ha="right", va="center", color=INK, fontsize=8)
    classes = getattr(model, "classes_", None)
    if classes is not None and not isinstance(classes, list):
        shown = classes[1:] if model.n_outputs_ == 1 else classes
        for label, y in zip(shown, heights[-1]):
            ax.text(len(heights) - 1 + 0.07, y, str(label), ha="left", va="center", color=INK, fontsize=8)


@picture
def plot_optimizer_paths(paths: OptimizerPaths, ax: Any = None) -> Any:
    """Draw the ways of optimisers over the landscape of a loss of two weights, from one start to its bottom.

    Parameters
    ----------
    paths
        As of :func:`margin.deep.optimizer_paths`.

    Examples
    --------
    >>> from margin.deep import optimizer_paths
    >>> plot_optimizer_paths(optimizer_paths(n_steps=5)).get_xlabel()
    'slope'
    """
    ax = axes_of(ax, 7.0, 5.0)
    ends = np.concatenate([path[:, :2] for path in paths.paths.values()] + [paths.best[None, :2]])
    low, high = ends.min(axis=0), ends.max(axis=0)
    room = 0.12 * (high - low) + 1e-9
    at = np.meshgrid(*(np.linspace(a, b, 160) for a, b in zip(low - room, high + room)))
    height = np.log10(paths.loss(*at) - min(0.0, float(paths.best[2])) + 1e-3)
    ax.contour(*at, height, levels=14, colors=PALE, linewidths=0.6, alpha=0.7)
    for (name, path), colour in zip(paths.paths.items(), PALETTE):
        told = f"{name}: {path[-1, 2]:.2g}"
        ax.plot(path[:, 0], path[:, 1], "-o", color=colour, markersize=2.2, linewidth=1.3, label=told)
    ax.plot(*paths.best[:2], "*", color=INK, markersize=11, zorder=6)
    edges = np.column_stack([low - room, high + room])
    ax.set(xlabel="slope", ylabel="intercept", xlim=edges[0], ylim=edges[1])
    steps = max(len(path) for path in paths.paths.values()) - 1
    ax.legend(title=f"loss after {steps} steps", frameon=False, fontsize=9, title_fontsize=9, labelcolor=INK)
    return ax


@picture
def plot_backpropagation(read: BackPropagation, ax: Any = None) -> Any:
    """Draw how long the slope of the error is at every layer, from the outputs back to the inputs.

    Parameters
    ----------
    read
        As of :func:`margin.deep.backpropagate`.

    Examples
    --------
    >>> from margin.deep import backpropagate
    >>> from margin.deep.layers import CrossEntropy, Linear, Sequential, Tanh
    >>> net = Sequential([Linear(2, 3), Tanh(), Linear(3, 2)])
    >>> read = backpropagate(net, np.ones((4, 2)), np.array([0, 1, 1, 0]), CrossEntropy())
    >>> plot_backpropagation(read).get_xscale()
    'log'
    """
    n = len(read.layers)
    ax = axes_of(ax, 7.0, 1.4 + 0.35 * n)
    names = [f"{i}. {layer.name}" for i, layer in enumerate(read.layers, start=1)]
    lengths = np.maximum([layer.delta_norm for layer in read.layers], 1e-300)
    colours = [PALETTE[5] if layer.warning else ACCENT for layer in read.layers]
    ax.hlines(np.arange(n), lengths.min() / 3, lengths, color=colours, linewidth=1.4)
    ax.scatter(lengths, np.arange(n), color=colours, s=26, zorder=3)
    for at, layer in enumerate(read.layers):
        ax.annotate(
            layer.warning, (lengths[at], at), xytext=(7, 0), textcoords="offset points", va="center", fontsize=9,
            color=INK,
        )  # fmt: skip
    ax.set_yticks(np.arange(n), names)
    ax.invert_yaxis()
    ax.set(xscale="log", xlabel="length of δ = ∂E/∂Z", xlim=(lengths.min() / 3, lengths.max() * 6))
    return ax
