"""What a row without neighbours gets."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from margin.errors import ParameterError, listing
from margin.params import Rule

__all__ = ["Outlier", "OutlierLabel", "outliers_of"]

LABELS = (str, bytes, bool, np.bool_, numbers.Real)
KINDS = {"U": "words", "O": "words", "S": "bytes", "b": "booleans", "i": "numbers", "u": "numbers", "f": "numbers"}


def _is_outlier_label(value: Any) -> bool:
    if isinstance(value, (list, tuple, np.ndarray)):
        return np.ndim(value) == 1 and len(value) > 0 and all(isinstance(label, LABELS) for label in value)
    return value is None or isinstance(value, LABELS)


def _parse_label(text: str) -> Any:
    if text.lower() == "none":
        return None
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


OutlierLabel = Annotated[
    Any, Rule("None, 'most_frequent', a label or a list of one label per target", _is_outlier_label, _parse_label)
]


@dataclass(frozen=True)
class Outlier:
    """The label of rows without neighbours for one target, and its code among the classes, -1 if it is none."""

    label: Any
    code: int

    def shares(self, n_classes: int) -> np.ndarray:
        """1 for the class; nothing at all if the label is none of them."""
        shares = np.zeros(n_classes)
        if self.code >= 0:
            shares[self.code] = 1.0
        return shares

    def in_place_of(self, answers: np.ndarray, alone: np.ndarray) -> np.ndarray:
        """The answers with this label where a row is alone, in a type that holds all labels."""
        if self.code >= 0:
            return answers
        label = np.array([self.label], dtype=object if answers.dtype == object else None)
        return np.where(alone, label, answers)


def outliers_of(
    given: Any, classes: list[np.ndarray], codes: np.ndarray, weight: np.ndarray, who: str
) -> tuple[Outlier, ...]:
    """One outlier per target, none at all where rows without neighbours are refused."""
    if given is None:
        return ()
    columns = codes.reshape(len(codes), -1).T
    if isinstance(given, str) and given == "most_frequent":
        most = [int(np.bincount(column, weight, len(labels)).argmax()) for column, labels in zip(columns, classes)]
        return tuple(Outlier(labels.tolist()[code], code) for code, labels in zip(most, classes))
    wanted = list(given) if isinstance(given, (list, tuple, np.ndarray)) else [given] * len(classes)
    if len(wanted) != len(classes):
        raise ParameterError(
            f"{who}(outlier_label={given!r}): one label per target is needed ({len(classes)}), not {len(wanted)}."
        )
    return tuple(_outlier(label, labels, who) for label, labels in zip(wanted, classes))


def _outlier(label: Any, classes: np.ndarray, who: str) -> Outlier:
    known = classes.tolist()
    kind, theirs = (KINDS[np.array([each]).dtype.kind] for each in (label, known[0]))
    if kind != theirs:
        raise ParameterError(
            f"{who}(outlier_label={label!r}): the label must be of the type of the classes, "
            f"which are {theirs} ({listing(known, 3)})."
        )
    return Outlier(label, known.index(label) if label in known else -1)
