"""A race: models validated one after the other on the same folds, until all are done or it is stopped."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter
from typing import Any, Generic, TypeVar

from margin import zoo
from margin.errors import MarginError
from margin.experiment.result import Progress, Standing
from margin.experiment.running.alarm import Alarm, race_until
from margin.experiment.running.run_log import Log
from margin.experiment.spec import Spec

__all__ = ["Race"]

_Found = TypeVar("_Found")


class Race(Generic[_Found]):
    """All models validated on the same folds of the training part.

    Ctrl-C, or the end of the time that the spec allows, ends the race; models that are done then stand as they are.
    What was found of each model that is done is in ``found``, and in ``errors`` why the others are not. A subclass
    writes

    - ``_folds(name)``: validates a model, gives ``(number, of, score)`` after each fold, and puts what it found into
      ``found`` at the end. What may take long is done ``with self._heard(name)``.
    - ``_measured(name)``: what the standing of a model that is done says beside its name, as fields of it.
    """

    def __init__(self, spec: Spec, log: Log, entries: Mapping[str, zoo.Entry], n_fits: int) -> None:
        self.spec, self.log, self.entries, self.n_fits = spec, log, entries, n_fits
        self.found: dict[str, _Found] = {}
        self.errors: dict[str, str] = {}
        self.stopped = ""
        self._alarm, self._began = Alarm(None), perf_counter()

    def _folds(self, name: str) -> Iterator[tuple[int, int, float | None]]:
        raise TypeError(f"{type(self).__name__} must say how a model is validated: def _folds(self, name).")

    def _measured(self, name: str) -> dict[str, Any]:
        raise TypeError(f"{type(self).__name__} must say what was measured: def _measured(self, name).")

    def events(self) -> Iterator[Progress]:
        """Signs of life: each fold, and the standing of each model as soon as it is there."""
        self._alarm, self._began = Alarm(race_until(self.spec.limit, self.log.start)), perf_counter()
        try:
            for place, name in enumerate(self.entries):
                yield from self._validated(name, place)
        except KeyboardInterrupt:
            if not self.found:
                if not self._alarm.rang:
                    raise
                raise MarginError(
                    f"compare(limit={self.spec.limit:g}): no model was done after {self.spec.limit:g} s "
                    "(give more time, or name quicker models first)."
                ) from None
            self._stop()

    def _validated(self, name: str, place: int) -> Iterator[Progress]:
        total, began = self.n_fits * len(self.entries), perf_counter()
        try:
            for number, of, score in self._folds(name):
                so_far = place * self.n_fits + number
                told = (name, number, of, score, so_far, total)
                yield Progress("validate", self.log.seconds, *told, left=self._left(so_far, total))
        except Exception as error:  # a model that fails stands on the leaderboard as failed; the others go on
            self.errors[name] = _one_line(error)
        detail = "failed" if name in self.errors else f"{self.n_fits} fits"
        self.log.add(f"Validated {self.title(name)}", perf_counter() - began, detail)
        so_far = (place + 1) * self.n_fits
        left, standing = self._left(so_far, total), self.standing(name)
        yield Progress("standing", self.log.seconds, name, done=so_far, total=total, left=left, standing=standing)

    @contextmanager
    def _heard(self, name: str) -> Iterator[None]:
        """While a model works: its warnings are taken down, and the end of the time interrupts it.

        The caller's code must run outside, where it is neither listened to nor interrupted.
        """
        with self._alarm, self.log.listening(name):
            yield

    def title(self, name: str) -> str:
        """How a model is called in sentences."""
        return self.entries[name].title or name

    def standing(self, name: str, **compared: Any) -> Standing:
        """How the model did; before it is held against the others, or with what that said."""
        entry = self.entries[name]
        if name in self.errors:
            return Standing(name, self.title(name), entry.note, error=self.errors[name])
        told = {**self._measured(name), **compared}
        return Standing(name, self.title(name), entry.note, yardstick=entry.yardstick, **told)

    def _left(self, done: int, total: int) -> float:
        """Seconds until the race is over, if what comes takes as long as what was, and the limit allows."""
        left, until = (perf_counter() - self._began) * (total - done) / done, self._alarm.at
        return left if until is None else min(left, max(0.0, until - perf_counter()))

    def _stop(self) -> None:
        by = f"the limit of {self.spec.limit:g} s" if self._alarm.rang else "Ctrl-C"
        self.stopped = f"Stopped by {by} after {len(self.found)} of {len(self.entries)} models."
        self.log.warn(self.stopped)
        for name in self.entries:
            if name not in self.found and name not in self.errors:
                self.errors[name] = f"not done when the run was stopped by {by}"

    def refuse_none(self) -> None:
        """Raise where no model could be fitted, with what kept the first from it."""
        if not self.found:
            name, error = next(iter(self.errors.items()))
            raise MarginError(f"compare: no model could be fitted; {name}: {error}")


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split()) or "no reason given"
    if isinstance(error, MarginError):
        return text
    return f"{type(error).__name__}: {textwrap.shorten(text, 200, placeholder=' …')}"
