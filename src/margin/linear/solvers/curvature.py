"""Second derivatives, exact or nearly so, and the steps they lead to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from scipy.linalg import lapack

from margin.linear.problem import Problem
from margin.linear.solvers.column_units import Units

__all__ = ["Blocks", "Curvature", "Diagonal", "Factor", "Whole", "class_blocks", "whole_curvature"]


class Curvature(Protocol):
    """Something that turns a gradient into a step downhill, (curvature)^-1 gradient."""

    def solve(self, gradient: np.ndarray) -> np.ndarray: ...


class Factor:
    """A Cholesky factor of a symmetric matrix, made positive definite by as little as it takes."""

    def __init__(self, matrix: np.ndarray) -> None:
        # Products beyond float32, of cells that no sample has shown, are as good as the largest there.
        diagonal = np.minimum(matrix.diagonal(), np.finfo(matrix.dtype).max).astype(np.float64)
        self.root = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        inverse = (1 / self.root).astype(matrix.dtype)
        scaled = matrix * inverse * inverse[:, None]
        if not np.isfinite(scaled).all():
            scaled = np.where(np.isfinite(scaled), scaled, 0)
        ridge = float(np.finfo(scaled.dtype).eps) * 4
        while True:
            scaled[np.diag_indices(len(scaled))] = 1 + ridge
            factorise = lapack.spotrf if scaled.dtype == np.float32 else lapack.dpotrf
            self.factor, failed = factorise(scaled, lower=1, clean=0)
            if not failed:
                return
            ridge *= 100

    def solve(self, right: np.ndarray) -> np.ndarray:
        """The solution for each line of ``right``."""
        backward = lapack.spotrs if self.factor.dtype == np.float32 else lapack.dpotrs
        scaled = right / self.root
        size = float(np.abs(scaled).max(initial=0.0)) or 1.0  # what float32 has room for
        found = backward(self.factor, (scaled / size).T.astype(self.factor.dtype), lower=1)[0]
        return found.T.astype(np.float64) / self.root * size


class Diagonal:
    """Each parameter by itself."""

    def __init__(self, units: Units, diagonal: np.ndarray, l2: float) -> None:
        self.units = units
        raised = diagonal + units.penalty(l2)
        self.diagonal = np.where(raised > 0, raised, 1.0)

    def solve(self, gradient: np.ndarray) -> np.ndarray:
        return self.units.of_step(self.units.of_gradient(gradient) / self.diagonal)


class Blocks:
    """The parameters of each score by themselves: one factor each, or one for all with a multiple for each."""

    def __init__(self, units: Units, factors: list[Factor], multiple: np.ndarray) -> None:
        self.units, self.factors, self.multiple = units, factors, multiple

    def solve(self, gradient: np.ndarray) -> np.ndarray:
        inner = self.units.of_gradient(gradient)
        if len(self.factors) == 1:
            found = self.factors[0].solve(inner)
        else:
            found = np.concatenate([f.solve(line[None]) for f, line in zip(self.factors, inner, strict=True)])
        return self.units.of_step(found / self.multiple[:, None])


class Whole:
    """All parameters together."""

    def __init__(self, units: Units, factor: Factor) -> None:
        self.units, self.factor = units, factor

    def solve(self, gradient: np.ndarray) -> np.ndarray:
        inner = self.units.of_gradient(gradient)
        return self.units.of_step(self.factor.solve(inner.reshape(1, -1)).reshape(inner.shape))


def whole_curvature(problem: Problem, units: Units, share: np.ndarray, probability: np.ndarray) -> Curvature:
    r"""The exact second derivatives, :math:`\sum_i s_i p_{ik}(\delta_{kl} - p_{il}) [z\,1][z\,1]'` and the penalty.

    Between different classes all weights :math:`p_k p_l` are positive, and a class's own block is minus the sum of
    its others: K (K - 1) / 2 products for K > 2 scores, one for two classes.
    """
    k, size = probability.shape[1], units.size
    if k == 1:
        p = probability[:, 0]
        matrix = units.gram(problem.X, share * p * (1 - p))
    else:
        blocks = np.zeros((k, size, k, size))
        for a, b in _pairs(k):
            product = units.gram(problem.X, share * probability[:, a] * probability[:, b])
            blocks[a, :, b] = blocks[b, :, a] = -product
            blocks[a, :, a] += product
            blocks[b, :, b] += product
        matrix = blocks.reshape(k * size, k * size)
    matrix[np.diag_indices(len(matrix))] += np.tile(units.penalty(problem.l2), k).astype(matrix.dtype)
    return Whole(units, Factor(matrix))


def _pairs(count: int) -> Iterator[tuple[int, int]]:
    return ((a, b) for a in range(count) for b in range(a))


def class_blocks(problem: Problem, units: Units, share: np.ndarray, probability: np.ndarray, n_rows: int) -> Curvature:
    """For each class the curvature of its own parameters, from about ``n_rows`` rows, chosen where there is most."""
    factors = []
    everything = np.arange(len(problem.X))
    for p in probability.T:
        at, weight = _likely_rows(everything, share * p * (1 - p), n_rows)
        matrix = units.gram(problem.X, weight, at)
        matrix[np.diag_indices(len(matrix))] += units.penalty(problem.l2).astype(matrix.dtype)
        factors.append(Factor(matrix))
    return Blocks(units, factors, np.ones(len(factors)))


def _likely_rows(rows: np.ndarray, weight: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """About ``count`` rows, those of large weight for sure and others by chance, and weights that make up for it."""
    if count >= len(rows):
        return rows, weight
    total = float(weight.sum())
    if not total > 0:
        return rows[:1], weight[:1]
    chance = np.minimum(1.0, weight * (count / total))
    # Systematic sampling: evenly spaced marks along the running sum of chances.
    marks = np.floor(np.cumsum(chance) + np.random.default_rng(0).random())
    taken = np.diff(marks, prepend=0.0) > 0
    return rows[taken], weight[taken] / chance[taken]
