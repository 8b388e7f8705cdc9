"""The point of a convex hull that is nearest to the origin, by Wolfe's method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.linalg import qr_delete, qr_insert
from scipy.linalg.lapack import dtrtrs

__all__ = ["Nearest", "Points", "nearest_point"]

# Points have lengths of at most 1. A point that sticks out of the span of others by less than this lies in it …
IN_SPAN = 1e-13
# … a point nearer to the origin than this is the origin …
ORIGIN = 1e-13
# … and products with the plane are known to this share of its length.
ROUNDING = 1e-15
# After so many updates the factors are made anew, so that rounding does not pile up.
FRESH = 1000


class Points(Protocol):
    """Points of length at most 1, looked at through two questions."""

    def shortest(self) -> tuple[Any, np.ndarray]:
        """The key and the place of a point near the origin."""
        ...

    def lowest(self, w: np.ndarray, enough: float) -> tuple[Any, np.ndarray, float]:
        """Key, place and product of a point whose product with w is below ``enough``; else of the lowest."""
        ...


@dataclass(frozen=True)
class Nearest:
    """A convex combination of points, the plane through it, and how far both are from proving each other right.

    ``keys`` and ``weights`` are the combination; ``plane`` is the shortest w with w . q = 1 for all its points q, so
    that 1 / ‖w‖ is the combination's distance from the origin; every point of the hull has w . x >= ``lowest``.
    ``holds_origin`` says that the combination is the origin itself, within rounding.
    """

    keys: list[Any]
    weights: np.ndarray
    plane: np.ndarray
    lowest: float
    holds_origin: bool
    n_iter: int


def nearest_point(points: Points, tol: float, max_iter: int) -> Nearest:
    """The point of smallest length in the convex hull of some points.

    Wolfe (1976), "Finding the nearest point in a polytope". The method keeps a corral of linearly independent points
    whose hull holds the nearest point of their plane in its inside. Each step takes in a point that lies on the
    origin's side of that plane, and leaves behind those that are not needed any more; no corral comes twice, so that
    there is an end. It stops when every point has a product of at least 1 - ``tol`` with the plane, which bounds the
    distance from both sides, or when the origin itself is a combination.

    A step is one question to the points and O(D k) for a corral of k <= D points in D dimensions.
    """
    corral = _Corral(*points.shortest())
    best: tuple[float, Nearest] | None = None
    for n_iter in range(max_iter + 1):
        w = corral.plane()
        length = float(np.linalg.norm(w))
        if not length < 1 / ORIGIN:
            return corral.found(w, 0.0, True, n_iter)
        allowed = max(tol, ROUNDING * length * len(w) ** 0.5)
        key, point, lowest = points.lowest(w, 1 - allowed)
        found = corral.found(w, lowest, False, n_iter)
        if lowest >= 1 - allowed or key in corral.keys:
            return found
        if best is not None and length <= best[0]:  # nothing but rounding moves the plane
            return best[1] if best[1].lowest >= lowest else found
        best = length, found
        if not corral.take_in(key, point):
            return corral.found(w, 0.0, True, n_iter + 1)
    return found


class _Corral:
    """Linearly independent points with a combination of them; the points are the columns of Q R."""

    def __init__(self, key: Any, point: np.ndarray) -> None:
        self.keys, self.points, self.weights = [key], [point], np.ones(1)
        self._factor()

    def _factor(self) -> None:
        self.Q, self.R = np.linalg.qr(np.column_stack(self.points))
        self.updates = 0

    def plane(self) -> np.ndarray:
        """The shortest w with w . q = 1 for every point q; endless where a point is the origin."""
        if not np.abs(self.R.diagonal()).min() > 0:
            return np.full(len(self.Q), np.inf)
        return self.Q @ _solve(self.R, np.ones(len(self.keys)), 1)

    def found(self, w: np.ndarray, lowest: float, holds_origin: bool, n_iter: int) -> Nearest:
        return Nearest(list(self.keys), self.weights.copy(), w, lowest, holds_origin, n_iter)

    def take_in(self, key: object, point: np.ndarray) -> bool:
        """Move to the nearest point of the hull of the corral and one more; False if that is the origin."""
        self.weights = np.append(self.weights, 0.0)
        while self.keys:
            inside = self.Q.T @ point
            if float(np.linalg.norm(point - self.Q @ inside)) > IN_SPAN:
                break
            # The point is a combination of the others whose weights do not add up to 1: with it the plane goes
            # through the origin, and the way there leads out of the hull, unless the origin is in it.
            others = _solve(self.R, inside)
            target = np.append(-others, 1.0) / (1 - others.sum())
            if (target >= 0).all():
                self.keys.append(key)
                self.points.append(point)
                self.weights = target
                return False
            before = self.weights
            left = [place for place in self._walk(before, target) if place < len(self.keys)]
            if not left:  # by rounding alone the point is on this side of the plane
                self.weights = before[:-1]
                return True
            self._drop(left)
        self._insert(key, point)
        self._settle()
        return True

    def _settle(self) -> None:
        """Walk towards the nearest point of the plane, and leave behind the points whose weight comes to 0."""
        while True:
            target = self._nearest_in_plane()
            if (target > 0).all() or len(target) == 1:
                self.weights = np.maximum(target, 0.0) / np.maximum(target, 0.0).sum()
                return
            self._drop(self._walk(self.weights, target))

    def _nearest_in_plane(self) -> np.ndarray:
        """Weights that add up to 1, of either sign, of the shortest such combination."""
        v = _solve(self.R, np.ones(len(self.keys)), 1)
        weights = _solve(self.R, v)
        return weights / weights.sum()

    def _walk(self, weights: np.ndarray, target: np.ndarray) -> list[int]:
        """Go as far towards the target as all weights stay at 0 or above; the places that come to 0."""
        falling = np.flatnonzero(target <= 0)
        room = weights[falling] / np.maximum(weights[falling] - target[falling], 1e-300)
        far = float(room.min())
        self.weights = np.maximum(weights + far * (target - weights), 0.0)
        places = falling[room <= far]
        self.weights[places] = 0.0
        self.weights /= self.weights.sum()
        return places.tolist()

    def _insert(self, key: object, point: np.ndarray) -> None:
        place = len(self.keys)
        self.keys.append(key)
        self.points.append(point)
        if place == 0 or self.updates >= FRESH:
            self._factor()
        else:
            self._keep(*qr_insert(self.Q, self.R, point, place, which="col"))

    def _drop(self, places: list[int]) -> None:
        for place in sorted(places, reverse=True):
            del self.keys[place], self.points[place]
            self.weights = np.delete(self.weights, place)
            if self.keys:
                self._keep(*qr_delete(self.Q, self.R, place, which="col"))

    def _keep(self, Q: np.ndarray, R: np.ndarray) -> None:
        """Updated factors, without the columns that span what no point reaches."""
        k = R.shape[1]
        self.Q, self.R = Q[:, :k], R[:k]
        self.updates += 1


def _solve(R: np.ndarray, right: np.ndarray, transposed: int = 0) -> np.ndarray:
    return dtrtrs(R, right, trans=transposed)[0]  # the front of scipy takes longer than its work
