"""Shapes and strokes in arrays of pixels between 0 and 1."""

from __future__ import annotations

import numpy as np

__all__ = ["COLOURS", "SHAPES", "boxes_of", "inside", "with_strokes"]

SHAPES = ("circle", "square", "triangle")
COLOURS = {
    "red": (0.85, 0.15, 0.15), "green": (0.1, 0.6, 0.2), "blue": (0.15, 0.25, 0.85), "yellow": (0.95, 0.8, 0.1),
}  # fmt: skip


def inside(shape: str, row: float, column: float, radius: float, size: int) -> np.ndarray:
    """Which pixels of a square picture lie in a shape around a centre.

    >>> inside("square", 2, 2, 1, 5).astype(int).tolist()
    [[0, 0, 0, 0, 0], [0, 1, 1, 1, 0], [0, 1, 1, 1, 0], [0, 1, 1, 1, 0], [0, 0, 0, 0, 0]]
    """
    rows, columns = np.mgrid[:size, :size]
    down, right = rows - row, columns - column
    if shape == "circle":
        within: np.ndarray = down**2 + right**2 <= radius**2
    elif shape == "square":
        within = np.maximum(np.abs(down), np.abs(right)) <= 0.9 * radius + 0.1
    else:  # the tip above
        within = (down <= 0.8 * radius) & (np.abs(right) <= (down + radius) / 1.8)
    return within


def with_strokes(picture: np.ndarray, n: int, random: np.random.Generator) -> np.ndarray:
    """The picture with thin straight lines of any colour on it."""
    size = len(picture)
    rows, columns = np.mgrid[:size, :size]
    made = picture.copy()
    for _ in range(n):
        (r0, c0), (r1, c1) = random.uniform(0, size, (2, 2))
        length = max(np.hypot(r1 - r0, c1 - c0), 1e-9)
        along = ((rows - r0) * (r1 - r0) + (columns - c0) * (c1 - c0)) / length
        aside = np.abs((rows - r0) * (c1 - c0) - (columns - c0) * (r1 - r0)) / length
        made[(aside < 0.5) & (along >= 0) & (along <= length)] = random.uniform(0, 1, 3)
    return made


def boxes_of(masks: np.ndarray) -> np.ndarray:
    """For each mask the first row and column, and those behind the last.

    >>> boxes_of(inside("circle", 2, 3, 1, 6)[None]).tolist()
    [[1, 2, 4, 5]]
    """
    found = []
    for mask in masks:
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        found.append((rows[0], columns[0], rows[-1] + 1, columns[-1] + 1))
    return np.array(found, dtype=np.int64).reshape(-1, 4)
