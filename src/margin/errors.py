"""What margin says when something is wrong.

Every refusal reads *who(what=value): what must hold (hint)* and names the column, row or parameter.
"""

from __future__ import annotations

import contextvars
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

__all__ = [
    "AbstentionWarning",
    "ConstantColumnWarning",
    "ConvergenceWarning",
    "ConversionError",
    "DataError",
    "DataWarning",
    "DeficientClassWarning",
    "ExportError",
    "InputError",
    "InputTypeError",
    "LabelError",
    "LonelyRowWarning",
    "MarginError",
    "MarginWarning",
    "MissingPackageError",
    "NotFittedError",
    "NotSeparableError",
    "NotSeparableWarning",
    "ParameterError",
    "PersistenceError",
    "SealBrokenError",
    "SeparationWarning",
    "SparseTableWarning",
    "TrainingError",
    "UndefinedMetricWarning",
    "WorkerError",
    "closest",
    "columns_from",
    "hushed",
    "listing",
    "unreadable",
    "warn",
]


class MarginError(Exception):
    """Anything margin refuses to do."""


class ParameterError(MarginError, ValueError):
    """A parameter of an estimator or function has a value it cannot have."""


class InputError(MarginError, ValueError):
    """The cells, columns or weights given to an estimator cannot be used."""


class InputTypeError(InputError, TypeError):
    """The input is of a type that no estimator can read."""


class LabelError(MarginError, ValueError):
    """The target cannot be used: missing, mixed or too many different labels."""


class DataError(MarginError, ValueError):
    """A file or table cannot be read as data."""


class PersistenceError(MarginError, ValueError):
    """A model cannot be saved, or a file does not hold a model that can be loaded."""


class ConversionError(MarginError, ValueError):
    """A model of another package cannot be said as one of margin's with the same answers."""


class ExportError(MarginError, ValueError):
    """A model cannot be said in another format, or what was written answers otherwise."""


class MissingPackageError(MarginError, ImportError):
    """A package that margin does without, but not for this."""


class NotFittedError(MarginError, ValueError, AttributeError):
    """An answer was asked of a model that has not learnt yet."""


class SealBrokenError(MarginError, RuntimeError):
    """A sealed test part was to be opened a second time."""


class NotSeparableError(MarginError, ValueError):
    """A hard margin was asked for, and nothing of the kind separates the classes."""


class TrainingError(MarginError, ValueError):
    """A network could not learn: no epoch came to a finite loss, or a checkpoint cannot be used or written."""


class WorkerError(MarginError, RuntimeError):
    """Work that was given to workers could not be finished: they died, or made no progress."""


class MarginWarning(UserWarning):
    """Anything margin does, but wants known."""


class DataWarning(MarginWarning):
    """The data were read, but something in them is worth a look."""


class ConstantColumnWarning(MarginWarning):
    """Columns that hold one value or none, and so say nothing about the target."""


class ConvergenceWarning(MarginWarning):
    """Training stopped before it met its tolerance."""


class NotSeparableWarning(ConvergenceWarning):
    """No plane separates the classes, so that a rule that corrects mistakes never comes to rest."""


class AbstentionWarning(MarginWarning):
    """A model that may abstain will never answer: nothing shows that it would be right often enough."""


class LonelyRowWarning(MarginWarning):
    """Rows to answer that have no training row near enough to ask."""


class SeparationWarning(MarginWarning):
    """A plane separates the classes, so that coefficients without a penalty grow without end."""


class DeficientClassWarning(MarginWarning):
    """A class whose rows do not vary in every direction, and so has no density of its own (quadratic discriminants)."""


class SparseTableWarning(MarginWarning):
    """A table of combinations that has more entries than there are rows to fill it."""


class UndefinedMetricWarning(MarginWarning):
    """A metric that has no value on the given cases, as the area under the ROC curve where only one class occurs."""


def closest(word: object, known: Iterable[object]) -> str:
    """A hint ``(did you mean 'gini'?)``, or nothing where no known word is near.

    Near is what differs in capitals only, what begins with the word or ends it where nothing else does, and what is few
    slips of the keyboard away: a letter missing, too many, another, or two swapped.

    >>> closest("ginni", ["entropy", "gini"]), closest("bayes", ["knn", "naive-bayes"]), closest("qda", ["lasso"])
    (" (did you mean 'gini'?)", " (did you mean 'naive-bayes'?)", '')
    """
    typed, words = str(word).casefold().strip(), list(dict.fromkeys(map(str, known)))
    plain = {each: each.casefold().strip() for each in words}
    near = [each for each in words if plain[each] == typed]
    if not near and len(typed) > 1:
        near = [each for each in words if plain[each].startswith(typed)]
        near = near or [each for each in words if plain[each].endswith(typed) and len(typed) > 2]
        near = near if len(near) == 1 else []
    if not near:
        reach = min(3, max(1, len(typed) // 3))
        slips = {each: _slips(typed, plain[each]) for each in words if abs(len(plain[each]) - len(typed)) <= reach}
        near = sorted((each for each in slips if slips[each] <= reach), key=slips.__getitem__)
    return f" (did you mean {near[0]!r}?)" if near and typed else ""


def _slips(a: str, b: str) -> int:
    """Letters to add, leave out, replace or swap with their neighbour to make one word of the other."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row = row, [i]
        for j, y in enumerate(b, 1):
            step = min(row[j - 1] + 1, last[j] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and (x, a[i - 2]) == (b[j - 2], y):
                step = min(step, before[j - 2] + 1)
            row.append(step)
        before = last
    return row[-1]


def listing(items: Iterable[object], most: int = 5) -> str:
    """Items quoted and joined, the tail counted.

    >>> listing("abc", most=2)
    "'a', 'b', … (3 in all)"
    """
    items = list(items)
    shown = ", ".join(repr(item) for item in items[:most])
    return shown if len(items) <= most else f"{shown}, … ({len(items)} in all)"


_unsaid: contextvars.ContextVar[tuple[type[Warning], ...]] = contextvars.ContextVar("margin.errors.unsaid", default=())


@contextmanager
def hushed(*categories: type[Warning]) -> Iterator[None]:
    """Leave some warnings of margin's unsaid inside a ``with`` block, in this thread only.

    For models made of models, which say once what each of their members would say: ``warnings.catch_warnings`` is the
    same for all threads, and members learn side by side.
    """
    before = _unsaid.set((*_unsaid.get(), *categories))
    try:
        yield
    finally:
        _unsaid.reset(before)


_places: contextvars.ContextVar[Sequence[int] | None] = contextvars.ContextVar("margin.errors.places", default=None)


@contextmanager
def columns_from(places: Sequence[int] | None) -> Iterator[None]:
    """Warnings of margin's inside a ``with`` block call column k of an array by its place elsewhere.

    In this thread only. For models that are given some columns of an array: x0 there is x7 to whoever gave the array.
    None changes nothing.
    """
    before = _places.set(places)
    try:
        yield
    finally:
        _places.reset(before)


def _at_home(message: str) -> str:
    places = _places.get()
    if places is None:
        return message

    def name(found: re.Match[str]) -> str:
        place = int(found[1])
        return f"x{places[place]}" if place < len(places) else found[0]

    return re.sub(r"\bx(\d+)\b", name, message)


def unreadable(what: str, given: object, error: Exception) -> str:
    """How a refusal ends where reading an object failed inside the object; memory that ran out is no fault of it.

    >>> unreadable("X", [], OSError("disk gone"))
    'X of type list cannot be read as an array (OSError: disk gone).'
    """
    if isinstance(error, (MarginError, MemoryError)):
        raise error
    return f"{what} of type {type(given).__name__} cannot be read as an array ({type(error).__name__}: {error})."


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the line outside margin that led here, however deep inside it that is."""
    if issubclass(category, _unsaid.get()):
        return
    package = os.path.dirname(__file__)
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        level, frame = level + 1, frame.f_back
    warnings.warn(_at_home(message), category, stacklevel=level)
