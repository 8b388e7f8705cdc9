"""Masks over their pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["COLOURS", "overlaid"]

#: Colours of classes, the first of which (the ground) is left as it is.
COLOURS = np.array([[0, 0, 0], [230, 159, 0], [86, 180, 233], [0, 158, 115], [240, 228, 66], [0, 114, 178],
                    [213, 94, 0], [204, 121, 167]], np.uint8)  # fmt: skip


def overlaid(picture: Any, codes: np.ndarray, share: float = 0.55) -> np.ndarray:
    """A picture (height, width, channels) with the colour of each class laid over its pixels; code 0 is left out.

    >>> overlaid(np.zeros((1, 2, 1), np.uint8), np.array([[0, 1]]), share=1).tolist()
    [[[0, 0, 0], [230, 159, 0]]]
    """
    pixels = np.asarray(picture)
    unit = pixels.astype(np.float64) if pixels.dtype == np.uint8 else 255.0 * pixels
    unit = unit.repeat(3, axis=2) if unit.shape[2] == 1 else unit[..., :3]
    colours = COLOURS[1 + (np.maximum(codes, 1) - 1) % (len(COLOURS) - 1)]
    made = np.where((codes > 0)[..., None], (1 - share) * unit + share * colours, unit)
    return np.rint(made).astype(np.uint8)
