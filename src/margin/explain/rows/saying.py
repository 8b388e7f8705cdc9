"""What any model says of rows, as one number for each: how strongly it gives a certain answer."""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from margin.data.rows import count_rows
from margin.errors import InputTypeError, ParameterError, closest, listing

__all__ = ["Saying", "check_fitted", "plain_label", "saying_of"]

Kind = Literal["probability", "score", "value", "agreement"]


@dataclass(frozen=True)
class Saying:
    """One number for each row: how strongly the model says ``label``, or what value it answers.

    ``kind`` says what the number is: a probability, a score (the lead over the other classes), the value of a
    regression, or the share of several targets that are answered as in the case that is looked at.
    """

    model: Any
    kind: Kind
    label: Any
    strengths: Callable[[Any], np.ndarray]

    def __call__(self, X: Any) -> np.ndarray:
        """The number for each row."""
        return self.strengths(X) if count_rows(X) else np.zeros(0)

    def labels(self, X: Any) -> list[Any]:
        """The answers themselves, as plain values."""
        return [plain_label(each) for each in self.model.predict(X)]

    def shown(self, number: float) -> str:
        """A number in words."""
        return f"{number:.1%}" if self.kind in ("probability", "agreement") else f"{number:.4g}"

    @property
    def what(self) -> str:
        """What the number is, in words."""
        return {
            "probability": f"the probability of {self.label}",
            "score": f"the score of {self.label}",
            "value": "the answer",
            "agreement": "the share of targets answered as here",
        }[self.kind]


def check_fitted(model: Any, who: str) -> None:
    """Refuse what is no model, or has learnt nothing."""
    if isinstance(model, type) or not hasattr(model, "predict"):
        raise InputTypeError(f"{who}(model={reprlib.repr(model)}): model must be a fitted classifier or regressor.")
    if hasattr(model, "_fitted"):
        model._fitted(who)


def plain_label(answer: Any) -> Any:
    """An answer as a plain Python value; several answers as a tuple of them."""
    if isinstance(answer, np.ndarray):
        return tuple(answer.tolist())
    return answer.item() if isinstance(answer, np.generic) else answer


def saying_of(model: Any, case: Any, who: str, label: Any = None) -> Saying:
    """What is asked of a model about a case: how strongly it says the answer it gives there, or another label."""
    check_fitted(model, who)
    answer = plain_label(model.predict(case)[0])
    several = isinstance(answer, (tuple, frozenset))
    if several or getattr(model, "outputs_2d_", False):
        return Saying(model, "agreement", answer, lambda X: _agreement(model, X, answer))
    if not hasattr(model, "classes_") and not hasattr(model, "decision_function"):
        return Saying(model, "value", None, lambda X: np.asarray(model.predict(X), dtype=np.float64))
    if not hasattr(model, "classes_"):  # inside or outside, as one-class machines say
        side = 1.0 if answer == 1 else -1.0
        return Saying(model, "score", answer, lambda X: side * np.ravel(model.decision_function(X)))
    classes = np.asarray(model.classes_).tolist()
    if label is not None and label not in classes:
        raise ParameterError(
            f"{who}(label={label!r}): label must be one of the classes, {listing(classes)}{closest(label, classes)}."
        )
    wanted = answer if label is None else label
    if wanted not in classes:  # an abstention
        wanted = classes[int(np.argmax(_scores(model, case)[0]))]
    return _of_class(model, classes, wanted)


def _of_class(model: Any, classes: list[Any], label: Any) -> Saying:
    place = classes.index(label)
    if hasattr(model, "predict_proba"):
        return Saying(model, "probability", label, lambda X: np.asarray(model.predict_proba(X))[:, place])
    if not hasattr(model, "decision_function") or len(classes) < 2:
        return Saying(model, "agreement", label, lambda X: _agreement(model, X, label))

    def lead(X: Any) -> np.ndarray:
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        if scores.ndim == 1:
            return scores if place == 1 else -scores
        if scores.shape[1] != len(classes):
            return _agreement(model, X, label)
        return scores[:, place] - np.delete(scores, place, axis=1).max(axis=1)

    return Saying(model, "score", label, lead)


def _scores(model: Any, X: Any) -> np.ndarray:
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X))
    found = np.asarray(model.decision_function(X))
    return np.column_stack([-found, found]) if found.ndim == 1 else found


def _agreement(model: Any, X: Any, answer: Any) -> np.ndarray:
    """The share of the answers to a row that are as ``answer``."""
    if isinstance(answer, tuple):
        return np.array([np.mean([a == b for a, b in zip(plain_label(row), answer)]) for row in model.predict(X)])
    return np.array([float(plain_label(row) == answer) for row in model.predict(X)])
