"""Settings that change what is kept: kernels of whole rows, weights of columns, several targets, weights of rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from sklearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestCentroid,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
)
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import margin
from tests.interop.cases import assert_same_answers, rows_for, tied_rows

X, Y = rows_for(None, "wine")
Z = (X - X.mean(axis=0)) / X.std(axis=0)


def test_a_kernel_given_as_a_matrix():
    kernel = Z @ Z.T
    theirs = SVC(kernel="precomputed").fit(kernel[::2, ::2], Y[::2])
    ours = margin.from_sklearn(theirs)
    assert ours.n_features_in_ == len(Z[::2])
    assert_same_answers(theirs, ours, kernel[:, ::2])


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_machines_of_sparse_rows_keep_sparse_vectors(kernel):
    rows = sp.csr_array(np.where(Z > 0, Z, 0))
    theirs = SVC(kernel=kernel).fit(rows, Y)
    ours = margin.from_sklearn(theirs)
    assert sp.issparse(ours.support_vectors_)
    assert_same_answers(theirs, ours, rows)
    assert_same_answers(theirs, ours, rows.toarray())


def test_many_support_vectors_are_summed_in_double_precision():
    random = np.random.default_rng(0)
    rows, y = random.normal(size=(1500, 5)), random.integers(0, 2, 1500)
    theirs = SVC().fit(rows, y)
    assert theirs.n_support_.sum() > 1000
    assert_same_answers(theirs, margin.from_sklearn(theirs), rows[:200])


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "canberra", "hamming", "cosine"])
def test_metrics(metric):
    theirs = KNeighborsClassifier(metric=metric, weights="distance", n_neighbors=7).fit(Z[::2], Y[::2])
    ours = margin.from_sklearn(theirs)
    if metric == "hamming":  # ties everywhere: who is asked is each package's choice, how far away they are is not
        mine, others = ours.kneighbors(Z[1::2])[0], theirs.kneighbors(Z[1::2])[0]
        np.testing.assert_allclose(mine, others, atol=1e-12)
    else:
        assert_same_answers(theirs, ours, Z[1::2], 1e-9)


def test_a_metric_and_weights_of_the_users_own():
    def far(a, b):
        return float(np.abs(a - b).max())

    theirs = KNeighborsClassifier(metric=far, weights=lambda d: np.exp(-d)).fit(Z[::2], Y[::2])
    asked = Z[1::2][~tied_rows(theirs, Z[1::2])]
    assert len(asked) > 80
    assert_same_answers(theirs, margin.from_sklearn(theirs), asked)


def test_weights_of_columns_in_the_metric():
    weights = np.linspace(0.1, 2.0, Z.shape[1])
    theirs = KNeighborsRegressor(metric="minkowski", p=3, metric_params={"w": weights}).fit(Z[::2], Y[::2])
    ours = margin.from_sklearn(theirs)
    assert ours.feature_weights == weights.tolist()
    assert_same_answers(theirs, ours, Z[1::2])


def test_several_targets_of_neighbours():
    targets = np.column_stack([Y, X[:, 0]])
    for model in (KNeighborsRegressor(), RadiusNeighborsRegressor(radius=9.0)):
        theirs = model.fit(Z, targets)
        np.testing.assert_allclose(margin.from_sklearn(theirs).predict(Z), theirs.predict(Z), rtol=1e-12)
    theirs = KNeighborsClassifier().fit(Z, np.column_stack([Y, Y > 1]))
    ours = margin.from_sklearn(theirs)
    np.testing.assert_array_equal(ours.predict(Z), theirs.predict(Z))
    for mine, others in zip(ours.predict_proba(Z), theirs.predict_proba(Z)):
        np.testing.assert_allclose(mine, others, atol=1e-12)


@pytest.mark.parametrize("label", [None, 2, 77, "most_frequent"])
def test_rows_without_neighbours_get_what_scikit_learn_gives_them(label):
    theirs = RadiusNeighborsClassifier(radius=3.0, outlier_label=label).fit(Z, Y)
    ours = margin.from_sklearn(theirs)
    assert_same_answers(theirs, ours, Z)
    lonely = np.full((1, Z.shape[1]), 99.0)
    if label is None:
        with pytest.raises(margin.errors.InputError, match="no neighbours within the radius"):
            ours.predict(lonely)
        with pytest.raises(ValueError, match="No neighbors"):
            theirs.predict(lonely)
    else:
        np.testing.assert_array_equal(ours.predict(lonely), theirs.predict(lonely))


@pytest.mark.parametrize("model", [GaussianNB(), MultinomialNB(), BernoulliNB(binarize=3.0), CategoricalNB()], ids=str)
def test_weights_of_rows_and_rows_in_parts(model):
    rows, weight = np.floor(X), np.random.default_rng(0).random(len(X)) + 0.1
    theirs = model.fit(rows, Y, weight)
    assert_same_answers(theirs, margin.from_sklearn(theirs), rows)
    if not isinstance(model, CategoricalNB):
        theirs = model.partial_fit(rows[::3], Y[::3], sample_weight=weight[::3])
        ours = margin.from_sklearn(theirs)
        assert_same_answers(theirs, ours, rows)
        np.testing.assert_allclose(ours.class_count_, theirs.class_count_)


def test_learnt_attributes_are_those_of_scikit_learn():
    theirs = GaussianNB().fit(X, Y)
    ours = margin.from_sklearn(theirs)
    for name in ("theta_", "var_", "epsilon_", "class_prior_", "class_count_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-12)
    theirs = MultinomialNB().fit(X, Y)
    np.testing.assert_allclose(margin.from_sklearn(theirs).feature_log_prob_, theirs.feature_log_prob_, rtol=1e-12)
    theirs = LinearDiscriminantAnalysis(store_covariance=True).fit(X, Y)
    ours = margin.from_sklearn(theirs)
    for name in ("means_", "priors_", "coef_", "intercept_", "xbar_", "scalings_", "covariance_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    theirs = SVC(kernel="linear").fit(Z, Y)
    ours = margin.from_sklearn(theirs)
    for name in ("support_", "support_vectors_", "n_support_", "dual_coef_", "intercept_", "coef_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    theirs = NearestCentroid().fit(X, Y)
    ours = margin.from_sklearn(theirs)
    for name in ("centroids_", "deviations_", "within_class_std_dev_", "class_prior_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    theirs = DecisionTreeClassifier(random_state=0).fit(X, Y)
    np.testing.assert_array_equal(margin.from_sklearn(theirs).tree_.n_node_samples, theirs.tree_.n_node_samples)


def test_coefficients_made_sparse_are_taken():
    theirs = LogisticRegression(C=0.1, l1_ratio=1.0, solver="saga").fit(Z, Y)
    theirs.sparsify()
    assert_same_answers(theirs, margin.from_sklearn(theirs), Z)


def test_stochastic_descent_over_parts_is_taken():
    theirs = SGDClassifier(loss="modified_huber", random_state=0).partial_fit(Z[:40], Y[:40], classes=[0, 1, 2, 3])
    assert_same_answers(theirs, margin.from_sklearn(theirs), Z)
