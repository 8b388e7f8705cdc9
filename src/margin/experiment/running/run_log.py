"""What happened in a run, in order: steps with their times, and warnings, each said once."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from time import perf_counter

from margin.errors import MarginWarning
from margin.experiment.result import Step

__all__ = ["Log"]


class Log:
    """Collects the steps and warnings of a run.

    >>> log = Log()
    >>> with log.step("Read the table") as note:
    ...     note.append("14 rows")
    >>> [(step.name, step.detail) for step in log.steps]
    [('Read the table', '14 rows')]
    """

    def __init__(self) -> None:
        self.start = perf_counter()
        self.steps: list[Step] = []
        self._warnings: dict[str, dict[str, None]] = {}

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return perf_counter() - self.start

    @contextlib.contextmanager
    def step(self, name: str, who: str = "") -> Iterator[list[str]]:
        """Time a step and catch its warnings; what is put into the list becomes its detail."""
        began, detail = perf_counter(), list[str]()
        with self.listening(who):
            yield detail
        self.add(name, perf_counter() - began, ", ".join(detail))

    def add(self, name: str, seconds: float, detail: str = "") -> None:
        self.steps.append(Step(name, seconds, detail))

    @contextlib.contextmanager
    def listening(self, who: str = "") -> Iterator[None]:
        """Take warnings in, rather than have them printed."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", MarginWarning)
            yield
        for warning in caught:
            if issubclass(warning.category, MarginWarning):
                self.warn(str(warning.message), who)

    def warn(self, message: str, who: str = "") -> None:
        """Note a warning; the same words from several models become one."""
        source, colon, rest = message.partition(": ")
        if who and colon and source.endswith((".fit", ".predict", ".predict_proba")):
            message = rest
        self._warnings.setdefault(message, {})
        if who:
            self._warnings[message][who] = None

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(f"{', '.join(who)}: {message}" if who else message for message, who in self._warnings.items())
