"""Files of linear models and machines with one thing changed, digests put right: refused, in words."""

from __future__ import annotations

import pytest

from margin.errors import PersistenceError
from margin.persistence import from_bytes, to_bytes
from tests.persistence.changing import Change, array_of, changed, put, state_of, value_of
from tests.persistence.kinds.linear_and_svm_models import LINEAR_WAYS, SVM_WAYS

WAYS = LINEAR_WAYS | SVM_WAYS


def parameter(name: str, value: object) -> Change:
    return lambda head, _: head["objects"][-1]["parameters"].__setitem__(name, value)


def all_narrower(kind: str, names: tuple[str, ...]) -> Change:
    """A change of several arrays of an object at once."""
    changes = [array_of(kind, name, lambda a: a[:, :4]) for name in names]
    return lambda head, arrays: [change(head, arrays) for change in changes]


DATED = "logistic of dates and texts"
WRONG = [
    (DATED, value_of("date-parts", "parts", ["days", "century"]), "must be one of"),
    (DATED, value_of("date-parts", "parts", ["days", "days"]), "or something twice"),
    (DATED, value_of("date-parts", "column", "night"), "what is made of dates is not there"),
    (DATED, value_of("hashed-text", "column", "day"), "it knows words of other columns"),
    (DATED, array_of("hashed-text", "buckets", put(0, 2**18)), "its buckets must ascend"),
    (DATED, array_of("hashed-text", "buckets", put(-1, 2**18)), "there are no such buckets"),
    (DATED, array_of("hashed-text", "weights", put(0, float("nan"))), "cell"),
    ("svc rbf", value_of("multiclass-layout", "n_classes", 4), "where p is"),
    ("svc rbf", value_of("multiclass-layout", "multiclass", "one_vs_rest"), "its sums are laid out otherwise"),
    ("svc rbf", array_of("kernel-expansion", "bounds", put(-1, 10**6)), "cells ascend from 0 to v"),
    ("svc rbf", array_of("kernel-expansion", "bounds", put(1, 10**6)), "cells ascend from 0 to v"),
    ("svc rbf", array_of("kernel-expansion", "coef", lambda a: a[:1]), "its sums are laid out otherwise"),
    ("svc rbf", value_of("kernel-function", "name", "gaussian"), "must be one of"),
    ("svc rbf", value_of("kernel-function", "name", "precomputed"), "a precomputed kernel has a number of columns"),
    ("svc rbf", value_of("kernel-function", "degree", -1.0), "must be a number from 0"),
    ("svc rbf", array_of("kernel-expansion", ("vectors", 1), lambda a: a[:, 1:]), "its machine is of other columns"),
    ("svc rbf", array_of("kernel-expansion", ("vectors", 1), lambda a: a[1:]), "where v"),
    ("svc rbf", array_of("svc", "places", put(2, 3)), "every cell is from 0 to below k"),
    ("svc rbf", array_of("svc", "places", lambda a: a[:1]), "there must be a machine where several classes have rows"),
    ("svc rbf", array_of("svc", "places", lambda a: a[:2]), "its machine is of other classes"),
    ("svc rbf", value_of("svc", "machine", None), "there must be a machine where several classes have rows"),
    ("svc rbf", parameter("kernel", "precomputed"), "its machine has another kernel"),
    ("svc rbf", array_of("margin-evidence", ("alphas", "start"), put(1, 1)), "it is of other rows than its problems"),
    ("svc rbf", array_of("margin-evidence", "y", put(0, 7)), "it has rows of classes that there are not"),
    ("svc rbf", array_of("margin-evidence", "y", put(0, 2**31 - 1)), "it has rows of classes that there are not"),
    ("svc, a class of weight 0", array_of("svc", "kept", lambda a: a[1:]), "its evidence is of other rows"),
    ("svc, a class of weight 0", value_of("svc", "n_given", 3), "it keeps rows that were not given"),
    ("svc linear", array_of("kernel-machine", "planes", lambda a: a[:, 1:]), "its planes are in other columns"),
    ("svc precomputed", array_of("kernel-machine", "columns", put(-1, 30)), "its machine is of other columns"),
    ("svc precomputed", array_of("kernel-machine", "columns", put(0, -1)), "every cell is at least 0"),
    ("svc of texts", lambda head, _: state_of(head, "spectrum-kernel")["pieces"]["texts"].pop(), "its pieces of texts"),
    (
        "svc, isotonic",
        lambda head, _: state_of(head, "isotonic-map")["corners"].pop(),
        "its probabilities are of other",
    ),
    ("perceptron in parts", array_of("perceptron-memory", "w", lambda a: a[:, :4]), "its memory is of other scores"),
    ("perceptron voted in parts", array_of("perceptron-memory", "voters", lambda a: a[:, 1:]), "its voters have other"),
    ("perceptron voted in parts", array_of("perceptron-memory", "survived", lambda a: 0 * a), "its voters have no"),
    ("perceptron voted in parts", value_of("perceptron-memory", "late_b", None), "it remembers half"),
    ("perceptron in parts", array_of("perceptron", "mistake_counts", put(0, 10**6)), "its mistakes are more or fewer"),
    ("sgd in parts", all_narrower("sgd-memory", ("w", "sum_w", "paid")), "its memory is of other"),
    ("sgd in parts", array_of("linear-sgd", "intercept", lambda a: a[:1]), "where s"),
    ("sgd, two classes of three", array_of("linear-sgd", "barred", put(0, 1.0)), "cells are 0, or bar a class"),
    ("logistic chosen", value_of("strength-choice", "chosen", [0, 2]), "it chose a penalty that was not tried"),
    ("logistic chosen", array_of("logistic-evidence", "columns", put(-1, 4)), "its evidence is of other columns"),
    ("logistic chosen", array_of("logistic-evidence", "curvature", lambda a: a[:4, :4]), "its second derivatives"),
    ("pegasos in parts, rbf", array_of("pegasos-kernel-memory", "y", put(0, 3)), "of classes that there are not"),
    ("pegasos in parts, rbf", array_of("pegasos-kernel-memory", "y", lambda a: a[1:]), "how often each vector"),
    ("pegasos in parts, rbf", value_of("pegasos-classifier", "expansion", None), "it must have coefficients, or sums"),
    ("pegasos in parts, rbf", array_of("kernel-expansion", "bounds", lambda a: a[[0, 0, 1]]), "its sums of kernels"),
    ("pegasos in parts", all_narrower("pegasos-memory", ("weights", "sums")), "of other columns"),
    ("reject by cost", value_of("reject", "threshold", "nan"), "must be a number"),
    ("reject by cost", value_of("risk-coverage", "level", 2.0), "must be a number from 0 to 1"),
    (
        "reject by cost",
        lambda head, _: state_of(head, "reject")["classes"]["numbers"].__setitem__(0, 9),
        "other classes",
    ),
]


@pytest.mark.parametrize(("way", "change", "why"), WRONG, ids=[f"{way}: {why}" for way, _, why in WRONG])
def test_what_does_not_fit_together_is_refused_in_words(way, change, why):
    with pytest.raises(PersistenceError, match=why):
        from_bytes(changed(to_bytes(WAYS[way]()[0]), change))
