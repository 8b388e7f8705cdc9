"""What is known out of bag: any metric of numbers, and leaving out one row after another."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import median_absolute_error, r2_score

import margin
from margin import (
    BaggingClassifier,
    BaggingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    measure_out_of_bag,
)
from margin.data import catalog
from margin.errors import ParameterError


def numbers(n=120):
    stream = np.random.default_rng(0)
    X = stream.normal(size=(n, 3))
    return X, X[:, 0] + 0.3 * stream.normal(size=n)


def test_any_metric_of_numbers_with_an_interval():
    X, y = numbers()
    model = RandomForestRegressor(random_state=0).fit(X, y)
    found = measure_out_of_bag(model, y)
    assert list(found) == ["squared_error", "absolute_error", "root_squared_error", "r2"]
    assert found["r2"].value == pytest.approx(model.oob_score_)
    assert found["root_squared_error"].value ** 2 == pytest.approx(found["squared_error"].value)
    given = measure_out_of_bag(model, y, [r2_score, median_absolute_error])
    assert given["r2_score"].value == pytest.approx(found["r2"].value)
    assert given["r2_score"].interval.low == pytest.approx(found["r2"].interval.low)
    for score in (*found.values(), *given.values()):
        assert score.interval.low < score.value < score.interval.high
    with pytest.raises(ParameterError, match=r"metrics of numbers are .*'r2' or functions"):
        measure_out_of_bag(model, y, "accuracy")


def test_weights_reach_metrics_of_numbers():
    X, y = numbers()
    weight = np.random.default_rng(1).uniform(0.5, 2, size=len(y))
    model = BaggingRegressor(n_estimators=30, random_state=0).fit(X, y, weight)
    found = measure_out_of_bag(model, y, ["r2", r2_score], sample_weight=weight)
    assert found["r2"].value == pytest.approx(r2_score(y, model.oob_prediction_, sample_weight=weight))
    assert found["r2_score"].value == pytest.approx(found["r2"].value)


def test_intervals_of_numbers_cover_what_new_rows_show():
    """Of one model on fresh rows drawn anew, about 95 of 100 intervals hold the value on very many rows."""
    held = 0
    for seed in range(40):
        stream = np.random.default_rng(seed)
        X = stream.normal(size=(100, 1))
        y = X[:, 0] + stream.normal(size=100)

        class Known:
            oob_prediction_ = X[:, 0]

        held += 0.5 in measure_out_of_bag(Known(), y, "r2", confidence=0.9)["r2"].interval
    assert 30 <= held <= 40


def test_leaving_one_out_asks_members_that_did_not_draw_the_row():
    X, y = catalog.load("iris").target("class")
    model = RandomForestClassifier(n_estimators=40, random_state=0)
    found = margin.evaluate(model, X, y, protocol="loo", metrics=["accuracy", "log_loss"])
    assert len(found.folds) == 1
    assert "out of bag" in " ".join(found.warnings)
    larger = RandomForestClassifier(n_estimators=110, random_state=0).fit(X, y)
    assert found.scores["accuracy"].value == pytest.approx(larger.oob_score_)
    rows = np.arange(0, 150, 10)
    anew = np.mean(
        [model.fit(X[np.delete(np.arange(150), [i])], np.delete(y, i)).predict(X[[i]])[0] == y[i] for i in rows]
    )
    said = model.out_of_bag_answers(X, y).labels
    assert abs(np.mean(said[rows] == y[rows]) - anew) < 0.15


def test_leaving_one_out_of_a_bag_and_where_members_cannot_tell():
    X, y = catalog.load("iris").target("class")
    bag = BaggingClassifier(margin.NaiveBayes(), n_estimators=20, random_state=0)
    said = bag.out_of_bag_answers(X, y)
    assert (said.labels == y).mean() > 0.9
    assert said.probabilities.shape == (150, 3)
    assert RandomForestClassifier(bootstrap=False).out_of_bag_answers(X, y) is None
    assert RandomForestClassifier(n_estimators="auto").out_of_bag_answers(X, y) is None
    assert RandomForestClassifier(n_estimators=1, random_state=0).out_of_bag_answers(X, y) is None
    assert bag.out_of_bag_answers(X, y, np.arange(150) % 2) is None


def test_members_on_some_columns_name_them_as_the_array_has_them():
    stream = np.random.default_rng(0)
    X = stream.normal(size=(60, 6))
    y = (X[:, 5] > 0).astype(int)  # column 5 alone parts the classes
    member = margin.LogisticRegression(C=np.inf)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        bag = BaggingClassifier(member, n_estimators=6, max_features=2, random_state=1, n_jobs=1).fit(X, y)
    told = {name for each in heard for name in ("x0", "x1", "x2", "x3", "x4", "x5") if name in str(each.message)}
    assert (bag.member_columns_ == 5).any()
    assert "x5" in told
