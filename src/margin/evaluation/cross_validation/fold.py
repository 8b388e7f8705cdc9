"""One fold: clone the whole model, fit it on the training part, ask it about the test part, score the answers.

Models are known by scikit-learn's contract alone: ``fit``, ``predict``, perhaps ``predict_proba``, and ``clone``. The
whole model is cloned and fitted inside each fold, so whatever it learns of its inputs it learns from training rows.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from margin.data.labels import label_array
from margin.data.predictions import Predictions
from margin.data.rows import take_rows
from margin.data.weights import check_weights
from margin.errors import InputError
from margin.evaluation.cross_validation.result import FoldDone
from margin.evaluation.metrics.definitions import Metric
from margin.evaluation.predictions.answers import Answers, aligned_probabilities, predicted_codes
from margin.evaluation.predictions.from_model import answers_beside, classes_of, model_name, predict_all
from margin.evaluation.scoring.of_cases import usable_metrics
from margin.parallel import side_by_side

__all__ = ["Outcome", "Part", "Work", "left_out", "run_fold", "run_folds"]


@dataclass(frozen=True)
class Work:
    """What every fold needs: the model to clone and the data, checked once."""

    model: Any
    X: Any
    labels: np.ndarray
    classes: np.ndarray
    codes: np.ndarray
    weight: np.ndarray | None
    metrics: tuple[Metric, ...]
    turned_from_table: bool = False
    found_usable: dict[Any, tuple[list[Metric], list[str]]] = field(default_factory=dict, repr=False, compare=False)

    def usable(self, answers: Answers) -> tuple[list[Metric], list[str]]:
        """The metrics that such answers allow, found out once, and a sentence about each that they do not."""
        given = answers.probabilities is not None, answers.scores is not None
        if given not in self.found_usable:
            self.found_usable[given] = usable_metrics(self.metrics, answers, model_name(self.model))
        return self.found_usable[given]


@dataclass(frozen=True)
class Part:
    """The rows of one fold, and what it is for.

    ``beside`` are rows that the same model is also asked about without their counting in the fold's scores; ``role`` is
    empty for a fold that is judged and else says what its answers are: ``"training data"``, ``"validation"``.
    """

    train: np.ndarray
    test: np.ndarray
    beside: np.ndarray | None = None
    role: str = ""


@dataclass(frozen=True)
class Outcome:
    """What a fold gave: the event for the caller, and its answers or the error."""

    event: FoldDone
    part: Part
    answers: Answers | None = None
    beside: Answers | None = None
    error: Exception | None = None


def run_fold(work: Work, number: int, of: int, part: Part) -> Outcome:
    """Fit and ask; whatever the model raises becomes part of the outcome."""
    from sklearn.base import clone

    sizes = number, of, len(part.train), len(part.test)
    try:
        weight = {} if work.weight is None else {"sample_weight": work.weight[part.train]}
        model = clone(work.model)
        X_train, y_train = take_rows(work.X, part.train), work.labels[part.train]
        start = perf_counter()
        model.fit(X_train, y_train, **weight)
        fitted = perf_counter()
        answers, seconds = _answers(work, model, part.test, y_train)
        beside = None if part.beside is None else _answers(work, model, part.beside, y_train)[0]
        event = FoldDone(*sizes, _values(work, answers), fitted - start, seconds)
    except Exception as error:  # whatever a model may raise is reported beside the other folds, never hidden
        return Outcome(FoldDone(*sizes, error=f"{type(error).__name__}: {error}"), part, error=error)
    return Outcome(event, part, answers, beside)


def _answers(work: Work, model: Any, rows: np.ndarray, learnt_from: np.ndarray) -> tuple[Answers, float]:
    given = predict_all(model, take_rows(work.X, rows))
    weight = None if work.weight is None else check_weights(work.weight[rows], len(rows), "test part")
    columns, name = classes_of(model, learnt_from), type(model).__name__
    return answers_beside(given, columns, work.classes, work.codes[rows], weight, name), given.seconds


def _values(work: Work, answers: Answers) -> dict[str, float]:
    return {each.name: each.value(answers) for each in work.usable(answers)[0]}


def left_out(work: Work) -> Outcome | None:
    """Leave-one-out in one go, for models that know what they would answer to each row had they not learnt from it.

    Such a model has ``left_out_answers(X, y, sample_weight=None)``. It gives :class:`Predictions` with a column for
    each class in ascending order; or None where only fitting anew is exact. An error there becomes an outcome that says
    so; the rows are then fitted anew.
    """
    if not hasattr(work.model, "left_out_answers"):
        return None
    from sklearn.base import clone

    n, start = len(work.labels), perf_counter()
    rows = np.arange(n)
    try:
        given = clone(work.model).left_out_answers(work.X, work.labels, sample_weight=work.weight)
        if given is None:
            return None
        answers = _left_out_answers(work, given)
        event = FoldDone(1, 1, n - 1, n, _values(work, answers), perf_counter() - start, 0.0)
    except Exception as error:  # fitting anew tells what is wrong with which row, or manages without
        return Outcome(
            FoldDone(1, 1, n - 1, n, error=f"{type(error).__name__}: {error}"), Part(rows, rows), error=error
        )
    return Outcome(event, Part(rows, rows), answers)


def _left_out_answers(work: Work, given: Predictions) -> Answers:
    who = f"{type(work.model).__name__}.left_out_answers"
    predicted, probabilities = predicted_codes(label_array(given.labels, who), work.classes, who), given.probabilities
    shape = len(work.labels), len(work.classes)
    for what, part in (("labels", predicted[:, None]), ("probabilities", probabilities), ("scores", given.scores)):
        wanted = (shape[0], 1) if what == "labels" else shape
        if part is not None and np.shape(part) != wanted:
            raise InputError(f"{who}: {what} must be of the shape {wanted}, not {np.shape(part)}.")
    if probabilities is not None:
        probabilities = aligned_probabilities(probabilities, work.classes, work.classes, who)
    return Answers(work.classes, work.codes, predicted, probabilities, work.weight, given.scores)


def run_folds(work: Work, parts: Iterable[Part], of: int, n_jobs: int, workers: str) -> Generator[Outcome]:
    """The outcomes in order, as they come; closing the iterator calls off what has not begun.

    Parts are made as they are needed: all those of leave-one-out at once would fill the memory.
    """
    tasks = (partial(run_fold, work, number, of, part) for number, part in enumerate(parts, 1))
    return side_by_side(tasks, of, n_jobs, workers)
