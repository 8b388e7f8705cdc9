"""Files of linear models and machines with one thing changed, digests put right: refused, or they answer."""

from __future__ import annotations

import random

import numpy as np
import pytest

from margin.errors import PersistenceError
from margin.persistence import from_bytes, to_bytes
from margin.persistence.writing import MemorySink, write
from tests.contract.estimators import numbers
from tests.persistence.kinds.changed_files import asked, changed, opened
from tests.persistence.kinds.linear_and_svm_models import LINEAR_WAYS, SVM_WAYS

WAYS = LINEAR_WAYS | SVM_WAYS


class File:
    """A file taken apart: states of objects by kind, and their arrays."""

    def __init__(self, way: str) -> None:
        self.header, self.arrays = opened(to_bytes(WAYS[way]()[0]))

    def state(self, kind: str) -> dict:
        nodes = [node["state"] for node in self.header["objects"] if node["kind"] == kind]
        return next(state for state in nodes if state is not None)

    def parameters(self) -> dict:
        return self.header["objects"][-1]["parameters"]

    def change(self, number: int, act) -> None:
        self.arrays[number] = np.ascontiguousarray(act(self.arrays[number].copy()))

    def load(self):
        sink = MemorySink()
        write(sink, self.header, self.arrays)
        return from_bytes(bytes(sink.content))


def put(place, value):
    def act(array):
        array[place] = value
        return array

    return act


def array_of(kind, name, act):
    return lambda file: file.change(file.state(kind)[name], act)


def value_of(kind, name, value):
    return lambda file: file.state(kind).__setitem__(name, value)


def inside(kind, name, part, act):
    return lambda file: file.change(file.state(kind)[name][part], act)


def parameter(name, value):
    return lambda file: file.parameters().__setitem__(name, value)


WRONG = [
    ("svc rbf", value_of("multiclass-layout", "n_classes", 4), "where p is"),
    ("svc rbf", value_of("multiclass-layout", "multiclass", "one_vs_rest"), "its sums are laid out otherwise"),
    ("svc rbf", array_of("kernel-expansion", "bounds", put(-1, 10**6)), "cells ascend from 0 to v"),
    ("svc rbf", array_of("kernel-expansion", "bounds", put(1, 10**6)), "cells ascend from 0 to v"),
    ("svc rbf", array_of("kernel-expansion", "coef", lambda a: a[:1]), "its sums are laid out otherwise"),
    ("svc rbf", value_of("kernel-function", "name", "gaussian"), "must be one of"),
    ("svc rbf", value_of("kernel-function", "name", "precomputed"), "a precomputed kernel has a number of columns"),
    ("svc rbf", value_of("kernel-function", "degree", -1.0), "must be a number from 0"),
    ("svc rbf", inside("kernel-expansion", "vectors", 1, lambda a: a[:, 1:]), "its machine is of other columns"),
    ("svc rbf", inside("kernel-expansion", "vectors", 1, lambda a: a[1:]), "where v"),
    ("svc rbf", array_of("svc", "places", put(2, 3)), "every cell is from 0 to below k"),
    ("svc rbf", array_of("svc", "places", lambda a: a[:1]), "there must be a machine where several classes have rows"),
    ("svc rbf", array_of("svc", "places", lambda a: a[:2]), "its machine is of other classes"),
    ("svc rbf", value_of("svc", "machine", None), "there must be a machine where several classes have rows"),
    ("svc rbf", parameter("kernel", "precomputed"), "its machine has another kernel"),
    ("svc rbf", inside("margin-evidence", "alphas", "start", put(1, 1)), "it is of other rows than its problems"),
    ("svc rbf", array_of("margin-evidence", "y", put(0, 7)), "it has rows of classes that there are not"),
    ("svc, a class of weight 0", array_of("svc", "kept", lambda a: a[1:]), "its evidence is of other rows"),
    ("svc, a class of weight 0", value_of("svc", "n_given", 3), "it keeps rows that were not given"),
    ("svc linear", array_of("kernel-machine", "planes", lambda a: a[:, 1:]), "its planes are in other columns"),
    ("svc precomputed", array_of("kernel-machine", "columns", put(-1, 30)), "its machine is of other columns"),
    ("svc precomputed", array_of("kernel-machine", "columns", put(0, -1)), "every cell is at least 0"),
    ("svc of texts", lambda file: file.state("spectrum-kernel")["pieces"]["texts"].pop(), "its pieces of texts"),
    ("svc, isotonic", lambda file: file.state("isotonic-map")["corners"].pop(), "its probabilities are of other"),
    ("perceptron in parts", array_of("perceptron-memory", "w", lambda a: a[:, :4]), "its memory is of other scores"),
    ("perceptron voted in parts", array_of("perceptron-memory", "voters", lambda a: a[:, 1:]), "its voters have other"),
    ("perceptron voted in parts", array_of("perceptron-memory", "survived", lambda a: 0 * a), "its voters have no"),
    ("perceptron voted in parts", value_of("perceptron-memory", "late_b", None), "it remembers half"),
    ("perceptron in parts", array_of("perceptron", "mistake_counts", put(0, 10**6)), "its mistakes are more or fewer"),
    ("sgd in parts", lambda file: _all_narrower(file, "sgd-memory", ("w", "sum_w", "paid")), "its memory is of other"),
    ("sgd in parts", array_of("linear-sgd", "intercept", lambda a: a[:1]), "where s"),
    ("sgd, two classes of three", array_of("linear-sgd", "barred", put(0, 1.0)), "cells are 0, or bar a class"),
    ("logistic chosen", value_of("strength-choice", "chosen", [0, 2]), "it chose a penalty that was not tried"),
    ("logistic chosen", array_of("logistic-evidence", "columns", put(-1, 4)), "its evidence is of other columns"),
    ("logistic chosen", array_of("logistic-evidence", "curvature", lambda a: a[:4, :4]), "its second derivatives"),
    ("pegasos in parts, rbf", array_of("pegasos-kernel-memory", "y", put(0, 3)), "of classes that there are not"),
    ("pegasos in parts, rbf", array_of("pegasos-kernel-memory", "y", lambda a: a[1:]), "how often each vector"),
    ("pegasos in parts, rbf", value_of("pegasos-classifier", "expansion", None), "it must have coefficients, or sums"),
    ("pegasos in parts, rbf", array_of("kernel-expansion", "bounds", lambda a: a[[0, 0, 1]]), "its sums of kernels"),
    ("pegasos in parts", lambda file: _all_narrower(file, "pegasos-memory", ("weights", "sums")), "of other columns"),
    ("reject by cost", value_of("reject", "threshold", "nan"), "must be a number"),
    ("reject by cost", value_of("risk-coverage", "level", 2.0), "must be a number from 0 to 1"),
    ("reject by cost", lambda file: file.state("reject")["classes"]["numbers"].__setitem__(0, 9), "other classes"),
]


def _all_narrower(file, kind, names):
    for name in names:
        file.change(file.state(kind)[name], lambda a: a[:, :4])


@pytest.mark.parametrize(("way", "change", "why"), WRONG, ids=[f"{way}: {why}" for way, _, why in WRONG])
def test_what_does_not_fit_together_is_refused_in_words(way, change, why):
    file = File(way)
    change(file)
    with pytest.raises(PersistenceError, match=why):
        file.load()


@pytest.mark.parametrize("way", ["perceptron voted in parts", "logistic chosen", "svc rbf", "pegasos in parts, rbf"])
def test_files_with_one_thing_changed_are_refused_or_answer(way):
    X = numbers(50, seed=1)[0]
    gaps = X.copy()
    gaps[::3, 0] = np.nan
    parts, rng = opened(to_bytes(WAYS[way]()[0])), random.Random(way)
    found = [asked(changed(parts, rng)[1], [X, gaps]) for _ in range(30)]
    assert {"refused", "answered"} <= set(found) <= {"refused", "answered", "refused to answer"}
