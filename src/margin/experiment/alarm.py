"""A limit of time that interrupts what is going on, as Ctrl-C does, and nothing beside it."""

from __future__ import annotations

import _thread
import threading
import time
from types import TracebackType

__all__ = ["Alarm"]


class Alarm:
    """Raises ``KeyboardInterrupt`` inside its ``with`` blocks once a point in time (of ``perf_counter``) is there.

    Outside of the blocks nothing is ever interrupted. Only the main thread can be woken from a call of the core; in
    others a block that begins too late is refused.

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
        self._lock = threading.Lock()
        self._armed = False
        self._timer: threading.Timer | None = None

    def __enter__(self) -> None:
        if self.at is None:
            return
        left = self.at - time.perf_counter()
        if left <= 0:
            self.rang = True
            raise KeyboardInterrupt
        if threading.current_thread() is threading.main_thread():
            self._armed = True
            self._timer = threading.Timer(left, self._ring)
            self._timer.daemon = True
            self._timer.start()

    def _ring(self) -> None:
        with self._lock:
            if self._armed:
                self.rang = True
                _thread.interrupt_main()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._timer is None:
            return
        self._timer.cancel()
        self._timer = None
        with self._lock:
            self._armed = False
        if self.rang and kind is None:  # it rang on the last step: the interrupt is on its way, and must not get out
            time.sleep(1)
            raise KeyboardInterrupt
