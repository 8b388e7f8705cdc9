"""A limit of time that interrupts what is going on, as Ctrl-C does, and nothing beside it."""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType, TracebackType
from typing import Any

__all__ = ["Alarm", "race_until"]

#: Share of a limit that is kept for fitting the best model twice more and for writing about it.
KEPT_FOR_THE_END = 0.1


def race_until(limit: float | None, start: float) -> float | None:
    """When models have to be done in a run that began at ``start`` and may take ``limit`` seconds."""
    return None if limit is None else start + limit * (1 - KEPT_FOR_THE_END)


class Alarm:
    """Raises ``KeyboardInterrupt`` inside its ``with`` blocks once a point in time (of ``perf_counter``) is there.

    Outside of the blocks nothing is ever interrupted. Signals reach the main thread only: in others, and on systems
    that have no timers, a block is not interrupted, but one that begins too late is refused.

    >>> alarm = Alarm(time.perf_counter() + 0.05)
    >>> try:
    ...     with alarm:
    ...         time.sleep(10)
    ... except KeyboardInterrupt:
    ...     alarm.rang
    True
    """

    def __init__(self, at: float | None) -> None:
        self.at = at
        self.rang = False
        self._before: tuple[Any, float, float, float] | None = None

    def __enter__(self) -> None:
        if self.at is None:
            return
        left = self.at - time.perf_counter()
        if left <= 0:
            self.rang = True
            raise KeyboardInterrupt
        if hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
            handler = signal.signal(signal.SIGALRM, self._ring)
            self._before = (handler, *signal.setitimer(signal.ITIMER_REAL, left), time.perf_counter())

    def _ring(self, number: int, frame: FrameType | None) -> None:
        self.rang = True
        raise KeyboardInterrupt

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._before is None:
            return
        handler, delay, interval, began = self._before
        self._before = None
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
        finally:  # it may ring in this very moment, and be told to whoever waits for it
            signal.signal(signal.SIGALRM, handler)
            if delay:
                passed = time.perf_counter() - began
                signal.setitimer(signal.ITIMER_REAL, max(delay - passed, 1e-3), interval)
