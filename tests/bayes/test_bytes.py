"""Whole numbers in single bytes and truths: the same model as from wider numbers, without a wider copy of them."""

import tracemalloc

import numpy as np
import pytest

from margin import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB, NaiveBayes

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 3, 20_000)
CELLS = np.minimum(RNG.poisson(1 + Y[:, None], (20_000, 40)), 9)
MODELS = [CategoricalNB(), BernoulliNB(), MultinomialNB(), ComplementNB(), NaiveBayes(distributions="categorical")]
NAMES = ["categorical", "bernoulli", "multinomial", "complement", "naive"]


@pytest.mark.parametrize("model", MODELS, ids=NAMES)
@pytest.mark.parametrize("kind", ["uint8", "int8", "bool", "int16", "int32", "int64"])
def test_no_copy_of_wider_numbers_is_made(model, kind):
    X = (CELLS if kind != "bool" else CELLS > 1).astype(kind)
    model.fit(X[:50], Y[:50])  # what is loaded on first use is no part of it
    tracemalloc.start()
    try:
        model.fit(X, Y)
        _, fitting = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        model.predict(X)
        _, answering = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    labels_and_scores = Y.nbytes * 4 + len(Y) * 3 * 8 * 2
    assert fitting < 3 * X.nbytes + labels_and_scores
    assert answering < 3 * X.nbytes + labels_and_scores


@pytest.mark.parametrize("kind", ["uint8", "bool"])
def test_densities_take_bytes_as_numbers_of_single_precision(kind):
    """Four bytes for each, not the twelve of whole numbers and doubles beside each other."""
    X, model = (CELLS if kind != "bool" else CELLS > 1).astype(kind), GaussianNB()
    model.fit(X[:50], Y[:50])  # what is loaded on first use is no part of it
    tracemalloc.start()
    try:
        model.fit(X, Y).predict(X)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 5 * X.nbytes + Y.nbytes * 4 + len(Y) * 3 * 8 * 2


@pytest.mark.parametrize("model", [*MODELS, GaussianNB(), NaiveBayes(distributions="poisson")], ids=[*NAMES, "g", "p"])
@pytest.mark.parametrize("kind", ["uint8", "int8", "bool"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_bytes_give_the_same_model_as_wide_numbers(model, kind, order):
    X = (CELLS if kind != "bool" else CELLS > 1)[:500].astype(kind)
    weight = RNG.uniform(0.5, 2.0, 500)
    wide = model.fit(X.astype(np.int32), Y[:500], sample_weight=weight)
    expected = wide.joint_log_likelihood(X.astype(np.int32)), [term[2] for term in wide.column_terms(CELLS[:1] % 2)]
    X = np.asarray(X, order=order)
    narrow = model.fit(X, Y[:500], sample_weight=weight)
    assert np.array_equal(narrow.joint_log_likelihood(X), expected[0])
    terms = narrow.column_terms((CELLS[:1] % 2).astype(kind))
    assert np.array_equal([term[2] for term in terms], expected[1])


def test_negative_bytes_are_refused_as_counts():
    X = np.array([[1, 2], [-3, 1]], dtype=np.int8)
    with pytest.raises(ValueError, match="-3 is no count"):
        MultinomialNB().fit(X, [0, 1])
    assert BernoulliNB(binarize=-2).fit(X, [0, 1]).predict(X).tolist() == [0, 1]


def test_parts_of_bytes_add_up_with_wide_ones():
    whole = CategoricalNB().fit(CELLS[:200].astype(np.uint8), Y[:200])
    parts = CategoricalNB().partial_fit(CELLS[:100].astype(np.uint8), Y[:100], classes=[0, 1, 2])
    parts.partial_fit(CELLS[100:200].astype(np.int64), Y[100:200])
    assert np.array_equal(whole.predict_proba(CELLS[:50]), parts.predict_proba(CELLS[:50].astype(np.uint8)))
