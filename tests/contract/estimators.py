"""Every estimator of margin, found by itself, and small data that all of them can learn."""

from __future__ import annotations

import ast
import copy
import functools
import importlib
import inspect
import os
import pickle
import pkgutil
import textwrap
import zlib
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.utils import get_tags

import margin
from margin.data import Table

MACHINE_AND_BAYES = [("svm", margin.LinearSVC(tol=1e-12)), ("bayes", margin.NaiveBayes())]
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
    "StackingClassifier": [
        {"passthrough": True, "final_estimator": margin.DecisionTreeClassifier(max_depth=3), "cv": 2},
        {
            "estimators": [("svm", margin.LinearSVC(tol=1e-12)), ("bayes", margin.NaiveBayes())],
            "stack_method": "predict",
        },
    ],
    "StackingRegressor": [{"passthrough": True, "final_estimator": margin.DecisionTreeRegressor(max_depth=3), "cv": 2}],
    "VotingClassifier": [
        {"weights": "learnt"},
        {"estimators": MACHINE_AND_BAYES, "weights": [1, 2]},
    ],
    "VotingRegressor": [{"weights": "learnt"}],
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
    "RandomForestClassifier": [
        {"n_estimators": 7, "criterion": "entropy", "bootstrap": False, "nominal": "one_vs_rest", "random_state": 0},
        {"n_estimators": 7, "max_bins": 255, "max_depth": 6, "oob_score": False, "random_state": 0},
    ],
    "RandomForestRegressor": [{"n_estimators": 7, "bootstrap": False, "max_bins": 255, "random_state": 0}],
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
    "RandomForestClassifier": {"n_estimators": 10, "random_state": 0},
    "RandomForestRegressor": {"n_estimators": 10, "random_state": 0},
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


def is_estimator(estimator: BaseEstimator) -> bool:
    """Any of them, transformers too."""
    return True


def is_model(estimator: BaseEstimator) -> bool:
    """Whether it answers rows, with a class or a number."""
    return is_classifier(estimator) or is_regressor(estimator)


def is_measuring_classifier(estimator: BaseEstimator) -> bool:
    return is_classifier(estimator) and not counts_cells(estimator)


def is_measuring_model(estimator: BaseEstimator) -> bool:
    return is_regressor(estimator) or is_measuring_classifier(estimator)


def is_model_without_a_unit(estimator: BaseEstimator) -> bool:
    return is_measuring_model(estimator) and not has_a_unit(estimator)


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


def draws_rows(estimator: BaseEstimator) -> bool:
    """Whether a model learns from rows drawn at random, so that shares are about those of the rows."""
    return bool(getattr(estimator, "bootstrap", False))


def own_and_inner(estimator: BaseEstimator) -> dict[str, object]:
    """The parameters of an estimator and of those inside it, by their own names."""
    unnamed = estimator._named() if getattr(estimator, "estimators", ()) is None else ()
    found = {name.split("__")[-1]: value for name, value in estimator.get_params().items()}
    return {**found, **{name: value for _, inner in unnamed for name, value in inner.get_params().items()}}


def _every(kind: Callable[[BaseEstimator], bool]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("estimator", [e for e in settings() if kind(e)], ids=repr)


def in_turn(kind: Callable[[BaseEstimator], bool], name: str, values: list[object]) -> pytest.MarkDecorator:
    """All of ``values``, as a list called ``name``, for the defaults of each class; its other settings take one each in
    turn, so that every class meets every value and every setting one of them. ``make test-all`` gives all to all.

    The test goes through the list itself, so that what does not depend on the value is learnt once.
    """
    return dealt([e for e in settings() if kind(e)], name, values)


def dealt(
    estimators: list[BaseEstimator], name: str, values: list[object], *, to_classes: int | None = None, others: int = 1
) -> pytest.MarkDecorator:
    """Values in turn, so many for the first estimator of each class, or all of them, and so many for the others."""
    given, turn = [], 0
    met: set[type] = set()
    for estimator in estimators:
        count = others if type(estimator) in met else to_classes
        met.add(type(estimator))
        if ALL or count is None:
            given.append((estimator, values))
        elif count:
            given.append((estimator, [values[(turn + i) % len(values)] for i in range(count)]))
            turn += count
    return pytest.mark.parametrize(("estimator", name), given, ids=[repr(estimator) for estimator, _ in given])


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


#: What the tests call with rows, labels or weights as they were given, and what those hand them on to.
READERS = {"fit", "predict", "predict_proba", "decision_function", "transform"}
PRIVATE_READERS = {"_encoded", "_is_plain_matrix", "_learn_input", "_open_rows", "_read_rows", "_read_targets"}


@functools.cache
def reads_by_encoding(method: Callable[..., object]) -> bool:
    """Whether a method does nothing with its rows ``X`` but hand them to ``self._encoded``, once and as they are."""
    code = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(method))))
    calls = [
        node for node in ast.walk(code) if isinstance(node, ast.Call) and ast.unparse(node.func) == "self._encoded"
    ]
    handed = [call.args[0] for call in calls if isinstance(call.args[0], ast.Name) and call.args[0].id == "X"]
    named = [node for node in ast.walk(code) if isinstance(node, ast.Name) and node.id == "X"]
    return len(handed) == len(named) == 1


def reader(cls: type, name: str) -> str:
    """The code by which a class does a step of reading; methods that leave all of it to ``_encoded`` are alike."""
    method = getattr(cls, name, None)
    if method is None or (name not in {"fit", *PRIVATE_READERS} and reads_by_encoding(method)):
        return ""
    return method.__qualname__


def way_in(estimator: BaseEstimator) -> tuple[object, ...]:
    """By which code an estimator reads what it is given: two with the same way in read every input alike.

    A class that overrides any of it, or does anything with rows before they are encoded, has a way of its own, and so
    its own place in the tests.
    """
    cls, form = type(estimator), estimator.representation
    code = tuple(reader(cls, name) for name in sorted(READERS | PRIVATE_READERS))
    flags = tuple(getattr(form, name, None) for name in ("sparse", "keep_float32", "text"))
    return type(form), flags, getattr(estimator, "several_outputs", False), is_classifier(estimator), code


one_of_each_way_in = _one_of_each(is_estimator, way_in)
one_of_each_classifiers_way_in = _one_of_each(is_classifier, way_in)
one_of_each_models_way_in = _one_of_each(is_model, way_in)
one_of_each_estimator = _one_of_each(is_estimator)
every_estimator = _every(is_estimator)
every_classifier = _every(is_classifier)
every_regressor = _every(is_regressor)
every_model = _every(is_model)
every_measuring_classifier = _every(is_measuring_classifier)
every_measuring_model = _every(is_measuring_model)


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


@functools.lru_cache(maxsize=64)
def _learnt(key: bytes) -> BaseEstimator:
    estimator, make = pickle.loads(key)
    return estimator.fit(*make())


def learnt(estimator: BaseEstimator, make: Callable[[], tuple[object, object]] = numbers) -> BaseEstimator:
    """A copy, which a test may change, of the estimator fitted on rows that many tests begin with."""
    return copy.deepcopy(_learnt(pickle.dumps((clone(estimator), make))))


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
