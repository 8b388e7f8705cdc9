"""Rows taken out of sums: worked by hand, then the definition, then properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from margin import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    DiagonalLinearDiscriminantAnalysis,
    GaussianNB,
    JointBayes,
    LinearDiscriminantAnalysis,
    MultinomialNB,
    NaiveBayes,
    QuadraticDiscriminantAnalysis,
)
from margin.data import catalog, read
from margin.evaluation.predictions.leave_one_out import refitted_predictions
from tests.contract.estimators import frame
from tests.shared_data import shared_data

pytestmark = pytest.mark.filterwarnings(
    "ignore::margin.errors.ConstantColumnWarning",
    "ignore::margin.errors.SparseTableWarning",
    "ignore::margin.errors.DeficientClassWarning",
)


def same_as_new_fits(model, X, y, weight=None, rows=None):
    found = model.left_out_answers(X, y, weight)
    assert found is not None
    rows = np.arange(len(y)) if rows is None else rows
    refitted = refitted_predictions(model, X, np.asarray(y), weight, rows)
    assert found.labels[rows].tolist() == refitted.labels.tolist()
    np.testing.assert_allclose(found.probabilities[rows], refitted.probabilities, rtol=1e-9, atol=1e-12)


def test_a_category_has_one_case_less_in_the_class_of_the_row():
    X, y = np.array([["a"], ["a"], ["b"], ["b"], ["a"]], dtype=object), np.array([0, 0, 0, 1, 1])
    shares = NaiveBayes().left_out_answers(X, y).probabilities
    # Without row 0 class 0 has an a and a b, class 1 the same: (1 + 1) / (2 + 2) of each.
    np.testing.assert_allclose(shares[0], [0.5, 0.5])
    # Without row 2 class 0 has two a: (0 + 1) / (2 + 2) of b.
    np.testing.assert_allclose(shares[2], [1 / 3, 2 / 3])


def test_a_normal_density_has_the_mean_and_deviation_of_the_other_rows():
    X, y = np.array([[0.0], [1.0], [2.0], [4.0], [5.0], [6.0]]), np.array([0, 0, 0, 1, 1, 1])
    shares = NaiveBayes().left_out_answers(X, y).probabilities
    # Without row 2: mean 0.5 and variance 0.5 beside mean 5 and variance 1, with 2 and 3 cases.
    own = 2 * np.exp(-((2 - 0.5) ** 2) / (2 * 0.5)) / np.sqrt(0.5)
    other = 3 * np.exp(-((2 - 5) ** 2) / 2)
    np.testing.assert_allclose(shares[2], [own / (own + other), other / (own + other)])


WEIGHTS = ["none", "whole", "broken"]


def weights(kind, n):
    rng = np.random.default_rng(5)
    found = {"none": None, "whole": rng.integers(0, 4, n) * 1.0, "broken": rng.random(n) + 0.1}[kind]
    if found is not None:
        found[:2] = 1, 0
    return found


def measurements(n=33, d=3):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + np.array([0.0, 1.5, 3.0])[y, None] * [1, -1, 0.5]
    X[5], y[5] = X[4], y[4]
    X[0, 0] = 40.0  # far from all others
    y[7] = 9  # the only one of its class
    return X, y


@pytest.mark.parametrize(
    "model",
    [
        NaiveBayes(),
        NaiveBayes(alpha=0.0),
        GaussianNB(var_smoothing=1e-3),
        LinearDiscriminantAnalysis(),
        LinearDiscriminantAnalysis(shrinkage=0.3),
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1),
        DiagonalLinearDiscriminantAnalysis(),
    ],
    ids=repr,
)
@pytest.mark.parametrize("kind", WEIGHTS)
def test_measurements_agree_with_new_fits(model, kind):
    X, y = measurements()
    same_as_new_fits(model, X, y, weights(kind, len(y)))


@pytest.mark.parametrize(
    "model",
    [
        NaiveBayes(priors=(0.2, 0.3, 0.5)),
        LinearDiscriminantAnalysis(priors=(0.2, 0.3, 0.5)),
        QuadraticDiscriminantAnalysis(),
        QuadraticDiscriminantAnalysis(unbiased=True, shrinkage=0.2, priors=(0.2, 0.3, 0.5)),
        QuadraticDiscriminantAnalysis(reg_param=0.1),
    ],
    ids=repr,
)
@pytest.mark.parametrize("kind", WEIGHTS)
def test_models_that_need_every_class_agree_with_new_fits(model, kind):
    X, y = measurements()
    y[7] = 1
    same_as_new_fits(model, X, y, weights(kind, len(y)))


@pytest.mark.parametrize(
    "model",
    [
        MultinomialNB(),
        ComplementNB(),
        BernoulliNB(alpha=0.5, binarize=1.0),
        NaiveBayes(distributions="poisson"),
        NaiveBayes(distributions="poisson", alpha=0.0),
        CategoricalNB(min_categories=6),
        NaiveBayes(distributions="categorical", alpha=0.0),
        BernoulliNB(alpha=0.0),
        JointBayes(),
        JointBayes(alpha=0.0),
    ],
    ids=repr,
)
@pytest.mark.parametrize("kind", ["none", "whole"])
def test_counts_agree_with_new_fits(model, kind):
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 40)
    X = np.minimum(rng.poisson(0.7 + y[:, None], (40, 3)), 3) * 1.0
    same_as_new_fits(model, X, y, weights(kind, 40))
    if not isinstance(model, (JointBayes, CategoricalNB)) and "categorical" not in repr(model):
        same_as_new_fits(model, csr_array(X), y, weights(kind, 40))


def test_mixed_tables_with_missing_cells_agree_with_new_fits():
    X, y = frame(40)
    X.loc[3, "job"] = "pilot"  # the only one
    for model in (NaiveBayes(), NaiveBayes(alpha=0.0), GaussianNB(), BernoulliNB(),
                  NaiveBayes(distributions={"numeric": "poisson"})):  # fmt: skip
        same_as_new_fits(model, X, y, rows=np.arange(0, 40, 5))
    for name in ("weather_nominal", "weather_numeric"):
        X, y = catalog.load(name).target("play")
        for model in (NaiveBayes(alpha=0.0), NaiveBayes(), LinearDiscriminantAnalysis(shrinkage=0.2), JointBayes()):
            if model.left_out_answers(X, np.array(y)) is not None:
                same_as_new_fits(model, X, np.array(y))
        assert NaiveBayes().left_out_answers(X, np.array(y)) is not None


def test_one_hot_columns_that_add_up_to_one_agree_with_new_fits():
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 60)
    words = np.array(["low", "middle", "high"])[np.minimum(rng.integers(0, 3, 60) + (y & rng.integers(0, 2, 60)), 2)]
    X = np.column_stack([words.astype(object), (rng.normal(size=60) + y).astype(object)])
    same_as_new_fits(LinearDiscriminantAnalysis(), X, y)


def test_iris_and_credit_agree_with_new_fits():
    X, y = read(shared_data("iris.arff")).target("class")
    for model in (NaiveBayes(), LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()):
        same_as_new_fits(model, X, np.array(y), rows=np.arange(0, 150, 7))
    X, y = read(shared_data("credit-g.arff.gz")).target("class")
    same_as_new_fits(NaiveBayes(), X, np.array(y), rows=np.arange(0, 1000, 111))


def test_what_takes_new_fits_is_left_to_them():
    X, y = measurements()
    for model in (
        NaiveBayes(distributions="kernel"),
        NaiveBayes(distributions="mdl"),  # each row has a say in where the cuts are
        NaiveBayes(class_weight="balanced"),
        LinearDiscriminantAnalysis(shrinkage="auto"),
        QuadraticDiscriminantAnalysis(shrinkage="auto"),
        NaiveBayes(priors=(0.1, 0.2, 0.3, 0.4)),  # too many without the only row of class 9
    ):
        assert model.left_out_answers(X, y) is None
    X[3, 1] = np.nan
    assert LinearDiscriminantAnalysis().left_out_answers(X, y) is None  # means of all others are filled in
    assert NaiveBayes().left_out_answers(X, y) is not None  # missing cells are left out


MODELS = [
    NaiveBayes(), NaiveBayes(alpha=0.0), GaussianNB(), NaiveBayes(distributions="categorical"), BernoulliNB(),
    MultinomialNB(), ComplementNB(), NaiveBayes(distributions="poisson"), JointBayes(), LinearDiscriminantAnalysis(),
    DiagonalLinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(),
]  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_small_table_agrees_with_new_fits(data):
    n = data.draw(st.integers(4, 10))
    cells = st.sampled_from([0.0, 1.0, 2.0, 5.0, np.nan])
    X = np.array(data.draw(st.lists(st.lists(cells, min_size=2, max_size=2), min_size=n, max_size=n)))
    y = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    weight = np.array(data.draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 0.5]), min_size=n, max_size=n)))
    model = data.draw(st.sampled_from(MODELS))
    for sample_weight in (None, weight):
        found = model.left_out_answers(X, y, sample_weight)
        if found is not None:
            refitted = refitted_predictions(model, X, y, sample_weight, np.arange(n))
            assert found.labels.tolist() == refitted.labels.tolist()
            np.testing.assert_allclose(found.probabilities, refitted.probabilities, rtol=1e-9, atol=1e-12)
