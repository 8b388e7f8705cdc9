"""Evaluate a model: fit it anew on each training part, ask it about the test part, and score the answers."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from time import perf_counter
from typing import Any, ClassVar, Literal

import numpy as np

from margin.data import Table
from margin.data.label_sets import are_label_sets
from margin.data.labels import label_array, position_of
from margin.data.rows import ready_for
from margin.data.splits import Part
from margin.data.weights import check_weights, weight_arguments
from margin.errors import ParameterError, closest
from margin.evaluation.cross_validation.fold import (
    Collector,
    Fold,
    FoldTask,
    Outcome,
    check_model,
    one_go_method,
    run_fold,
    run_left_out,
)
from margin.evaluation.cross_validation.label_fold import DEFAULT_LABEL_METRICS, LabelFoldTask, label_metrics
from margin.evaluation.cross_validation.progress_line import reporter
from margin.evaluation.cross_validation.result import Evaluation, FoldDone
from margin.evaluation.metrics.definitions import METRICS, Metric
from margin.evaluation.metrics.multilabel import MULTILABEL_METRICS, MultilabelMetric
from margin.evaluation.predictions.from_model import model_name
from margin.evaluation.predictions.label_sets import LabelSets
from margin.evaluation.predictions.targets import (
    Targets,
    joined_targets,
    read_targets,
    sets_as_targets,
)
from margin.evaluation.protocols.bootstrap import Bootstrap
from margin.evaluation.protocols.given import OwnTest
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
    metrics: Iterable[str | Metric] | None = None,
    sample_weight: WeightsLike | None = None,
    groups: LabelsLike | None = None,
    n_jobs: int = 1,
    workers: Workers = "threads",
    confidence: float = 0.95,
    refit: bool = False,
    positive: Any = None,
    test: Any = None,
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
        One label per row, or the name of a column where X is a table or a data frame. Several labels a row: an array,
        data frame or sparse matrix of 0 and 1 with a column for each, a list of sets of labels, or names of columns.
        Models are then given an array of 0 and 1 to learn from, and the result is a ``MultilabelEvaluation``.
    protocol
        How rows are split: a protocol as ``HoldOut()`` or ``Bootstrap()``, a name from ``PROTOCOLS`` as ``"10x10"`` or
        ``"loo"``, a number of stratified folds, a splitter of scikit-learn, or pairs of (training rows, test rows). Ten
        stratified folds without it (as many folds as rows where there are fewer than ten).
    metrics
        Names from ``METRICS`` or metrics with options, as ``metric("f1", positive="bad")``; accuracy, F1 and log loss
        without it. Of several labels a row names from ``MULTILABEL_METRICS``; subset accuracy, Hamming loss and F1
        (micro and macro) without it.
    sample_weight
        Weight of each row, in fitting and in scoring.
    groups
        The group of each row, none of which may stand on both sides; or the name of their column, which is then no
        input. Makes folds by group of a number of folds, and goes to ``GroupFolds()`` and scikit-learn's splitters. A
        search that is evaluated cuts its own folds by the same groups.
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
    test
        A test part of its own, ``(X_test, y_test)`` or ``(X_test, y_test, weights)``, in place of a protocol: the model
        learns from all of X and y. Where y is the name of a column, a table that has it too.
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
    plan = Plan(protocol, metrics, sample_weight, groups, n_jobs, workers, confidence, refit, positive, test=test)
    return plan.evaluation(model, X, y, progress)


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
    metrics: Any = None
    sample_weight: Any = None
    groups: Any = None
    n_jobs: int = 1
    workers: Workers = "threads"
    confidence: float = 0.95
    refit: bool = False
    positive: Any = None
    test: Any = None

    #: What is to be kept of each fitted model beside its fold; for those who plan more than an evaluation.
    note: ClassVar[Any] = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "metrics", _known_metrics(self.metrics))
        _check_settings(self.confidence, self.n_jobs, self.workers)

    def steps(self, model: ClassifierLike, X: TableLike, y: LabelsLike) -> Iterator[FoldDone | Evaluation]:
        """Check and split the data now; then fold by fold, and the evaluation at the end."""
        check_model(model, "evaluate")
        name = y if isinstance(y, str) else None
        X, targets = read_targets(X, y, "evaluate")
        if self.test is not None:
            own = OwnPart.of(self, name, targets)
            protocol: Any = OwnTest(len(targets), len(own.targets))
            task = _task(model, X, joined_targets(targets, own.targets), own.plan, protocol)
            task = replace(task, own_test=ready_for(model, own.X))
        else:
            protocol, X = bound_protocol(self.protocol, X, len(targets), self.groups)
            task = _task(model, X, targets, self, protocol)
        folds = _folds(protocol, task)
        first = next(folds)  # now, so that data that cannot be split are refused before anything is fitted
        return self._run(task, protocol, chain([first], folds))

    def evaluation(self, model: ClassifierLike, X: TableLike, y: LabelsLike, progress: Any = False) -> Evaluation:
        """The evaluation, with word of each fold on the way."""
        steps = self.steps(model, X, y)
        with reporter(progress, model_name(model)) as report:
            for step in steps:
                if isinstance(step, Evaluation):
                    return step
                report(step)
        raise AssertionError("the last step is the evaluation")

    def _run(self, task: FoldTask, protocol: SplitProtocol, folds: Iterable[Fold]) -> Iterator[FoldDone | Evaluation]:
        start, collector = perf_counter(), Collector(task, protocol, self.confidence)
        if remark := _ungrouped(task):
            collector.remark(remark)
        at_once = run_left_out(task) if isinstance(protocol, LeaveOneOut) else None
        if at_once is not None and at_once.error is not None:
            failed = at_once.event(1, 1).error
            method = f"{type(task.model).__name__}.{one_go_method(task.model)}"
            collector.remark(f"{method} failed ({failed}); fitted anew.")
            at_once = None
        if at_once is not None and one_go_method(task.model) == "out_of_bag_answers":
            collector.remark(
                "Rows were left out as members left them out (out of bag): each was answered by about n_estimators "
                "members that did not draw it, and nothing was fitted anew."
            )
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
        n = protocol.n_train if isinstance(protocol, OwnTest) else len(task.labels)
        if n < len(task.labels):  # rows of the test part are counted from 0
            told = tuple(replace(each, test_rows=_of_test(each, n)) for each in result.folds)
            result = replace(result, rows=result.rows - n, folds=told)
        if self.refit:
            weight = None if task.weight is None else task.weight[:n]
            result = replace(result, final=result.fit_final(task.X, task.labels[:n], sample_weight=weight))
        yield replace(result, seconds=perf_counter() - start)


def _of_test(fold: FoldDone, n: int) -> np.ndarray | None:
    return None if fold.test_rows is None else fold.test_rows - n


@dataclass(frozen=True)
class OwnPart:
    """A test part of its own, and the plan with weights for its rows too."""

    X: Any
    targets: Targets
    plan: Plan

    @classmethod
    def of(cls, plan: Plan, name: str | None, learnt: Targets) -> OwnPart:
        """What ``evaluate(test=…)`` was given, read as the rows to learn from were."""
        if plan.protocol is not None or plan.groups is not None:
            what = "protocol" if plan.protocol is not None else "groups"
            raise ParameterError(
                f"evaluate(test=…, {what}=…): a test part of its own needs no {what}; give one of them."
            )
        parts = plan.test if isinstance(plan.test, tuple) else (plan.test, name)
        if len(parts) not in (2, 3) or parts[1] is None:
            raise ParameterError("evaluate(test=…): the test part must be (X_test, y_test), or with weights a third.")
        X, y, *weights = parts
        if learnt.several and are_label_sets(y):
            X, targets = X, sets_as_targets(LabelSets.of(y, labels=learnt.classes, who="evaluate(test=…)"))
        else:
            X, targets = read_targets(X, y, "evaluate(test=…)")
        given = [plan.sample_weight, *(weights or [None])]
        if any(weight is not None for weight in given):
            sizes = len(learnt), len(targets)
            known = [check_weights(weight, n, "evaluate") for weight, n in zip(given, sizes)]
            both = [np.ones(n) if weight is None else weight for weight, n in zip(known, sizes)]
            plan = replace(plan, sample_weight=np.concatenate(both))
        return cls(X, targets, plan)


def _one(outcome: Outcome) -> Generator[Outcome]:
    yield outcome


def _check_settings(confidence: float, n_jobs: int | None, workers: Any) -> None:
    if not 0 < confidence < 1:
        raise ParameterError(f"evaluate(confidence={confidence!r}): confidence must lie between 0 and 1, as 0.95.")
    if not isinstance(n_jobs, int) or n_jobs == 0:
        raise ParameterError(f"evaluate(n_jobs={n_jobs!r}): n_jobs must be a whole number, 1 or more, or -1 for all.")
    if workers not in ("threads", "processes"):
        raise ParameterError(f"evaluate(workers={workers!r}): workers must be one of 'threads', 'processes'.")


def _known_metrics(metrics: Any) -> tuple[Any, ...] | None:
    """The metrics that were asked for, of one label a row or of several; which of them fit is found with the labels."""
    if metrics is None:
        return None
    given = (metrics,) if isinstance(metrics, (str, Metric, MultilabelMetric)) else metrics
    given = tuple(given) if isinstance(given, Iterable) else ()
    if not given:
        raise ParameterError(f"evaluate(metrics={metrics!r}): name at least one metric.")
    for name in given:
        if isinstance(name, str) and name not in METRICS and name not in MULTILABEL_METRICS:
            known = ", ".join(map(repr, METRICS))
            near = closest(name, [*METRICS, *MULTILABEL_METRICS])
            raise ParameterError(
                f"evaluate(metrics={name!r}): metric must be one of {known}{near}, or of several labels a row one of "
                "MULTILABEL_METRICS."
            )
    of_several = [each for each in given if isinstance(each, MultilabelMetric) or each in MULTILABEL_METRICS]
    check_metrics([each for each in given if each not in of_several] or ["accuracy"], "evaluate")
    return given


def _task(model: ClassifierLike, X: TableLike, targets: Targets, plan: Plan, protocol: SplitProtocol) -> FoldTask:
    from sklearn.base import clone

    was_table, X = isinstance(X, Table), ready_for(model, X)
    weight = check_weights(plan.sample_weight, len(targets), "evaluate")
    if weight is not None and weight_arguments(model, weight) is None:
        raise ParameterError(f"evaluate(sample_weight=…): {model_name(model)}.fit takes no sample_weight.")
    groups = getattr(protocol, "groups", None)
    known: dict[str, Any] = {
        "encoded_from_table": was_table and not isinstance(X, Table),
        "groups": None if groups is None else label_array(groups, "evaluate(groups=…)"),
        "note": plan.note,
    }
    given = clone(model), X, targets.labels, targets.classes, targets.codes
    if targets.several:
        if isinstance(protocol, Bootstrap) or plan.positive is not None:
            what = "protocol=Bootstrap()" if plan.positive is None else f"positive={plan.positive!r}"
            raise ParameterError(f"evaluate({what}): rows have several labels, for which there is none.")
        chosen: Any = label_metrics(DEFAULT_LABEL_METRICS if plan.metrics is None else plan.metrics, "evaluate")
        return LabelFoldTask(*given, chosen, weight, **known)
    metrics = check_metrics(DEFAULT_METRICS if plan.metrics is None else plan.metrics, "evaluate")
    if plan.positive is not None:
        known["about"] = position_of(plan.positive, targets.classes, "evaluate(positive=…)")
    return FoldTask(*given, metrics, weight, **known)


def _ungrouped(task: FoldTask) -> str:
    """A sentence about a search of scikit-learn that would cut its own folds through the groups."""
    from sklearn.model_selection._search import BaseSearchCV

    last = task.model.steps[-1][1] if getattr(task.model, "steps", None) else task.model
    if task.groups is None or not isinstance(last, BaseSearchCV) or hasattr(last.cv, "split"):
        return ""
    return (
        f"{type(last).__name__}(cv={last.cv!r}) chose by folds of its own that cut through the groups (give it "
        "cv=GroupKFold(); margin's searches cut by group themselves)."
    )


def _folds(protocol: SplitProtocol, task: FoldTask) -> Iterator[Fold]:
    """The folds of a protocol, with those whose answers stand beside the ones that are judged."""
    labels, weight = task.codes if task.codes.ndim > 1 else task.labels, task.weight

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
