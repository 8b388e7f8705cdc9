"""Evaluate a model: fit it anew on each training part, ask it about the test part, and score the answers.

Models are known by scikit-learn's contract alone: ``fit``, ``predict``, perhaps ``predict_proba``, and ``clone``. The
whole model is cloned and fitted inside each fold, so whatever it learns of its inputs it learns from training rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from time import perf_counter
from typing import Any

import numpy as np

from margin.data import Table
from margin.data.labels import codes_of, distinct, label_array, refuse_missing
from margin.data.weights import check_weights
from margin.errors import InputError, MarginError, ParameterError
from margin.evaluation.answers import Answers, aligned_probabilities, predicted_codes
from margin.evaluation.intervals import Score
from margin.evaluation.metrics import Metric
from margin.evaluation.result import Evaluation, FoldDone
from margin.evaluation.rows import count_rows, ready_for, take_rows
from margin.evaluation.scoring import check_metrics, score_cases, score_folds, usable_metrics
from margin.evaluation.splits import LeaveOneOut, Split, SplitProtocol, StratifiedFolds

__all__ = ["Asked", "ask", "evaluate", "evaluate_steps", "model_name"]

DEFAULT_METRICS = ("accuracy", "f1", "log_loss")


def evaluate(
    model: Any,
    X: Any,
    y: Any,
    protocol: SplitProtocol | None = None,
    *,
    metrics: Iterable[str | Metric] = DEFAULT_METRICS,
    sample_weight: Any = None,
    n_jobs: int = 1,
    confidence: float = 0.95,
) -> Evaluation:
    """How well a model does on rows it has not learnt from, with how sure that is.

    Parameters
    ----------
    model
        Any classifier with scikit-learn's contract; it is cloned and stays as it is.
    X
        Inputs: array, sparse matrix, data frame of any make, or ``margin.data.Table``.
    y
        One label per row, or the name of a column where X is a table.
    protocol
        How rows are split; ten stratified folds without it (as many folds as rows where there are fewer than ten).
    metrics
        Names from ``METRICS`` or metrics with options, as ``metric("f1", positive="bad")``.
    sample_weight
        Weight of each row, in fitting and in scoring.
    n_jobs
        Folds fitted at once, in threads; -1 for as many as there are processors. Results do not depend on it.
    confidence
        Of the intervals.

    Returns
    -------
    Evaluation
        Intervals are exact (or bootstrap) over cases for a hold-out, and corrected resampled t over folds. A fold that
        fails is reported in ``warnings`` and left out of the scores; where all fail, the first error is raised.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> result = evaluate(GaussianNB(), X, y, StratifiedFolds(folds=5))
    >>> round(result.scores["accuracy"].value, 2)
    0.95
    """
    *_, result = evaluate_steps(
        model, X, y, protocol, metrics=metrics, sample_weight=sample_weight, n_jobs=n_jobs, confidence=confidence
    )
    assert isinstance(result, Evaluation)
    return result


def evaluate_steps(
    model: Any,
    X: Any,
    y: Any,
    protocol: SplitProtocol | None = None,
    *,
    metrics: Iterable[str | Metric] = DEFAULT_METRICS,
    sample_weight: Any = None,
    n_jobs: int = 1,
    confidence: float = 0.95,
) -> Iterator[FoldDone | Evaluation]:
    """``evaluate`` fold by fold: yields a ``FoldDone`` after each fold and the ``Evaluation`` at the end.

    What is asked for is checked before the first fold. Closing the generator stops the evaluation.

    >>> from sklearn.dummy import DummyClassifier
    >>> for step in evaluate_steps(DummyClassifier(), [[0], [1], [2], [3]], list("aaab"), StratifiedFolds(folds=2)):
    ...     print(type(step).__name__)
    FoldDone
    FoldDone
    Evaluation
    """
    work = _prepared(model, X, y, sample_weight, check_metrics(metrics, "evaluate"))
    if not 0 < confidence < 1:
        raise ParameterError(f"evaluate(confidence={confidence!r}): confidence must lie between 0 and 1, as 0.95.")
    if not isinstance(n_jobs, int) or n_jobs == 0:
        raise ParameterError(f"evaluate(n_jobs={n_jobs!r}): n_jobs must be a whole number, 1 or more, or -1 for all.")
    if protocol is None:
        protocol = StratifiedFolds(folds=max(2, min(10, len(work.labels))))
    splits = protocol.split(work.labels)
    first = next(splits)  # now, so that data that cannot be split are refused before anything is fitted
    return _steps(work, protocol, chain([first], splits), n_jobs, confidence)


@dataclass(frozen=True)
class _Work:
    """What every fold needs: the model to clone and the data, checked once."""

    model: Any
    X: Any
    labels: np.ndarray
    classes: np.ndarray
    codes: np.ndarray
    weight: np.ndarray | None
    metrics: tuple[Metric, ...]
    turned_from_table: bool = False


@dataclass(frozen=True)
class _Outcome:
    """What a fold gave: the event for the caller, and its answers or the error."""

    event: FoldDone
    rows: np.ndarray
    answers: Answers | None = None
    error: Exception | None = None


def _prepared(model: Any, X: Any, y: Any, sample_weight: Any, metrics: tuple[Metric, ...]) -> _Work:
    if isinstance(model, type) or not all(hasattr(model, needed) for needed in ("fit", "predict", "get_params")):
        hint = f" (give an instance: {model.__name__}())" if isinstance(model, type) else ""
        raise ParameterError(
            f"evaluate(model={model!r}): the model must be an estimator with fit, predict and get_params{hint}."
        )
    if isinstance(X, Table) and isinstance(y, str):
        X, y = X.target(y)
    labels = label_array(y, "evaluate(y=…)")
    refuse_missing(labels, "evaluate(y=…)")
    was_table, X = isinstance(X, Table), ready_for(model, X)
    if count_rows(X) != len(labels):
        raise InputError(f"evaluate: X has {count_rows(X)} rows, but y has {len(labels)} labels.")
    weight = check_weights(sample_weight, len(labels), "evaluate")
    if weight is not None:
        _check_takes_weight(model)
    classes = distinct(labels, "evaluate(y=…)")
    encoded = was_table and not isinstance(X, Table)
    return _Work(model, X, labels, classes, codes_of(labels, classes), weight, metrics, encoded)


def _check_takes_weight(model: Any) -> None:
    from sklearn.utils.validation import has_fit_parameter

    if not has_fit_parameter(model, "sample_weight"):
        raise ParameterError(f"evaluate(sample_weight=…): {model_name(model)}.fit takes no sample_weight.")


def _steps(
    work: _Work, protocol: SplitProtocol, splits: Iterable[Split], n_jobs: int, confidence: float
) -> Iterator[FoldDone | Evaluation]:
    if isinstance(protocol, LeaveOneOut) and (at_once := _left_out(work)) is not None:
        yield at_once.event
        yield _gathered(work, protocol, [at_once], confidence)
        return
    of = protocol.n_fits or len(work.labels)
    outcomes = []
    # Splits are made as they are needed: all those of leave-one-out at once would fill the memory.
    running = _run((partial(_fold, work, number, of, *rows) for number, rows in enumerate(splits, 1)), of, n_jobs)
    try:
        for outcome in running:
            outcomes.append(outcome)
            yield outcome.event
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # joblib's advice on folds that were called off
            running.close()
    yield _gathered(work, protocol, outcomes, confidence)


def _left_out(work: _Work) -> _Outcome | None:
    """Leave-one-out in one go, for models that know what they would answer to each row had they not learnt from it.

    Such a model has ``left_out_answers(X, y, sample_weight=None)``. It gives labels, probabilities or None, and scores
    or None, with a column for each class in ascending order; or None where only fitting anew is exact.
    """
    if not hasattr(work.model, "left_out_answers"):
        return None
    from sklearn.base import clone

    n, start = len(work.labels), perf_counter()
    given = clone(work.model).left_out_answers(work.X, work.labels, sample_weight=work.weight)
    if given is None:
        return None
    labels, probabilities, scores = given
    who = f"{type(work.model).__name__}.left_out_answers"
    predicted = predicted_codes(label_array(labels, who), work.classes, who)
    answers = Answers(work.classes, work.codes, predicted, probabilities, work.weight, scores)
    usable, _ = usable_metrics(work.metrics, probabilities is not None, "")
    values = {each.name: each.value(answers) for each in usable}
    return _Outcome(FoldDone(1, 1, n - 1, n, values, perf_counter() - start, 0.0), np.arange(n), answers)


def _run(tasks: Iterable[Callable[[], _Outcome]], n_tasks: int, n_jobs: int) -> Any:
    """The outcomes in order, as they come. Threads, since margin's own kernels leave the interpreter free."""
    if n_jobs == 1 or n_tasks == 1:
        return (task() for task in tasks)
    import joblib

    parallel = joblib.Parallel(n_jobs=n_jobs, backend="threading", return_as="generator", pre_dispatch="n_jobs")
    return parallel(joblib.delayed(task)() for task in tasks)


def _fold(work: _Work, number: int, of: int, train: np.ndarray, test: np.ndarray) -> _Outcome:
    from sklearn.base import clone

    try:
        weight = {} if work.weight is None else {"sample_weight": work.weight[train]}
        model = clone(work.model)
        X_train = take_rows(work.X, train)
        start = perf_counter()
        model.fit(X_train, work.labels[train], **weight)
        fitted = perf_counter()
        X_test = take_rows(work.X, test)
        asked = perf_counter()
        given = ask(model, X_test, work.classes, work.labels[train])
        test_weight = check_weights(None if work.weight is None else work.weight[test], len(test), "test part")
        answers = given.beside(work.classes, work.codes[test], test_weight)
        usable, _ = usable_metrics(work.metrics, answers.probabilities is not None, "")
        scores = {each.name: each.value(answers) for each in usable}
    except Exception as error:  # whatever a model may raise is reported beside the other folds, never hidden
        text = f"{type(error).__name__}: {error}"
        return _Outcome(FoldDone(number, of, len(train), len(test), error=text), test, error=error)
    event = FoldDone(number, of, len(train), len(test), scores, fitted - start, given.answered - asked)
    return _Outcome(event, test, answers)


@dataclass(frozen=True)
class Asked:
    """A fitted model's predictions as codes, its probabilities or else its scores, and the time it had predicted."""

    predicted: np.ndarray
    probabilities: np.ndarray | None
    scores: np.ndarray | None
    answered: float

    def beside(self, classes: np.ndarray, truth: np.ndarray, weight: np.ndarray | None = None) -> Answers:
        """The answers beside the truth, given as codes."""
        return Answers(classes, truth, self.predicted, self.probabilities, weight, self.scores)


def ask(model: Any, X: Any, classes: np.ndarray, learnt_from: np.ndarray) -> Asked:
    """What a fitted model answers to some rows, in terms of ``classes``."""
    who = f"{type(model).__name__}.predict"
    if hasattr(model, "predict_with_proba"):  # a model whose answers cost as much as its probabilities gives both
        given, shares = model.predict_with_proba(X)
        answered = perf_counter()
    else:
        given = model.predict(X)
        answered = perf_counter()
        shares = model.predict_proba(X) if hasattr(model, "predict_proba") else None
    predicted = label_array(given, who)
    codes = predicted_codes(predicted, classes, who)
    if len(codes) != count_rows(X):
        raise InputError(f"{who}: {len(codes)} predictions were given for {count_rows(X)} rows.")
    columns = getattr(model, "classes_", None)
    columns = distinct(learnt_from) if columns is None else label_array(columns, who)
    if shares is None:
        scores = _aligned_scores(model.decision_function(X), columns, classes) if _decides(model) else None
        return Asked(codes, None, scores, answered)
    probabilities = aligned_probabilities(shares, columns, classes, f"{type(model).__name__}.predict_proba")
    return Asked(codes, probabilities, None, answered)


def _decides(model: Any) -> bool:
    return hasattr(model, "decision_function")


def _aligned_scores(given: Any, columns: np.ndarray, classes: np.ndarray) -> np.ndarray | None:
    """Decision values with one column for each of ``classes``; those of pairs of classes rank nothing.

    A class that the model never saw is answered least of all.
    """
    scores = np.asarray(given, dtype=np.float64)
    if scores.ndim == 1 and len(columns) == 2:
        scores = np.column_stack([-scores, scores])
    if scores.ndim != 2 or scores.shape[1] != len(columns) or np.isnan(scores).any():
        return None
    aligned = np.full((len(scores), len(classes)), -np.inf)
    aligned[:, codes_of(columns, classes)] = scores
    return aligned


def _gathered(work: _Work, protocol: SplitProtocol, outcomes: list[_Outcome], confidence: float) -> Evaluation:
    done = [outcome for outcome in outcomes if outcome.answers is not None]
    name = model_name(work.model)
    if not done:
        first = outcomes[0].error
        assert first is not None
        if work.turned_from_table and not isinstance(first, MarginError):
            raise InputError(
                f"evaluate: {name} cannot take this table ({str(first).splitlines()[0]}); put margin.TableEncoder() "
                f"in front of it, as in make_pipeline(margin.TableEncoder(), {type(work.model).__name__}())."
            ) from first
        first.add_note(f"evaluate: {name} failed in all {len(outcomes)} folds; this is the first error.")
        raise first
    rows, answers = _out_of_fold(work, done)
    usable, cautions = usable_metrics(work.metrics, answers.probabilities is not None, name)
    if protocol.caution:
        cautions.insert(0, protocol.caution)
    cautions += [str(outcome.event) for outcome in outcomes if outcome.event.failed]
    scores = {each.name: _score(each, protocol, done, answers, confidence) for each in usable}
    folds = tuple(outcome.event for outcome in outcomes)
    return Evaluation(name, protocol, tuple(usable), scores, folds, rows, answers, confidence, tuple(cautions))


def _score(which: Metric, protocol: SplitProtocol, done: list[_Outcome], answers: Answers, confidence: float) -> Score:
    if protocol.judged_by == "cases":
        return score_cases(which, answers, confidence)
    values = [outcome.event.scores[which.name] for outcome in done]
    test_to_train = float(np.mean([outcome.event.n_test / outcome.event.n_train for outcome in done]))
    return score_folds(which, values, test_to_train, confidence)


def _out_of_fold(work: _Work, done: list[_Outcome]) -> tuple[np.ndarray, Answers]:
    """Rows asked about, with the first prediction of each and the mean of its probabilities."""
    n, n_classes = len(work.labels), len(work.classes)
    predicted = np.full(n, -1, dtype=np.intp)
    with_probabilities = all(outcome.answers.probabilities is not None for outcome in done)  # type: ignore[union-attr]
    total = np.zeros((n if with_probabilities else 0, n_classes))
    times = np.zeros(n)
    for outcome in done:
        assert outcome.answers is not None
        new = predicted[outcome.rows] < 0
        predicted[outcome.rows[new]] = outcome.answers.predicted[new]  # type: ignore[index]
        times[outcome.rows] += 1
        if with_probabilities:
            total[outcome.rows] += outcome.answers.probabilities
    rows = np.flatnonzero(times)
    probabilities = total[rows] / times[rows, None] if with_probabilities else None
    weight = None if work.weight is None else work.weight[rows]
    return rows, Answers(work.classes, work.codes[rows], predicted[rows], probabilities, weight)


def model_name(model: Any) -> str:
    """What to call a model: its type, or the types of a pipeline's steps.

    >>> from sklearn.dummy import DummyClassifier
    >>> model_name(DummyClassifier())
    'DummyClassifier'
    """
    steps = getattr(model, "steps", None)
    if isinstance(steps, list) and all(isinstance(step, tuple) for step in steps):
        return " → ".join(type(step[-1]).__name__ for step in steps)
    return type(model).__name__
