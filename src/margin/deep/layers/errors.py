"""Error layers: what the outputs of a net cost, and the slope of it. Errors are means over the rows.

Classes are numbers from 0 up; two classes are 0 and 1 for one output, whose sign is the answer.
"""

from __future__ import annotations

import numpy as np

__all__ = [
    "CrammerSinger", "CrossEntropy", "ErrorLayer", "Hinge", "LogisticLoss", "PerceptronLoss", "SquaredError",
    "SquaredHinge",
]  # fmt: skip


class ErrorLayer:
    """``error(z, y)`` is a number, ``gradient(z, y)`` its slope along the outputs z, of the shape of z."""

    def error(self, z: np.ndarray, y: np.ndarray) -> float:
        """What the outputs cost on the average."""
        raise TypeError(f"{type(self).__name__} must say what outputs cost: def error(self, z, y).")

    def gradient(self, z: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The slope of that along each output."""
        raise TypeError(f"{type(self).__name__} must say its slope: def gradient(self, z, y).")

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class SquaredError(ErrorLayer):
    """Half the squared distance.

    >>> SquaredError().error(np.array([[3.0]]), np.array([[1.0]]))
    2.0
    """

    def error(self, z: np.ndarray, y: np.ndarray) -> float:
        return float(0.5 * ((z - np.reshape(y, z.shape)) ** 2).sum() / len(z))

    def gradient(self, z: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.asarray((z - np.reshape(y, z.shape)) / len(z))


class CrossEntropy(ErrorLayer):
    """Softmax and cross-entropy: log sum e^z - z_y.

    >>> round(CrossEntropy().error(np.zeros((1, 4)), np.array([2])), 4)
    1.3863
    """

    def error(self, z: np.ndarray, y: np.ndarray) -> float:
        top = z.max(axis=1, keepdims=True)
        logs = np.log(np.exp(z - top).sum(axis=1)) + top[:, 0]
        return float((logs - z[np.arange(len(z)), y]).mean())

    def gradient(self, z: np.ndarray, y: np.ndarray) -> np.ndarray:
        shares = np.exp(z - z.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        shares[np.arange(len(z)), y] -= 1.0
        return np.asarray(shares / len(z))


class CrammerSinger(ErrorLayer):
    """max(0, 1 + the largest other score - that of the own class).

    >>> CrammerSinger().error(np.array([[2.0, 0.5, 0.0]]), np.array([1]))
    2.5
    """

    def _rival(self, z: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rows = np.arange(len(z))
        others = z.copy()
        others[rows, y] = -np.inf
        rival = others.argmax(axis=1)
        return rows, rival, 1.0 + z[rows, rival] - z[rows, y]

    def error(self, z: np.ndarray, y: np.ndarray) -> float:
        return float(np.maximum(self._rival(z, y)[2], 0.0).mean())

    def gradient(self, z: np.ndarray, y: np.ndarray) -> np.ndarray:
        rows, rival, cost = self._rival(z, y)
        slope = np.zeros(z.shape)
        slope[rows, rival] = cost > 0
        slope[rows, y] -= cost > 0
        return slope / len(z)


class MarginError(ErrorLayer):
    """A function of the margin m = z for class 1, -z for class 0."""

    def cost(self, m: np.ndarray) -> np.ndarray:
        """What a margin costs."""
        raise TypeError(f"{type(self).__name__} must say what a margin costs: def cost(self, m).")

    def slope(self, m: np.ndarray) -> np.ndarray:
        """The slope of that."""
        raise TypeError(f"{type(self).__name__} must say its slope: def slope(self, m).")

    def _sides(self, z: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.where(np.reshape(y, z.shape) > 0, 1.0, -1.0)

    def error(self, z: np.ndarray, y: np.ndarray) -> float:
        return float(self.cost(z * self._sides(z, y)).sum() / len(z))

    def gradient(self, z: np.ndarray, y: np.ndarray) -> np.ndarray:
        sides = self._sides(z, y)
        return np.asarray(sides * self.slope(z * sides) / len(z))


class LogisticLoss(MarginError):
    """Sigmoid and cross-entropy of two classes: log(1 + e^-m).

    >>> round(LogisticLoss().error(np.array([[0.0]]), np.array([1])), 4)
    0.6931
    """

    def cost(self, m: np.ndarray) -> np.ndarray:
        return np.logaddexp(0.0, -m)

    def slope(self, m: np.ndarray) -> np.ndarray:
        e = np.exp(-np.abs(m))
        return -np.where(m > 0, e, 1.0) / (1.0 + e)


class Hinge(MarginError):
    """max(0, 1 - m).

    >>> Hinge().error(np.array([[0.5]]), np.array([1]))
    0.5
    """

    def cost(self, m: np.ndarray) -> np.ndarray:
        return np.maximum(0.0, 1.0 - m)

    def slope(self, m: np.ndarray) -> np.ndarray:
        return -(m < 1.0).astype(np.float64)


class SquaredHinge(MarginError):
    """max(0, 1 - m)².

    >>> SquaredHinge().error(np.array([[0.5]]), np.array([1]))
    0.25
    """

    def cost(self, m: np.ndarray) -> np.ndarray:
        return np.maximum(0.0, 1.0 - m) ** 2

    def slope(self, m: np.ndarray) -> np.ndarray:
        return -2.0 * np.maximum(0.0, 1.0 - m)


class PerceptronLoss(MarginError):
    """max(0, -m): only mistakes cost.

    >>> PerceptronLoss().error(np.array([[-0.5]]), np.array([1]))
    0.5
    """

    def cost(self, m: np.ndarray) -> np.ndarray:
        return np.maximum(0.0, -m)

    def slope(self, m: np.ndarray) -> np.ndarray:
        return -(m < 0.0).astype(np.float64)
