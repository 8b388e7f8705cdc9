"""What a discriminator and a generator play for, by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from margin.errors import InputError

if TYPE_CHECKING:
    import torch

__all__ = ["LOSSES", "AdversarialLoss", "value_function"]


@dataclass(frozen=True)
class AdversarialLoss:
    """The losses of both players, of what the discriminator says of real and of made cases (logits, or scores).

    Attributes
    ----------
    discriminator
        Its loss; the value of the game is what it wins, the same below 0.
    generator
        The loss of the generator, of what is said of made cases.
    even
        The value where real and made cases are not told apart.
    probabilities
        Whether logits stand for probabilities.
    penalty
        The factor of the penalty on the length of gradients between real and made cases.
    """

    discriminator: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    generator: Callable[[torch.Tensor], torch.Tensor]
    even: float
    probabilities: bool = False
    penalty: float = 0.0


def _softplus(x: Any) -> Any:
    from torch.nn import functional

    return functional.softplus(x)


def _cross_entropy(real: Any, made: Any) -> Any:
    """-log D(x) - log(1 - D(G(z)))."""
    return _softplus(-real).mean() + _softplus(made).mean()


LOSSES: dict[str, AdversarialLoss] = {
    # The generator makes log(1 - D) small, as the value function is printed (Goodfellow et al. 2014).
    "minimax": AdversarialLoss(_cross_entropy, lambda made: -_softplus(made).mean(), -math.log(4), True),
    # It makes log D large instead, whose slope does not vanish where D is sure.
    "non_saturating": AdversarialLoss(_cross_entropy, lambda made: _softplus(-made).mean(), -math.log(4), True),
    # Mao et al. 2017, labels 0 and 1.
    "lsgan": AdversarialLoss(
        lambda real, made: 0.5 * ((real - 1) ** 2).mean() + 0.5 * (made**2).mean(),
        lambda made: 0.5 * ((made - 1) ** 2).mean(),
        -0.25,
    ),
    # Lim, Ye 2017.
    "hinge": AdversarialLoss(
        lambda real, made: (1 - real).clamp(min=0).mean() + (1 + made).clamp(min=0).mean(),
        lambda made: -made.mean(),
        -2.0,
    ),
    # Gulrajani et al. 2017.
    "wgan_gp": AdversarialLoss(
        lambda real, made: made.mean() - real.mean(), lambda made: -made.mean(), 0.0, penalty=10.0
    ),
}  # fmt: skip


def value_function(real: Any, made: Any, real_weight: Any = None, made_weight: Any = None) -> float:
    r"""The value of the game, :math:`V(D, G) = E \log D(x) + E \log(1 - D(G(z)))`, of probabilities that D gives.

    The best discriminator, :math:`D^* = p / (p + q)`, reaches :math:`-\log 4 + 2\,JSD(p, q)`; where made cases cannot
    be told from real ones that is :math:`-\log 4 \approx -1.3863`. Weights make means of cases into sums over a grid.

    >>> round(value_function([0.5, 0.5], [0.5, 0.5]), 4)
    -1.3863
    """
    means = []
    for name, given, weight in ("real", real, real_weight), ("made", made, made_weight):
        shares = np.asarray(given, dtype=np.float64)
        if shares.ndim != 1 or not len(shares) or not ((shares >= 0) & (shares <= 1)).all():
            raise InputError(f"value_function({name}): there must be probabilities, one for each case.")
        with np.errstate(divide="ignore"):
            logs = np.log(shares if name == "real" else 1 - shares)
        means.append(np.average(logs, weights=weight))
    return float(sum(means))
