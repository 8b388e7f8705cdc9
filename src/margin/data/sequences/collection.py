"""Sequences with labels."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Self, overload

import numpy as np

from margin.data.sequences.files import in_file
from margin.data.sequences.given import Items, SequenceKind, items_of
from margin.errors import InputError

__all__ = ["Sequences"]


class Sequences:
    """Texts, lists of tokens or series of numbers, each of a length of its own, with a label each if there are any.

    ``sequences[3]`` is one of them; ``sequences[2:5]`` and :meth:`take` are further ``Sequences``, and copy nothing.

    Parameters
    ----------
    X
        A list of texts, of lists of words, or of arrays of steps × numbers; an array (sequences, steps, numbers), or
        (sequences, steps) for series of one number; a table or data frame with one column of texts.
    labels
        What each sequence is, if that is known.

    Attributes
    ----------
    kind
        "texts", "tokens" or "numbers".
    width
        Numbers of a step; 0 for texts and tokens.
    labels
        What each sequence is, or None.

    Examples
    --------
    >>> series = Sequences([np.zeros((5, 3)), np.ones((2, 3))], labels=["still", "moving"])
    >>> series
    <Sequences: 2 of 2 to 5 steps of 3 numbers, 2 classes>
    >>> series.take([1]).labels.tolist(), series[1].shape
    (['moving'], (2, 3))
    >>> Sequences(["ab", "c", ""]).lengths.tolist()
    [2, 1, 0]
    """

    #: Models of models hand cases on as they come.
    holds_cases = True

    def __init__(self, X: Any, labels: Any = None) -> None:
        if isinstance(X, Sequences) and labels is None:
            labels = X.labels
        self._items: Items = X._items if isinstance(X, Sequences) else items_of(X, "Sequences")
        self.labels: np.ndarray | None = None if labels is None else _labels(labels, len(self._items.values))

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, text: str | None = None, target: str | None = None) -> Self:
        """Sequences of a file.

        Parameters
        ----------
        path
            A ``.ts`` file of series (UCR and UEA archives), or any table that :func:`margin.data.read` reads, with a
            column of texts; each also packed.
        text
            The column of texts; without it the only one of free text, or that of most different words.
        target
            The column of labels; without it the other one where there are two.
        """
        items, labels = in_file(path, text, target)
        return cls._of(items, labels)

    @classmethod
    def of(cls, X: Any, who: str = "Sequences") -> Sequences:
        """X itself where it is such already, or the sequences it holds; ``who`` refuses what holds none."""
        return X if isinstance(X, Sequences) else cls._of(items_of(X, who), None)

    @classmethod
    def _of(cls, items: Items, labels: np.ndarray | None) -> Self:
        made = cls.__new__(cls)
        made._items, made.labels = items, labels
        return made

    # What there is

    @property
    def kind(self) -> SequenceKind:
        return self._items.kind

    @property
    def width(self) -> int:
        return self._items.width

    def __len__(self) -> int:
        return len(self._items.values)

    @property
    def shape(self) -> tuple[int]:
        """(sequences,): lengths are not all one."""
        return (len(self),)

    @property
    def lengths(self) -> np.ndarray:
        """Steps of each sequence: characters of a text, tokens of a list."""
        return np.array([len(each) for each in self._items.values], dtype=np.int64)

    @property
    def classes(self) -> list[Any]:
        """The different labels, sorted."""
        return [] if self.labels is None else np.unique(self.labels).tolist()

    def __repr__(self) -> str:
        lengths = self.lengths
        low, high = (int(lengths.min()), int(lengths.max())) if len(lengths) else (0, 0)
        steps = f"{low}" if low == high else f"{low} to {high}"
        what = {"texts": "characters", "tokens": "tokens"}.get(self.kind, f"steps of {self.width} numbers")
        classes = "" if self.labels is None else f", {len(self.classes)} classes"
        return f"<Sequences: {len(self)} of {steps} {what}{classes}>"

    # The sequences

    @overload
    def __getitem__(self, which: int) -> Any: ...
    @overload
    def __getitem__(self, which: slice | np.ndarray | list[int]) -> Self: ...
    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, tuple) and len(which) == 2 and which[1] is Ellipsis:
            which = which[0]  # as scikit-learn's splitters ask for rows
        if isinstance(which, slice):
            return self.take(np.arange(len(self))[which])
        if isinstance(which, np.ndarray | list):
            return self.take(which)
        return self._items.values[which]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items.values)

    def take(self, rows: Any) -> Self:
        """Some of the sequences, by position or by truth value."""
        chosen = np.asarray(rows)
        if chosen.dtype == bool and chosen.shape != (len(self),):
            raise InputError(f"Sequences.take: {len(chosen)} truth values were given for {len(self)} sequences.")
        chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen.astype(np.int64)
        if chosen.ndim != 1 or (len(chosen) and not (-len(self) <= chosen.min() and chosen.max() < len(self))):
            raise InputError(f"Sequences.take: rows must be positions below {len(self)}.")
        values = self._items.values
        items = self._items._replace(values=[values[i] for i in chosen.tolist()])
        return self._of(items, None if self.labels is None else self.labels[chosen])


def _labels(labels: Any, n: int) -> np.ndarray:
    found = np.asarray(labels)
    if found.shape != (n,):
        raise InputError(f"Sequences: there must be one label for each of {n} sequences; their shape is {found.shape}.")
    return found
