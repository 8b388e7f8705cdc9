"""margin.explain.importance: against its definition, against scikit-learn, and where columns go together."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression

from margin import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    KNeighborsClassifier,
    LinearSVR,
    LogisticRegression,
    NaiveBayes,
    Table,
    measure,
)
from margin.errors import MarginError
from margin.explain import importance
from margin.explain.importances.asking import Asked
from margin.explain.importances.judging import judge_for
from margin.explain.rows.pool import pool_of


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 3] = np.round(X[:, 3])
    return X, (X[:, 0] + 0.5 * X[:, 1] + 0.3 * rng.normal(size=n) > 0).astype(int)


def mixed(n=300, seed=0):
    rng = np.random.default_rng(seed)
    word, number = np.array(["a", "b", "c"])[rng.integers(0, 3, n)], rng.normal(size=n)
    y = np.where(number + (word == "b") > 0.4, "yes", "no")
    return Table.from_columns({"word": word.tolist(), "number": number.tolist()}), y


@pytest.mark.parametrize(
    "model", [LogisticRegression(), NaiveBayes(), DecisionTreeClassifier(), KNeighborsClassifier()], ids=repr
)
def test_shuffled_rows_are_answered_as_if_each_had_been_asked_about(model):
    """However the answers were come by: parts of sums, each changed row once, or all of them."""
    for X, y in (rows(), mixed()):
        if isinstance(X, Table) and isinstance(model, KNeighborsClassifier):
            continue
        model.fit(X, y)
        pool = pool_of(model, X, who="test")
        asked = Asked(model, X, pool, judge_for(model, y, "log_loss", "test"))
        orders = np.array([np.random.default_rng(seed).permutation(len(y)) for seed in range(3)])
        for j in range(len(pool.names)):
            for order, found in zip(orders, asked.shuffled(np.array([j]), orders)):
                made = pool.swapped(np.arange(len(y)), np.array([j]), order)
                assert found == pytest.approx(model.predict_proba(made), abs=1e-9)


def test_the_score_and_the_mean_are_those_of_measure():
    X, y = rows()
    model = LogisticRegression().fit(X, y)
    for metric in ("accuracy", "f1", "roc_auc", "log_loss"):
        found = importance(model, X, y, metric=metric, n_repeats=2)
        given = {"y_pred": model.predict(X), "probabilities": model.predict_proba(X)}
        assert found.score == pytest.approx(measure(y, metrics=[metric], **given)[metric].value)
        assert found.mean == pytest.approx(found.repeats.mean(axis=1))
        assert found.ranked()[0][0] == "x0"
        assert found.low[0] > 0


@pytest.mark.parametrize("model", [LogisticRegression(), DecisionTreeClassifier(max_depth=4)], ids=repr)
def test_it_agrees_with_scikit_learn_within_its_intervals(model):
    X, y = rows(800)
    model.fit(X[:400], y[:400])
    found = importance(model, X[400:], y[400:], n_repeats=10)
    theirs = permutation_importance(model, X[400:], y[400:], n_repeats=10, random_state=1).importances_mean
    assert ((found.low - 1e-9 <= theirs) & (theirs <= found.high + 1e-9)).sum() >= 3
    assert np.abs(found.mean - theirs).max() < 0.03


def test_a_model_of_another_package_and_a_regression_are_judged_by_r2():
    X, _ = rows()
    y = 3 * X[:, 0] + X[:, 1]
    for model in (LinearRegression(), DecisionTreeRegressor(max_depth=6), LinearSVR()):
        found = importance(model.fit(X, y), X, y)
        assert found.metric == "r2"
        assert found.score == pytest.approx(model.score(X, y))
        assert [name for name, _ in found.ranked()[:2]] == ["x0", "x1"]


def test_columns_that_stand_in_for_each_other_are_worth_something_as_a_group():
    X, y = rows()
    X = np.column_stack([X, X[:, 0]])
    model = LogisticRegression().fit(X, y)
    alone, together = importance(model, X, y), importance(model, X, y, groups="correlated")
    assert ("x0", "x4") in together.members
    value = dict(zip(together.members, together.mean))[("x0", "x4")]
    assert value > 1.5 * alone.mean[0]
    named = importance(model, X, y, groups={"both": ["x0", 4]})
    assert named.names[0] == "both"
    assert named.mean[0] == pytest.approx(value, abs=0.05)


def test_what_a_column_says_only_through_another_is_worth_less_among_alike_rows():
    rng = np.random.default_rng(3)
    x = rng.normal(size=600)
    X = np.column_stack([x, x + 0.05 * rng.normal(size=600)])
    y = (x > 0).astype(int)
    model = DecisionTreeClassifier(max_depth=3).fit(X[:, ::-1], y)
    free = importance(model, X[:, ::-1], y, metric="log_loss")
    held = importance(model, X[:, ::-1], y, metric="log_loss", method="conditional")
    assert held.mean.max() < free.mean.max()


def test_a_column_is_left_out_and_the_model_fitted_anew():
    X, y = rows(800)
    model = LogisticRegression().fit(X[:400], y[:400])
    found = importance(model, X[400:], y[400:], method="drop_column", train=(X[:400], y[:400]))
    less = LogisticRegression().fit(X[:400, 1:], y[:400]).score(X[400:, 1:], y[400:])
    assert found.mean[0] == pytest.approx(model.score(X[400:], y[400:]) - less)
    T, labels = mixed()
    by_name = importance(NaiveBayes().fit(T, labels), T, labels, method="drop_column", train=(T, labels))
    assert by_name.names == ("word", "number")


def test_the_same_shuffles_give_the_same_importances():
    X, y = mixed()
    model = NaiveBayes().fit(X, y)
    first, second = (importance(model, X, y, random_state=4) for _ in range(2))
    assert np.array_equal(first.repeats, second.repeats)
    assert first.to_dict()["importances"][0]["name"] == first.ranked()[0][0]
    assert "intervals over the rows" in first.text()
    assert first.html().count("<tr>") == 2


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"metric": "acuracy"}, "did you mean 'accuracy'"),
        ({"method": "shuffle"}, "must be 'permutation'"),
        ({"method": "drop_column"}, "train="),
        ({"n_repeats": 0}, "at least 1"),
        ({"groups": {"a": ["x9"]}}, "must be one of"),
        ({"groups": {"a": []}}, "a column at least"),
        ({"confidence": 1.0}, "between 0 and 1"),
    ],
)
def test_what_cannot_be_is_refused(asked, message):
    X, y = rows(40)
    with pytest.raises(MarginError, match=message):
        importance(LogisticRegression().fit(X, y), X, y, **asked)


def test_targets_that_do_not_fit_are_refused():
    X, y = rows(40)
    model = LogisticRegression().fit(X, y)
    with pytest.raises(MarginError, match="as many targets"):
        importance(model, X, y[:20])
    with pytest.raises(MarginError, match="no class of the model"):
        importance(model, X, y + 5)
