"""Training a network of torch, and asking it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from margin.deep.mlp.rates import SCHEDULES, Schedule
from margin.deep.mlp.training import Epoch, Patience
from margin.errors import ConvergenceWarning, InputError, ParameterError, closest, warn
from margin.lazy import package_of_extra
from margin.random import seed_for
from margin.typing import SeedLike

if TYPE_CHECKING:
    import torch
    from torch import nn

    from margin.deep.training.batches import Batches
    from margin.deep.training.loop import Loop
    from margin.deep.training.pixel_scale import PixelScale

__all__ = ["probabilities", "train"]


def train(
    net: nn.Module,
    data: Any,
    held_out: Any = None,
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor] | None = None,
    optimizer: Any = "adam",
    epochs: int = 10,
    *,
    batch_size: int = 64,
    rate: float = 1e-3,
    schedule: str = "constant",
    weight_decay: float = 0.0,
    patience: int | None = None,
    sample_weight: Any = None,
    random_state: SeedLike = 0,
    n_jobs: int | None = None,
) -> Iterator[Epoch]:
    """Train a network on pictures: a loop that yields an :class:`~margin.deep.Epoch` a turn, as networks on tables do.

    Leave the loop and the network is as it was then. Run it to its end and, with ``held_out``, the network has the
    weights of its best epoch. A loss that is not finite ends it with a warning and the weights before. Ctrl-C inside
    an epoch leaves the best weights of the epochs before. torch's random numbers and its number of threads are put
    back after every epoch.

    Afterwards ``net.classes_`` are the classes by output and ``net.pixel_scale`` is what was taken out of the
    pixels, learnt from ``data`` alone; :func:`probabilities`, ``save_weights`` and ``load_weights`` know of it.

    Parameters
    ----------
    net
        Any module that gives a logit for each class: (n, channels, height, width) to (n, classes).
    data
        :class:`~margin.data.Images` with labels, or a pair of an array of pictures and labels.
    held_out
        The same, to judge every epoch by (accuracy).
    loss
        A function of logits and codes that gives the loss of each case; cross-entropy otherwise.
    optimizer
        "adam", "adamw", "sgd" (with momentum), "nesterov", "rmsprop"; an optimiser of torch, or a function that makes
        one of parameters. Frozen parameters are left alone.
    rate, schedule
        The learning rate, and what becomes of it: "constant", "step", "cosine", "one_cycle", "invscaling".
    patience
        So many epochs without a better score (a smaller loss without ``held_out``) end training; None for all epochs.
    sample_weight
        A weight for each picture, relative to their mean.
    random_state
        Decides the order of pictures and what dropout drops. With the same ``n_jobs`` the same bytes are learnt;
        another number of threads moves last digits.

    Examples
    --------
    >>> import numpy as np
    >>> from margin.deep import architectures
    >>> pixels = np.zeros((40, 8, 8), np.uint8)
    >>> pixels[::2, :4] = 255  # light above
    >>> labels = np.tile(["above", "nowhere"], 20)
    >>> net = architectures.build("small", n_classes=2, image_size=8)
    >>> for epoch in train(net, (pixels, labels), epochs=20, batch_size=8, n_jobs=1):
    ...     if epoch.loss < 0.1:
    ...         break
    >>> probabilities(net, pixels[:2], n_jobs=1).argmax(axis=1).tolist(), net.classes_.tolist()
    ([0, 1], ['above', 'nowhere'])
    """
    package_of_extra("torch", "train")
    _check(epochs, batch_size, rate, schedule, optimizer, patience)
    # Everything is looked at now, and not when the first epoch is asked for.
    return _prepared(
        net, data, held_out, loss, optimizer, batch_size, rate, Schedule(schedule, rate, epochs), weight_decay,
        patience, sample_weight, seed_for(random_state, "training", bits=63), n_jobs,
    )  # fmt: skip


def _check(epochs: Any, batch_size: Any, rate: Any, schedule: str, optimizer: Any, patience: Any) -> None:
    for name, given in {"epochs": epochs, "batch_size": batch_size, "patience": patience}.items():
        if given is None and name == "patience":
            continue
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1:
            raise ParameterError(f"train({name}={given!r}): {name} must be a whole number from 1 up.")
    if not (isinstance(rate, int | float | np.number) and 0 < rate < np.inf):
        raise ParameterError(f"train(rate={rate!r}): rate must be a number above 0.")
    known = [name for name in SCHEDULES if name != "adaptive"]
    if schedule not in known:
        raise ParameterError(
            f"train(schedule={schedule!r}): schedule must be one of {', '.join(known)}{closest(schedule, known)}."
        )
    if isinstance(optimizer, str):
        from margin.deep.training.loop import OPTIMIZERS

        if optimizer not in OPTIMIZERS:
            names = ", ".join(OPTIMIZERS)
            raise ParameterError(
                f"train(optimizer={optimizer!r}): optimizer must be one of {names}{closest(optimizer, OPTIMIZERS)}."
            )


def _prepared(
    net: Any, data: Any, held_out: Any, loss: Any, optimizer: Any, batch_size: int, rate: float, schedule: Schedule,
    decay: float, patience: int | None, sample_weight: Any, seed: int, n_jobs: int | None,
) -> Iterator[Epoch]:  # fmt: skip
    import torch

    from margin.deep.training.loop import Loop, make_optimizer
    from margin.deep.training.surroundings import OwnRandom

    if not any(each.requires_grad for each in net.parameters()):
        raise InputError("train: all parameters of the network are frozen; there is nothing to learn.")
    batches = _batches(net, data, sample_weight, None, None, "train")
    if len(batches.codes) < 2:
        raise InputError("train: there must be two pictures at least.")
    known, scale = net.classes_, batches.scale
    held = None if held_out is None else _batches(net, held_out, None, known, scale, "train, held_out")
    waits = Patience(1e-9, patience if patience is not None else schedule.n_epochs)
    by_case = loss if loss is not None else _cross_entropy
    # Maps lie in memory channel by channel for each pixel: convolutions are quicker so.
    net.to(memory_format=torch.channels_last)
    loop = Loop(
        net, batches, held, by_case, make_optimizer(optimizer, net, rate, decay), schedule, waits, batch_size, n_jobs,
        seed, OwnRandom(seed),
    )  # fmt: skip
    return _watched(loop)


def _watched(loop: Loop) -> Iterator[Epoch]:
    """The epochs of a loop, and a warning where a loss was not finite."""
    yield from loop.epochs()
    if (where := loop.diverged) is not None:
        warn(
            f"train: the loss of batch {where.batch} of epoch {where.epoch} was not finite at rate {where.rate:g}; the "
            "weights before it are kept (a smaller rate may help).",
            ConvergenceWarning,
        )


def _cross_entropy(logits: torch.Tensor, codes: torch.Tensor) -> torch.Tensor:
    from torch.nn import functional

    return functional.cross_entropy(logits, codes, reduction="none")


def _batches(net: Any, data: Any, weight: Any, known: Any, scale: PixelScale | None, who: str) -> Batches:
    from margin.deep.training.batches import Batches, images_of, outputs_of, read_labels
    from margin.deep.training.pixel_scale import PixelScale

    images, y = data if isinstance(data, tuple | list) else (data, getattr(data, "labels", None))
    images = images_of(images, who)
    if y is None:
        raise InputError(f"{who}: the pictures have no labels (give a pair of pictures and labels).")
    device = next(net.parameters()).device
    scale = PixelScale.learnt(images) if scale is None else scale
    outputs = outputs_of(net, images, scale, device, who)
    classes, codes = read_labels(y, len(images), outputs, known, who)
    if known is None:
        net.classes_, net.pixel_scale = classes, scale
    return Batches(images, codes, _weights(weight, len(images), who), scale, device)


def _weights(given: Any, n: int, who: str) -> np.ndarray | None:
    if given is None:
        return None
    weight = np.asarray(given, dtype=np.float32)
    if weight.shape != (n,) or not np.isfinite(weight).all() or (weight < 0).any() or not weight.any():
        raise InputError(
            f"{who}: sample_weight must have a finite number from 0 up for each of {n} pictures, not all 0."
        )
    return weight / weight.mean()


def probabilities(net: nn.Module, images: Any, *, n_jobs: int | None = None) -> np.ndarray:
    """The probability of each class (columns as in ``net.classes_``) for each picture, worked out in pieces.

    Pixels are put on the scale that :func:`train` learnt; a network with published weights and none of its own gets
    the one on its card.
    """
    package_of_extra("torch", "probabilities")
    from margin.base.softmax import softmax
    from margin.deep.training.answering import answered
    from margin.deep.training.batches import images_of, outputs_of

    given = images_of(images, "probabilities")
    device = next(net.parameters()).device
    scale = _scale_of(net, given.channels)
    outputs_of(net, given, scale, device, "probabilities")
    return softmax(answered(net, given, scale, device, n_jobs))


def _scale_of(net: Any, channels: int) -> PixelScale:
    from margin.deep.architectures.cards import CARDS
    from margin.deep.training.pixel_scale import PixelScale

    scale: PixelScale | None = getattr(net, "pixel_scale", None)
    card = CARDS.get(getattr(getattr(net, "plan", None), "name", ""))
    if scale is None and card is not None and card.mean is not None and card.std is not None:
        scale = PixelScale(card.mean, card.std)
    if scale is None:
        raise InputError(
            f"probabilities: {type(net).__name__} was not trained by margin (train says how pixels are scaled)."
        )
    if len(scale.mean) != channels:
        raise InputError(
            f"probabilities: pictures have {channels} channels, and the network learnt from {len(scale.mean)}."
        )
    return scale
