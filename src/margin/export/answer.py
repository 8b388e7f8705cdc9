"""What a model answers, as values of a graph, and how each kind of model says it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from margin.errors import ExportError
from margin.export.columns import RawRows

__all__ = ["Answer", "answer"]


@dataclass(frozen=True)
class Answer:
    """Values of a graph: the place of the answered class in ``classes_``, or the number that is answered.

    ``probabilities`` is a matrix with a column for each class, ``scores`` what ``decision_function`` gives, of two
    classes one column; ``log_probabilities`` are those of a model that knows them where probabilities vanish.
    ``abstained`` says which rows get no answer, and ``more_labels`` are answers behind the last class. A transformer
    gives a ``matrix`` of doubles or ``codes`` of int64, of ``n_columns``; the ``value`` of several outputs has as many.
    """

    winner: str | None = None
    probabilities: str | None = None
    scores: str | None = None
    value: str | None = None
    abstained: str | None = None
    log_probabilities: str | None = None
    more_labels: tuple[Any, ...] = ()
    matrix: str | None = None
    codes: str | None = None
    n_columns: int = 0


@singledispatch
def answer(model: Any, rows: RawRows) -> Answer:
    """What a fitted model answers to rows, written into their graph. A new model registers its own way."""
    raise ExportError(
        f"to_onnx({type(model).__name__}): there is no way to say this model in ONNX operators "
        "(save it with margin.save instead)."
    )
