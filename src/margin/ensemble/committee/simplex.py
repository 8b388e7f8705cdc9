"""Shares of a committee's members: numbers of at least 0 that add up to 1, with a bound on what is left to gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["ShareCertificate", "mixture_shares", "squared_error_shares"]

#: A loss this near to the least is at it: nats a row for the log loss, parts of the loss for squared errors.
NEAR = 1e-13
MOST_STEPS = 200
#: No member is surer than that of anything: a probability of 0 would cost infinitely much.
FLOOR = 1e-15


@dataclass(frozen=True)
class ShareCertificate:
    """How good learnt shares are: no others have a loss below ``bound``.

    Attributes
    ----------
    loss, bound
        The mean loss of the shares on the answers they were learnt from, and what none can go below.
    gap
        loss - bound.
    equal_loss
        What equal shares lose.
    best_alone
        What the best member loses alone.
    """

    loss: float
    bound: float
    equal_loss: float
    best_alone: float

    @property
    def gap(self) -> float:
        return self.loss - self.bound

    def __str__(self) -> str:
        return (
            f"loss {self.loss:.6g}, none below {self.bound:.6g}; "
            f"equal shares {self.equal_loss:.6g}, the best member alone {self.best_alone:.6g}"
        )


def mixture_shares(probability: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, ShareCertificate]:
    r"""The shares of the least mean log loss :math:`-\sum_i v_i \log \sum_m s_m p_{im}`.

    ``probability`` has a row for each case and a column for each member: what it gave to the class that was right. The
    loss is convex in the shares. Each step solves its second-order model exactly (Wang 2007) and goes as far as the
    loss falls; with the slopes :math:`g_m = \sum_i v_i p_{im} / \sum_l s_l p_{il}` the loss is at most
    :math:`\max_m g_m - 1` above the least.

    >>> shares, certificate = mixture_shares(np.array([[0.9, 0.2], [0.9, 0.2], [0.1, 0.8]]), np.ones(3))
    >>> shares.round(3).tolist(), certificate.gap < 1e-9
    ([0.667, 0.333], True)
    """
    p = np.maximum(probability, FLOOR)
    v = weight / weight.sum()
    n_members = p.shape[1]

    def loss(shares: np.ndarray) -> float:
        return float(-(v @ np.log(p @ shares)))

    equal = shares = np.full(n_members, 1 / n_members)
    now = loss(shares)
    gap = np.inf
    for _ in range(MOST_STEPS):
        ratio = p / (p @ shares)[:, None]
        gap = float((v @ ratio).max() - 1)
        if gap <= NEAR:
            break
        aim = _least_length((ratio - 2) * np.sqrt(v)[:, None])
        length, slope = 1.0, float(v @ ratio @ (aim - shares))
        while (tried := loss(shares + length * (aim - shares))) > now - 1e-4 * length * slope and length > 1e-12:
            length /= 2
        if tried >= now:
            break
        shares, now = shares + length * (aim - shares), tried
    alone = float(-(v @ np.log(p)).max())
    return shares, ShareCertificate(now, now - max(gap, 0.0), loss(equal), alone)


def squared_error_shares(answer: np.ndarray, y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, ShareCertificate]:
    r"""The shares of the least mean squared error :math:`\sum_i v_i (y_i - \sum_m s_m f_{im})^2`.

    >>> f, y = np.array([[0.0, 2.0], [2.0, 2.0], [4.0, 2.0]]), np.array([0.5, 2.0, 3.5])
    >>> squared_error_shares(f, y, np.ones(3))[0].round(3).tolist()
    [0.75, 0.25]
    """
    v = weight / weight.sum()
    errors = (answer - y[:, None]) * np.sqrt(v)[:, None]
    shares = _least_length(errors)
    products = errors.T @ errors
    now = float(shares @ products @ shares)
    # The loss is convex: it lies above its tangent, which is lowest at one of the corners.
    bound = now + 2 * float((products @ shares).min() - now)
    equal = np.full(len(shares), 1 / len(shares))
    alone = float(np.diag(products).min())
    return shares, ShareCertificate(now, min(max(bound, 0.0), now), float(equal @ products @ equal), alone)


def _least_length(A: np.ndarray) -> np.ndarray:
    """The shares s for which ‖A s‖ is least: non-negative least squares with one equation more (Dax 1990)."""
    from scipy.optimize import nnls

    small = np.asarray(np.linalg.qr(A, mode="r")) if len(A) > A.shape[1] else A
    unit = float(np.abs(small).max()) or 1.0
    stacked = np.vstack([small / unit, np.ones(A.shape[1])])
    found = nnls(stacked, np.append(np.zeros(len(small)), 1.0))[0]
    return found / found.sum()
