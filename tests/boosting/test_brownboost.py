"""BrownBoost: the equation integrated in small steps, what is conserved, and how it ends."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import erf

from margin import BrownBoostClassifier, CalibratedClassifier
from margin.boosting.margins.brownian import Position, step_of, time_for
from margin.errors import ConvergenceWarning, ParameterError


def cells(seed: int, n: int = 120, noise: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(2)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    return X, np.where(rng.random(n) < noise, 1 - y, y)


def integrated(position: Position, right: np.ndarray, steps: int) -> tuple[float, float]:
    """dt/dalpha = correlation by the classical Runge-Kutta method, up to its first zero or until time has run out."""

    def slope(alpha: float, time: float) -> float:
        pull = position.weight * np.exp(-((position.margins + alpha * right + position.left - time) ** 2) / position.c)
        return float(pull @ right / pull.sum())

    alpha = time = 0.0
    h = 4 * np.sqrt(position.c) / steps
    while slope(alpha, time) > 0 and time < position.left:
        a = slope(alpha, time)
        b = slope(alpha + h / 2, time + h / 2 * a)
        c = slope(alpha + h / 2, time + h / 2 * b)
        d = slope(alpha + h, time + h * c)
        alpha, time = alpha + h, time + h / 6 * (a + 2 * b + 2 * c + d)
    return alpha, time


@pytest.mark.golden("G6")
@pytest.mark.parametrize("seed", range(6))
def test_a_step_is_the_solution_of_the_differential_equation(seed):
    rng = np.random.default_rng(seed)
    n, c = 40, rng.uniform(0.5, 4)
    left = c * rng.uniform(0.3, 1)
    at = Position(rng.normal(0, 0.5, n), rng.uniform(0.5, 2, n), c, left)
    right = np.where(rng.random(n) < 0.7, 1.0, -1.0)
    right *= np.sign((at.weight * at.each()) @ right)
    found = step_of(at, right)
    alpha, time = integrated(at, right, 20_000)
    assert found.alpha == pytest.approx(alpha, abs=1e-3)
    assert found.time == pytest.approx(min(time, left), abs=1e-3)


def test_a_step_leaves_no_correlation_and_the_potential_as_it_was():
    rng = np.random.default_rng(1)
    at = Position(rng.normal(0, 0.3, 60), np.ones(60), 2.0, 2.0)
    right = np.where(rng.random(60) < 0.6, 1.0, -1.0)
    step = step_of(at, right)
    then = Position(at.margins + step.alpha * right, at.weight, at.c, at.left - step.time)
    assert then.potential() == pytest.approx(at.potential(), abs=1e-12)
    assert (then.weight * then.each()) @ right == pytest.approx(0, abs=1e-9)
    assert 0 < step.time < 2


def test_a_classifier_without_mistakes_takes_all_the_time():
    step = step_of(Position(np.zeros(5), np.ones(5), 1.5, 1.5), np.ones(5))
    assert step.alpha == pytest.approx(1.5)
    assert step.time == 1.5


def test_time_is_set_by_the_target_error():
    for target in (0.01, 0.1, 0.3):
        assert 1 - erf(np.sqrt(time_for(target))) == pytest.approx(target)
    assert BrownBoostClassifier(target_error=0.2).fit(*cells(0)).c_ == pytest.approx(time_for(0.2))
    assert BrownBoostClassifier(c=0.7).fit(*cells(0)).c_ == 0.7


@pytest.mark.golden("G6")
@pytest.mark.parametrize("noise", [0.0, 0.1])
@pytest.mark.parametrize("target", [0.02, 0.1, 0.25])
def test_the_potential_is_conserved_and_the_error_ends_below_the_target(target, noise):
    X, y = cells(3, noise=noise)
    model = BrownBoostClassifier(target_error=target, n_estimators=300).fit(X, y)
    rounds = model.rounds_
    np.testing.assert_allclose([each.potential for each in rounds], target / 2, atol=1e-9)
    assert all(each.time > 0 and each.alpha > 0 and each.edge > 0 for each in rounds)
    left = model.c_ - np.cumsum([each.time for each in rounds])
    np.testing.assert_allclose([each.left for each in rounds], left, atol=1e-12)
    if model.time_left_[0] == 0:
        assert 1 - model.score(X, y) <= target
        sure = (2 * y - 1) * model.confidence(X)[:, 0]
        assert np.mean(1 - sure) == pytest.approx(target, abs=1e-9)


def test_it_is_its_definition_round_by_round():
    X, y = cells(5, noise=0.1)
    model = BrownBoostClassifier(target_error=0.15, n_estimators=6).fit(X, y)
    sign, r, s, c = 2.0 * y - 1, np.zeros(len(y)), model.c_, model.c_
    for record, vote in zip(model.rounds_, model.ensembles_[0].votes(model._encoded(X, "predict"))):
        w = np.exp(-((r + s) ** 2) / c)
        h = np.sign(vote)
        assert record.edge == pytest.approx(float(w @ (sign * h) / w.sum()))
        best = max(abs(w @ (sign * np.where(column <= cut, 1, -1))) for column in X.T for cut in column)
        assert w @ (sign * h) == pytest.approx(best)
        alpha, _ = integrated(Position(r, np.ones(len(y)), c, s), sign * h, 10_000)
        assert record.alpha == pytest.approx(alpha, abs=2e-3)
        r, s = r + record.alpha * sign * h, s - record.time
        assert record.left == pytest.approx(s)
        assert record.error == pytest.approx(np.mean(r <= 0))


def test_rows_that_are_lost_no_longer_count():
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) >= 20
    y[3] = True  # a wrong label
    model = BrownBoostClassifier(target_error=0.1).fit(X, y)
    assert model.time_left_[0] == 0
    assert not model.predict([[3.0]])[0]
    assert (model.predict(X) == (np.arange(40) >= 20)).all()


def test_time_is_left_where_nothing_can_be_learnt():
    X, y = np.repeat([[0.0], [1.0]], 20, axis=0), np.tile([0, 1], 20)
    with pytest.warns(ConvergenceWarning, match="no better than chance in round 1"):
        model = BrownBoostClassifier().fit(X, y)
    assert model.time_left_[0] == model.c_
    assert model.rounds_ == ()
    assert model.predict([[0.0]])[0] == 0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("y", [[0] * 7 + [1] * 3, list("aaaaabbbcc"), list("ab") * 5, ["a"] * 10])
def test_rows_that_are_alike_get_the_majority(y):
    model = BrownBoostClassifier().fit(np.zeros((10, 2)), y)
    assert model.predict(np.zeros((1, 2)))[0] == max(sorted(set(y)), key=y.count)


def test_stages_end_at_the_model_for_problems_of_any_length():
    X, y = cells(2)
    y = y + (X[:, 2] > 1)
    model = BrownBoostClassifier(n_estimators=30).fit(X, y)
    stages = list(model.staged_decision_function(X))
    assert len(stages) == max(each.number for each in model.rounds_)
    np.testing.assert_allclose(stages[-1], model.decision_function(X), atol=1e-12)
    assert (list(model.staged_predict(X))[-1] == model.predict(X)).all()


def test_whole_number_weights_are_repeated_rows():
    X, y = cells(4, noise=0.1)
    times = np.random.default_rng(0).integers(1, 4, len(y))
    once = BrownBoostClassifier(n_estimators=10).fit(X, y, sample_weight=times)
    often = BrownBoostClassifier(n_estimators=10).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(once.decision_function(X), often.decision_function(X), atol=1e-8)


def test_calibration_gives_it_probabilities():
    X, y = cells(5, n=200, noise=0.1)
    assert not hasattr(BrownBoostClassifier(), "predict_proba")
    shares = CalibratedClassifier(BrownBoostClassifier(), cv=3).fit(X, y).predict_proba(X)
    assert (shares.argmax(axis=1) == y).mean() > 0.8


def test_a_target_beyond_its_range_is_refused():
    with pytest.raises(ParameterError, match="target_error must be a number between 0 and 1"):
        BrownBoostClassifier(target_error=0.0).fit(*cells(0))
