"""``explain.model``: each kind of model registers what it has learnt with ``@sections_of.register``."""

from __future__ import annotations

import reprlib
from functools import singledispatch
from typing import Any

import numpy as np

from margin.errors import InputError, InputTypeError
from margin.explain.learnt.sections import Learnt, Section, table
from margin.typing import LabelsLike, TableLike

__all__ = ["Given", "model", "sections_of", "shares_table"]

#: The rows and targets that were given beside a model: training rows as a rule, or None.
Given = tuple[Any, Any] | None


def model(fitted: Any, X: TableLike | None = None, y: LabelsLike | None = None) -> Learnt:
    """What a fitted model has learnt, in the terms of its own method.

    Naive Bayes tells its tables of counts and probabilities, a tree its questions and rules, a perceptron its mistakes
    and their bound, logistic regression its odds ratios with intervals, a support vector machine its certificate and
    its support vectors by category, boosting its rounds, a network its layers and its loss curve, a model of models
    what each of them does. Other packages' models tell their parameters.

    Parameters
    ----------
    fitted
        Any fitted estimator.
    X, y
        Its training rows, for what a model does not keep: the error of each number of neighbours, the intervals of a
        large logistic regression.

    Returns
    -------
    Learnt
        With ``text()``, ``html()`` and ``to_dict()``.

    Examples
    --------
    >>> from margin import NaiveBayes
    >>> from margin.data import catalog
    >>> import margin.explain
    >>> X, y = catalog.load("weather_nominal").target("play")
    >>> print(margin.explain.model(NaiveBayes().fit(X.select(["windy"]), y)))
    NaiveBayes: 1 column, 2 classes; 4 free parameters.
    <BLANKLINE>
    Classes
      class  training rows  probability
      no                 5       0.3571
      yes                9       0.6429
    <BLANKLINE>
    windy (categorical)
    Counts of the training rows, and the probability of each level in each class.
      level  no  P(level | no)  yes  P(level | yes)
      FALSE   2         0.4286    6          0.6364
      TRUE    3         0.5714    3          0.3636
    """
    if isinstance(fitted, type) or not (hasattr(fitted, "predict") or hasattr(fitted, "transform")):
        raise InputTypeError(f"model({reprlib.repr(fitted)}): fitted must be a fitted estimator.")
    if (X is None) != (y is None):
        raise InputError("model(X, y): give both the rows and their targets, or neither.")
    if hasattr(fitted, "_fitted"):
        fitted._fitted("model")
    name, given = type(fitted).__name__, None if X is None else (X, y)
    own = sections_of.dispatch(type(fitted)) is not sections_of.dispatch(object)
    return Learnt(name, _summary(fitted), tuple(sections_of(fitted, given)), own)


@singledispatch
def sections_of(fitted: Any, given: Given) -> list[Section]:
    """What a fitted estimator has learnt; of one without a way of its own its parameters."""
    parameters = fitted.get_params(deep=False) if hasattr(fitted, "get_params") else {}
    rows = [(name, reprlib.repr(value)) for name, value in sorted(parameters.items())]
    return [table("Parameters", "", ("parameter", "value"), rows)] if rows else []


def _summary(fitted: Any) -> str:
    parts = []
    n = getattr(fitted, "n_features_in_", None)
    if n is not None:
        parts.append(f"{n:,} column{'' if n == 1 else 's'}")
    classes = getattr(fitted, "classes_", None)
    if isinstance(classes, np.ndarray):
        parts.append(f"{len(classes):,} class{'' if len(classes) == 1 else 'es'}")
    elif isinstance(classes, list):
        parts.append(f"{len(classes):,} targets")
    known = _n_parameters(fitted)
    told = ", ".join(parts) or "fitted"
    return f"{told}; {known:,} free parameters." if known is not None else f"{told}."


def _n_parameters(fitted: Any) -> int | None:
    found = getattr(type(fitted), "n_parameters_", None)
    if found is None:
        return None
    try:
        return int(fitted.n_parameters_)
    except AttributeError:
        return None


def shares_table(title: str, fitted: Any, shares: np.ndarray, counts: np.ndarray | None = None) -> Section:
    """How frequent each class is."""
    if counts is None:
        return table(title, "", ("class", "probability"), zip(map(str, fitted.classes_), shares.tolist()))
    whole = np.all(counts == np.round(counts))
    told = [int(count) if whole else float(count) for count in counts.tolist()]
    return table(
        title, "", ("class", "training rows", "probability"), zip(map(str, fitted.classes_), told, shares.tolist())
    )  # fmt: skip
