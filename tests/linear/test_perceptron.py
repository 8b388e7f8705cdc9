"""margin.linear.Perceptron: worked by hand, against the rule written out row by row, then properties."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import margin._core as _core
from margin import Perceptron, parallel
from margin.errors import ConstantColumnWarning, NotSeparableWarning
from margin.linear.online import perceptron_state as perceptron_memory
from margin.random import seed_for
from tests.linear.online import slow_perceptron, whole_numbers

seeds = st.integers(0, 10_000)


@pytest.fixture(autouse=True)
def _small_rows_need_not_be_separable():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSeparableWarning)
        warnings.simplefilter("ignore", ConstantColumnWarning)
        yield


def lists(mistakes):
    return [rows.tolist() for rows in mistakes]


# by hand


def test_the_first_row_is_a_mistake_and_becomes_the_weights():
    model = Perceptron().fit([[1.0, 2.0], [-1.0, -2.0]], [1, 0])
    assert model.coef_.tolist() == [[1, 2]]
    assert model.intercept_.tolist() == [1]
    assert lists(model.mistakes_) == [[0], []]
    assert (model.n_mistakes_, model.n_iter_, model.mistake_counts_.tolist()) == (1, 2, [1, 0])


def test_a_score_of_zero_is_a_mistake():
    # after the first row w = (1, 0), b = 1; the second has w . x + b = 0 and is of the same class
    X, y = [[1.0, 0.0], [-1.0, 1.0], [0.0, -5.0]], [1, 1, 0]
    model = Perceptron(max_iter=1).fit(X, y)
    assert lists(model.mistakes_) == [[0, 1]]
    assert (model.coef_.tolist(), model.intercept_.tolist()) == ([[0, 1]], [2])


def test_the_step_scales_the_weights_and_not_the_decisions():
    X, y = whole_numbers(3)
    one, half = Perceptron().fit(X, y), Perceptron(eta0=0.5).fit(X, y)
    assert np.array_equal(half.coef_, one.coef_ / 2)
    assert lists(one.mistakes_) == lists(half.mistakes_)


def test_without_an_intercept_the_plane_goes_through_the_origin():
    model = Perceptron(fit_intercept=False).fit([[1.0, 2.0], [-1.0, -2.0], [3.0, 3.0]], [1, 0, 1])
    assert model.intercept_.tolist() == [0]
    assert model.coef_.tolist() == [[1, 2]]


def test_three_classes_move_the_weights_of_two_at_a_time():
    model = Perceptron(max_iter=1).fit([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], [0, 1, 2])
    # row 0: all scores 0, class 0 against the first other; row 1: (1, -1, 0), against class 0; row 2: all 0 again
    assert lists(model.mistakes_) == [[0, 1, 2]]
    assert model.coef_.tolist() == [[2, 0], [-1, 1], [-1, -1]]
    assert model.intercept_.tolist() == [-1, 0, 1]


def test_the_average_is_that_of_the_weights_after_every_visit():
    X, y = [[1.0, 0.0], [-1.0, 1.0], [0.0, -5.0]], [1, 1, 0]
    model = Perceptron(max_iter=1, variant="averaged").fit(X, y)
    assert model.coef_[0] == pytest.approx(np.mean([[1, 0], [0, 1], [0, 1]], axis=0))
    assert model.intercept_[0] == pytest.approx(5 / 3)


def test_votes_count_for_the_visits_survived():
    X, y = [[1.0, 0.0], [-1.0, 1.0], [0.0, -5.0]], [1, 1, 0]
    model = Perceptron(max_iter=1, variant="voted").fit(X, y)
    assert model.voters_.coef[:, 0].tolist() == [[1, 0], [0, 1]]
    assert model.voters_.survived.tolist() == [1, 2]
    assert model.vote_shares([[0.0, -1.5]]) == pytest.approx(np.array([[0.0, 1.0]]))  # 1 > 0 and 0.5 > 0
    assert model.vote_shares([[0.0, -2.5]]) == pytest.approx(np.array([[2 / 3, 1 / 3]]))
    assert model.decision_function([[0.0, -2.5]]) == pytest.approx([-1 / 3])
    assert model.predict([[0.0, -2.5], [0.0, -1.5]]).tolist() == [0, 1]
    assert not hasattr(Perceptron(), "vote_shares")


# the definition


def orders_of(n, passes, shuffle, seed=5):
    key = seed_for(seed, "perceptron", "order of rows")
    return [_core.linear.visits(n, key, number) if shuffle else range(n) for number in range(passes)]


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_agrees_with_the_rule_row_by_row(n_classes, shuffle, sparse, dtype):
    X, y = whole_numbers(n_classes, 30, 11, n_classes, noise=3.0)
    X[np.random.default_rng(1).random(X.shape) < 0.4] = 0
    history, mistakes = slow_perceptron(X, y, orders_of(30, 6, shuffle), eta=0.5)
    given = sp.csr_array(X.astype(dtype)) if sparse else X.astype(dtype)
    for variant in ("plain", "averaged", "voted"):
        model = Perceptron(eta0=0.5, max_iter=6, variant=variant, shuffle=shuffle, random_state=5).fit(given, y)
        used = [len(rows) for rows in mistakes[: model.n_iter_]]
        assert lists(model.mistakes_) == mistakes[: model.n_iter_]
        assert model.mistake_counts_.tolist() == used
        seen = history[: 30 * model.n_iter_]
        if variant == "plain":
            assert np.array_equal(model.coef_, seen[-1][0])
            assert np.array_equal(model.intercept_, seen[-1][1])
        else:
            np.testing.assert_allclose(model.coef_, np.mean([w for w, _ in seen], axis=0), atol=1e-12)
            np.testing.assert_allclose(model.intercept_, np.mean([b for _, b in seen], axis=0), atol=1e-12)
        if variant == "voted":
            votes = np.zeros((30, n_classes))
            for w, b in seen:
                scores = X @ w.T + b
                winner = (scores[:, 0] > 0).astype(int) if n_classes == 2 else scores.argmax(axis=1)
                votes[np.arange(30), winner] += 1
            np.testing.assert_allclose(model.vote_shares(given), votes / len(seen))


def test_a_voted_perceptron_keeps_its_latest_vectors(monkeypatch):
    monkeypatch.setattr(perceptron_memory, "MOST_VOTERS", 4)
    X, y = whole_numbers(7, noise=4.0)
    history, mistakes = slow_perceptron(X, y, [range(len(X))] * 3)
    model = Perceptron(max_iter=3, variant="voted").fit(X, y)
    assert sum(map(len, mistakes)) == model.n_mistakes_ > 4
    assert len(model.voters_.survived) == 4
    assert np.array_equal(model.voters_.coef[-1], history[-1][0])
    survived = 1 + sum(np.array_equal(w, history[-1][0]) and np.array_equal(b, history[-1][1]) for w, b in history[:-1])
    assert model.voters_.survived[-1] == survived


# properties


@given(seeds, st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_bound_on_mistakes_is_never_exceeded(seed, shuffle):
    X, y = whole_numbers(seed)
    model = Perceptron(max_iter=3000, shuffle=shuffle, random_state=seed).fit(X, y)
    certificate = model.certificate_
    if certificate.separable:
        assert model.mistakes_[-1].size == 0 or certificate.bound > 3000
        assert model.n_mistakes_ == certificate.mistakes <= certificate.bound * (1 + 1e-9)
        assert model.mistakes_[-1].size or np.array_equal(model.predict(X), y)


@given(seeds, st.sampled_from([2, 3]), st.sampled_from(["plain", "averaged", "voted"]))
@settings(max_examples=30, deadline=None)
def test_rows_in_parts_are_one_pass(seed, n_classes, variant):
    X, y = whole_numbers(seed, n_classes=n_classes)
    whole = Perceptron(max_iter=1, variant=variant).fit(X, y)
    once = Perceptron(variant=variant).partial_fit(X, y)
    parts = Perceptron(variant=variant).partial_fit(X[:15], y[:15], classes=np.arange(n_classes))
    parts.partial_fit(X[15:], y[15:])
    for model in (once, parts):
        assert np.array_equal(model.coef_, whole.coef_)
        assert np.array_equal(model.decision_function(X), whole.decision_function(X))
        assert model.n_mistakes_ == whole.n_mistakes_
    assert lists(once.mistakes_) == lists(whole.mistakes_)
    assert lists(parts.mistakes_)[1] == [i - 15 for i in whole.mistakes_[0] if i >= 15]


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_passes_one_by_one_are_the_whole_training(seed):
    X, y = whole_numbers(seed)
    whole = Perceptron(max_iter=7, variant="averaged").fit(X, y)
    model = Perceptron(variant="averaged")
    for _ in range(whole.n_iter_):
        model.partial_fit(X, y)
    assert lists(model.mistakes_) == lists(whole.mistakes_)
    assert np.array_equal(model.coef_, whole.coef_)


def test_a_fit_can_be_gone_on_from_though_columns_and_classes_were_left_out():
    X, y = whole_numbers(2, n_classes=2)
    padded = np.column_stack([X, np.full(len(X), 3.0)])
    for variant in ("plain", "averaged", "voted"):
        model = Perceptron(max_iter=1, variant=variant).fit(padded, y)
        assert model.coef_[0, -1] == 0
        expected = Perceptron(max_iter=1, variant=variant).fit(X, y).partial_fit(X, y)
        found = model.partial_fit(np.column_stack([X, np.zeros(len(X))]), y)
        assert np.array_equal(found.predict(padded), expected.predict(X))
        assert np.array_equal(found.coef_[:, :-1], expected.coef_)
    three = Perceptron(max_iter=1).fit(np.vstack([X, X[:1]]), [*np.where(y == 1, "c", "a"), "b"], [1] * len(X) + [0])
    assert three.predict(X).tolist().count("b") == 0
    assert "b" in three.partial_fit(50 * X[:1], ["b"]).predict(50 * X[:1])


# weights, orders, logs


def test_whole_number_weights_are_further_visits():
    X, y = whole_numbers(11, noise=2.0)
    weight = np.random.default_rng(0).integers(0, 4, len(X))
    repeated = np.repeat(np.arange(len(X)), weight)
    for shuffle in (False, True):
        model = Perceptron(max_iter=5, shuffle=shuffle, random_state=1).fit(X, y, weight)
        same = Perceptron(max_iter=5, shuffle=shuffle, random_state=1).fit(X[repeated], y[repeated])
        assert np.array_equal(model.coef_, same.coef_)
        assert lists(model.mistakes_) == [[int(repeated[i]) for i in rows] for rows in same.mistakes_]


def test_other_weights_and_class_weights_multiply_the_step():
    X, y = whole_numbers(12, noise=2.0)
    step = np.where(np.arange(len(X)) % 2, 0.5, 1.5)
    history, _ = slow_perceptron(X, y, [range(len(X))] * 3, step=step)
    assert np.array_equal(Perceptron(max_iter=3).fit(X, y, step).coef_, history[-1][0])
    history, _ = slow_perceptron(X, y, [range(len(X))] * 3, step=np.where(y == 1, 4.0, 1.0))
    assert np.array_equal(Perceptron(max_iter=3, class_weight={1: 4}).fit(X, y).coef_, history[-1][0])
    assert np.array_equal(Perceptron(class_weight={1: 4}).partial_fit(X, y).coef_, history[len(X) - 1][0])


def test_the_seed_decides_the_order():
    X, y = whole_numbers(13, noise=2.0)

    def coef(seed):
        return Perceptron(shuffle=True, max_iter=5, random_state=seed).fit(X, y).coef_

    assert np.array_equal(coef(1), coef(1))
    assert not np.array_equal(coef(1), coef(2))


@pytest.mark.parametrize("n", [1, 2, 1000, 16_384, 16_385, 50_001])
def test_a_shuffled_pass_visits_every_row_once(n):
    order = _core.linear.visits(n, 7, 0)
    assert np.array_equal(np.sort(order), np.arange(n))
    assert n < 1000 or not np.array_equal(order, _core.linear.visits(n, 7, 1))


def test_rows_visited_one_after_another_come_from_all_over_the_data():
    n = 100_000
    order = _core.linear.visits(n, 3, 0).astype(int)
    firsts = order.reshape(-1, 100).mean(axis=1)  # of 100 visits each; the mean of 100 random rows is n / 2 ± n / 35
    assert np.abs(firsts - n / 2).max() < 6 * n / 12**0.5 / 10
    assert (np.abs(np.diff(order)) < 8).mean() < 0.02


def test_a_row_stands_anywhere_in_its_window_with_the_same_chance():
    n = 20 * 1024
    places = np.concatenate([np.argsort(_core.linear.visits(n, 5, number))[3::8] % 1024 for number in range(100)])
    counts = np.bincount(places // 16, minlength=64)
    expected = len(places) / 64
    assert ((counts - expected) ** 2 / expected).sum() < 63 + 5 * (2 * 63) ** 0.5  # mean and deviation of chi-squared


def test_the_order_of_a_pass_is_the_same_for_any_number_of_threads():
    n = 200_000
    with parallel.threads(1):
        alone = _core.linear.visits(n, 5, 2)
    with parallel.threads(3):
        assert np.array_equal(alone, _core.linear.visits(n, 5, 2))


def test_the_log_of_mistakes_has_an_end_and_the_counts_have_not(monkeypatch):
    X, y = whole_numbers(14, noise=6.0)
    whole = Perceptron(max_iter=10).fit(X, y)
    room = int(whole.mistake_counts_[:3].sum()) + 1
    monkeypatch.setattr(perceptron_memory, "LOGGED", room)
    model = Perceptron(max_iter=10).fit(X, y)
    assert lists(model.mistakes_) == lists(whole.mistakes_[:3])
    assert np.array_equal(model.mistake_counts_, whole.mistake_counts_)


def test_what_cannot_be_separated_is_warned_of_with_what_to_do():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    with pytest.warns(NotSeparableWarning, match=r"the last of 30 passes still made \d mistakes on 4 rows.*averaged"):
        model = Perceptron(max_iter=30).fit(X, y)
    assert model.n_iter_ == 30
    with pytest.warns(NotSeparableWarning, match="the last of 6 passes"):
        Perceptron(tol=0.5).fit(X, y)


def test_the_certificate_is_that_of_rows_that_count_the_same():
    X, y = whole_numbers(1)
    padded = np.column_stack([np.full(len(X), 2.0), X])
    model = Perceptron().fit(padded, y)
    certificate = model.certificate_
    assert certificate is model.certificate_
    assert certificate.direction[0] == 0
    assert certificate.direction[1:] == pytest.approx(Perceptron().fit(X, y).certificate_.direction)
    other = pickle.loads(pickle.dumps(model))
    assert other.certificate_.bound == certificate.bound  # it was asked for before
    for without in (
        pickle.loads(pickle.dumps(Perceptron().fit(X, y))),
        Perceptron().fit(X, y).partial_fit(X, y),
        Perceptron().partial_fit(X, y),
        Perceptron(class_weight={0: 2}).fit(X, y),
        Perceptron(),
    ):
        assert not hasattr(without, "certificate_")


def test_several_classes_have_a_bound_too():
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = np.column_stack([rng.normal(size=(30, 3)), np.full(30, 7.0)])
        y = X[:, :3].argmax(axis=1)
        certificate = Perceptron(max_iter=100_000).fit(X, y).certificate_
        assert certificate.separable
        assert 0 < certificate.mistakes <= certificate.bound
        assert certificate.direction.shape == (3, 4)
        answers = (X @ certificate.direction.T + certificate.intercept).argmax(axis=1)
        assert np.array_equal(answers, y)


def test_one_class_and_constant_columns_have_nothing_to_correct():
    model = Perceptron().fit([[1.0], [2.0]], ["a", "a"])
    assert (model.n_mistakes_, model.predict([[5.0]]).tolist()) == (0, ["a"])
    model = Perceptron().fit([[1.0], [1.0], [1.0]], ["a", "b", "b"])
    assert (model.coef_.tolist(), model.predict([[5.0]]).tolist()) == ([[0]], ["b"])
