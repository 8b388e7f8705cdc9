"""What would have to change for another answer: the fewest columns, and of those the smallest steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from margin.errors import InputError, ParameterError
from margin.explain.one_case.background import Background
from margin.explain.rows.saying import Saying, saying_of

__all__ = ["Change", "smallest_change", "wanted_label"]

#: Made-up cases that are followed further from one number of changed columns to the next.
BEAM = 8


@dataclass(frozen=True)
class Change:
    """The smallest change found that gives another answer.

    Attributes
    ----------
    columns
        Column, what stands there, and what would have to stand there instead; one entry for each column.
    answer
        The answer then.
    said
        How strongly it is given then: a probability, a score or a value.
    tried
        How many made-up cases the model was asked about.
    """

    columns: tuple[tuple[str, Any, Any], ...]
    answer: Any
    said: float
    tried: int


def wanted_label(model: Any, answer: Any, wanted: Any, who: str) -> Callable[[list[Any], np.ndarray], np.ndarray]:
    """Which answers are the wanted ones: another class, or a number between two; any other class if none is named."""
    if isinstance(wanted, (tuple, list)) and len(wanted) == 2 and not hasattr(model, "classes_"):
        low, high = (float(end) for end in wanted)
        if not low <= high:
            raise ParameterError(f"{who}(wanted={wanted!r}): the first number must not be above the second.")
        return lambda labels, said: np.array([low <= float(label) <= high for label in labels])
    if wanted is None:
        return lambda labels, said: np.array([label != answer for label in labels])
    classes = np.asarray(getattr(model, "classes_", np.zeros(0)), dtype=object).tolist()
    if wanted not in classes:
        raise ParameterError(
            f"{who}(wanted={wanted!r}): wanted must be one of the classes {classes}, or (low, high) for a regression."
        )
    return lambda labels, said: np.array([label == wanted for label in labels])


def smallest_change(
    background: Background,
    saying: Saying,
    wanted: Any = None,
    keep: Iterable[str | int] = (),
    most_columns: int = 3,
    who: str = "case",
) -> Change | None:
    """Search one column at a time, then pairs and more of those that bring the answer nearest; None if nothing does.

    Only plausible cells are tried: words that are not rare among the rows, numbers between their first and last
    hundredth. ``keep`` are columns that cannot change.
    """
    search = _Search(background, saying, wanted, {background.pool.place(name, who) for name in keep}, who)
    states = [background.pool.repeated(0, 1)[0]]
    for _ in range(min(most_columns, len(background.pool.names) - len(search.fixed))):
        found, states = search.step(states)
        if found is not None:
            return search.told(search.nearer(found))
        if not states:
            return None
    return None


class _Search:
    def __init__(self, background: Background, saying: Saying, wanted: Any, fixed: set[int], who: str) -> None:
        self.background, self.pool, self.fixed = background, background.pool, fixed
        self.saying, self.tried = saying, 0
        case = self.pool.made(self.pool.repeated(0, 1))
        self.answer = saying.labels(case)[0]
        if saying.kind == "value" and wanted is None:
            raise InputError(f"{who}: a regression must be told which answers are wanted: wanted=(low, high).")
        self.is_wanted = wanted_label(saying.model, self.answer, wanted, who)
        named = wanted is not None and saying.kind != "value"
        self.towards = saying_of(saying.model, case, who, wanted) if named else saying
        self.sign = 1.0 if named else -1.0
        self.goal = float(np.mean(wanted)) if saying.kind == "value" else None
        self.values = {j: background.plausible(j) for j in range(len(self.pool.names)) if j not in fixed}

    def step(self, states: list[np.ndarray]) -> tuple[np.ndarray | None, list[np.ndarray]]:
        """Every state with one more column changed: the smallest that is wanted, and those that come nearest to it."""
        made = [self._changed(state, j, at) for state in states for j in self.values for at in self.values[j]
                if state[j] == 0 and self._differs(j, at)]  # fmt: skip
        if not made:
            return None, []
        rows = np.unique(np.array(made), axis=0)
        wanted, near = self._ask(rows)
        if wanted.any():
            hits = rows[wanted]
            return hits[int(np.argmin([self.size(row) for row in hits]))], []
        order = np.argsort(-near, kind="stable")
        kept: list[np.ndarray] = []
        seen: set[tuple[int, ...]] = set()
        for at in order.tolist():  # different columns rather than many values of one
            columns = tuple(np.flatnonzero(rows[at]).tolist())
            if columns not in seen:
                seen.add(columns)
                kept.append(rows[at])
            if len(kept) == BEAM:
                break
        return None, kept

    def _changed(self, state: np.ndarray, j: int, at: int) -> np.ndarray:
        other = state.copy()
        other[j] = at
        return other

    def _differs(self, j: int, at: int) -> bool:
        a, b = self.background.codes[0, j], self.background.codes[at, j]
        return not (a == b or (np.isnan(a) and np.isnan(b)))

    def _ask(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.tried += len(rows)
        made = self.pool.made(rows)
        said = self.towards(made)
        near = -np.abs(said - self.goal) if self.goal is not None else self.sign * said
        return self.is_wanted(self.saying.labels(made), said), near

    def size(self, row: np.ndarray) -> float:
        """How large a change is: by the spans of numbers, 1 for a word."""
        changed = np.flatnonzero(row)
        gaps = [self.background.gaps(np.array([0]), np.array([row[j]]))[0, 0, j] for j in changed]
        return len(changed) + float(np.sum(gaps)) / (1 + len(changed))

    def nearer(self, row: np.ndarray) -> np.ndarray:
        """The same columns with numbers nearer to those of the case, and fewer columns if fewer will do."""
        for fewer in range(1, np.count_nonzero(row)):
            for columns in combinations(np.flatnonzero(row).tolist(), fewer):
                part = np.zeros_like(row)
                part[list(columns)] = row[list(columns)]
                if self._ask(part[None])[0][0]:
                    return self.nearer(part)
        for j in np.flatnonzero(row).tolist():
            if not self.pool.is_numeric(j):
                continue
            steps = self.background.between(j, 0, int(row[j]))
            tried = np.repeat(row[None], len(steps), axis=0)
            tried[:, j] = steps
            wanted, _ = self._ask(tried)
            row = tried[int(np.argmax(wanted))] if wanted.any() else row
        return row

    def told(self, row: np.ndarray) -> Change:
        made = self.pool.made(row[None])
        answer = self.saying.labels(made)[0]
        says = self.saying if self.saying.kind == "value" else saying_of(self.saying.model, made, "case")
        columns = tuple(
            (self.pool.names[j], self.pool.value(0, j), self.pool.value(int(row[j]), j))
            for j in np.flatnonzero(row).tolist()
        )
        return Change(columns, answer, float(says(made)[0]), self.tried)
