"""The picture of where a model's error comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from margin.plots.style import INK, PALETTE, axes_of, log_axis, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from margin.evaluation.decomposition.result import BiasVariance, BiasVarianceCurve

__all__ = ["plot_bias_variance"]

#: The parts of the error, from the bottom up, with their colours.
PARTS = {"noise": "#B8B8B8", "bias": PALETTE[0], "variance": PALETTE[1]}


@picture
def plot_bias_variance(found: Any, ax: Any = None) -> Any:
    """Draw the error of a model as bias, variance and noise, along a parameter or for one model.

    Parameters
    ----------
    found
        As of :func:`margin.evaluation.decomposition.bias_variance` or ``bias_variance_curve``.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> point = SimpleNamespace(noise_known=True, decomposition="squared", loss="squared")
    >>> curve = SimpleNamespace(parameter="degree", values=(1, 2, 3), points=(point,) * 3, best=2,
    ...     noise=np.full(3, 0.1), bias=np.array([0.3, 0.1, 0.0]),
    ...     variance=np.array([0.0, 0.1, 0.3]), error=np.array([0.4, 0.3, 0.4]))
    >>> [text.get_text() for text in plot_bias_variance(curve).get_legend().get_texts()]
    ['error, least at degree = 2', 'variance', 'bias²', 'noise']
    """
    return _along(found, ax) if hasattr(found, "points") else _alone(found, ax)


def _name(part: str, point: BiasVariance) -> str:
    if part == "bias":
        inside = "" if point.noise_known else " (with the noise)"
        return f"bias{'' if point.decomposition == 'domingos' else '²'}{inside}"
    return f"net {part}" if part == "variance" and point.decomposition == "domingos" else part


def _loss(point: BiasVariance) -> str:
    return {"zero_one": "0/1 loss", "squared": "squared loss"}.get(point.loss, f"{point.loss} loss")


def _shown(point: BiasVariance) -> list[str]:
    return [part for part in PARTS if part != "noise" or point.noise_known]


def _along(found: BiasVarianceCurve, ax: Axes | None) -> Axes:
    ax = axes_of(ax)
    point, x = found.points[0], _places(found.values)
    base = np.zeros(len(x))
    for part in _shown(point):
        # A net variance below 0 takes away from what stands under it, so that the top is always the error.
        top = base + getattr(found, part)
        ax.fill_between(x, base, top, color=PARTS[part], alpha=0.55, lw=0, label=_name(part, point))
        base = top
    ax.plot(x, found.error, color=INK, linewidth=1.6, marker="o", markersize=3.5,
            label=f"error, least at {found.parameter} = {found.best}")  # fmt: skip
    best = list(found.values).index(found.best)
    ax.scatter([x[best]], [found.error[best]], s=60, color=PALETTE[5], edgecolors="white", zorder=4)
    if not _are_numbers(found.values):
        ax.set_xticks(x, [str(value) for value in found.values])
    elif _is_steep(x):
        log_axis(ax, x)
    ax.set(xlabel=found.parameter, ylabel=_loss(point))
    ax.set_ylim(bottom=min(0.0, float(base.min())))
    handles, labels = ax.get_legend_handles_labels()
    ax.legend(handles[::-1], labels[::-1], frameon=False, fontsize=9, labelcolor=INK)
    return ax


def _are_numbers(values: Any) -> bool:
    return all(isinstance(value, (int, float, np.integer, np.floating)) and value is not True for value in values)


def _places(values: Any) -> np.ndarray:
    return np.array(values, dtype=float) if _are_numbers(values) else np.arange(len(values), dtype=float)


def _is_steep(x: np.ndarray) -> bool:
    """Whether values grow by factors rather than by steps."""
    return bool(len(x) > 2 and x.min() > 0 and x.max() / x.min() >= 50)


def _alone(found: BiasVariance, ax: Axes | None) -> Axes:
    ax = axes_of(ax, 5.5, 2.2)
    parts = _shown(found)
    left = 0.0
    for part in parts:
        value = getattr(found, part).value
        ax.barh(
            [0], [value], left=left, color=PARTS[part], alpha=0.7, height=0.5, label=f"{_name(part, found)} {value:.3f}"
        )
        left += value
    error = found.error
    ax.plot([error.value] * 2, [-0.36, 0.36], color=INK, linewidth=1.6, label=f"error {error}")
    if error.interval is not None:
        ax.plot([error.interval.low, error.interval.high], [0.36, 0.36], color=INK, linewidth=1.0)
    ax.set(xlabel=f"{_loss(found)} of {found.model}", yticks=[], ylim=(-0.5, 0.75))
    ax.set_xlim(left=min(0.0, left))
    ax.spines["left"].set_visible(False)
    ax.legend(frameon=False, fontsize=9, labelcolor=INK, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return ax
