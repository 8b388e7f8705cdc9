"""Every estimator of margin, found by itself, and small data that all of them can learn."""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import importlib
import inspect
import os
import pickle
import pkgutil
import textwrap
import zlib
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.utils import get_tags

import margin
from margin.data import Table
from tests.contract.other_settings import FEWER, OTHER_SETTINGS

#: Every setting through every check: ``make test-all``, before a release. Otherwise a check is tried on as many
#: estimators as its outcome can depend on (``one_of_each_way_in``, ``one_of_each_estimator``).
ALL = os.environ.get("MARGIN_TEST_ALL") == "1"


def estimator_classes() -> list[type]:
    """Every class with a ``fit`` that a part of margin has among its public names, in the order of their names.

    What is not among them is the contract itself, or what several models share; models of pictures and of sequences,
    which say that they take no tables, have a contract of their own (``test_cases.py``).
    """
    found = {}
    for part in pkgutil.iter_modules(margin.__path__, "margin."):
        if part.name in ("margin.cli", "margin.base", "margin.__main__", "margin._core"):
            continue
        module = importlib.import_module(part.name)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            # What does not learn from tables meets other bad input: test_cases.py.
            no_tables = getattr(value, "accepts_tables", True) is False
            if inspect.isclass(value) and issubclass(value, BaseEstimator) and not no_tables:
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


#: The same for all tests here, which fit clones of them.
_settings = functools.cache(settings)

#: How an estimator is written, in the names of its tests; scikit-learn takes a millisecond to write one.
shown = functools.cache(repr)


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
    if getattr(estimator, "sampling", None) == "under":
        return True
    return bool(getattr(estimator, "bootstrap", False)) or getattr(estimator, "max_samples", None) is not None


def own_and_inner(estimator: BaseEstimator) -> dict[str, object]:
    """The parameters of an estimator and of those inside it, by their own names."""
    unnamed = estimator._named() if getattr(estimator, "estimators", ()) is None else ()
    found = {name.split("__")[-1]: value for name, value in estimator.get_params().items()}
    return {**found, **{name: value for _, inner in unnamed for name, value in inner.get_params().items()}}


def _every(kind: Callable[[BaseEstimator], bool]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("estimator", [e for e in _settings() if kind(e)], ids=shown)


def in_turn(kind: Callable[[BaseEstimator], bool], name: str, values: list[object]) -> pytest.MarkDecorator:
    """All of ``values``, as a list called ``name``, for the defaults of each class; its other settings take one each in
    turn, so that every class meets every value and every setting one of them. ``make test-all`` gives all to all.

    The test goes through the list itself, so that what does not depend on the value is learnt once.
    """
    return dealt([e for e in _settings() if kind(e)], name, values)


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
    return pytest.mark.parametrize(("estimator", name), given, ids=[shown(estimator) for estimator, _ in given])


def _one_of_each(
    kind: Callable[[BaseEstimator], bool], by: Callable[[BaseEstimator], object] = type
) -> pytest.MarkDecorator:
    """The first estimator of each class, or of whatever ``by`` tells apart; all of them in ``make test-all``."""
    chosen = [e for e in _settings() if kind(e)]
    if not ALL:
        # One that measures cells before one that counts them, to which some numbers are alike.
        in_turn = sorted(chosen, key=counts_cells)
        first = {by(e): e for e in in_turn[::-1]}
        chosen = [e for e in chosen if first[by(e)] is e]
    return pytest.mark.parametrize("estimator", chosen, ids=shown)


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


@functools.cache
def readers(cls: type) -> tuple[str, ...]:
    return tuple(reader(cls, name) for name in sorted(READERS | PRIVATE_READERS))


def way_in(estimator: BaseEstimator) -> tuple[object, ...]:
    """By which code an estimator reads what it is given: two with the same way in read every input alike.

    A class that overrides any of it, or does anything with rows before they are encoded, has a way of its own, and so
    its own place in the tests.
    """
    form = estimator.representation
    flags = tuple(getattr(form, name, None) for name in ("sparse", "keep_float32", "text"))
    several = getattr(estimator, "several_outputs", False)
    return type(form), flags, several, is_classifier(estimator), readers(type(estimator))


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


@contextlib.contextmanager
def case(name: object) -> Iterator[None]:
    """One of the inputs that a test goes through: what fails inside says which it was.

    Beside several thousand inputs for each way in, pytest would take longer to tell their tests apart than to run them,
    and what all inputs are compared with would be learnt for each.
    """
    try:
        yield
    except BaseException as error:
        error.add_note(f"in the case of {name!s}")
        raise


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


@functools.cache  # each is met once by every test: what forgets any forgets all before it is met again
def _learnt(key: bytes) -> BaseEstimator:
    estimator, make = pickle.loads(key)
    return estimator.fit(*make())


def learnt(estimator: BaseEstimator, make: Callable[[], tuple[object, object]] = numbers) -> BaseEstimator:
    """A copy, which a test may change, of the estimator fitted on what many tests begin with: ``fit(*make())``, once in
    a process. ``make`` is a function of a module, or a ``partial`` of one."""
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
