"""Boosters of other packages behind margin's contract; scikit-learn's is always there."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from margin.boosting.external import CatBoost, HistGradientBoosting, LightGBM, XGBoost, installed
from margin.data import catalog
from margin.errors import ParameterError


def test_a_table_of_words_and_numbers_goes_in_as_categories_and_numbers():
    X, y = catalog.load("credit").target("risk")
    model = HistGradientBoosting(settings={"max_iter": 20}, random_state=0, n_jobs=1).fit(X, y)
    assert model.model_.max_iter == 20
    n_nominal = sum(column.kind == "nominal" for column in X.schema)
    assert int(np.sum(model.model_.is_categorical_)) == n_nominal > 0
    assert model.score(X, y) > 0.8
    assert set(model.predict(X)) == set(y)


def test_on_numbers_it_is_the_package_itself():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 3, 300)
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    weight = rng.uniform(0.5, 2, 300)
    ours = HistGradientBoosting(settings={"max_iter": 5}, random_state=0, n_jobs=1).fit(X, y, weight)
    theirs = HistGradientBoostingClassifier(max_iter=5, random_state=0).fit(X, y, weight)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)
    assert HistGradientBoosting().fit(X, np.zeros(300)).predict(X[:2]).tolist() == [0, 0]


@pytest.mark.parametrize("booster", [LightGBM, XGBoost, CatBoost])
def test_one_that_is_not_there_says_how_to_get_it_and_one_that_is_learns(booster):
    X, y = catalog.load("iris").target("class")
    model = booster(random_state=0, n_jobs=1)
    if booster in installed():
        assert model.fit(X, y).score(X, y) > 0.9
    else:
        with pytest.raises(ParameterError, match=r"margin\[boosters\]"):
            model.fit(X, y)
