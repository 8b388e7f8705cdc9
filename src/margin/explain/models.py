"""How each kind of model explains one answer. A new model registers its own way with ``@explain.register``."""

from __future__ import annotations

import reprlib
from functools import singledispatch
from typing import Any

import numpy as np

from margin.base.inputs.arrays import check_one_row
from margin.baseline import MajorityClassifier
from margin.bayes import NaiveBayes
from margin.errors import InputTypeError
from margin.explain.explanation import Explanation, Reason
from margin.neighbors import KNeighborsClassifier, RoteClassifier
from margin.typing import TableLike

__all__ = ["answer_of", "explain", "factor_in_words", "first_two", "metric_in_words", "of_one_class", "shares_reason"]

#: Neighbours that have a line of their own; of more, those equally far away are taken together by class.
MOST_VOTERS = 100
#: Columns that have a line of their own in an explanation of naive Bayes.
MOST_COLUMNS = 100

SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@singledispatch
def explain(model: Any, X: TableLike) -> Explanation:
    """Why a fitted model answers as it does for the one row X.

    Examples
    --------
    >>> from margin import NaiveBayes
    >>> from margin.explain import explain
    >>> from margin.data import catalog
    >>> X, y = catalog.load("weather_nominal").target("play")
    >>> print(explain(NaiveBayes().fit(X, y), X.take([0])))
    NaiveBayes: no (68.8%), then yes (31.2%)
    Each line multiplies the odds of no against yes.
      outlook = sunny        × 2
      humidity = high        × 1.96
      temperature = hot      × 1.5
      windy = FALSE          × 0.673
      shares of the classes  35.7% against 64.3%, × 0.556
    """
    answer, probabilities = answer_of(model, X)
    how = f"{type(model).__name__} gives no reasons of its own; these are its probabilities."
    reasons = tuple(Reason(str(label), f"{share:.1%}", share) for label, share in probabilities.items())
    return Explanation(type(model).__name__, answer, probabilities, how, reasons)


def answer_of(model: Any, X: TableLike) -> tuple[Any, dict[Any, float]]:
    if isinstance(model, type) or not hasattr(model, "predict"):
        raise InputTypeError(f"explain({reprlib.repr(model)}, X): the model must be a fitted classifier.")
    if getattr(model, "outputs_2d_", False):
        raise InputTypeError(
            f"explain({type(model).__name__}, X): the model answers several targets; fit one model per target."
        )
    answers = model.predict(X)
    check_one_row(answers, f"explain({type(model).__name__}, X)")
    if not hasattr(model, "predict_proba"):
        return answers[0], {}
    return answers[0], dict(zip(np.asarray(model.classes_).tolist(), map(float, model.predict_proba(X)[0])))


def of_one_class(model: Any, X: TableLike) -> Explanation:
    """Where there is nothing to tell apart."""
    return Explanation(type(model).__name__, *answer_of(model, X), "There is one class only.", ())


def _shares_in_words(priors: np.ndarray, labels: np.ndarray) -> tuple[Reason, ...]:
    order = np.argsort(-priors, kind="stable")
    return tuple(Reason(str(labels[k]), f"{priors[k]:.1%} of the training rows", float(priors[k])) for k in order)


@explain.register
def _(model: MajorityClassifier, X: TableLike) -> Explanation:
    answer, probabilities = answer_of(model, X)
    how = "The most frequent class of the training rows, whatever the columns say."
    return Explanation(
        "MajorityClassifier", answer, probabilities, how, _shares_in_words(model.priors_, model.classes_)
    )


@explain.register
def _(model: RoteClassifier, X: TableLike) -> Explanation:
    answer, probabilities = answer_of(model, X)
    if model.matched(X)[0]:
        seen = {label: share for label, share in probabilities.items() if share > 0}
        reasons = tuple(Reason(str(label), f"{share:.1%} of the equal rows", share) for label, share in seen.items())
        return Explanation(
            "RoteClassifier", answer, probabilities, "This very row stands among the training rows.", reasons
        )
    left = "the default class is left" if model.default is not None else "only the shares of the classes are left"
    how = f"No training row equals this one; {left}."
    return Explanation("RoteClassifier", answer, {}, how, _shares_in_words(model.priors_, model.classes_))


@explain.register
def _(model: KNeighborsClassifier, X: TableLike) -> Explanation:
    answer, probabilities = answer_of(model, X)
    distances, rows, labels, votes = model.voters(X)
    total = votes.sum() or 1.0
    named = len(rows) if len(rows) <= MOST_VOTERS else int(np.searchsorted(distances, distances[-1]))
    whose = [(f"training row {row}", *voter, int(row)) for row, *voter in zip(rows, labels, distances, votes)][:named]
    for label in np.unique(labels[named:]):
        same = np.flatnonzero(labels[named:] == label) + named
        whose.append((f"{len(same):,} training rows", label, distances[-1], votes[same].sum(), None))
    reasons = tuple(
        Reason(
            who,
            f"{label}, distance {distance:.4g}, {vote / total:.1%} of the votes",
            float(vote / total) * (1 if label == answer else -1),
            row,
        )
        for who, label, distance, vote, row in whose
    )
    how = f"The {len(rows):,} nearest training rows ({metric_in_words(model)}) vote."
    if len(rows) > model.n_neighbors:
        equal = int(np.count_nonzero(distances == distances[-1]))
        how += f" The last {equal:,} are equally far away and share the votes that nearer ones leave."
    return Explanation("KNeighborsClassifier", answer, probabilities, how, reasons)


def metric_in_words(model: Any) -> str:
    """How a model of neighbours measures distances."""
    metric = model._metric
    if callable(metric):
        return f"distance by {getattr(metric, '__name__', 'a function')}"
    return f"{metric} distance, p = {model.p:g}" if metric == "minkowski" else f"{metric} distance"


@explain.register
def _(model: NaiveBayes, X: TableLike) -> Explanation:
    name, (answer, probabilities) = type(model).__name__, answer_of(model, X)
    if len(model.classes_) == 1:
        return of_one_class(model, X)
    if np.isneginf(model.joint_log_likelihood(X)).all():
        how = "The columns rule out every class; only the shares of the classes are left."
        return Explanation(name, answer, probabilities, how, _shares_in_words(model.priors_, model.classes_))
    first, second = first_two(probabilities)
    loser = str(model.classes_[second])
    reasons = _column_reasons(model, X, first, second)
    if model.uses_priors:
        reasons.append(shares_reason(model.priors_, first, second, loser))
    how = f"Each line multiplies the odds of {model.classes_[first]} against {loser}."
    return Explanation(name, answer, probabilities, how, tuple(reasons))


def _column_reasons(model: NaiveBayes, X: TableLike, first: int, second: int) -> list[Reason]:
    """One reason per column, strongest first; beyond the first hundred the columns are taken together."""
    loser = str(model.classes_[second])
    pulls = [(name, value, _pull(term, first, second)) for name, value, term in model.column_terms(X)]
    pulls.sort(key=lambda item: -abs(item[2]))
    rest, least = pulls[MOST_COLUMNS:], model.least_deviations()
    sides = model.classes_.tolist()[first], model.classes_.tolist()[second]
    reasons = [
        Reason(f"{name} = {value}", factor_in_words(pull, loser) + _least_in_words(least.get(name, {}), sides), pull)
        for name, value, pull in pulls[:MOST_COLUMNS]
    ]
    if rest:
        pull = sum(pull for *_, pull in rest)
        reasons.append(Reason(f"{len(rest):,} other columns together", factor_in_words(pull, loser), pull))
    return reasons


def _least_in_words(least: dict[Any, float], sides: tuple[Any, Any]) -> str:
    """Which of two classes hardly vary in a column, so that their deviation is the least that is taken."""
    told = [label for label in sides if label in least]
    return f" (deviation of {' and '.join(map(str, told))} taken as {least[told[0]]:.3g})" if told else ""


def first_two(probabilities: dict[Any, float]) -> tuple[int, int]:
    """The places of the most probable class and of the next."""
    ranked = np.argsort(-np.array(list(probabilities.values())), kind="stable")
    return int(ranked[0]), int(ranked[1])


def shares_reason(priors: np.ndarray, first: int, second: int, loser: str) -> Reason:
    """What the shares of two classes say before any column is seen."""
    with np.errstate(divide="ignore"):
        start = _pull(np.log(priors), first, second)
    shares = f"{priors[first]:.1%} against {priors[second]:.1%}, {factor_in_words(start, loser)}"
    return Reason("shares of the classes", shares, start)


def _pull(logs: np.ndarray, first: int, second: int) -> float:
    """How much the first class gains on the second; what rules out both moves neither."""
    return 0.0 if logs[first] == logs[second] else float(logs[first] - logs[second])


def factor_in_words(pull: float, loser: str) -> str:
    if pull == 0:
        return "says nothing"
    if np.isinf(pull):
        return f"rules {loser} out"
    factor = float(np.exp(min(pull, 100.0)))
    if 0.001 <= factor < 100_000:
        return f"× {factor:.3g}" if factor < 1000 else f"× {factor:,.0f}"
    power, rest = divmod(pull / np.log(10), 1)
    return f"× {10**rest:.1f}·10{str(int(power)).translate(SUPERSCRIPT)}"
