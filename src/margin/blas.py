"""One thread for the linear algebra of NumPy and SciPy while margin learns or answers, and then as many as before.

Their BLAS wakes a thread per core for products of a few thousand numbers and lets them spin for the next one. Beside
margin's own threads, or beside any other work, a fit then waits for threads that are not running. The number is that
of the whole process, so it is counted who wants it low, and the last one puts it back.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
import threading
from types import TracebackType
from typing import Any

__all__ = ["WIDE", "OneBlasThread", "width_of"]

#: From so many columns on, the threads of BLAS are worth what they cost.
WIDE = 1000
#: Whoever imports one of these may have brought another BLAS along.
_BRING_BLAS = ("numpy", "scipy.linalg", "scipy.sparse.linalg", "sklearn", "torch")


class _Library:
    """One OpenBLAS of this process. threadpoolctl finds it, but lets only one thread of a program set its number."""

    def __init__(self, path: str) -> None:
        self.path = path
        loaded = ctypes.CDLL(path)
        for before, after in itertools.product(("", "scipy_"), ("", "64_", "_64")):
            if hasattr(loaded, f"{before}openblas_set_num_threads{after}"):
                self.get = getattr(loaded, f"{before}openblas_get_num_threads{after}")
                self.set = getattr(loaded, f"{before}openblas_set_num_threads{after}")
                break
        else:
            self.get, self.set = lambda: 1, lambda n: None


class _Limit:
    """The BLAS libraries of this process, and the threads that want them to stay on one."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.holders: set[int] = set()
        self._lowered: list[tuple[_Library, int]] = []
        self._libraries: dict[str, _Library] = {}
        self._brought: list[bool] = []

    @property
    def looked(self) -> bool:
        """Whether all libraries there are have been found."""
        return self._brought == _brought()

    def switch(self, thread: int, hold: bool) -> None:
        """Enter or strike a thread, and do what follows from it; doing so again changes nothing."""
        with self.lock:
            (self.holders.add if hold else self.holders.discard)(thread)
            if self.holders:
                self._lower()
            else:
                self._raise()

    def _lower(self) -> None:
        if self._lowered and self.looked:
            return
        self._look()
        done = [library for library, _ in self._lowered]
        for library in self._libraries.values():
            if library not in done and (n := library.get()) > 1:
                self._lowered.append((library, n))
                library.set(1)

    def _raise(self) -> None:
        while self._lowered:
            library, n = self._lowered[-1]
            if library.get() == 1:  # else someone has set it meanwhile, and knows better
                library.set(n)
            self._lowered.pop()

    def _look(self) -> None:
        """Find the libraries, if some may have been loaded since the last look."""
        if not self.looked:
            from threadpoolctl import threadpool_info

            for found in threadpool_info():
                # With OpenMP's threads each caller has its own, and nothing spins beside it.
                if found["internal_api"] == "openblas" and found["threading_layer"] == "pthreads":
                    self._libraries.setdefault(found["filepath"], _Library(found["filepath"]))
            self._brought = _brought()

    def after_fork(self) -> None:
        """In a child process only the thread that forked goes on; a lock of another would never be let go."""
        self.lock = threading.RLock()
        self.holders &= {threading.get_ident()}
        if not self.holders:
            self._raise()


def _brought() -> list[bool]:
    return list(map(sys.modules.__contains__, _BRING_BLAS))


_LIMIT = _Limit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_LIMIT.after_fork)


class OneBlasThread:
    """Keep BLAS on one thread inside a ``with`` block; with ``columns`` from :data:`WIDE` on, give it its threads.

    Blocks may stand inside each other and in several threads at once: of blocks inside each other the innermost
    counts, and threads are given back when no thread is in a block any more.

    >>> import numpy as np
    >>> from threadpoolctl import threadpool_info
    >>> def counts():
    ...     return [found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"]
    >>> before = counts()
    >>> with OneBlasThread():
    ...     set(counts()) <= {1}
    True
    >>> counts() == before
    True
    """

    __slots__ = ("_before", "_hold")

    def __init__(self, columns: int = 0) -> None:
        self._hold = columns < WIDE

    def __enter__(self) -> None:
        me = threading.get_ident()
        self._before = me in _LIMIT.holders
        if self._before == self._hold and _LIMIT.looked:
            return
        try:
            _LIMIT.switch(me, self._hold)
        except BaseException:  # Ctrl-C: __exit__ would not be called
            _LIMIT.switch(me, self._before)
            raise

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._before != self._hold:
            _LIMIT.switch(threading.get_ident(), self._before)


def width_of(data: Any) -> int:
    """The columns of a matrix, dense or sparse; 0 for rows in any other form."""
    shape: tuple[int, ...] = getattr(data, "shape", ())
    return shape[1] if len(shape) == 2 else 0
