"""A turn of a game between networks, as whoever follows a run sees it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Round"]


@dataclass(frozen=True)
class Round:
    """Both sides have learnt once.

    Attributes
    ----------
    step
        Counted from 1.
    value
        V(D, G) as the discriminator reached it: its loss below 0, without penalties.
    generator_loss, discriminator_loss
        Of this step, with penalties.
    seconds
        What it took.
    """

    step: int
    value: float
    generator_loss: float
    discriminator_loss: float
    seconds: float
