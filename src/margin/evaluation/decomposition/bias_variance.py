"""Take a model's error apart by training it on many training sets and asking all of them about the same cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from margin.data import Table
from margin.data.labels import distinct, label_array
from margin.data.rows import count_rows, ready_for, take_rows
from margin.errors import InputError, ParameterError
from margin.evaluation.decomposition.result import BiasVariance, BiasVarianceCurve
from margin.evaluation.decomposition.targets import Target, class_target, number_target
from margin.evaluation.decomposition.terms import Predictions, mean_terms, vectors
from margin.evaluation.intervals.interval import check_confidence
from margin.evaluation.predictions.from_model import answers_beside, classes_of, model_name, predict_all
from margin.evaluation.protocols.stratified import HoldOut
from margin.parallel import side_by_side
from margin.random import generator
from margin.typing import ClassifierLike, LabelsLike, TableLike

__all__ = ["bias_variance", "bias_variance_curve"]

Draw = Callable[[np.random.Generator], tuple[Any, Any]]
Loss = Literal["squared", "zero_one"]

#: How often a training set is drawn anew where all of its rows are of one class.
_TRIES = 100


def bias_variance(
    model: ClassifierLike,
    X: TableLike | None = None,
    y: LabelsLike | None = None,
    *,
    X_test: TableLike | None = None,
    y_test: LabelsLike | None = None,
    expected: Any = None,
    noise: Any = None,
    loss: Loss | None = None,
    decomposition: Literal["domingos", "kohavi_wolpert"] = "domingos",
    draw: Draw | None = None,
    times: int = 100,
    seed: int = 0,
    n_jobs: int = 1,
    confidence: float = 0.95,
    progress: Callable[[int, int], None] | None = None,
) -> BiasVariance:
    """The error of a model over training sets as bias, variance and noise, which add up to it exactly.

    Squared loss: (expected y - mean answer)² + variance of the answers + variance of y about what is expected. With a
    classifier the answers are its probabilities. 0/1 loss: Domingos (2000), where variance can mend a wrong main
    answer, or Kohavi and Wolpert (1996), where it cannot. Where nothing is known about the noise it is
    inside the bias.

    Parameters
    ----------
    model
        Any classifier or regressor with scikit-learn's contract; it is cloned.
    X, y
        Rows from which training sets are drawn with replacement, as many as there are (bootstrap).
    X_test, y_test
        Cases to ask about; a third of the rows is held back for it if not given. A column of ``y_test`` for each of
        several measurements of the same cases makes the noise known.
    expected
        In place of ``y_test`` for a regressor: what y is expected to be, as numbers or a function of ``X_test``.
    noise
        Where it is known. For a regressor the variance of y at each case; for a classifier the chance of each class
        (in ascending order) at each case. A number, numbers, or a function of ``X_test``.
    loss
        ``"squared"`` or ``"zero_one"``; by itself 0/1 for classifiers and squared for regressors.
    decomposition
        Of 0/1 loss.
    draw
        Gives a training set (X, y) from a NumPy generator, in place of the bootstrap from X and y.
    times
        Number of training sets.
    seed, n_jobs
        Of the draws, and fits at once, in threads; the result does not depend on the latter.
    confidence
        Of the intervals over the training sets.
    progress
        Called with the number of fits done and of all fits.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> def draw(rng):
    ...     x = rng.uniform(-1, 1, 20)
    ...     return x[:, None], x**2 + rng.normal(0, 0.1, 20)
    >>> X_test = np.linspace(-1, 1, 21)[:, None]
    >>> found = bias_variance(LinearRegression(), draw=draw, X_test=X_test, expected=lambda X: X[:, 0]**2, noise=0.01)
    >>> print(found)
    LinearRegression: squared loss; 100 training sets, 21 cases
    bias²         0.1088 ± 0.0013
    variance      0.0152 ± 0.0041
    noise         0.010
    error         0.1340 ± 0.0046         their sum
    """
    check_confidence("bias_variance", confidence)
    _check_options(loss, decomposition, times, n_jobs)
    classifies = _check_model(model, loss)
    X_test, y_test, drawn, labels = _asked(model, X, y, X_test, y_test, draw, classifies, seed)
    if not classifies:
        target = number_target(X_test, y_test, expected, noise)
    elif expected is None:
        known = drawn(generator(seed, "draw", 0))[1] if labels is None else labels
        target = class_target(known, X_test, y_test, noise, loss or "zero_one", decomposition)
    else:
        raise InputError("bias_variance: expected is for regressors; give the chance of each class as noise.")
    work = _Work(model, drawn, X_test, count_rows(X_test), target)
    return _decomposed(work, Predictions(_answers_of_all(work, times, seed, n_jobs, progress)), confidence)


def bias_variance_curve(
    model: ClassifierLike,
    X: Any = None,
    y: Any = None,
    *,
    parameter: str = "",
    values: Iterable[Any] = (),
    **options: Any,
) -> BiasVarianceCurve:
    """Bias, variance and noise along a parameter of the model, from the same training sets throughout.

    Parameters
    ----------
    model
        One model, of which ``parameter`` is set to each of ``values`` (as ``tree__max_depth`` in a pipeline); or
        models by the value they stand for.
    X, y
        As for ``bias_variance``, which takes the other options too.
    parameter, values
        Name and values of the parameter.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> found = bias_variance_curve(DecisionTreeClassifier(), X, y, parameter="max_depth", values=[1, 3], times=20)
    >>> found.best
    3
    """
    if isinstance(model, Mapping):
        models = dict(model)
    else:
        models = {value: _with(model, parameter, value) for value in values}
    if not models:
        raise ParameterError(
            "bias_variance_curve: name the parameter and its values (parameter='max_depth', values=[1, 2, 4]), or give "
            "models by value."
        )
    points = tuple(bias_variance(each, X, y, **options) for each in models.values())
    return BiasVarianceCurve(parameter or "model", tuple(models), points)


def _with(model: ClassifierLike, parameter: str, value: object) -> Any:
    from sklearn.base import clone

    if parameter not in model.get_params():
        known = ", ".join(map(repr, sorted(model.get_params(deep=False))))
        raise ParameterError(
            f"bias_variance_curve(parameter={parameter!r}): {model_name(model)} has none such; there are {known}."
        )
    return clone(model).set_params(**{parameter: value})


@dataclass(frozen=True)
class _Work:
    """What every fit needs, and what its answers are held against."""

    model: Any
    draw: Draw
    X_test: Any
    n_cases: int
    target: Target


def _decomposed(work: _Work, predictions: Predictions, confidence: float) -> BiasVariance:
    target = work.target
    terms, scores = mean_terms(predictions, target.decompose, confidence, smooth=target.decomposition != "domingos")
    return BiasVariance(
        model_name(work.model),
        target.loss,
        target.decomposition,
        scores["error"],
        scores["bias"],
        scores["variance"],
        scores["noise"],
        terms,
        target.main(predictions.total / len(predictions)),
        target.noise_known,
        len(predictions),
        scores.get("unbiased"),
        scores.get("biased"),
    )


def _check_options(loss: Any, decomposition: Any, times: Any, n_jobs: int | None) -> None:
    for what, given, known in (
        ("loss", loss, ("squared", "zero_one", None)),
        ("decomposition", decomposition, ("domingos", "kohavi_wolpert")),
    ):
        if given not in known:
            shown = " or ".join(repr(each) for each in known if each is not None)
            raise ParameterError(f"bias_variance({what}={given!r}): {what} must be {shown}.")
    if not isinstance(times, (int, np.integer)) or times < 2:
        raise ParameterError(f"bias_variance(times={times!r}): there must be at least 2 training sets.")
    if not isinstance(n_jobs, int) or n_jobs == 0:
        raise ParameterError(f"bias_variance(n_jobs={n_jobs!r}): n_jobs must be a whole number, 1 or more, or -1.")


def _check_model(model: ClassifierLike, loss: Any) -> bool:
    """Whether the model is a classifier."""
    if isinstance(model, type) or not all(hasattr(model, needed) for needed in ("fit", "predict", "get_params")):
        raise ParameterError(f"bias_variance(model={model!r}): the model must be an estimator, not a class or a value.")
    from sklearn.base import is_classifier

    classifies = bool(is_classifier(model))
    if loss == "zero_one" and not classifies:
        raise ParameterError(f"bias_variance(loss='zero_one'): {model_name(model)} is no classifier (use 'squared').")
    return classifies


def _asked(
    model: ClassifierLike,
    X: TableLike | None,
    y: LabelsLike | None,
    X_test: TableLike | None,
    y_test: LabelsLike | None,
    draw: Draw | None,
    classifies: bool,
    seed: int,
) -> tuple[Any, Any, Draw, Any]:
    """Cases to ask about, what was measured there, where training sets come from, and all labels if known."""
    if isinstance(X, Table) and isinstance(y, str):
        X, y = X.target(y)
    if (X is None or y is None) and draw is None:
        raise InputError("bias_variance: give X and y to draw training sets from, or draw=…, a function that does.")
    if X is not None:
        X = ready_for(model, X)
    labels = y
    if X_test is None:
        if X is None:
            raise InputError("bias_variance: with draw=… give the cases to ask about as X_test.")
        X, y, X_test, y_test = _held_back(X, y, classifies, seed)
    drawn = draw if draw is not None else _bootstrap(X, y, classifies)
    return ready_for(model, X_test), y_test, drawn, labels


def _held_back(X: TableLike, y: LabelsLike | None, classifies: bool, seed: int) -> tuple[Any, Any, Any, Any]:
    values = label_array(y, "bias_variance(y=…)") if classifies else np.asarray(y)
    train, test = next(HoldOut(1 / 3, seed).split(values if classifies else np.zeros(len(values), dtype=int)))
    return take_rows(X, train), values[train], take_rows(X, test), values[test]


def _bootstrap(X: Any, y: LabelsLike | None, classifies: bool) -> Draw:
    values = label_array(y, "bias_variance(y=…)") if classifies else np.asarray(y, dtype=np.float64)
    n = len(values)
    if count_rows(X) != n:
        raise InputError(f"bias_variance: X has {count_rows(X)} rows, but y has {n} values.")
    several = classifies and len(distinct(values)) > 1

    def drawn(random: np.random.Generator) -> tuple[Any, Any]:
        rows = random.integers(n, size=n)
        for _ in range(_TRIES):  # a sample of one class alone is no training set for most classifiers
            if not several or len(distinct(values[rows])) > 1:
                break
            rows = random.integers(n, size=n)
        return take_rows(X, rows), values[rows]

    return drawn


def _answers_of_all(
    work: _Work, times: int, seed: int, n_jobs: int, progress: Callable[[int, int], None] | None
) -> np.ndarray:
    """Answers to the cases of a model from each training set."""
    running = side_by_side((partial(_answers, work, number, seed) for number in range(times)), times, n_jobs)
    gathered = []
    for done, answers in enumerate(running, 1):
        gathered.append(answers)
        if progress is not None:
            progress(done, times)
    return np.stack(gathered)


def _answers(work: _Work, number: int, seed: int) -> np.ndarray:
    from sklearn.base import clone

    X, y = work.draw(generator(seed, "draw", number))
    try:
        fitted = clone(work.model).fit(X, y)
    except Exception as error:
        error.add_note(f"bias_variance: {model_name(work.model)} could not be fitted on training set {number + 1}.")
        raise
    if work.target.classes is None:
        values = np.asarray(fitted.predict(work.X_test), dtype=np.float64)
        if values.size != work.n_cases or not np.isfinite(values).all():
            raise InputError(f"{model_name(work.model)}.predict: one finite number for each case is needed.")
        return values.reshape(-1, 1)
    columns = classes_of(fitted, label_array(y, "bias_variance"))
    unknown = np.zeros(work.n_cases, dtype=np.intp)
    given = answers_beside(
        predict_all(fitted, work.X_test), columns, work.target.classes, unknown, who=type(fitted).__name__
    )
    if work.target.loss == "zero_one":
        assert given.predicted is not None
        return vectors(given.predicted, len(work.target.classes))
    if given.probabilities is None:
        raise InputError(f"bias_variance(loss='squared'): {model_name(work.model)} gives no probabilities.")
    return given.probabilities
