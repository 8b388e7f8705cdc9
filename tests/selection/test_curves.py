"""Learning and validation curves: against loops written out, power laws known beforehand, and knees by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier as OtherKNN

from margin import DecisionTreeClassifier, KNeighborsClassifier, LogisticRegression, MajorityClassifier
from margin.data import catalog
from margin.errors import DataError, InputError, ParameterError
from margin.evaluation import HoldOut, LeaveOneOut, StratifiedFolds
from margin.selection import learning_curve, validation_curve
from margin.selection.curves.power_law import PowerLaw, fit_power_law, gain_from_twice
from margin.selection.search.simplicity import direction_of
from margin.selection.search.subsets import growing_order


def blobs(n=150, seed=0, flip=0.15):
    return make_classification(n, 5, n_informative=3, n_redundant=0, n_classes=3, flip_y=flip, random_state=seed)


@pytest.mark.parametrize(
    ("model", "parameter", "values"),
    [
        (KNeighborsClassifier(), "n_neighbors", [1, 5, 40]),
        (OtherKNN(), "n_neighbors", [1, 5]),
        (DecisionTreeClassifier(), "ccp_alpha", [0.0, 0.01, 0.1]),
    ],
    ids=str,
)
def test_a_validation_curve_is_a_loop_over_values_and_folds(model, parameter, values):
    X, y = blobs()
    curve = validation_curve(model, X, y, parameter, values, protocol=StratifiedFolds(3))
    for i, value in enumerate(values):
        for j, (train, test) in enumerate(StratifiedFolds(3).split(y)):
            fitted = clone(model).set_params(**{parameter: value}).fit(X[train], y[train])
            assert curve.test_folds["accuracy"][i, j] == pytest.approx(fitted.score(X[test], y[test]))
            assert curve.training_folds["accuracy"][i, j] == pytest.approx(fitted.score(X[train], y[train]))


def test_the_best_the_simplest_and_the_knee_of_a_curve():
    X, y = blobs(300, seed=1)
    ks = [1, 2, 4, 8, 16, 32, 64, 128]
    curve = validation_curve(KNeighborsClassifier(), X, y, "n_neighbors", ks)
    mean = curve.test_folds["accuracy"].mean(axis=1)
    assert mean[ks.index(curve.best)] == mean.max()
    assert curve.within_one_standard_error >= curve.best
    assert (curve.best, curve.knee.x, curve.knee.index) == (16, 16.0, 4)
    assert curve.knee.y == pytest.approx(mean[4])
    assert curve.knee.depth == pytest.approx(mean[4] - max(mean[:4].min(), mean[5:].min()))
    assert validation_curve(KNeighborsClassifier(), X, y, "n_neighbors", ks[:5]).knee is None  # it still gets better
    assert curve.training()[0].value == 1.0
    assert f"best: n_neighbors = {curve.best}" in str(curve)
    assert "<pre>" in curve._repr_html_()


def test_a_knee_may_lie_on_the_way_down_too():
    X, y = blobs(300)
    depths = [1, 2, 3, 4, 5, 6, 8]
    rising = validation_curve(DecisionTreeClassifier(random_state=0), X, y, "max_depth", depths)
    falling = validation_curve(DecisionTreeClassifier(random_state=0), X, y, "max_depth", depths[::-1])
    assert (rising.knee is None) == (falling.knee is None)
    if rising.knee is not None:
        assert rising.knee.x == falling.knee.x


def test_several_metrics_come_from_the_same_fits():
    X, y = blobs()
    curve = validation_curve(LogisticRegression(), X, y, "C", [0.01, 1.0], metrics=["log_loss", "accuracy"])
    assert set(curve.test_folds) == {"log_loss", "accuracy"}
    losses = curve.test_folds["log_loss"].mean(axis=1)
    assert curve.best == [0.01, 1.0][int(np.argmin(losses))]
    assert curve.test("accuracy")[0].value == pytest.approx(curve.test_folds["accuracy"][0].mean())
    with pytest.raises(ParameterError, match="did you mean 'accuracy'"):
        curve.test("acuracy")


def test_words_have_no_knee_and_no_direction():
    X, y = blobs(60)
    curve = validation_curve(KNeighborsClassifier(), X, y, "weights", ["uniform", "distance"])
    assert curve.knee is None
    assert curve.best in ("uniform", "distance")
    with pytest.raises(ParameterError, match="which values are simpler is not known"):
        _ = curve.within_one_standard_error


def test_a_value_that_fails_leaves_a_gap_with_its_reason():
    X, y = blobs(60)
    curve = validation_curve(KNeighborsClassifier(), X, y, "n_neighbors", [0, 3])
    assert "must be a whole number" in curve.errors[0]
    assert curve.best == 3
    assert "nan" in str(curve)
    with pytest.raises(ParameterError):
        validation_curve(KNeighborsClassifier(), X, y, "n_neighbors", [0])


def test_simpler_directions_are_known_by_name_and_told_otherwise():
    assert direction_of("n_neighbors") == direction_of("knn__n_neighbors") == "larger"
    assert direction_of("C") == direction_of("max_depth") == "smaller"
    assert direction_of("p", "larger") == "larger"
    with pytest.raises(ParameterError, match="'larger' or 'smaller'"):
        direction_of("p", "lager")


@pytest.mark.parametrize("metric", ["accuracy", "log_loss"])
def test_a_learning_curve_is_a_loop_over_sizes_and_folds(metric):
    from margin.random import generator

    X, y = blobs()
    curve = learning_curve(GaussianNB(), X, y, sizes=[10, 0.5, 1.0], protocol=StratifiedFolds(3), metrics=metric)
    assert curve.sizes.tolist() == [10, 50, 100]
    for j, (train, test) in enumerate(StratifiedFolds(3).split(y)):
        order = growing_order(y[train], generator(0, "rows", j))
        for i, size in enumerate((10, 50, 100)):
            rows = train[order[:size]]
            fitted = GaussianNB().fit(X[rows], y[rows])
            if metric == "accuracy":
                assert curve.test_folds[metric][i, j] == pytest.approx(fitted.score(X[test], y[test]))
                assert curve.training_folds[metric][i, j] == pytest.approx(fitted.score(X[rows], y[rows]))
            else:
                truth = fitted.predict_proba(X[test])[np.arange(len(test)), y[test]]
                assert curve.test_folds[metric][i, j] == pytest.approx(
                    -np.log(np.maximum(truth, np.finfo(float).eps)).mean()
                )


@settings(max_examples=40, deadline=None)
@given(codes=st.lists(st.integers(0, 3), min_size=1, max_size=40), seed=st.integers(0, 99))
def test_growing_parts_keep_the_classes_in_proportion(codes, seed):
    codes = np.unique(np.array(codes), return_inverse=True)[1]
    order = growing_order(codes, np.random.default_rng(seed))
    assert sorted(order.tolist()) == list(range(len(codes)))
    shares = np.bincount(codes) / len(codes)
    for n in range(1, len(codes) + 1):
        counts = np.bincount(codes[order[:n]], minlength=len(shares))
        assert np.abs(counts - n * shares).max() <= len(shares)
    assert len(np.unique(codes[order[: len(shares)]])) == len(shares)


def test_a_tree_learns_by_heart_and_a_guess_does_not():
    X, y = blobs(200)
    tree = learning_curve(DecisionTreeClassifier(), X, y)
    assert tree.dominates == "variance"
    assert "Variance dominates" in str(tree)
    assert "Twice the rows would change accuracy by about" in str(tree)
    guess = learning_curve(MajorityClassifier(), X, y)
    assert guess.dominates == "bias"
    assert guess.diagnosis().startswith("Bias dominates")
    assert "<pre>" in guess._repr_html_()


@pytest.mark.parametrize("law", [PowerLaw(0.9, -1.5, 0.5), PowerLaw(0.8, -0.5, 1.3), PowerLaw(0.3, 2.0, 0.7)])
def test_a_power_law_is_found_again(law):
    n = np.array([10, 20, 50, 100, 300])
    found = fit_power_law(n, np.array([law(each) for each in n]), law.b < 0, (0.0, 1.0))
    assert (found.a, found.b, found.c) == pytest.approx((law.a, law.b, law.c), rel=1e-3)


def test_twice_the_rows_bring_what_the_law_says_with_an_interval_around_it():
    law, n = PowerLaw(0.9, -1.5, 0.5), np.array([20, 50, 100, 200])
    clean = np.array([law(each) for each in n])
    noisy = clean + np.random.default_rng(0).normal(0, 0.01, (10, 4))
    gain = gain_from_twice(n, noisy, True, (0.0, 1.0), 1 / 9, 0.95)
    expected = law(400) - law(200)
    assert gain.value == pytest.approx(expected, abs=0.01)
    assert expected in gain.interval
    assert gain.interval.low >= 0
    assert gain_from_twice(n, noisy[:1], True, (0.0, 1.0), 1 / 9, 0.95).interval is None


def test_a_law_never_leads_away_from_the_better_side():
    n = np.array([10, 20, 40])
    assert fit_power_law(n, np.array([0.9, 0.8, 0.7]), True, (0.0, 1.0)) is None
    beyond = fit_power_law(n, np.array([0.90, 0.95, 0.999]), True, (0.0, 1.0))
    assert beyond.a <= 1.0


def test_tables_weights_groups_and_hold_outs_are_taken():
    X, y = catalog.load("iris").target("class")
    held = learning_curve(KNeighborsClassifier(), X, y, sizes=[0.2, 0.5, 1.0], protocol=HoldOut(0.5))
    assert held.test()[0].interval.method == "exact"
    named = learning_curve(GaussianNB(), catalog.load("iris"), "class", sizes=[0.5, 1.0])
    assert named.power_law is None
    assert named.gain_from_twice is None
    weight = np.random.default_rng(0).integers(0, 3, 150)
    weighted = learning_curve(DecisionTreeClassifier(), X, y, sizes=[1.0], sample_weight=weight)
    assert weighted.test()[0].value > 0.8
    groups = np.arange(150) // 10
    by_group = validation_curve(KNeighborsClassifier(), X, y, "n_neighbors", [1, 3], groups=groups, protocol=3)
    for train, test in by_group.splits:
        assert not set(groups[train.rows]) & set(groups[test.rows])


def test_progress_is_told_trial_by_trial():
    X, y = blobs(60)
    told = []
    learning_curve(GaussianNB(), X, y, sizes=[10, 20], protocol=2, progress=told.append)
    assert [str(report).split(":")[0] for report in told][::3] == ["1 of 4 trials, 10 rows", "4 of 4 trials, 20 rows"]
    told.clear()
    validation_curve(KNeighborsClassifier(), X, y, "n_neighbors", [1, 3], protocol=2, progress=told.append)
    assert [report.setting for report in told] == ["n_neighbors=1", "n_neighbors=3"] * 2


def test_jobs_change_nothing():
    X, y = blobs(80)
    one, two = (learning_curve(GaussianNB(), X, y, n_jobs=n) for n in (1, 2))
    assert np.array_equal(one.test_folds["accuracy"], two.test_folds["accuracy"])


@pytest.mark.parametrize(
    ("sizes", "message"),
    [([], "at least one size"), ([0], "shares"), ([1000], "fewer than 1000"), (["a"], "shares"), ([1.5], "shares")],
)
def test_impossible_sizes_are_refused(sizes, message):
    X, y = blobs(60)
    with pytest.raises(ParameterError, match=message):
        learning_curve(GaussianNB(), X, y, sizes=sizes)


def test_what_cannot_be_drawn_is_refused():
    X, y = blobs(60)
    with pytest.raises(ParameterError, match="give an instance"):
        learning_curve(GaussianNB, X, y)
    with pytest.raises(InputError, match="60 rows, but y has 59"):
        learning_curve(GaussianNB(), X, y[1:])
    with pytest.raises(ParameterError, match="did you mean 'n_neighbors'"):
        validation_curve(KNeighborsClassifier(), X, y, "n_neighbours", [1])
    with pytest.raises(ParameterError, match="n_jobs must be"):
        learning_curve(GaussianNB(), X, y, n_jobs=0)
    with pytest.raises(ParameterError, match="confidence must be a number between 0 and 1"):
        validation_curve(KNeighborsClassifier(), X, y, "n_neighbors", [1], confidence=95)
    with pytest.raises(ParameterError, match="at least one value"):
        validation_curve(KNeighborsClassifier(), X, y, "n_neighbors", [])
    with pytest.raises(DataError, match="too many"):
        learning_curve(GaussianNB(), np.zeros((8000, 1)), np.arange(8000) % 2, protocol=LeaveOneOut())


@pytest.mark.parametrize("scores", [[0.9, 0.85, 0.8, 0.78], [0.8, 0.8, 0.8, 0.8], [1.0, 1.0, 1.0, 1.0]])
def test_a_curve_that_falls_or_stays_is_not_extrapolated(scores):
    n = np.array([50.0, 100.0, 200.0, 400.0])
    assert fit_power_law(n, np.array(scores), True, (0.0, 1.0)) is None
    assert gain_from_twice(n, np.tile(scores, (5, 1)), True, (0.0, 1.0), 1 / 4, 0.95) is None
    assert fit_power_law(n, 1 - np.array(scores), False, (0.0, 1.0)) is None


def test_a_curve_that_rises_only_by_chance_may_gain_nothing_from_more_rows():
    n, covered = np.array([50.0, 100.0, 200.0, 400.0]), []
    for seed in range(200):  # flat in truth: twice the rows gain nothing
        folds = 0.8 + np.random.default_rng(seed).normal(scale=0.03, size=(5, 4))
        gain = gain_from_twice(n, folds, True, (0.0, 1.0), 1 / 4, 0.95)
        covered.append(gain is None or 0.0 in gain.interval)
        assert gain is None or gain.interval.high - gain.interval.low > 0.01
    assert np.mean(covered) >= 0.9


def test_a_flat_learning_curve_says_that_it_cannot_tell():
    X, y = np.zeros((200, 1)), np.arange(200) % 4 == 0
    curve = learning_curve(MajorityClassifier(), X, y, sizes=[20, 60, 120, 160])
    assert curve.gain_from_twice is curve.power_law is None
    assert "What twice the rows would bring cannot be told" in str(curve)
