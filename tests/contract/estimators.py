"""Every estimator of margin, found by itself, and small data that all of them can learn."""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import zlib
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.utils import get_tags

import margin
from margin.data import Table

# Settings that take another way through the code than the defaults do.
OTHER_SETTINGS = {
    "ActivePerceptron": [{"max_iter": 5, "scale": "standard"}],
    "Adaline": [
        {"method": "stochastic", "random_state": 0},
        {"method": "stochastic", "batch_size": 8, "scale": "standard", "shuffle": False, "max_iter": 100},
    ],
    "CalibratedClassifier": [
        {"method": "isotonic"},
        {"method": "temperature", "ensemble": False},
        {"scores": "log_odds", "ensemble": False, "cv": 2},
    ],
    "ClassifierChain": [
        {"estimator": margin.LogisticRegression(), "order": "random", "random_state": 0},
        {"cv": 3, "feed": "probabilities", "n_chains": 2, "random_state": 0},
    ],
    "ErrorCorrectingCodes": [
        {"estimator": margin.LinearSVC(scale="standard", tol=1e-12), "decoding": "hamming"},
        {"estimator": margin.DecisionTreeClassifier(max_depth=3), "code": "random", "n_bits": 3, "random_state": 0},
    ],
    "JointBayes": [{"alpha": 0.0}],
    "KNeighborsClassifier": [
        {"weights": "inverse_square", "scale": "standard"},
        {"metric": "chebyshev", "scale": "range", "n_neighbors": 1},
    ],
    "KNeighborsRegressor": [
        {"weights": "inverse_square", "scale": "standard"},
        {"metric": "chebyshev", "scale": "range", "n_neighbors": 1},
    ],
    "RadiusNeighborsClassifier": [{"scale": "standard", "weights": "distance"}],
    "RadiusNeighborsRegressor": [{"scale": "standard", "weights": "distance"}],
    "NearestCentroid": [
        {"metric": "manhattan", "priors": "empirical"},
        {"shrink_threshold": 0.5, "scale": "standard"},
    ],
    "C45": [
        {"prune": False, "binary_splits": True},
        {"collapse": False, "raise_branches": False},
        {"reduced_error": True, "n_folds": 4, "random_state": 0},
    ],
    "DecisionTreeClassifier": [
        {"criterion": "entropy", "nominal": "multiway", "missing": "fractional", "min_samples_leaf": 3},
        {"criterion": "gain_ratio", "nominal": "one_vs_rest", "numeric": "mdl", "max_p": 0.2},
        {"criterion": "error", "missing": "surrogate", "max_leaf_nodes": 8},
        {"missing": "surrogate_all", "min_impurity_split": 0.1},
        {"numeric": "equal_count", "discretize": "dynamic", "max_intervals": 4},
        {"numeric": "equal_width", "max_features": 0.5, "random_state": 0},
        {"prune": "reduced_error", "random_state": 0},
        {"prune": "pessimistic", "missing": "fractional"},
        {"prune": "cost_complexity", "n_folds": 3, "random_state": 0},
        {"max_bins": 255},
    ],
    "DecisionTreeRegressor": [
        {"criterion": "absolute_error", "max_depth": 4, "nominal": "one_vs_rest"},
        {"missing": "fractional", "nominal": "multiway", "min_samples_leaf": 0.1},
        {"missing": "surrogate", "max_leaf_nodes": 8},
        {"prune": "reduced_error", "random_state": 0},
        {"prune": "cost_complexity", "n_folds": 3, "random_state": 0},
        {"max_bins": 255},
    ],
    "Discretizer": [{"method": "equal_width"}, {"method": "mdl"}],
    "ID3": [{"criterion": "gain_ratio", "numeric": "equal_count", "missing": "fractional"}],
    "BernoulliNB": [{"binarize": 4.0}],
    "NaiveBayes": [
        {"alpha": 0.0},
        {"distributions": "categorical"},
        {"distributions": {"numeric": "kernel"}},
        {"distributions": {"numeric": "mdl"}},
        {"distributions": {"numeric": "poisson"}},
        {"distributions": "multinomial"},
    ],
    "LogisticRegression": [
        {"scale": "standard"},
        {"scale": "range", "solver": "lbfgs"},
        {"C": 0.1, "solver": "truncated_newton"},
        {"l1_ratio": 1.0, "scale": "standard"},
        {"l1_ratio": 0.5, "C": 0.5, "tol": 1e-6},
    ],
    "LogisticRegressionCV": [{"Cs": (1.0,), "n_folds": 2, "l1_ratios": (0.0, 1.0), "scale": "standard"}],
    "LinearSVC": [
        {"loss": "hinge", "scale": "standard", "tol": 1e-12},
        {"dual": True, "C": 0.1, "scale": "standard", "tol": 1e-12, "max_iter": 10_000},
        {"penalty": "l1", "scale": "range", "tol": 1e-8},
        {"multi_class": "crammer_singer", "C": 0.1, "scale": "standard", "tol": 1e-12, "max_iter": 10_000},
    ],
    "LinearSVR": [
        {"epsilon": 0.3, "scale": "standard", "tol": 1e-12, "max_iter": 10_000},
        {"loss": "squared_epsilon_insensitive", "C": 0.1, "scale": "range", "tol": 1e-12},
        {"dual": True, "C": 0.1, "scale": "standard", "tol": 1e-12, "max_iter": 10_000},
    ],
    "LinearSGD": [
        {"loss": "hinge", "scale": "standard", "l1_ratio": 0.5},
        {"loss": "modified_huber", "average": True, "learning_rate": "invscaling", "shuffle": False},
        {"loss": "squared_error", "scale": "range", "learning_rate": "adaptive"},
    ],
    "OneVsOne": [
        {"estimator": margin.LinearSVC(scale="standard", tol=1e-12)},
        {"decide": "probabilities"},
    ],
    "OneVsRest": [{"estimator": margin.LinearSVC(scale="standard", tol=1e-12)}],
    "PegasosClassifier": [
        {"kernel": "rbf", "scale": "standard", "max_iter": 30},
        {"kernel": "poly", "degree": 2, "coef0": 1.0, "scale": "range", "batch_size": 8, "max_iter": 5},
        {"project": True, "average": "last_half", "replace": True, "scale": "standard"},
    ],
    "Perceptron": [
        {"variant": "averaged", "scale": "standard"},
        {"variant": "voted", "shuffle": True, "random_state": 0, "max_iter": 20},
    ],
    "LinearDiscriminantAnalysis": [{"shrinkage": "auto"}, {"solver": "eigen"}],
    "QuadraticDiscriminantAnalysis": [{"unbiased": True}],
    "Reject": [{"model": margin.LinearDiscriminantAnalysis(), "confidence": "margin"}],
    "PolynomialFeatures": [{"degree": 3, "interaction_only": True}],
    "QuadraticFeatures": [{"nominal": "cross"}],
    "SVC": [
        {"C": 10.0, "multiclass": "one_vs_rest", "scale": "standard"},
        {"kernel": "linear", "probability": "sigmoid", "scale": "range"},
    ],
    "SVR": [{"epsilon": 0.3, "kernel": "linear", "scale": "range"}],
    "TableEncoder": [{"scale": "standard"}],
}
# What stands for the defaults of models that fit many others: fewer of them. Of a solver that stops within a tolerance
# a smaller one, where its answers are compared to more digits.
FEWER = {
    "LinearSVR": {"tol": 1e-12, "max_iter": 10_000},
    "LogisticRegressionCV": {"Cs": 2, "n_folds": 2},
    "GridSearch": {"cv": 2},
    "RandomSearch": {"cv": 2, "n": 2},
    "HalvingSearch": {"cv": 2, "grid": {"max_depth": [1, 3]}, "factor": 2},
    "LogSearch": {"cv": 2, "bounds": {"max_depth": (2, 4)}, "patience": 0, "refine": 0},
}
#: Every setting through every check: ``make test-all``, before a release. Otherwise a check is tried on as many
#: estimators as its outcome can depend on (``one_of_each_way_in``, ``one_of_each_estimator``).
ALL = os.environ.get("MARGIN_TEST_ALL") == "1"


def estimator_classes() -> list[type]:
    """Every class with a ``fit`` that a part of margin has among its public names, in the order of their names.

    What is not among them is the contract itself, or what several models share.
    """
    found = {}
    for part in pkgutil.iter_modules(margin.__path__, "margin."):
        if part.name in ("margin.cli", "margin.base", "margin.__main__", "margin._core"):
            continue
        module = importlib.import_module(part.name)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if inspect.isclass(value) and issubclass(value, BaseEstimator):
                found[name] = value
    found["TableEncoder"] = margin.TableEncoder
    return [found[name] for name in sorted(found)]


def settings() -> list[BaseEstimator]:
    """Every estimator with its defaults and its other settings."""
    found = []
    for cls in estimator_classes():
        name = cls.__name__
        found += [cls(**given) for given in [FEWER.get(name, {}), *OTHER_SETTINGS.get(name, [])]]
    return found


def counts_cells(estimator: BaseEstimator) -> bool:
    """Whether a model counts what is in its cells: other units, and columns of one number, then say something."""
    return get_tags(estimator).input_tags.positive_only or type(estimator).__name__ in ("BernoulliNB", "CategoricalNB")


def has_a_unit(estimator: BaseEstimator) -> bool:
    """Whether a parameter is in the unit of the columns, so that other units give other answers.

    That is a radius, a penalty on coefficients, and an intercept that is a column of ones beside the others. Kernel
    machines that are told a share of rows have none, but products of their cells leave the range of numbers.
    """
    parameters = own_and_inner(estimator)
    with_unit = {"radius", "C", "Cs", "alpha", "eta", "eta0", "nu", "patience"}
    return parameters.get("scale", "") is None and not with_unit.isdisjoint(parameters)


def counts_against_a_prior(estimator: BaseEstimator) -> bool:
    """Whether rows count against something that stays as it is: virtual cases (alpha), a penalty (C)."""
    return not {"alpha", "C", "Cs"}.isdisjoint(own_and_inner(estimator))


def comes_near(estimator: BaseEstimator) -> bool:
    """Whether a model is an optimum that steps come near, whatever order its sums are in."""
    return not {"C", "Cs", "nu"}.isdisjoint(own_and_inner(estimator)) and not hasattr(estimator, "partial_fit")


def own_and_inner(estimator: BaseEstimator) -> dict[str, object]:
    """The parameters of an estimator and of the one inside it, by their own names."""
    return {name.split("__")[-1]: value for name, value in estimator.get_params().items()}


def _every(kind: Callable[[BaseEstimator], bool]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("estimator", [e for e in settings() if kind(e)], ids=repr)


def _one_of_each(
    kind: Callable[[BaseEstimator], bool], by: Callable[[BaseEstimator], object] = type
) -> pytest.MarkDecorator:
    """The first estimator of each class, or of whatever ``by`` tells apart; all of them in ``make test-all``."""
    chosen = [e for e in settings() if kind(e)]
    if not ALL:
        # One that measures cells before one that counts them, to which some numbers are alike.
        in_turn = sorted(chosen, key=counts_cells)
        first = {by(e): e for e in in_turn[::-1]}
        chosen = [e for e in chosen if first[by(e)] is e]
    return pytest.mark.parametrize("estimator", chosen, ids=repr)


#: What is called with rows, labels or weights as they were given; nothing else ever sees them.
READERS = {"fit", "partial_fit", "predict", "predict_proba", "predict_with_proba", "decision_function", "transform"}
PRIVATE_READERS = {"_encoded", "_is_plain_matrix", "_learn_input", "_open_rows", "_read_rows", "_read_targets"}


def way_in(estimator: BaseEstimator) -> tuple[object, ...]:
    """By which code an estimator reads what it is given: two with the same way in read every input alike.

    A class that overrides any of it has a way of its own, and so its own place in the tests.
    """
    cls = type(estimator)
    code = {name: getattr(getattr(cls, name, None), "__qualname__", "") for name in READERS | PRIVATE_READERS}
    form = estimator.representation
    flags = (getattr(form, "sparse", None), getattr(form, "keep_float32", None), getattr(form, "largest", None))
    several = getattr(cls, "several_outputs", False)
    return type(form), flags, several, is_classifier(estimator), tuple(sorted(code.items()))


one_of_each_way_in = _one_of_each(lambda e: True, way_in)
one_of_each_classifiers_way_in = _one_of_each(is_classifier, way_in)
one_of_each_models_way_in = _one_of_each(lambda e: is_classifier(e) or is_regressor(e), way_in)
one_of_each_estimator = _one_of_each(lambda e: True)
one_of_each_classifier = _one_of_each(is_classifier)
one_of_each_model = _one_of_each(lambda e: is_classifier(e) or is_regressor(e))
every_estimator = _every(lambda e: True)
every_classifier = _every(is_classifier)
every_regressor = _every(is_regressor)
every_model = _every(lambda e: is_classifier(e) or is_regressor(e))
every_measuring_classifier = _every(lambda e: is_classifier(e) and not counts_cells(e))
every_measuring_model = _every(lambda e: is_regressor(e) or (is_classifier(e) and not counts_cells(e)))
every_model_without_a_unit = _every(
    lambda e: (is_regressor(e) or (is_classifier(e) and not counts_cells(e))) and not has_a_unit(e)
)


def numbers(n: int = 60, d: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Three classes around three centres; no number is below 0, so that models of counts can learn them too."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    return np.abs(rng.normal(size=(n, d)) + 2 * y[:, None] + 3), y


def frame(n: int = 60, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """A mixed table: numbers, words, booleans, an ordered scale, missing cells; its targets may be classes or not."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    age = rng.normal(40 + 10 * y, 5)
    age[::9] = np.nan
    job = np.where(rng.random(n) < 0.3 + 0.4 * y, "clerk", "cook").astype(object)
    job[::11] = None
    size = pd.Categorical(
        np.array(["small", "middle", "large"])[rng.integers(0, 3, n)], ["small", "middle", "large"], ordered=True
    )
    X = pd.DataFrame(
        {"age": age, "job": job, "member": rng.random(n) < 0.5, "size": size, "count": rng.integers(0, 9, n)}
    )
    return X, y


def answers(model: BaseEstimator, X: object) -> np.ndarray:
    """What a fitted model says of X, as numbers: probabilities, scores, the answers of a regressor, or a matrix."""
    for method in ("predict_proba", "decision_function"):
        if hasattr(model, method):
            return getattr(model, method)(X)
    return model.predict(X) if hasattr(model, "predict") else _as_numbers(model.transform(X))


def _as_numbers(made: object) -> np.ndarray:
    """What a transformer gives as one matrix: words by a number of their own, and -1 for what is missing."""
    if isinstance(made, Table):
        columns = [made.values(name) for name in made.names]
        coded = [
            column if column.dtype.kind == "f" else [-1 if v is None else zlib.crc32(repr(v).encode()) for v in column]
            for column in columns
        ]
        made = np.column_stack(coded).astype(np.float64)
    return np.where(np.isnan(made), -1.0, made) if made.dtype.kind == "f" else made
