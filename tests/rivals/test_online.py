"""Perceptron and LinearSGD against scikit-learn's.

scikit-learn's perceptron in the order of the rows makes the same mistakes to the last one. Shuffled passes visit rows
in other orders, so that stochastic gradient descent is compared by the objective it reaches.
"""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as peer
from sklearn.datasets import load_digits
from sklearn.preprocessing import StandardScaler

import margin._core as _core
from margin import LinearSGD, Perceptron, read
from tests.shared_data import shared_data


@pytest.fixture(autouse=True)
def _few_passes_do_not_settle():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def spam():
    X, y = read(shared_data("spambase.arff.gz")).target("class")
    X = StandardScaler().fit_transform(np.column_stack([X.cells(name) for name in X.names]))
    return X, (np.array(y) == np.unique(y)[1]).astype(int)


def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y


def objective(model, X, y, loss, alpha, l1_ratio=0.0):
    """The mean loss and the penalty of a model, over all scores."""
    coef = model.coef_
    scores = X @ coef.T + model.intercept_
    own = (y == 1)[:, None] if len(coef) == 1 else y[:, None] == model.classes_
    margins = np.where(own, scores, -scores)
    value = _core.linear.loss_at(loss, margins.ravel())[0].reshape(margins.shape)
    return value.mean() + alpha * ((1 - l1_ratio) / 2 * (coef**2).sum() + l1_ratio * np.abs(coef).sum()) / len(coef)


@pytest.mark.parametrize("data", [spam, digits], ids=["spam", "digits"])
def test_the_perceptron_makes_the_same_mistakes(data):
    X, y = data()
    y = (y > y.mean()).astype(int)
    ours = Perceptron(max_iter=7).fit(X, y)
    theirs = peer.Perceptron(max_iter=7, tol=None, shuffle=False).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_)
    assert np.array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("loss", ["hinge", "log_loss", "squared_hinge", "modified_huber", "perceptron"])
def test_the_same_steps_in_the_same_order_lead_to_the_same_weights(loss, average):
    X, y = spam()
    given = {"loss": loss, "alpha": 1e-3, "average": average, "max_iter": 3, "tol": None, "shuffle": False}
    schedules = [{}, {"learning_rate": "invscaling", "eta0": 0.01}, {"learning_rate": "constant", "eta0": 0.01}]
    # Steps of a steep loss that begin at the size of the weights blow roundings up to the fourth digit.
    for schedule in schedules[loss == "modified_huber" :]:
        ours, theirs = LinearSGD(**given, **schedule).fit(X, y), peer.SGDClassifier(**given, **schedule).fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("loss", ["hinge", "log_loss", "modified_huber"])
@pytest.mark.parametrize("data", [spam, digits], ids=["spam", "digits"])
def test_shuffled_descent_reaches_the_same_objective(loss, data):
    X, y = data()
    given = {"loss": loss, "alpha": 1e-3, "max_iter": 20, "tol": None, "average": True}
    ours = LinearSGD(**given).fit(X, y)
    theirs = [peer.SGDClassifier(**given, random_state=seed).fit(X, y) for seed in range(3)]
    reached = [objective(model, X, y, loss, 1e-3) for model in theirs]
    assert objective(ours, X, y, loss, 1e-3) < max(reached) * 1.05
    assert ours.score(X, y) > min(model.score(X, y) for model in theirs) - 0.01


def test_a_lasso_on_sparse_rows_reaches_the_same_objective():
    X, y = digits()
    y = (y % 2).astype(int)
    given = {"alpha": 2e-3, "l1_ratio": 1.0, "max_iter": 30, "tol": None}
    ours = LinearSGD(**given).fit(sp.csr_array(X), y)
    theirs = peer.SGDClassifier(loss="log_loss", penalty="l1", random_state=0, **given).fit(X, y)
    assert objective(ours, X, y, "log_loss", 2e-3, 1.0) < objective(theirs, X, y, "log_loss", 2e-3, 1.0) * 1.05
    assert (ours.coef_ == 0).any()
