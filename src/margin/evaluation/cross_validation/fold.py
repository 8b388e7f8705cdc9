"""One fold: clone the whole model, fit it on the training part, predict the test part, score the predictions. Then
all folds put together: outcomes are added up as they come and not kept.

Evaluations and searches run the same folds; a search changes the setting of the model. Models are known by
scikit-learn's contract alone: ``fit``, ``predict``, perhaps ``predict_proba``, and ``clone``. The whole model is cloned
and fitted inside each fold, so whatever it learns of its inputs it learns from training rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from margin.data.labels import label_array
from margin.data.predictions import Predictions
from margin.data.rows import count_rows, take_rows
from margin.data.splits import Part
from margin.data.weights import check_weights, group_arguments, weight_arguments
from margin.errors import InputError, MarginError, ParameterError
from margin.evaluation.cross_validation.out_of_fold import OutOfFold
from margin.evaluation.cross_validation.result import Evaluation, FoldDone
from margin.evaluation.intervals.interval import Score
from margin.evaluation.intervals.resamples import Draws
from margin.evaluation.metrics.definitions import Metric
from margin.evaluation.predictions.answers import Answers, aligned_probabilities, predicted_codes
from margin.evaluation.predictions.from_model import answers_beside, classes_of, is_pairwise, model_name, predict_all
from margin.evaluation.predictions.positive_class import positive_code
from margin.evaluation.protocols.bootstrap import Bootstrap
from margin.evaluation.protocols.stratified import SplitProtocol
from margin.evaluation.scoring.bootstrap_632 import Replicates
from margin.evaluation.scoring.of_cases import score_cases, usable_metrics
from margin.evaluation.scoring.over_folds import score_over_folds
from margin.typing import ClassifierLike

__all__ = ["Collector", "Fold", "FoldTask", "Outcome", "check_model", "one_go_method", "run_fold", "run_left_out"]

Setting = Mapping[str, Any]
#: Training rows that the folds of an evaluation may list in all.
MOST_LISTED = 10_000_000


def check_model(model: ClassifierLike, caller: str) -> None:
    """Refuse what is no classifier."""
    if isinstance(model, type) or not all(hasattr(model, needed) for needed in ("fit", "predict", "get_params")):
        hint = f" (give an instance: {model.__name__}())" if isinstance(model, type) else ""
        raise ParameterError(
            f"{caller}(model={model!r}): the model must be a classifier with fit, predict and get_params{hint}."
        )


@dataclass(frozen=True)
class Fold:
    """The rows of one fold, and what it is for.

    ``beside`` are rows that the same model also predicts without their counting in the fold's scores; ``role`` is empty
    for a fold that is judged and else says what its answers are: ``"training data"``, ``"validation"``.
    """

    train: Part
    test: Part
    beside: Part | None = None
    role: str = ""


@dataclass(frozen=True)
class FoldTask:
    """What every fold needs: the model to clone, the data and what is measured, checked once.

    ``caller`` is who errors speak of. A metric that the model's predictions do not allow is left out, or with
    ``every_metric`` refused: where one number decides, there is nothing to go on with. ``wrapped`` puts a configured
    model behind whatever it needs, as an encoder of tables. ``about`` is the place of the positive class where
    one was named. ``groups`` go to models that cut folds of their own, and what ``note`` gives of each fitted model is
    kept beside its fold. ``own_test`` are the inputs of a test part of its own, whose rows are counted behind those of
    ``X``.
    """

    model: Any
    X: Any
    labels: np.ndarray
    classes: np.ndarray
    codes: np.ndarray
    metrics: tuple[Metric, ...]
    weight: np.ndarray | None = None
    caller: str = "evaluate"
    every_metric: bool = False
    wrapped: Callable[[Any], Any] | None = None
    encoded_from_table: bool = False
    about: int | None = None
    groups: np.ndarray | None = None
    note: Callable[[Any], Any] | None = None
    own_test: Any = None
    _usable: dict[Any, tuple[list[Metric], list[str]]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Once and by all rows: the rarer class of a fold may be another one.
        bound = tuple(each.bound(self.classes, self.positive) for each in self.metrics)
        object.__setattr__(self, "metrics", bound)

    @cached_property
    def positive(self) -> int | None:
        """The place of the positive class: the one asked for, or that of two."""
        if self.about is not None:
            return self.about
        return positive_code(self.classes, np.bincount(self.codes, self.weight, len(self.classes)))

    def configured(self, setting: Setting | None = None) -> Any:
        """An unfitted clone of the model, with a setting."""
        from sklearn.base import clone

        model = clone(self.model)
        if setting:
            # Parameters may be models themselves: every fold gets its own.
            model.set_params(**{name: clone(value, safe=False) for name, value in setting.items()})
        return model if self.wrapped is None else self.wrapped(model)

    def rows_for(self, model: ClassifierLike, part: Part, train: Part) -> Any:
        """Some rows; of a matrix of kernel values only their columns with the rows that were learnt from."""
        own = self.own_test is not None and part is not train
        rows = take_rows(self.own_test, part.rows - count_rows(self.X)) if own else take_rows(self.X, part.rows)
        return rows[:, train.rows] if isinstance(self.X, np.ndarray) and is_pairwise(model) else rows

    def fitted(self, train: Part, setting: Setting | None = None) -> tuple[Any, float]:
        """The model with a setting, fitted to some rows, and the seconds that took."""
        model = self.configured(setting)
        weights = {} if train.weight is None else weight_arguments(model, train.weight)
        if weights is None:
            last = type(model.steps[-1][1] if getattr(model, "steps", None) else model).__name__
            raise ParameterError(
                f"{self.caller}.fit(sample_weight=…): {last}.fit takes no weights, "
                "so it cannot be chosen by weighted rows."
            )
        weights |= group_arguments(model, None if self.groups is None else self.groups[train.rows])
        X, y = self.rows_for(model, train, train), self.labels[train.rows]
        start = perf_counter()
        model.fit(X, y, **weights)
        return model, perf_counter() - start

    evaluation_type: ClassVar[type[Evaluation]] = Evaluation
    #: What answers hold beside labels, to be averaged over repeats.
    strengths: ClassVar[tuple[str, ...]] = ("probabilities", "scores")

    def columns(self, model: ClassifierLike, train: Part) -> Any:
        """What the columns of a fitted model's probabilities stand for."""
        return classes_of(model, self.labels[train.rows])

    def together(self, predicted: np.ndarray, means: dict[str, np.ndarray | None]) -> Answers:
        """The answers to all rows, out of what was predicted and how strongly."""
        return Answers(self.classes, self.codes, predicted, means["probabilities"], self.weight, means["scores"])

    def usable(self, answers: Answers) -> tuple[list[Metric], list[str]]:
        """The metrics that such answers allow, found out once, and a sentence about each that they do not."""
        given = answers.probabilities is not None, answers.scores is not None
        if given not in self._usable:
            self._usable[given] = usable_metrics(self.metrics, answers, model_name(self.model))
        return self._usable[given]

    def scores(self, answers: Answers) -> dict[str, float]:
        """Each metric that some answers allow."""
        usable, _ = self.usable(answers)
        if self.every_metric and len(usable) < len(self.metrics):
            lacking = next(each for each in self.metrics if each not in usable)
            raise ParameterError(
                f"{self.caller}: {lacking.name} needs {lacking.needs}, and {type(self.model).__name__} gives none "
                "(choose a metric on labels, as 'accuracy')."
            )
        return {each.name: each.value(answers) for each in usable}

    def answers(self, given: Predictions, columns: np.ndarray, part: Part, name: str) -> Answers:
        """Predictions for some rows beside the truth; ``columns`` are the classes of the model, ``name`` is its own."""
        weight = None if part.weight is None else check_weights(part.weight, len(part), "test part")
        return answers_beside(given, columns, self.classes, self.codes[part.rows], weight, name)


@dataclass(frozen=True)
class Outcome:
    """What a fold gave: answers and scores on its test part (and on what stands beside it), or the error."""

    fold: Fold
    answers: Answers | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    beside: Answers | None = None
    beside_scores: Mapping[str, float] = field(default_factory=dict)
    fit_seconds: float = float("nan")
    predict_seconds: float = float("nan")
    error: Exception | None = None
    note: Any = None

    def event(self, number: int, of: int) -> FoldDone:
        """The same for people who follow the evaluation, without the answers."""
        sizes = number, of, len(self.fold.train), len(self.fold.test)
        rows: dict[str, Any] = {"test_rows": self.fold.test.rows, "train_rows": self.fold.train.rows}
        if self.error is not None:
            return FoldDone(*sizes, error=f"{type(self.error).__name__}: {self.error}", **rows)
        return FoldDone(*sizes, self.scores, self.fit_seconds, self.predict_seconds, **rows, note=self.note)


def run_fold(task: FoldTask, fold: Fold, setting: Setting | None = None) -> Outcome:
    """Fit, predict and score; whatever the model raises becomes part of the outcome."""
    try:
        model, fit_seconds = task.fitted(fold.train, setting)
        columns, name = task.columns(model, fold.train), type(model).__name__
        parts = [fold.test] if fold.beside is None else [fold.test, fold.beside]
        given = [predict_all(model, task.rows_for(model, part, fold.train)) for part in parts]
        answers = [task.answers(each, columns, part, name) for each, part in zip(given, parts)]
        scores = [task.scores(each) for each in answers]
        note = None if task.note is None else task.note(model)
    except Exception as error:  # whatever a model may raise is reported beside the other folds, never hidden
        return Outcome(fold, error=error)
    if fold.beside is None:
        return Outcome(fold, answers[0], scores[0], None, {}, fit_seconds, given[0].seconds, note=note)
    return Outcome(fold, answers[0], scores[0], answers[1], scores[1], fit_seconds, given[0].seconds, note=note)


def run_left_out(task: FoldTask) -> Outcome | None:
    """Leave-one-out in one go, for models that know what they would answer to each row had they not learnt from it.

    Such a model has ``left_out_answers(X, y, sample_weight=None)``. It gives :class:`Predictions` with a column for
    each class in ascending order; or None where only fitting anew is exact. An error there becomes an outcome that says
    so; the rows are then fitted anew. Bags and forests have ``out_of_bag_answers`` instead, which are exact but for
    chance.
    """
    name = one_go_method(task.model)
    if name is None or task.labels.ndim > 1 or task.note is not None:
        return None
    start, rows = perf_counter(), np.arange(len(task.labels))
    fold = Fold(Part(rows[1:]), Part(rows))  # each row is predicted from all but one
    try:
        given = getattr(task.configured(), name)(task.X, task.labels, sample_weight=task.weight)
        if given is None:
            return None
        answers = _one_go_answers(task, given, f"{type(task.model).__name__}.{name}")
        return Outcome(fold, answers, task.scores(answers), fit_seconds=perf_counter() - start, predict_seconds=0.0)
    except Exception as error:  # fitting anew tells what is wrong with which row, or manages without
        return Outcome(fold, error=error)


def one_go_method(model: object) -> str | None:
    """The method by which a model answers rows that it has not learnt from, all of them at once; None without one."""
    return next((name for name in ("left_out_answers", "out_of_bag_answers") if hasattr(model, name)), None)


def _one_go_answers(task: FoldTask, given: Predictions, who: str) -> Answers:
    predicted, probabilities = predicted_codes(label_array(given.labels, who), task.classes, who), given.probabilities
    shape = len(task.labels), len(task.classes)
    for what, part in (("labels", predicted[:, None]), ("probabilities", probabilities), ("scores", given.scores)):
        wanted = (shape[0], 1) if what == "labels" else shape
        if part is not None and np.shape(part) != wanted:
            raise InputError(f"{who}: {what} must be of the shape {wanted}, not {np.shape(part)}.")
    if probabilities is not None:
        probabilities = aligned_probabilities(probabilities, task.classes, task.classes, who)
    return Answers(task.classes, task.codes, predicted, probabilities, task.weight, given.scores)


class Collector:
    """Takes outcomes in order and gives the evaluation at the end."""

    def __init__(self, task: FoldTask, protocol: SplitProtocol, confidence: float) -> None:
        self._task, self._protocol, self._confidence = task, protocol, confidence
        self._folds: list[FoldDone] = []
        self._asides: list[FoldDone] = []
        self._beside: dict[str, Answers] = {}
        self._remarks: list[str] = []
        self._listed = 0
        self._first_error: Exception | None = None
        repeats = getattr(getattr(protocol, "inner", protocol), "repeats", 1) if protocol.judged_by == "folds" else 1
        self._out_of_fold = OutOfFold(task, repeats)
        self._replicates = Replicates(protocol, len(task.labels)) if isinstance(protocol, Bootstrap) else None

    def add(self, outcome: Outcome, event: FoldDone) -> None:
        """Count one more fold in."""
        self._listed += event.n_train
        if self._listed > MOST_LISTED:  # leave-one-out of many rows would list all of them for each
            event = replace(event, train_rows=None)
        (self._asides if outcome.fold.role else self._folds).append(event)
        self._first_error = self._first_error or outcome.error
        if outcome.fold.role and outcome.error is not None:
            self._raise(outcome.error, f"failed on the fold of the {outcome.fold.role}")
        if outcome.answers is None:
            return
        if outcome.fold.role:
            self._beside[outcome.fold.role] = outcome.answers
            return
        self._out_of_fold.add(outcome.fold.test.rows, outcome.answers)
        if outcome.beside is not None:
            self._beside["validation"] = outcome.beside
        if self._replicates is not None:
            self._replicates.add(outcome, self._task.usable(outcome.answers)[0])

    def remark(self, sentence: str) -> None:
        """Have a sentence stand beside the scores."""
        self._remarks.append(sentence)

    def evaluation(self, **known: Any) -> Evaluation:
        """Everything put together; raises the first error where no fold went well."""
        if self._first_error is not None and all(fold.failed for fold in self._folds):
            self._raise(self._first_error, f"failed in all {len(self._folds)} folds; this is the first error")
        rows, answers = self._out_of_fold.answers()
        usable, left_out = self._task.usable(answers)
        cautions = [self._protocol.caution] if self._protocol.caution else []
        cautions += self._remarks + left_out + [str(fold) for fold in self._folds if fold.failed]
        draws = Draws(answers)  # the same resamples for every metric
        return self._task.evaluation_type(
            model_name(self._task.model),
            self._protocol,
            tuple(usable),
            {each.name: self._score(each, answers, draws) for each in usable},
            tuple(self._folds),
            rows,
            answers,
            self._confidence,
            tuple(cautions),
            beside=self._scores_beside(usable),
            asides=tuple(self._asides),
            positive=None if self._task.positive is None else self._task.classes.tolist()[self._task.positive],
            repeated=self._out_of_fold.repeated,
            **known,
        )

    def _score(self, which: Metric, answers: Answers, draws: Draws) -> Score:
        if self._replicates is not None:
            return self._replicates.score(which, self._beside.get("training data"), self._confidence)
        if self._protocol.judged_by == "cases":
            return score_cases(which, answers, self._confidence, draws=draws)
        done = [fold for fold in self._folds if not fold.failed]
        test_to_train = float(np.mean([fold.n_test / fold.n_train for fold in done]))
        return score_over_folds(
            which,
            [fold.scores[which.name] for fold in done],
            test_to_train,
            draws,
            disjoint=self._out_of_fold.disjoint,
            confidence=self._confidence,
        )

    def _scores_beside(self, usable: list[Metric]) -> dict[str, dict[str, Score]]:
        beside = {
            role: {each.name: score_cases(each, answers, self._confidence) for each in usable}
            for role, answers in self._beside.items()
        }
        if self._replicates is not None:
            beside |= self._replicates.beside(usable, self._beside.get("training data"), self._confidence)
        return beside

    def _raise(self, error: Exception, what: str) -> None:
        name = model_name(self._task.model)
        if self._task.encoded_from_table and not isinstance(error, MarginError):
            last = type(self._task.model).__name__
            raise InputError(
                f"evaluate: {name} cannot take this table ({str(error).splitlines()[0]}); put margin.TableEncoder() "
                f"in front of it, as in make_pipeline(margin.TableEncoder(), {last}())."
            ) from error
        error.add_note(f"evaluate: {name} {what}.")
        raise error
