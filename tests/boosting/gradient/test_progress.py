"""What boosting tells of its rounds while it goes on."""

import numpy as np
import pytest

from margin import GradientBoostingClassifier, GradientBoostingRegressor
from margin.errors import ParameterError


def rows(n=200):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + rng.normal(size=n) / 3


def test_each_round_is_told_with_the_loss_of_the_rows_held_back():
    told = []
    X, y = rows()
    model = GradientBoostingRegressor(n_estimators=30, early_stopping=True, random_state=0)
    model.fit(X, y, progress=told.append)
    assert [done.round for done in told] == list(range(1, len(told) + 1))
    np.testing.assert_array_equal([done.loss for done in told], model.validation_loss_)
    assert (told[-1].best_round, told[-1].best_loss) == (model.n_estimators_, model.validation_loss_.min())
    assert {(done.of, done.choosing) for done in told} == {(30, False)}


def test_being_told_changes_nothing_and_rounds_without_rows_held_back_have_no_loss():
    told = []
    X, y = rows()
    plain = GradientBoostingRegressor(n_estimators=12).fit(X, y)
    model = GradientBoostingRegressor(n_estimators=12).fit(X, y, progress=told.append)
    assert np.array_equal(model.trees_.nodes, plain.trees_.nodes)
    assert [done.loss for done in told] == [None] * 12


def test_folds_are_told_before_the_rounds_of_the_model():
    told = []
    X, y = rows(60)
    model = GradientBoostingClassifier(random_state=0, learning_rate=0.3).fit(X, y > 0, progress=told.append)
    kinds = [done.choosing for done in told]
    assert kinds == sorted(kinds, reverse=True)
    assert kinds.count(False) == model.n_estimators_


def test_a_line_on_standard_error(capsys):
    X, y = rows()
    GradientBoostingRegressor(n_estimators=10, early_stopping=True, random_state=0).fit(X, y, progress=True)
    line = capsys.readouterr().err.rstrip("\n").rsplit("\r", 1)[-1]
    assert line.startswith("GradientBoostingRegressor: round 10 of at most 10")
    assert "smallest" in line


def test_an_error_of_the_listener_leaves_the_model_as_it_was():
    X, y = rows()
    model = GradientBoostingRegressor(n_estimators=5).fit(X, y)
    before = model.predict(X)

    def fails(done):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        model.set_params(n_estimators=9).fit(X, y, progress=fails)
    np.testing.assert_array_equal(model.predict(X), before)
    with pytest.raises(ParameterError, match="progress='yes'"):
        model.fit(X, y, progress="yes")
