"""The golden figures of discriminant analysis."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from margin import DiagonalLinearDiscriminantAnalysis, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from margin.data import catalog
from margin.evaluation import LeaveOneOut, evaluate


@pytest.mark.golden("C7")
def test_one_feature_and_equal_priors_put_the_boundary_halfway_between_the_means():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(1, 2, 40), rng.normal(6, 2, 90)])
    y = np.repeat(["first", "second"], [40, 90])
    halfway = (x[:40].mean() + x[40:].mean()) / 2
    model = LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(x[:, None], y)
    assert model.predict_proba([[halfway]])[0] == pytest.approx([0.5, 0.5], abs=1e-12)
    assert model.predict([[halfway - 1e-9], [halfway + 1e-9]]).tolist() == ["first", "second"]
    assert -model.intercept_[0] / model.coef_[0, 0] == pytest.approx(halfway)


@pytest.mark.golden("C7")
def test_the_pooled_covariance_is_divided_by_the_rows_less_the_classes():
    X, y = catalog.load("iris").target("class")
    cells = np.column_stack([X.cells(name) for name in X.names])
    squares = sum((len(part) - 1) * np.cov(part.T) for part in (cells[y == label] for label in np.unique(y)))
    model = LinearDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(model.covariance_, squares / (150 - 3), rtol=1e-12)
    assert model.priors_ == pytest.approx([1 / 3] * 3)


def right_answers(model, X, y):
    return int((evaluate(model, X, y, LeaveOneOut()).predictions == y).sum())


@pytest.mark.golden("C7")
def test_leave_one_out_of_linear_discriminants():
    assert right_answers(LinearDiscriminantAnalysis(), *catalog.load("iris").target("class")) == 147
    assert right_answers(LinearDiscriminantAnalysis(), *load_wine(return_X_y=True)) == 176


@pytest.mark.golden("C8")
@pytest.mark.parametrize("unbiased", [False, True])
def test_leave_one_out_of_quadratic_discriminants(unbiased):
    model = QuadraticDiscriminantAnalysis(unbiased=unbiased)
    assert right_answers(model, *catalog.load("iris").target("class")) == 146
    assert right_answers(model, *load_wine(return_X_y=True)) == 177


@pytest.mark.golden("C8")
def test_leave_one_out_of_diagonal_discriminants():
    assert right_answers(DiagonalLinearDiscriminantAnalysis(), *catalog.load("iris").target("class")) == 144
