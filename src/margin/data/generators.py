"""Points, tables and pictures drawn from known distributions, the same for the same seed everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from margin.data.credit import credit, credit_text
from margin.data.generated.domains import TwoDomains, gaussian_ring, textures, two_domains
from margin.data.generated.scenes import Question, Scenes, scenes
from margin.errors import ParameterError

__all__ = [
    "Points",
    "Question",
    "Scenes",
    "TwoDomains",
    "bayes_error",
    "blobs",
    "circles",
    "credit",
    "credit_text",
    "gaussian_mixture",
    "gaussian_ring",
    "moons",
    "scenes",
    "spirals",
    "textures",
    "two_domains",
    "xor",
]


class Points(NamedTuple):
    """Inputs, one row a point, and the class of each, from 0."""

    X: np.ndarray
    y: np.ndarray


def moons(n_rows: int = 200, *, noise: float = 0.1, seed: int = 0) -> Points:
    """Two half circles that reach into each other: no line separates them.

    >>> moons(4, noise=0).X.round(2).tolist()
    [[1.0, 0.0], [0.0, 0.5], [-1.0, 0.0], [2.0, 0.5]]
    """
    rng, y = _start("moons", n_rows, noise, seed)
    angle = np.pi * _spread(y)
    upper = np.column_stack([np.cos(angle), np.sin(angle)])
    X = np.where(y[:, None] == 0, upper, [1.0, 0.5] - upper)
    return Points(X + noise * rng.standard_normal(X.shape), y)


def circles(n_rows: int = 200, *, noise: float = 0.05, inner: float = 0.5, seed: int = 0) -> Points:
    """Class 1 on a circle of radius ``inner`` within class 0 on one of radius 1.

    >>> X, y = circles(100, noise=0)
    >>> float(np.hypot(*X[y == 1].T).max().round(3))
    0.5
    """
    if not 0 < inner < 1:
        raise ParameterError(f"circles(inner={inner!r}): inner must be between 0 and 1.")
    rng, y = _start("circles", n_rows, noise, seed)
    angle = 2 * np.pi * rng.random(n_rows)
    X = np.column_stack([np.cos(angle), np.sin(angle)]) * np.where(y == 0, 1.0, inner)[:, None]
    return Points(X + noise * rng.standard_normal(X.shape), y)


def spirals(n_rows: int = 200, *, n_classes: int = 2, turns: float = 1.5, noise: float = 0.02, seed: int = 0) -> Points:
    """One arm of a spiral for each class, wound around the origin.

    >>> spirals(9, n_classes=3).y.tolist()
    [0, 1, 2, 0, 1, 2, 0, 1, 2]
    """
    rng, y = _start("spirals", n_rows, noise, seed, n_classes)
    radius = 0.1 + 0.9 * _spread(y)
    angle = 2 * np.pi * (turns * radius + y / n_classes)
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return Points(X + noise * rng.standard_normal(X.shape), y)


def xor(n_rows: int = 200, *, noise: float = 0.15, seed: int = 0) -> Points:
    """Four clouds at the corners of the unit square; the class is 1 where exactly one coordinate is.

    >>> X, y = xor(100, noise=0)
    >>> bool(np.all(y == X[:, 0].astype(int) ^ X[:, 1].astype(int)))
    True
    """
    rng, corner = _start("xor", n_rows, noise, seed, 4)
    a, b = corner // 2, corner % 2
    X = np.column_stack([a, b]).astype(float)
    return Points(X + noise * rng.standard_normal(X.shape), a ^ b)


def blobs(
    n_rows: int = 200, *, centers: int | ArrayLike = 3, n_features: int = 2, spread: float = 1.0, seed: int = 0
) -> Points:
    """Round clouds, one a class, about given centres or about some drawn from [-10, 10].

    >>> blobs(6, centers=[[0, 0], [9, 9]], spread=0.1).X.round().tolist()[1]
    [9.0, 9.0]
    """
    drawn = isinstance(centers, int | np.integer)
    n_classes = int(centers) if isinstance(centers, int | np.integer) else len(np.atleast_2d(centers))
    rng, y = _start("blobs", n_rows, spread, seed, n_classes)
    at = rng.uniform(-10, 10, (n_classes, n_features)) if drawn else np.atleast_2d(np.asarray(centers, dtype=float))
    return Points(at[y] + spread * rng.standard_normal((n_rows, at.shape[1])), y)


def gaussian_mixture(
    n_rows: int = 200,
    *,
    means: ArrayLike = ((-1.0, 0.0), (1.0, 0.0)),
    covariances: ArrayLike | None = None,
    priors: Sequence[float] | None = None,
    seed: int = 0,
) -> Points:
    """Points of normal classes: class first, by its prior, then the point. :func:`bayes_error` knows the best error.

    ``covariances`` is one matrix for all classes, or one for each; the identity otherwise.

    >>> gaussian_mixture(1000, means=[[-1], [1]]).X.shape
    (1000, 1)
    """
    mixture = _Mixture.of("gaussian_mixture", means, covariances, priors)
    rng, _ = _start("gaussian_mixture", n_rows, 0.0, seed)
    return mixture.draw(n_rows, rng)


def bayes_error(
    means: ArrayLike, covariances: ArrayLike | None = None, priors: Sequence[float] | None = None, *, seed: int = 0
) -> float:
    r"""The error that no classifier can beat on normal classes, :math:`1 - \int \max_k \pi_k f_k(x)\,dx`.

    Two classes with one covariance have a closed form; other mixtures in one or two dimensions are integrated on a
    grid (to about 1e-5), and those in more dimensions by 200,000 draws (to about 1e-3).

    >>> round(bayes_error([[-1], [1]]), 4)
    0.1587
    """
    mixture = _Mixture.of("bayes_error", means, covariances, priors)
    if len(mixture.priors) == 2 and np.allclose(mixture.covariances[0], mixture.covariances[1]):
        return _two_classes_alike(mixture)
    if mixture.means.shape[1] <= 2:
        return _on_a_grid(mixture)
    X = mixture.draw(200_000, np.random.Generator(np.random.Philox(seed))).X
    weighted = mixture.weighted_densities(X)
    return float(np.mean(1 - weighted.max(axis=1) / weighted.sum(axis=1)))


class _Mixture(NamedTuple):
    means: np.ndarray
    covariances: np.ndarray
    priors: np.ndarray

    @classmethod
    def of(cls, who: str, means: ArrayLike, covariances: ArrayLike | None, priors: Sequence[float] | None) -> _Mixture:
        at = np.atleast_2d(np.asarray(means, dtype=float))
        k, d = at.shape
        spread = np.eye(d) if covariances is None else np.asarray(covariances, dtype=float)
        if spread.shape not in ((d, d), (k, d, d)):
            raise ParameterError(f"{who}(covariances=…): give one {d}×{d} matrix, or one for each of the {k} classes.")
        spread = np.broadcast_to(spread, (k, d, d))
        if not np.allclose(spread, np.swapaxes(spread, 1, 2)) or np.linalg.eigvalsh(spread).min() <= 0:
            raise ParameterError(f"{who}(covariances=…): covariances must be symmetric and positive definite.")
        share = np.full(k, 1 / k) if priors is None else np.asarray(priors, dtype=float)
        if share.shape != (k,) or share.min() < 0 or not np.isclose(share.sum(), 1):
            raise ParameterError(f"{who}(priors={priors!r}): priors must be {k} numbers from 0 that add up to 1.")
        return cls(at, spread, share)

    def draw(self, n_rows: int, rng: np.random.Generator) -> Points:
        y = rng.choice(len(self.priors), n_rows, p=self.priors)
        roots = np.linalg.cholesky(self.covariances)
        noise = rng.standard_normal((n_rows, self.means.shape[1]))
        return Points(self.means[y] + np.einsum("nij,nj->ni", roots[y], noise), y)

    def weighted_densities(self, X: np.ndarray) -> np.ndarray:
        columns = []
        for mean, covariance, prior in zip(self.means, self.covariances, self.priors):
            root = np.linalg.cholesky(covariance)
            z = np.linalg.solve(root, (X - mean).T)
            scale = np.prod(np.diag(root)) * (2 * np.pi) ** (len(mean) / 2)
            columns.append(prior * np.exp(-0.5 * np.einsum("dn,dn->n", z, z)) / scale)
        return np.column_stack(columns)


def _two_classes_alike(mixture: _Mixture) -> float:
    from scipy.special import ndtr

    apart = mixture.means[1] - mixture.means[0]
    distance = float(np.sqrt(apart @ np.linalg.solve(mixture.covariances[0], apart)))
    p, q = mixture.priors
    if distance == 0 or min(p, q) == 0:
        return float(min(p, q))
    tilt = np.log(p / q)
    return float(p * ndtr(-distance / 2 - tilt / distance) + q * ndtr(-distance / 2 + tilt / distance))


def _on_a_grid(mixture: _Mixture) -> float:
    n = 200_001 if mixture.means.shape[1] == 1 else 1_201
    reach = 7 * np.sqrt(np.array([np.diag(c) for c in mixture.covariances]))
    low, high = (mixture.means - reach).min(axis=0), (mixture.means + reach).max(axis=0)
    axes = [np.linspace(a, b, n) for a, b in zip(low, high)]
    step = float(np.prod((high - low) / (n - 1)))
    won = 0.0
    for first in np.array_split(axes[0], 1 if len(axes) == 1 else 24):  # in strips, to keep memory small
        grid = np.meshgrid(first, *axes[1:], indexing="ij")
        won += mixture.weighted_densities(np.column_stack([g.ravel() for g in grid])).max(axis=1).sum() * step
    return float(1 - won)


def _start(
    who: str, n_rows: int, noise: float, seed: int, n_classes: int = 2
) -> tuple[np.random.Generator, np.ndarray]:
    """A stream of numbers for the seed, and classes 0, 1, 0, 1, … for the rows."""
    if not isinstance(n_rows, int | np.integer) or n_rows < 1:
        raise ParameterError(f"{who}(n_rows={n_rows!r}): n_rows must be a whole number from 1.")
    if noise < 0 or n_classes < 1:
        raise ParameterError(f"{who}: noise must be a number from 0, and there must be a class.")
    return np.random.Generator(np.random.Philox(seed)), np.arange(n_rows) % n_classes


def _spread(y: np.ndarray) -> np.ndarray:
    """Each point's place within its class, spread evenly from 0 to 1."""
    place = np.empty(len(y))
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        place[rows] = np.linspace(0, 1, len(rows))
    return place
