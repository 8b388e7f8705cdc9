"""Where torch works, and on numbers how wide."""

from __future__ import annotations

import contextlib
import copy
import time
from typing import TYPE_CHECKING, Any

import torch

from margin.deep.training.surroundings import OwnRandom, threads_of_torch
from margin.errors import ParameterError
from margin.random import generator

if TYPE_CHECKING:
    from margin.deep.training.loop import Loop

__all__ = ["device_of", "narrow_is_quicker", "narrow_products", "on_device"]

#: Batches of a probe.
PROBED = 3


def device_of(name: str, who: str) -> torch.device:
    """A device of torch; "auto" is a graphics card where there is one.

    >>> device_of("auto", "here").type in ("cpu", "cuda", "mps")
    True
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        found = torch.device(name)
        if found.type == "meta":
            raise RuntimeError("nothing is worked out there")
        torch.zeros(1, device=found)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        why = str(error).splitlines()[0].rstrip(".")
        raise ParameterError(f"{who}(device={name!r}): device must be one that torch has here ({why}).") from None
    return found


def on_device(given: Any, device: torch.device) -> Any:
    """Tensors, and what holds some, where a network is; nothing is copied on the processor itself."""
    return given if device.type == "cpu" or given is None else given.to(device)


def narrow_products(device: torch.device, narrow: bool) -> contextlib.AbstractContextManager[Any]:
    """Products of bfloat16 inside a ``with`` block; weights, sums and losses stay float32."""
    return torch.autocast(device.type, torch.bfloat16) if narrow else contextlib.nullcontext()


def narrow_is_quicker(run: Loop) -> bool:
    """Whether three batches forwards and backwards take less time in bfloat16, the best of two tries each.

    The network is a copy, and neither orders nor random numbers of the run are used.
    """
    net = copy.deepcopy(run.net).train()
    order = generator(run.seed, "probe").permutation(len(run.lessons))[: PROBED * run.batch_size]
    seconds: dict[bool, float] = {}
    with threads_of_torch(run.n_jobs), OwnRandom(run.seed):
        for narrow in (True, False, True, False):
            begun = time.perf_counter()
            for x, targets, weight in run.lessons.of(order, run.batch_size, generator(run.seed, "probe")):
                loss = run.loss_of(net, x, targets, weight, narrow)
                loss.backward()  # type: ignore[no-untyped-call]
            took = time.perf_counter() - begun
            seconds[narrow] = min(took, seconds.get(narrow, took))
    return seconds[True] < seconds[False]
