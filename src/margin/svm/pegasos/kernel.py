"""Sub-gradient descent on the soft margin with a kernel: β counts how often each row was too close."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

import margin._core as _core
from margin.linear.presolve import reduced
from margin.svm.kernel_machine.kernel_estimator import variance_of_cells
from margin.svm.kernels.expansion import Expansion
from margin.svm.kernels.function import KernelFunction
from margin.svm.pegasos.certificate import best_multiple, hinge_of
from margin.svm.pegasos.rule import Earlier, Memory, Rule
from margin.typing import Encoded

if TYPE_CHECKING:
    from margin.svm.pegasos.classifier import PegasosClassifier

__all__ = ["KernelDescent", "KernelMemory", "kernel_of"]


@dataclass(frozen=True)
class KernelMemory:
    """What is kept to go on from: β of the support vectors (score by vector), and their classes."""

    memory: Memory
    y: np.ndarray


@dataclass
class KernelDescent:
    """A run over clean rows X with classes y; ``weight`` are the factors of the steps, ``share`` what each row counts.

    The shares are None where nothing is to be judged (rows that come in parts).
    """

    rule: Rule
    kernel: KernelFunction
    X: Any
    y: np.ndarray
    weight: np.ndarray | None
    share: np.ndarray | None
    memory: Memory
    n_threads: int
    cache_size: float

    def __post_init__(self) -> None:
        n_scores, n = self.memory.scalars.shape[1], self.X.shape[0]
        self._earlier = Earlier(self.rule)
        self._source = self.kernel.source(self.X)
        self._rows = _core.svm.KeptKernelRows(self._source, int(self.cache_size * 2**20))
        self._positive = (self.y == 1)[None] if n_scores == 1 else self.y[None] == np.arange(n_scores)[:, None]
        self._squares = self._source.diagonal().astype(np.float64) if self.rule.project else None
        assert self.memory.weights.shape == (n_scores, 2 * n)

    @classmethod
    def begin(
        cls, rule: Rule, kernel: KernelFunction, X: Encoded, y: np.ndarray, n_scores: int,
        weight: np.ndarray | None, share: np.ndarray, cache_size: float, n_threads: int,
    ) -> KernelDescent:  # fmt: skip
        memory = Memory.empty(n_scores, 2 * X.shape[0], X.shape[0], late=1)
        return cls(rule, kernel, X, y, weight, share, memory, n_threads, cache_size)

    @classmethod
    def resume(
        cls, rule: Rule, kernel: KernelFunction, vectors: Any, kept: KernelMemory, X: Encoded, y: np.ndarray,
        weight: np.ndarray | None, cache_size: float, n_threads: int,
    ) -> KernelDescent:  # fmt: skip
        """Go on with further rows, which stand behind the vectors that there are already."""
        both = np.vstack([vectors, X]) if isinstance(X, np.ndarray) else sp.vstack([vectors, X], format="csr")
        if weight is not None:
            weight = np.append(np.ones(len(kept.y)), weight)
        old, n_scores = kept.memory, kept.memory.scalars.shape[1]
        assert old.beta is not None
        assert old.beta_sums is not None
        side = (kept.y == 1)[None] if n_scores == 1 else kept.y[None] == np.arange(n_scores)[:, None]
        coef = np.concatenate([part * of for part in (old.beta, old.beta_sums) for of in (~side, side)])
        found = expansion(kernel, vectors, coef).sums(both, n_threads).T.reshape(2, 2, n_scores, -1)
        weights, sums = (np.concatenate([part[0], part[1]], axis=1) for part in found)
        room = ((0, 0), (0, X.shape[0]))
        memory = replace(
            old.copy(), weights=np.ascontiguousarray(weights), sums=np.ascontiguousarray(sums),
            beta=np.pad(old.beta, room), beta_sums=np.pad(old.beta_sums, room),
        )  # fmt: skip
        return cls(
            rule, kernel, both, np.append(kept.y, y).astype(np.int32), weight, None, memory, n_threads, cache_size
        )

    def make_pass(self, order: np.ndarray | None) -> None:
        """Visit rows in the given order."""
        m, averages = self.memory, self.rule.average is not None
        assert m.beta is not None  # weights by row are what a kernel machine is
        t = _core.svm.kernel_pass(
            self._rows, self.rule.settings(), self.y, self.weight, self._squares, order, m.scalars, m.weights,
            m.sums if averages else None, m.beta, m.beta_sums if averages else None, m.t, self.n_threads,
        )  # fmt: skip
        self.memory = replace(m, t=t)

    def is_finite(self) -> bool:
        """Whether all sums of kernels are still numbers."""
        return bool(np.isfinite(self.memory.weights).all() and np.isfinite(self.memory.scalars).all())

    def support(self) -> np.ndarray:
        """The rows that were ever too close."""
        assert self.memory.beta is not None
        return np.flatnonzero(self.memory.beta.any(axis=0))

    def signed_beta(self) -> np.ndarray:
        """β of the support vectors, one row per score."""
        assert self.memory.beta is not None
        return np.where(self._positive, self.memory.beta, -self.memory.beta).take(self.support(), axis=1)

    def answers(self) -> Expansion:
        """f without the intercepts: α and the support vectors, one sum per score."""
        alpha, support = self._alpha(self.memory.averages), self.support()
        return expansion(self.kernel, self.X[support], np.where(self._positive, alpha, -alpha).take(support, axis=1))

    def remembered(self) -> KernelMemory:
        """What is needed to go on from here, beside the support vectors."""
        m, support = self.memory, self.support()
        assert m.beta is not None
        assert m.beta_sums is not None
        none = np.zeros((len(m.beta), 0))
        beta, beta_sums = m.beta.take(support, axis=1), m.beta_sums.take(support, axis=1)
        kept = replace(m, weights=none, sums=none, beta=beta, beta_sums=beta_sums)
        return KernelMemory(kept, self.y[support])

    def objective(self) -> np.ndarray:
        """λ/2 ‖w‖² + the mean hinge loss, of each score; no kernel value is computed for it."""
        assert self.share is not None
        averaged = self.memory.averages
        against, for_it = self._sums(averaged)
        scores, alpha = for_it - against, self._alpha(averaged)
        square = (np.where(self._positive, alpha, -alpha) * scores).sum(axis=1)
        scores = scores + self.memory.intercepts()[:, None]
        return self.rule.lambda_ / 2 * square + hinge_of(np.where(self._positive, scores, -scores), self.share)

    def lower_bound(self) -> np.ndarray:
        """What the objective of each score is at least, for a kernel that is a product of some space."""
        m = self.memory
        assert m.beta is not None
        found = self._dual(m.last(self.rule, m.beta), _by_side(m.last(self.rule, m.weights)))
        late = self._earlier.since(self.rule, m.t, m.beta, m.weights)
        return found if late is None else np.maximum(found, self._dual(late[0], _by_side(late[1])))

    def note(self) -> None:
        """Remember this moment for later bounds."""
        assert self.memory.beta is not None
        self._earlier.note(self.memory.t, self.memory.beta, self.memory.weights)

    def longest(self) -> float:
        """R, the length of the longest row in the space of the kernel."""
        return float(np.sqrt(self._source.diagonal().max(initial=0.0)))

    def _dual(self, alpha: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """The dual at λα, cut where a row has more than its share, the heavier side made smaller until both agree."""
        assert self.share is not None
        lambda_ = self.rule.lambda_
        cut = np.clip(alpha, 0.0, self.share / lambda_)
        sums = sums + self._sums_of(cut - alpha)
        alpha = cut
        total = np.array([(lambda_ * alpha * of).sum(axis=1) for of in (~self._positive, self._positive)])
        by = np.ones_like(total)
        if self.rule.intercept:
            with np.errstate(divide="ignore", invalid="ignore"):
                by = np.where(total > 0, total.min(axis=0) / total, 0.0)
        # ‖w‖² of both sides by their factors: the products within each side and between them
        products = [[(alpha * (self._positive == p) * sums[q]).sum(axis=1) for q in range(2)] for p in range(2)]
        square = sum((1 if p == q else -1) * by[p] * by[q] * products[p][q] for p in range(2) for q in range(2))
        return best_multiple((by * total).sum(axis=0), lambda_ / 2 * np.maximum(square, 0.0))

    def _sums_of(self, change: np.ndarray) -> np.ndarray:
        """Σ change k, as :meth:`_sums` gives it: kernel values for those rows alone that change."""
        rows = np.flatnonzero(change.any(axis=0))
        coef = np.concatenate([(change * of)[:, rows] for of in (~self._positive, self._positive)])
        found = expansion(self.kernel, self.X[rows], coef).sums(self.X, self.n_threads)[:, 0]
        return np.ascontiguousarray(found.T).reshape(2, len(change), -1)

    def _alpha(self, averaged: bool) -> np.ndarray:
        """α without signs, score by row."""
        m = self.memory
        assert m.beta is not None
        assert m.beta_sums is not None
        return m.averaged(m.beta, m.beta_sums) if averaged else m.last(self.rule, m.beta)

    def _sums(self, averaged: bool) -> np.ndarray:
        """Σ α k over rows of the other classes and over those of the class: 2 × scores × rows."""
        m = self.memory
        found = m.averaged(m.weights, m.sums) if averaged else m.last(self.rule, m.weights)
        return _by_side(found)


def _by_side(given: np.ndarray) -> np.ndarray:
    """2 × scores × rows out of the table of sums as it is kept."""
    return given.reshape(len(given), 2, -1).swapaxes(0, 1)


def expansion(kernel: KernelFunction, vectors: Any, coef: np.ndarray) -> Expansion:
    """Σ coef k(vector, x) for each row of coefficients."""
    return Expansion(kernel, vectors, np.ascontiguousarray(coef), np.array([0, vectors.shape[0]]))


def kernel_of(model: PegasosClassifier, X: Encoded, weight: np.ndarray) -> KernelFunction:
    """The kernel that a model asks for, with numbers for its parameters; constant columns do not count for gamma."""
    gamma = model.gamma
    if isinstance(gamma, str):
        varying = reduced(X, np.zeros(X.shape[0], dtype=np.int32), 1, None, True, True).X
        variance = 1.0 if gamma == "auto" else variance_of_cells(varying, weight) if varying.shape[1] else 0.0
        gamma = 1 / (varying.shape[1] * variance) if variance > 0 and varying.shape[1] else 1.0
    return KernelFunction(model.kernel, float(gamma), float(model.coef0), float(model.degree))
