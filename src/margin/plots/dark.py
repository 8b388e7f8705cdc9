"""Pictures for dark pages."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.errors import InputTypeError

__all__ = ["darkened"]

#: The paper of dark pictures, and the ink on it.
PAPER, LIGHT = "#16191c", "#e3e6e8"


def darkened(axes: Any) -> Any:
    """Turn drawn pictures into pictures for dark pages: greys change places, colours stay as they are.

    Parameters
    ----------
    axes
        Axes that were drawn on, or an array of them; all of their figure changes.

    Returns
    -------
    axes
        The same.

    Examples
    --------
    >>> from margin.plots import plot_confusion
    >>> from margin.evaluation import confusion
    >>> ax = darkened(plot_confusion(confusion(["spam", "ham"], ["spam", "ham"])))
    >>> [round(float(part), 2) for part in ax.figure.get_facecolor()[:3]]
    [0.09, 0.1, 0.11]
    """
    for figure in {id(figure): figure for figure in map(_figure_of, np.ravel(np.asarray(axes, dtype=object)))}.values():
        for artist in {id(artist): artist for artist in figure.findobj()}.values():
            _turn(artist)
    return axes


def _figure_of(ax: Any) -> Any:
    if not hasattr(ax, "get_figure"):
        raise InputTypeError(f"darkened(axes={type(ax).__name__}): must be axes of matplotlib that were drawn on.")
    return ax.get_figure()


def _turn(artist: Any) -> None:
    """Change the greys of one artist, and the image that it may be."""
    from matplotlib.collections import Collection
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text

    if isinstance(artist, AxesImage):
        shades = np.asarray(artist.get_array())
        if shades.ndim == 3:
            artist.set_data(_on_paper(shades[..., :3].astype(float)))
        return
    if isinstance(artist, Text):
        names = ["color"]
    elif isinstance(artist, Line2D):
        names = ["color", "markerfacecolor", "markeredgecolor"]
    elif isinstance(artist, (Patch, Collection)):
        names = ["facecolor", "edgecolor"]
    else:  # figures and axes have their paper as a patch of its own
        return
    for name in names:
        get, put = getattr(artist, f"get_{name}", None), getattr(artist, f"set_{name}", None)
        if get is not None and put is not None:
            colours = get()
            if isinstance(colours, str) and colours in ("none", "auto", "face"):
                continue
            put(_turned(colours))


def _turned(colours: Any) -> Any:
    """Colours with greys turned round: white becomes the paper and black the ink; others stay."""
    from matplotlib.colors import to_rgba, to_rgba_array

    one = isinstance(colours, str) or np.ndim(colours) == 1
    found = np.array([to_rgba(colours)]) if one else np.array(to_rgba_array(colours), dtype=float)
    if not len(found):
        return colours
    paper, light = (np.array(to_rgba(each)[:3]) for each in (PAPER, LIGHT))
    grey = np.ptp(found[:, :3], axis=1) < 0.06
    lightness = found[grey, :3].mean(axis=1, keepdims=True)
    found[grey, :3] = light + (paper - light) * lightness
    return tuple(found[0]) if one else found


def _on_paper(shades: np.ndarray) -> np.ndarray:
    """Colours that were mixed with white, mixed with the paper as much."""
    from matplotlib.colors import to_rgb

    scale = 255.0 if shades.max() > 1 else 1.0
    shades = shades / scale
    strength = 1 - shades.min(axis=2, keepdims=True)
    return np.clip(shades - (1 - strength) * (1 - np.array(to_rgb(PAPER))), 0, 1)
