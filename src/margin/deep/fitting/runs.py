"""From the parameters of an estimator to a run of torch, and what is said when it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import torch
from torch.nn import functional

from margin.deep.fitting.checkpoints import Checkpoint
from margin.deep.mlp.rates import Schedule
from margin.deep.mlp.training import Epoch, Patience
from margin.deep.training.average import Average
from margin.deep.training.devices import narrow_is_quicker
from margin.deep.training.lessons import Lessons
from margin.deep.training.loop import OPTIMIZERS, Loop
from margin.deep.training.surroundings import OwnRandom
from margin.errors import ConvergenceWarning, InputError, MarginError, TrainingError, warn
from margin.random import seed_for

if TYPE_CHECKING:
    from margin.deep.fitting.trained_network import TrainedNetwork

__all__ = ["as_margin_says", "cross_entropy", "run_of", "settled", "watched"]


def run_of(model: TrainedNetwork, lessons: Lessons, held: Lessons | None) -> Loop:
    """The run that a model asks for, at its beginning or where its checkpoint is."""
    who = f"{type(model).__name__}.fit"
    device = model._device(who)
    net = model._first_network().to(device)
    # Maps lie in memory channel by channel for each pixel: convolutions are quicker so.
    net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    seed = seed_for(model.random_state, "training", bits=63)
    groups = [{"factor": 1.0, **group} for group in model._groups_of_parameters(net) if group["params"]]
    if not groups:
        raise InputError(f"{who}: all layers are frozen; there is nothing to learn.")
    patience = int(model.epochs if model.patience is None else model.patience)
    run = Loop(
        net, lessons, held, model._case_loss(),
        OPTIMIZERS[model.optimizer](groups, float(model.rate), float(model.weight_decay)),
        Schedule(model.schedule, float(model.rate), int(model.epochs)), Patience(1e-9, patience),
        int(model.batch_size), model.n_jobs, seed, OwnRandom(seed), partial(model._before_epoch, net), model._mixup(),
        Average(float(model.ema)) if model.ema else None, device, model.precision == "bfloat16",
    )  # fmt: skip
    if model.precision == "auto":
        run.narrow = narrow_is_quicker(run)
    if model.checkpoint is not None:
        keeper = Checkpoint.of(model, run, model.checkpoint)
        run.keeper = keeper
        if model.resume:
            keeper.read_into(run)
    return run


def cross_entropy(smoothing: float) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    """The loss of each case from logits and codes of classes."""
    return partial(functional.cross_entropy, reduction="none", label_smoothing=smoothing)


def watched(run: Loop, who: str) -> Iterator[Epoch]:
    """The epochs of a run; what torch says of a network that cannot do with its cases is said as margin says it."""
    with as_margin_says(run, who):
        yield from run.epochs()


@contextmanager
def as_margin_says(run: Loop, who: str) -> Iterator[None]:
    """What torch refuses inside a ``with`` block is refused as margin does."""
    try:
        yield
    except (RuntimeError, ValueError, TypeError, IndexError) as error:
        if isinstance(error, MarginError):
            raise
        raise TrainingError(f"{who}: {type(run.net).__name__} cannot learn from these cases ({error}).") from error


def settled(run: Loop, who: str) -> None:
    """Refuse a run without an epoch, and warn of one that was cut short."""
    if (where := run.diverged) is None:
        return
    told = (
        f"{who}: the loss was not finite any more in epoch {where.epoch}, batch {where.batch}, at the rate "
        f"{where.rate:g}; try rate={where.rate / 10:.1g}"
    )
    if not run.curve:
        raise TrainingError(f"{told}. No epoch was finished, so that nothing was learnt.")
    warn(f"{told}. The network is as it was after epoch {where.epoch - 1}.", ConvergenceWarning)
