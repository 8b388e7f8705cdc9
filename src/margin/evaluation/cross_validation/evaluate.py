"""Evaluate a model: fit it anew on each training part, ask it about the test part, and score the answers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from time import perf_counter
from typing import Any, Literal, TextIO

import numpy as np

from margin.data import Table
from margin.data.labels import codes_of, distinct, label_array, position_of, refuse_missing
from margin.data.rows import count_rows, ready_for, without_column
from margin.data.splits import Part
from margin.data.weights import check_weights, weight_arguments
from margin.errors import InputError, ParameterError
from margin.evaluation.cross_validation.fold import (
    Collector,
    Fold,
    FoldTask,
    Outcome,
    check_model,
    run_fold,
    run_left_out,
)
from margin.evaluation.cross_validation.result import Evaluation, FoldDone
from margin.evaluation.metrics.definitions import Metric
from margin.evaluation.predictions.from_model import model_name
from margin.evaluation.protocols.bootstrap import Bootstrap
from margin.evaluation.protocols.named import bound_protocol
from margin.evaluation.protocols.stratified import LeaveOneOut, SplitProtocol
from margin.evaluation.protocols.unstratified import TrainValidationTest
from margin.evaluation.scoring.of_cases import check_metrics
from margin.parallel import side_by_side
from margin.typing import ClassifierLike, LabelsLike, TableLike, WeightsLike

__all__ = ["evaluate", "evaluate_steps"]

DEFAULT_METRICS = ("accuracy", "f1", "log_loss")
Workers = Literal["threads", "processes"]


def evaluate(
    model: ClassifierLike,
    X: TableLike,
    y: LabelsLike,
    protocol: Any = None,
    *,
    metrics: Iterable[str | Metric] = DEFAULT_METRICS,
    sample_weight: WeightsLike | None = None,
    groups: LabelsLike | None = None,
    n_jobs: int = 1,
    workers: Workers = "threads",
    confidence: float = 0.95,
    refit: bool = False,
    positive: Any = None,
    progress: bool | Callable[[FoldDone], Any] = False,
) -> Evaluation:
    """How well a model does on rows it has not learnt from, with how sure that is.

    Parameters
    ----------
    model
        Any classifier with scikit-learn's contract; it is cloned and stays as it is.
    X
        Inputs: array, sparse matrix, data frame of any make, or ``margin.data.Table``.
    y
        One label per row, or the name of a column where X is a table or a data frame.
    protocol
        How rows are split: a protocol as ``HoldOut()`` or ``Bootstrap()``, a name from ``PROTOCOLS`` as ``"10x10"`` or
        ``"loo"``, a number of stratified folds, a splitter of scikit-learn, or pairs of (training rows, test rows). Ten
        stratified folds without it (as many folds as rows where there are fewer than ten).
    metrics
        Names from ``METRICS`` or metrics with options, as ``metric("f1", positive="bad")``.
    sample_weight
        Weight of each row, in fitting and in scoring.
    groups
        The group of each row, none of which may stand on both sides; or the name of their column, which is then no
        input. Makes folds by group of a number of folds, and goes to ``GroupFolds()`` and scikit-learn's splitters.
    n_jobs
        Folds fitted at once; -1 for as many as there are processors. Results do not depend on it. Folds side by side
        share the threads of margin's own kernels.
    workers
        ``"threads"`` for models that leave the interpreter free, as margin's do; ``"processes"`` for others.
    confidence
        Of the intervals.
    refit
        Whether the model is fitted once more on all rows at the end, as ``final_model`` of the result. The scores are
        those of models that learnt from fewer rows: on the safe side for it.
    positive
        The class that precision, recall, F1 and their kin are about. Without it, of two classes the one that says yes
        (True, 1, "yes", …), else the rarer one; with more classes they are averaged (as ``metric("f1",
        average="macro")`` is of two). Scores say which it was.
    progress
        ``True`` shows a line on standard error that counts folds; a function is called with each ``FoldDone``.

    Returns
    -------
    Evaluation
        Intervals are exact (or bootstrap) over cases for a hold-out and for leave-one-out, corrected resampled t over
        folds, and Efron's over bootstrap replicates. A fold that fails is reported in ``warnings`` and left out of the
        scores; where all fail, the first error is raised.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> result = evaluate(GaussianNB(), X, y, 5, refit=True)
    >>> round(result.scores["accuracy"].value, 2)
    0.95
    >>> result.final_model.predict(X[:1]).tolist()
    [0]
    """
    plan = Plan(protocol, metrics, sample_weight, groups, n_jobs, workers, confidence, refit, positive)
    steps = plan.steps(model, X, y)
    with _reporter(progress, model_name(model)) as report:
        for step in steps:
            if isinstance(step, Evaluation):
                return step
            report(step)
    raise AssertionError("the last step is the evaluation")


def evaluate_steps(
    model: ClassifierLike, X: TableLike, y: LabelsLike, protocol: Any = None, **plan: Any
) -> Iterator[FoldDone | Evaluation]:
    """``evaluate`` fold by fold: yields a ``FoldDone`` after each fold and the ``Evaluation`` at the end.

    Takes what ``evaluate`` takes, but for ``progress``. What is asked for is checked before the first fold. Closing the
    generator stops the evaluation.

    >>> from sklearn.dummy import DummyClassifier
    >>> for step in evaluate_steps(DummyClassifier(), [[0], [1], [2], [3]], list("aaab"), 2):
    ...     print(type(step).__name__)
    FoldDone
    FoldDone
    Evaluation
    """
    return Plan(protocol, **plan).steps(model, X, y)


@dataclass(frozen=True)
class Plan:
    """How to evaluate, whatever the model and the data are; what it cannot mean is refused when it is made."""

    protocol: Any = None
    metrics: Any = DEFAULT_METRICS
    sample_weight: Any = None
    groups: Any = None
    n_jobs: int = 1
    workers: Workers = "threads"
    confidence: float = 0.95
    refit: bool = False
    positive: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "metrics", check_metrics(self.metrics, "evaluate"))
        _check_settings(self.confidence, self.n_jobs, self.workers)

    def steps(self, model: ClassifierLike, X: TableLike, y: LabelsLike) -> Iterator[FoldDone | Evaluation]:
        """Check and split the data now; then fold by fold, and the evaluation at the end."""
        X, labels = _checked(model, X, y)
        protocol, X = bound_protocol(self.protocol, X, len(labels), self.groups)
        task = _task(model, X, labels, self)
        folds = _folds(protocol, task)
        first = next(folds)  # now, so that data that cannot be split are refused before anything is fitted
        return self._run(task, protocol, chain([first], folds))

    def _run(self, task: FoldTask, protocol: SplitProtocol, folds: Iterable[Fold]) -> Iterator[FoldDone | Evaluation]:
        start, collector = perf_counter(), Collector(task, protocol, self.confidence)
        at_once = run_left_out(task) if isinstance(protocol, LeaveOneOut) else None
        if at_once is not None and at_once.error is not None:
            failed = at_once.event(1, 1).error
            collector.remark(f"{type(task.model).__name__}.left_out_answers failed ({failed}); fitted anew.")
            at_once = None
        # Folds are made as they are needed: all those of leave-one-out at once would fill the memory.
        tasks = (partial(run_fold, task, fold) for fold in folds)
        of = (protocol.n_fits or len(task.labels)) if at_once is None else 1
        running = side_by_side(tasks, of, self.n_jobs, self.workers) if at_once is None else _one(at_once)
        with closing(running):
            for number, outcome in enumerate(running, 1):
                event = outcome.event(number, of)
                collector.add(outcome, event)
                yield event
        result = collector.evaluation(estimator=task.model)
        if self.refit:
            result = replace(result, final=result.fit_final(task.X, task.labels, sample_weight=task.weight))
        yield replace(result, seconds=perf_counter() - start)


def _one(outcome: Outcome) -> Generator[Outcome]:
    yield outcome


def _check_settings(confidence: float, n_jobs: int | None, workers: Any) -> None:
    if not 0 < confidence < 1:
        raise ParameterError(f"evaluate(confidence={confidence!r}): confidence must lie between 0 and 1, as 0.95.")
    if not isinstance(n_jobs, int) or n_jobs == 0:
        raise ParameterError(f"evaluate(n_jobs={n_jobs!r}): n_jobs must be a whole number, 1 or more, or -1 for all.")
    if workers not in ("threads", "processes"):
        raise ParameterError(f"evaluate(workers={workers!r}): workers must be one of 'threads', 'processes'.")


def _checked(model: ClassifierLike, X: TableLike, y: LabelsLike) -> tuple[Any, np.ndarray]:
    check_model(model, "evaluate")
    if isinstance(y, str):
        y, X = without_column(X, y, "evaluate(y=…)")
    labels = label_array(y, "evaluate(y=…)")
    refuse_missing(labels, "evaluate(y=…)")
    if count_rows(X) != len(labels):
        raise InputError(f"evaluate: X has {count_rows(X)} rows, but y has {len(labels)} labels.")
    return X, labels


def _task(model: ClassifierLike, X: TableLike, labels: np.ndarray, plan: Plan) -> FoldTask:
    from sklearn.base import clone

    was_table, X = isinstance(X, Table), ready_for(model, X)
    weight = check_weights(plan.sample_weight, len(labels), "evaluate")
    if weight is not None and weight_arguments(model, weight) is None:
        raise ParameterError(f"evaluate(sample_weight=…): {model_name(model)}.fit takes no sample_weight.")
    classes = distinct(labels, "evaluate(y=…)")
    encoded = was_table and not isinstance(X, Table)
    codes = codes_of(labels, classes)
    about = None if plan.positive is None else position_of(plan.positive, classes, "evaluate(positive=…)")
    return FoldTask(
        clone(model), X, labels, classes, codes, plan.metrics, weight, encoded_from_table=encoded, about=about
    )


def _folds(protocol: SplitProtocol, task: FoldTask) -> Iterator[Fold]:
    """The folds of a protocol, with those whose answers stand beside the ones that are judged."""
    labels, weight = task.labels, task.weight

    def part(rows: np.ndarray) -> Part:
        return Part(rows, None if weight is None else weight[rows])

    if isinstance(protocol, TrainValidationTest):
        train, validation, test = protocol.parts(labels)
        if not protocol.refit:
            yield Fold(part(train), part(test), beside=part(validation))
            return
        yield Fold(part(train), part(validation), role="validation")
        yield Fold(part(np.sort(np.concatenate([train, validation]))), part(test))
        return
    folds = (Fold(part(train), part(test)) for train, test in protocol.split(labels))
    first = next(folds)
    if isinstance(protocol, Bootstrap) and protocol.asks_training_data:
        everything = part(np.arange(len(labels)))
        yield Fold(everything, everything, role="training data")
    yield first
    yield from folds


#: Seconds between two changes of the line: leave-one-out would otherwise write more than it computes.
_PAUSE = 0.1


@contextmanager
def _reporter(progress: Any, name: str) -> Iterator[Callable[[FoldDone], Any]]:
    """What to tell of each fold: nothing, a line that is written over, or what the caller gave."""
    if callable(progress):
        yield progress
        return
    if not isinstance(progress, bool):
        raise ParameterError(f"evaluate(progress={progress!r}): progress must be True, False or a function.")
    if not progress:
        yield lambda fold: None
        return
    line = _Line(name, sys.stderr)
    try:
        yield line
    finally:
        line.end()


class _Line:
    def __init__(self, name: str, out: TextIO) -> None:
        self._name, self._out, self._start = name, out, perf_counter()
        self._last, self._width, self._failed = -_PAUSE, 0, 0

    def __call__(self, fold: FoldDone) -> None:
        now = perf_counter() - self._start
        self._failed += fold.failed
        if now - self._last < _PAUSE and fold.number < fold.of:
            return
        self._last = now
        failed = f", {self._failed} failed" if self._failed else ""
        rest = now / fold.number * (fold.of - fold.number)
        text = f"{self._name}: fold {fold.number} of {fold.of}{failed}, {now:.1f} s, {rest:.1f} s to go"
        self._out.write("\r" + text.ljust(self._width))
        self._out.flush()
        self._width = len(text)

    def end(self) -> None:
        if self._width:
            self._out.write("\n")
            self._out.flush()
