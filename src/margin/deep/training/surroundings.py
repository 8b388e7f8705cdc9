"""What belongs to whoever uses torch beside margin, and is put back after each step: threads and random numbers."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from margin import parallel

__all__ = ["OwnRandom", "threads_of_torch"]


#: The process that had torch work with several threads. Its forked children have none of them and would wait for ever.
_several_threads_in: int | None = None
#: torch has one number of threads and one stream of random numbers for the whole process: whoever sets them to his own
#: must be alone until he has put them back.
_alone = threading.RLock()


def _begin_anew() -> None:
    global _alone
    _alone = threading.RLock()  # a thread that is not in this process may have held the other one
    if _several_threads_in is not None:
        torch.set_num_threads(1)


os.register_at_fork(after_in_child=_begin_anew)


@contextmanager
def threads_of_torch(n_jobs: int | None) -> Iterator[None]:
    """As many threads as ``n_jobs`` stands for; in a worker of joblib its share of the machine, after a fork one."""
    global _several_threads_in
    with _alone:
        before, wanted = torch.get_num_threads(), parallel.n_threads(n_jobs)
        if _several_threads_in not in (None, os.getpid()):
            wanted = 1
        elif wanted > 1:
            _several_threads_in = os.getpid()
        if wanted != before:
            torch.set_num_threads(wanted)
        try:
            yield
        finally:
            if wanted != before:
                torch.set_num_threads(before)


class OwnRandom:
    """A stream of random numbers for layers that draw from torch's own, as dropout does.

    Inside a ``with`` block, which stands inside one of :func:`threads_of_torch`, torch draws from this stream;
    afterwards its own goes on where it was.
    """

    def __init__(self, seed: int) -> None:
        self.state = torch.Generator().manual_seed(seed).get_state()
        self._theirs: torch.Tensor | None = None

    def __enter__(self) -> None:
        self._theirs = torch.get_rng_state()
        torch.set_rng_state(self.state)

    def __exit__(self, *_: object) -> None:
        self.state = torch.get_rng_state()
        assert self._theirs is not None
        torch.set_rng_state(self._theirs)
