"""What goes wrong in a game: a generator of few ideas, and a discriminator that has won."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn

from margin.deep.generative.rounds import Rounds
from margin.errors import ConvergenceWarning, TrainingError, warn
from margin.random import generator

__all__ = ["FEW", "Watch", "places_filled", "settled"]

#: Below this share of the places that real cases fill a generator is said to have few ideas.
FEW = 0.5
#: A discriminator that loses less than this share of what guessing costs has won.
WON = 0.05
#: Places that are looked at, and cases that are made for it.
PLACES, CASES = 64, 256
#: Rounds over which the value is averaged.
WINDOW = 50


def places_filled(anchors: np.ndarray, cases: np.ndarray) -> float:
    """How many places cases fill: the exponential of the entropy of which of the anchors is nearest to them.

    >>> places_filled(np.array([[0.0], [1.0], [2.0]]), np.array([[0.1], [0.9], [1.1], [-1.0]]))
    2.0
    """
    flat, given = anchors.reshape(len(anchors), -1), cases.reshape(len(cases), -1)
    distances = (flat**2).sum(axis=1) - 2 * given @ flat.T
    shares = np.bincount(distances.argmin(axis=1), minlength=len(flat)) / len(given)
    shares = shares[shares > 0]
    return float(round(np.exp(-(shares * np.log(shares)).sum()), 9))


@dataclass
class Watch:
    """Looks at what a generator makes: ``seen`` are steps with the share of the real cases' places that it fills."""

    anchors: np.ndarray
    filled: float
    latent: int
    seed: int
    seen: list[tuple[int, float]] = field(default_factory=list)

    @classmethod
    def over(cls, cases: torch.Tensor, latent: int, seed: int) -> Watch | None:
        """Over some training cases; there must be enough for a place each, and others to compare with."""
        order = generator(seed, "places").permutation(len(cases))
        n = min(PLACES, len(cases) // 4)
        if n < 4:
            return None
        anchors, others = (cases[torch.from_numpy(rows)].numpy() for rows in (order[:n], order[n : n + CASES]))
        return cls(anchors, places_filled(anchors, others), latent, seed)

    def look(self, forge: nn.Module, step: int) -> None:
        random = generator(self.seed, "looking", step)
        z = torch.from_numpy(random.standard_normal((CASES, self.latent), dtype=np.float32))
        training = forge.training
        forge.eval()
        with torch.no_grad():
            made = forge(z).numpy()
        forge.train(training)
        self.seen.append((step, places_filled(self.anchors, made) / self.filled))

    def narrow_since(self) -> tuple[int, float] | None:
        """Since which step few places were filled, and what share now; None if there are enough in the end."""
        if not self.seen or self.seen[-1][1] >= FEW:
            return None
        since = self.seen[-1][0]
        for step, share in reversed(self.seen):
            if share >= FEW:
                break
            since = step
        return since, self.seen[-1][1]


def won_since(values: np.ndarray, even: float) -> int | None:
    """Since which step a discriminator has hardly anything left to win; None if it has in the end."""
    if not even or len(values) < WINDOW:
        return None
    means = np.convolve(values, np.ones(WINDOW) / WINDOW, "valid")
    open_still = np.flatnonzero(means < WON * even)
    first = 0 if not len(open_still) else int(open_still[-1]) + 1
    return None if first == len(means) else first + WINDOW


def settled(run: Rounds, watch: Watch | None, even: float, who: str) -> None:
    """Refuse a run that came to nothing, and warn of one that went wrong."""
    if run.diverged is not None:
        told = f"{who}: a loss was not finite any more in step {run.diverged} (a smaller rate may help)"
        if not run.curve:
            raise TrainingError(f"{told}. No step was finished, so that nothing was learnt.")
        warn(f"{told}. The networks are as they were some steps before.", ConvergenceWarning)
    elif (since := won_since(np.array([each.value for each in run.curve]), even)) is not None:
        warn(
            f"{who}: the discriminator has won: from step {since:,} on it tells real and made cases apart, so that the "
            "generator has little to learn from (try r1=, spectral_norm=True, another loss, or a smaller "
            "discriminator).",
            ConvergenceWarning,
        )
    if watch is not None and (narrow := watch.narrow_since()) is not None:
        warn(
            f"{who}: the generator has few ideas (mode collapse): from step {narrow[0]:,} on what it makes fills less "
            f"than half of the places that training cases fill ({narrow[1]:.0%} in the end; try r1=, another loss, or "
            "more steps).",
            ConvergenceWarning,
        )
