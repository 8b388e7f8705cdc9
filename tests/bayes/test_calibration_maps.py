"""margin.base.meta: calibration maps by hand and by their definitions, and folds as they are dealt."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from margin.base.meta.calibration_maps import MAPS, Isotonic, Sigmoid, Temperature
from margin.base.meta.cross_fitting import stratified_splits

every_method = pytest.mark.parametrize("method", MAPS)


def noisy(n=200, n_classes=2, seed=0):
    """Classes around centres, two columns that say the same thing, so that naive Bayes is too sure."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    x = rng.normal(size=n) + 1.2 * y
    return np.column_stack([x, x + rng.normal(size=n) / 20, rng.normal(size=n)]), y


# Maps


def test_a_sigmoid_of_two_scores_meets_platts_targets():
    scores, y = np.array([[0.0]] * 3 + [[1.0]] * 5), np.array([0] * 3 + [1] * 5)
    found = Sigmoid().learn(scores, y, np.ones(8)).shares(np.array([[0.0], [1.0]]))
    assert found[:, 1] == pytest.approx([1 / 5, 6 / 7], rel=1e-12)


@given(seed=st.integers(0, 1000), n=st.integers(3, 60), unit=st.sampled_from([1e-9, 1.0, 1e6]))
@settings(max_examples=30, deadline=None)
def test_a_sigmoid_has_the_lowest_loss_of_all(seed, n, unit):
    rng = np.random.default_rng(seed)
    score, y, weight = rng.normal(size=n) * unit, rng.integers(0, 2, n), rng.integers(1, 4, n).astype(float)
    target = np.where(y, (weight[y == 1].sum() + 1) / (weight[y == 1].sum() + 2), 1 / (weight[y == 0].sum() + 2))

    def loss(slope_and_offset):
        z = slope_and_offset[0] * score / unit + slope_and_offset[1]
        return weight @ (np.logaddexp(0, z) - target * z)

    found = Sigmoid().learn(score[:, None], y, weight)
    slope, offset = found.slope[0] * unit, found.offset[0]
    assert loss([slope, offset]) <= minimize(loss, [slope, offset]).fun * (1 + 1e-12)


def test_a_curve_that_never_falls_pools_what_would():
    scores = np.array([1.0, 2.0, 3.0, 4.0, 4.0])[:, None]
    found = Isotonic().learn(scores, np.array([0, 1, 0, 1, 1]), np.ones(5))
    asked = np.array([0.0, 1.0, 1.5, 2.0, 3.0, 3.5, 9.0])[:, None]
    assert found.shares(asked)[:, 1] == pytest.approx([1 / 4, 1 / 4, 3 / 8, 0.5, 0.5, 2 / 3, 5 / 6])


@given(seed=st.integers(0, 1000), n=st.integers(1, 40))
@settings(max_examples=30, deadline=None)
def test_a_pooled_curve_is_the_nearest_that_never_falls(seed, n):
    """max over starts of the min over ends of the mean in between: the definition of isotonic regression."""
    rng = np.random.default_rng(seed)
    score, y, weight = rng.integers(0, 9, n).astype(float), rng.integers(0, 2, n), rng.integers(1, 4, n).astype(float)
    at = np.unique(score)
    total = np.array([weight[score == s].sum() for s in at])
    hits = np.array([(weight * y)[score == s].sum() for s in at])
    exact = [
        max(min(hits[i : j + 1].sum() / total[i : j + 1].sum() for j in range(k, len(at))) for i in range(k + 1))
        for k in range(len(at))
    ]
    exact = np.array(exact)
    between = exact[(exact > 1e-12) & (exact < 1 - 1e-12)]
    none, every = exact <= 1e-12, exact >= 1 - 1e-12
    exact[none] = min([0.5 / (total[none].sum() + 1), *between])
    exact[every] = max([1 - 0.5 / (total[every].sum() + 1), *between])
    found = Isotonic().learn(score[:, None], y, weight).shares(at[:, None])
    np.testing.assert_allclose(found[:, 1], exact, atol=1e-12)
    assert (np.diff(found[:, 1]) >= 0).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_pooled_curve_never_calls_anything_impossible_or_certain(n_classes):
    rng = np.random.default_rng(3)
    y = rng.integers(0, n_classes, 60)
    scores = np.eye(n_classes)[y] + rng.normal(size=(60, n_classes)) / 10  # told apart by the scores alone
    scores = scores[:, 1:] - scores[:, :1] if n_classes == 2 else scores
    found = Isotonic().learn(scores, y, np.ones(60)).shares(np.vstack([scores, -5 * scores, 9 * scores]))
    assert found.min() > 1 / 200
    assert found.max() < 1
    assert np.array_equal(found[:60].argmax(axis=1), y)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_temperature_has_the_lowest_log_loss_of_all(n_classes):
    rng = np.random.default_rng(1)
    logits, weight = rng.normal(size=(300, n_classes)) * 3, rng.integers(1, 4, 300)
    y = (logits + rng.gumbel(size=logits.shape) * 2).argmax(axis=1)
    scores = logits[:, 1:] - logits[:, :1] if n_classes == 2 else logits
    found = Temperature().learn(scores, y, weight.astype(float))
    losses = {}
    for factor in (0.999, 1.0, 1.001):
        heated = logits / (found.temperature * factor)
        losses[factor] = weight @ (np.logaddexp.reduce(heated, axis=1) - heated[np.arange(300), y])
    assert losses[1.0] < min(losses[0.999], losses[1.001])
    assert found.temperature == pytest.approx(2, rel=0.3)
    assert np.array_equal(found.shares(scores).argmax(axis=1), logits.argmax(axis=1))


def test_without_a_mistake_a_temperature_keeps_to_laplaces_rule():
    scores, y = np.array([[-1.0]] * 4 + [[1.0]] * 4), np.array([0] * 4 + [1] * 4)
    found = Temperature().learn(scores, y, np.ones(8)).shares(scores)
    assert found[np.arange(8), y] == pytest.approx(np.full(8, 9 / 10))


@every_method
def test_scores_that_are_all_alike_give_the_shares_of_the_classes(method):
    shares = np.array([0.5, 0.25, 0.25])
    y = np.array([0, 0, 1, 2])
    found = MAPS[method]().learn(np.tile(np.log(shares), (4, 1)), y, np.ones(4)).shares(np.log(shares)[None])
    assert found[0] == pytest.approx(shares)
    found = MAPS[method]().learn(np.zeros((4, 1)), np.array([0, 1, 1, 0]), np.ones(4)).shares(np.zeros((1, 1)))
    assert found[0] == pytest.approx([0.5, 0.5])


@every_method
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_row_is_a_distribution_however_far_its_scores(method, n_classes):
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=(50, n_classes if n_classes > 2 else 1)), rng.integers(0, n_classes, 50)
    far = np.vstack([scores, scores * 1e6, scores * 1e300])
    found = MAPS[method]().learn(scores, y, np.ones(50)).shares(far)
    assert found.shape == (150, n_classes)
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)


# Folds


@given(seed=st.integers(0, 1000), n=st.integers(4, 60), folds=st.integers(2, 6))
@settings(deadline=None)
def test_every_row_of_a_class_of_two_is_held_back_once(seed, n, folds):
    y = np.random.default_rng(seed).integers(0, 4, n)
    splits = stratified_splits(y, np.ones(n), folds, seed)
    held = np.concatenate([test.rows for _, test in splits] or [np.array([], int)])
    alone = np.flatnonzero(np.bincount(y)[y] == 1)
    assert sorted(held) == sorted(set(range(n)) - set(alone))
    for train, test in splits:
        assert sorted([*train.rows, *test.rows]) == list(range(n))
        assert set(y[train.rows]) == set(y)
        assert set(y[test.rows]) == set(y) - set(y[alone])


def test_a_row_of_weight_three_is_dealt_like_three_rows():
    y, weight = np.array([0, 0, 1, 1, 0]), np.array([3.0, 1.0, 2.0, 1.0, 4.0])
    splits = stratified_splits(y, weight, 3)
    repeated = stratified_splits(np.repeat(y, weight.astype(int)), np.ones(11), 3)
    row_of = np.repeat(np.arange(5), weight.astype(int))
    assert len(splits) == len(repeated) == 3
    for pair, plain_pair in zip(splits, repeated):
        for part, plain in zip(pair, plain_pair):
            expected = np.bincount(row_of[plain.rows], minlength=5)
            assert np.array_equal(np.bincount(part.rows, part.weights, 5), expected)
