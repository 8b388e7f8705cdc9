"""Two looks of the same pictures, points on a ring, and textures."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from margin.errors import InputError, ParameterError

__all__ = ["TwoDomains", "gaussian_ring", "textures", "two_domains"]


class TwoDomains(NamedTuple):
    """Pictures of two looks, not in pairs, with what the true translation of each would be."""

    a: np.ndarray
    b: np.ndarray
    a_as_b: np.ndarray
    b_as_a: np.ndarray
    a_rows: np.ndarray
    b_rows: np.ndarray


def two_domains(pictures: Any, *, seed: int = 0) -> TwoDomains:
    """White on black, and ink on paper: half of the pictures each, and of none both.

    ``pictures`` are (n, height, width), bytes or numbers from 0 to 1, light on dark. Paper is a warm grey and ink a
    dark blue, so that the second look has three colours. ``a_rows`` and ``b_rows`` say which picture is where;
    ``a_as_b`` and ``b_as_a`` are kept for a judge.

    >>> made = two_domains(np.eye(4)[None].repeat(6, axis=0), seed=0)
    >>> made.a.shape, made.b.shape, sorted([*made.a_rows, *made.b_rows]) == list(range(6))
    ((3, 4, 4, 3), (3, 4, 4, 3), True)
    """
    given = np.asarray(pictures)
    if given.ndim != 3 or len(given) < 2:
        raise InputError("two_domains: pictures must be an array (n, height, width) of two pictures or more.")
    light = given / 255 if given.dtype == np.uint8 else given.astype(np.float64)
    if not np.isfinite(light).all() or light.min() < 0 or light.max() > 1:
        raise InputError("two_domains: pixels must be bytes, or numbers from 0 to 1.")
    order = np.random.Generator(np.random.Philox(seed)).permutation(len(given))
    rows = np.sort(order[: len(given) // 2]), np.sort(order[len(given) // 2 :])
    paper, ink = np.array([0.93, 0.9, 0.82]), np.array([0.1, 0.12, 0.35])
    first = light[..., None].repeat(3, axis=-1)
    second = paper + light[..., None] * (ink - paper)
    return TwoDomains(first[rows[0]], second[rows[1]], second[rows[0]], first[rows[1]], *rows)


def gaussian_ring(
    n_rows: int = 1000, *, modes: int = 8, radius: float = 2.0, spread: float = 0.05, seed: int = 0
) -> Any:
    """Points around places on a circle: what a generator of few ideas does not cover.

    >>> X, y = gaussian_ring(80, modes=8, spread=0)
    >>> float(np.hypot(*X.T).max().round(6)), np.bincount(y).tolist()
    (2.0, [10, 10, 10, 10, 10, 10, 10, 10])
    """
    from margin.data.generators import Points

    for name, count in ("n_rows", n_rows), ("modes", modes):
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise ParameterError(f"gaussian_ring({name}={count!r}): {name} must be a whole number from 1 up.")
    if spread < 0:
        raise ParameterError(f"gaussian_ring(spread={spread!r}): spread must be a number from 0.")
    random = np.random.Generator(np.random.Philox(seed))
    y = np.arange(n_rows) % modes
    angle = 2 * np.pi * y / modes
    places = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    return Points(places + spread * random.standard_normal((n_rows, 2)), y)


def textures(n: int = 1, size: int = 64, *, seed: int = 0) -> np.ndarray:
    """Coloured patterns of waves, (n, size, size, 3) bytes: something to take a style from.

    >>> textures(2, 32).shape
    (2, 32, 32, 3)
    """
    for name, count in ("n", n), ("size", size):
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise ParameterError(f"textures({name}={count!r}): {name} must be a whole number from 1 up.")
    random = np.random.Generator(np.random.Philox(seed))
    rows, columns = np.mgrid[:size, :size] / size
    made = np.empty((n, size, size, 3), np.uint8)
    for picture in made:
        waves = np.zeros((size, size, 3))
        for _ in range(6):
            down, right = random.normal(0, 6, 2)
            wave = np.sin(2 * np.pi * (down * rows + right * columns + random.random()))
            waves += wave[..., None] * random.normal(0, 1, 3)
        low, high = waves.min(), waves.max()
        picture[:] = np.rint(255 * (waves - low) / max(high - low, 1e-12))
    return made
