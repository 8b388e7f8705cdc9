"""What is to be predicted, in whichever form it is given: one label a row, or several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.data import Table
from margin.data.label_sets import are_label_sets
from margin.data.labels import codes_of, distinct, label_array, refuse_missing, union
from margin.data.rows import count_rows, without_column
from margin.errors import InputError, LabelError, listing
from margin.evaluation.predictions.label_sets import LabelSets
from margin.evaluation.predictions.positive_class import says_yes

__all__ = ["Targets", "are_names", "joined_targets", "read_targets", "sets_as_targets"]

#: How no is written in a column of two levels.
_SAYS_NO = frozenset({"0", "-1", "0.0", "-", "n", "no", "f", "false", "neg", "negative", "absent"})


@dataclass(frozen=True, eq=False)
class Targets:
    """The labels as models learn from them, their distinct values, and a code for each.

    With ``several`` labels a row, ``labels`` is an array of 0 and 1 with a column for each of ``classes``, and
    ``codes`` the same as yes and no.
    """

    labels: np.ndarray
    classes: np.ndarray
    codes: np.ndarray
    several: bool = False

    def __len__(self) -> int:
        return len(self.labels)


def read_targets(X: Any, y: Any, who: str) -> tuple[Any, Targets]:
    """The inputs and what is to be predicted of them; columns of X that are named as targets are no inputs."""
    asked = f"{who}(y=…)"
    if isinstance(y, str):
        y, X = without_column(X, y, asked)
    elif are_names(X, y):
        columns = {}
        for name in y:
            values, X = without_column(X, name, asked)
            columns[name] = _yes_or_no(values, name, asked)
        found = LabelSets(np.array(list(columns)), np.column_stack(list(columns.values())))
        return X, _checked_rows(X, sets_as_targets(found), who)
    if are_label_sets(y):
        return X, _checked_rows(X, sets_as_targets(LabelSets.of(_plain(y), who=asked)), who)
    labels = label_array(y, asked)
    refuse_missing(labels, asked)
    classes = distinct(labels, asked)
    return X, _checked_rows(X, Targets(labels, classes, codes_of(labels, classes)), who)


def sets_as_targets(sets: LabelSets) -> Targets:
    """Label sets as an array of 0 and 1."""
    return Targets(sets.truth.astype(np.int64), sets.labels, sets.truth, several=True)


def joined_targets(first: Targets, second: Targets, who: str = "evaluate(test=…)") -> Targets:
    """The targets of two parts, one behind the other; a class may stand in one of them only."""
    if first.several or second.several:
        if not (first.several and second.several) or first.classes.tolist() != second.classes.tolist():
            raise LabelError(f"{who}: both parts must have the same labels, {listing(first.classes.tolist())}.")
        both = np.concatenate([first.labels, second.labels])
        return Targets(both, first.classes, both.astype(bool), several=True)
    classes = union(first.classes, second.classes, who)
    labels = np.concatenate([part.labels.astype(classes.dtype) for part in (first, second)])
    return Targets(labels, classes, codes_of(labels, classes))


def _checked_rows(X: Any, targets: Targets, who: str) -> Targets:
    if count_rows(X) != len(targets):
        raise InputError(f"{who}: X has {count_rows(X)} rows, but y has {len(targets)} labels.")
    return targets


def _plain(y: Any) -> Any:
    if isinstance(y, Table):
        import pandas as pd

        return pd.DataFrame({name: _yes_or_no(y.values(name), name, "y") for name in y.names})
    return y


def are_names(X: Any, y: Any) -> bool:
    """Whether y names several columns of X; as many names as rows are labels."""
    if not isinstance(y, (list, tuple)) or len(y) < 2 or not all(isinstance(name, str) for name in y):
        return False
    known = X.names if isinstance(X, Table) else list(getattr(X, "columns", ()))
    return len(y) != count_rows(X) and set(y) <= set(known)


def _yes_or_no(values: Any, name: str, who: str) -> np.ndarray:
    """A column of 0 and 1, of False and True, or of two words of which one says yes and the other no."""
    given = label_array(values, who)
    refuse_missing(given, f"{who}, column {name!r}")
    words = {label: says_yes(label) for label in distinct(given, who).tolist()}
    wrong = [label for label, yes in words.items() if not yes and str(label).strip().lower() not in _SAYS_NO]
    if wrong:
        raise LabelError(
            f"{who}: a column of several targets must say yes or no (1 and 0, True and False, 'yes' and 'no'), but "
            f"{name!r} holds {wrong[0]!r}."
        )
    return np.array([words[label] for label in given.tolist()], dtype=bool)
