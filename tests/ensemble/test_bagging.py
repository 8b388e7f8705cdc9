"""margin.ensemble.bagging: draws and answers by hand, members grown in parts, rows out of bag, what cannot be done."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import margin
from margin import BaggingClassifier, BaggingRegressor, measure_out_of_bag
from margin.data import catalog
from margin.ensemble.bagging.drawing import Drawing, Stratum
from margin.errors import InputError, MarginError, MarginWarning, ParameterError
from margin.explain import explain
from margin.persistence import from_bytes, to_bytes
from margin.random import generator, seed_for

TREE = margin.DecisionTreeClassifier(max_depth=4)


def rings(n=300, seed=0, k=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    far = X[:, 0] ** 2 + X[:, 1] ** 2 + 0.3 * rng.normal(size=n)
    return X, np.digitize(far, [1.5, 3.0][: k - 1])


class Repeats(margin.KNeighborsClassifier):
    """Nearest neighbours that take no weights."""

    def fit(self, X, y):
        return super().fit(X, y)


class Fails:
    """A member that learns nothing after so many fits."""

    def __init__(self, label=0):
        self.label = label

    def get_params(self, deep=True):
        return {"label": self.label}

    def set_params(self, **params):
        self.label = params["label"]
        return self

    def fit(self, X, y):
        raise ValueError("I never learn")

    def predict(self, X):
        return np.zeros(len(X))


# by hand


@pytest.mark.parametrize("k", [2, 3])
def test_members_learn_from_drawn_rows_and_their_mean_is_answered(k):
    X, y = rings(150, k=k)
    model = BaggingClassifier(TREE, n_estimators=7, random_state=3).fit(X, y)
    seed = seed_for(3, "bagging", bits=63)
    total, sums, counts, errors = np.zeros((150, k)), np.zeros((150, k)), np.zeros(150), []
    for t in range(7):
        times = np.bincount(generator(seed, "member", t, "rows").integers(150, size=150), minlength=150)
        own = clone(TREE).set_params(random_state=seed_for(seed, "member", t, "model", bits=32))
        member = own.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
        said = member.predict_proba(X)
        total += said
        out = times == 0
        sums[out] += said[out]
        counts += out
        asked = counts > 0
        errors.append((sums[asked].argmax(axis=1) != y[asked]).mean())
    np.testing.assert_allclose(model.predict_proba(X), total / 7, rtol=1e-12)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(model.oob_decision_function_, sums / counts[:, None], rtol=1e-12)
    np.testing.assert_allclose(model.oob_error_, errors, rtol=1e-12)
    assert model.oob_score_ == 1 - model.oob_error_[-1]


def test_values_are_the_mean_of_the_members():
    X, _ = rings(120)
    y = X[:, 0] ** 2 + X[:, 1]
    model = BaggingRegressor(margin.KNeighborsRegressor(3), n_estimators=6, random_state=1).fit(X, y)
    seed, total, sums, counts = seed_for(1, "bagging", bits=63), 0.0, np.zeros(120), np.zeros(120)
    for t in range(6):
        drawn = generator(seed, "member", t, "rows").integers(120, size=120)
        said = margin.KNeighborsRegressor(3).fit(X[drawn], y[drawn]).predict(X)
        out = ~np.isin(np.arange(120), drawn)
        total, sums, counts = total + said, sums + said * out, counts + out
    np.testing.assert_allclose(model.predict(X), total / 6, rtol=1e-9)
    asked = counts > 0
    off = sums[asked] / counts[asked] - y[asked]
    assert model.oob_error_[-1] == pytest.approx((off**2).mean())
    assert model.oob_score_ == pytest.approx(1 - (off**2).mean() / y[asked].var())
    assert measure_out_of_bag(model, y)["absolute_error"].value == pytest.approx(np.abs(off).mean())


@pytest.mark.golden("G2")
def test_the_rounds_of_the_lecture_leave_out_what_they_do_not_draw():
    rounds = [[7, 8, 10, 8, 2, 5, 10, 10, 5, 9], [1, 4, 9, 1, 2, 3, 2, 7, 3, 2], [1, 8, 5, 10, 5, 5, 9, 6, 3, 7]]

    class Told:
        def __init__(self, drawn):
            self.drawn = np.array(drawn) - 1

        def integers(self, total, size):
            assert (total, size) == (10, 10)
            return self.drawn

    stratum = Stratum(np.arange(10), np.empty(0, dtype=np.int64), 10)
    out = [sorted(set(range(1, 11)) - set(stratum.draw(Told(drawn), True) + 1)) for drawn in rounds]
    assert out == [[1, 3, 4, 6], [5, 6, 8, 10], [2, 4]]


@pytest.mark.golden("G2")
def test_a_member_leaves_out_a_row_with_probability_368():
    n = 500
    X, y = rings(n)
    model = BaggingClassifier(margin.MajorityClassifier(), n_estimators=100, random_state=0).fit(X, y)
    assert (1 - 1 / n) ** n == pytest.approx(0.368, abs=5e-4)
    assert model._oob_counts.mean() / 100 == pytest.approx((1 - 1 / n) ** n, abs=0.005)


def test_a_bag_of_trees_gains_and_one_of_nearest_neighbours_hardly_does():
    X, y = rings(500, seed=2)
    y = np.where(np.random.default_rng(4).random(500) < 0.15, 1 - y, y)  # trees that learn noise by heart vary
    fresh, truth = rings(4000, seed=3)

    def gain(model, n=60):
        alone = (clone(model).fit(X, y).predict(fresh) != truth).mean()
        bag = BaggingClassifier(model, n_estimators=n, random_state=0).fit(X, y)
        return alone - (bag.predict(fresh) != truth).mean()

    assert gain(margin.DecisionTreeClassifier()) > 0.05
    assert abs(gain(margin.KNeighborsClassifier(1))) < 0.01


# draws


def test_weights_and_repeated_rows_are_one_bag():
    X, y = rings(80, k=3)
    weighed = BaggingClassifier(margin.KNeighborsClassifier(3), n_estimators=8, random_state=0).fit(X, y)
    repeated = BaggingClassifier(Repeats(3), n_estimators=8, random_state=0).fit(X, y)
    np.testing.assert_allclose(weighed.predict_proba(X), repeated.predict_proba(X), rtol=1e-12)
    np.testing.assert_array_equal(weighed.oob_error_, repeated.oob_error_)
    trees = [BaggingClassifier(TREE, n_estimators=8, random_state=0) for _ in range(2)]
    times = np.random.default_rng(0).integers(0, 4, 80)
    first = trees[0].fit(X, y, sample_weight=times)
    second = trees[1].fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))
    # Members without weights still learn rows of whole-number weights.
    assert BaggingClassifier(Repeats(3), n_estimators=3, random_state=0).fit(X, y, times).score(X, y) > 0.5
    with pytest.raises(ParameterError, match="takes no weights"):
        BaggingClassifier(Repeats(3), n_estimators=3).fit(X, y, sample_weight=times + 0.5)


def test_pasting_draws_each_row_once_at_most_and_all_rows_leave_none_out():
    X, y = rings(100)
    drawing = Drawing(0, 100, [Stratum(np.arange(100), np.empty(0, np.int64), 60)], False, np.arange(4), 2, False)
    for t in range(5):
        times = drawing.rows(t)
        assert times.max() == 1
        assert times.sum() == 60
        assert len(set(drawing.columns(t))) == 2
    model = BaggingClassifier(TREE, n_estimators=9, bootstrap=False, max_samples=0.6, random_state=0).fit(X, y)
    assert model._oob_counts.mean() == pytest.approx(0.4 * 9)
    whole = BaggingClassifier(TREE, n_estimators=3, bootstrap=False, random_state=0).fit(X, y)
    np.testing.assert_allclose(whole.predict_proba(X), clone(TREE).fit(X, y).predict_proba(X), rtol=1e-12)
    with pytest.raises(ParameterError, match="nothing is known out of bag"):
        _ = whole.oob_score_


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, lambda X: pd.DataFrame(X, columns=list("abcd"))])
@pytest.mark.parametrize("replace", [False, True])
def test_members_see_the_columns_that_they_drew(form, replace):
    X, y = rings(120)
    model = BaggingClassifier(
        margin.NaiveBayes(), n_estimators=6, max_features=3, bootstrap_features=replace, random_state=0
    ).fit(form(X), y)
    assert model.member_columns_.shape == (6, 3)
    assert replace == any(len(set(each)) < 3 for each in model.member_columns_.tolist())
    seed, total = seed_for(0, "bagging", bits=63), 0.0
    for t, columns in enumerate(model.member_columns_):
        times = np.bincount(generator(seed, "member", t, "rows").integers(120, size=120), minlength=120)
        member = margin.NaiveBayes().fit(np.repeat(X[:, columns], times, axis=0), np.repeat(y, times))
        total += member.predict_proba(X[:, columns])
    np.testing.assert_allclose(model.predict_proba(form(X)), total / 6, rtol=1e-7)


def test_balanced_members_draw_each_class_alike_and_find_a_rare_one():
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.06).astype(int)
    X = rng.normal(size=(600, 3)) + y[:, None]
    model = BaggingClassifier(TREE, n_estimators=30, balanced=True, random_state=0).fit(X, y)
    for stratum in model._strata(y, np.empty(0, np.int64)):
        assert stratum.n_draws == y.sum()
    plain = BaggingClassifier(TREE, n_estimators=30, random_state=0).fit(X, y)
    recalls = [measure_out_of_bag(each, y, "recall", positive=1)["recall"].value for each in (model, plain)]
    assert recalls[0] > recalls[1] + 0.2


def test_a_member_that_did_not_draw_a_class_gives_it_no_share():
    X = np.vstack([np.random.default_rng(0).normal(size=(60, 2)), [[20.0, 20.0], [20.5, 19.5]]])
    y = np.array(["many"] * 60 + ["few"] * 2)
    model = BaggingClassifier(margin.KNeighborsClassifier(1), n_estimators=40, random_state=0).fit(X, y)
    knew = np.array([len(member.places) == 2 for member in model.members_])
    assert 0 < knew.sum() < 40
    assert model.predict_proba([[20.0, 20.0]])[0].tolist() == pytest.approx([knew.mean(), 1 - knew.mean()])


# members in parts, threads


def test_members_grown_in_parts_are_those_grown_at_once():
    X, y = catalog.load("credit").target("risk")
    rows = np.arange(200)
    X, y = X[rows], y[rows]
    settings = {"max_features": 5, "random_state": 4}
    whole = BaggingClassifier(TREE, n_estimators=12, **settings).fit(X, y)
    grown = BaggingClassifier(TREE, n_estimators=5, **settings).fit(X, y).grow(3, X, y).grow(4, X, y)
    again = from_bytes(to_bytes(BaggingClassifier(TREE, n_estimators=5, **settings).fit(X, y))).grow(7, X, y)
    warm = BaggingClassifier(TREE, n_estimators=5, warm_start=True, **settings).fit(X, y)
    warm.set_params(n_estimators=12).fit(X, y)
    for other in (grown, again, warm):
        np.testing.assert_array_equal(whole.predict_proba(X), other.predict_proba(X))
        np.testing.assert_array_equal(whole.oob_error_, other.oob_error_)
        np.testing.assert_array_equal(whole.oob_decision_function_, other.oob_decision_function_)
        np.testing.assert_array_equal(whole.member_columns_, other.member_columns_)
        other.set_params(n_estimators=12, warm_start=False)
        assert to_bytes(other) == to_bytes(whole)


def test_a_bag_without_a_seed_grows_from_its_own():
    X, y = rings(60)
    model = BaggingRegressor(n_estimators=3).fit(X, y)
    copy = from_bytes(to_bytes(model))
    np.testing.assert_array_equal(model.grow(4, X, y).predict(X), copy.grow(4, X, y).predict(X))


def test_growing_from_other_rows_is_refused_and_leaves_the_bag_as_it_was():
    X, y = rings(60)
    model = BaggingClassifier(TREE, n_estimators=3, random_state=0).fit(X, y)
    before = to_bytes(model)
    for X_, y_, weight in ((X + 1, y, None), (X, 1 - y, None), (X[:50], y[:50], None), (X, y, np.arange(60) + 1)):
        with pytest.raises(InputError, match=r"BaggingClassifier\.grow: rows, targets, weights"):
            model.grow(2, X_, y_, weight)
    with pytest.raises(ParameterError, match="n must be a whole number"):
        model.grow(-1, X, y)
    assert to_bytes(model) == before
    with pytest.raises(ParameterError, match="at least the 3 members"):
        model.set_params(n_estimators=2, warm_start=True).fit(X, y)


@pytest.mark.parametrize("member", [margin.DecisionTreeClassifier(max_features=2), margin.LogisticRegression()])
def test_a_bag_is_the_same_for_any_number_of_threads(member):
    X, y = rings(150, k=3)
    one, two = (BaggingClassifier(member, n_estimators=7, random_state=0, n_jobs=n).fit(X, y) for n in (1, 3))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    np.testing.assert_array_equal(one.oob_error_, two.oob_error_)
    # Members that draw columns themselves draw different ones.
    assert len({member.model.get_params().get("random_state") for member in one.members_}) in (1, 7)


# out of bag


def test_any_metric_out_of_bag_is_that_of_the_answers():
    X, y = catalog.load("iris").target("class")
    model = BaggingClassifier(TREE, n_estimators=20, random_state=0).fit(X, y)
    found = measure_out_of_bag(model, y, ["accuracy", "log_loss", "f1"])
    said = margin.measure(y, probabilities=model.oob_decision_function_, metrics=["accuracy", "log_loss", "f1"])
    assert [each.value for each in found.values()] == [each.value for each in said.values()]
    assert found["accuracy"].value == pytest.approx(model.oob_score_)
    assert found["accuracy"].value in found["accuracy"].interval
    forest = margin.RandomForestClassifier(n_estimators=30, random_state=0).fit(X, y)
    assert measure_out_of_bag(forest, y, "accuracy")["accuracy"].value == pytest.approx(forest.oob_score_)
    votes = BaggingClassifier(margin.LinearSVC(), n_estimators=15, random_state=0).fit(X, y)
    assert measure_out_of_bag(votes, y, "accuracy")["accuracy"].value == pytest.approx(votes.oob_score_)


def test_cases_without_an_answer_out_of_bag_are_counted():
    X, y = rings(100)
    model = BaggingClassifier(TREE, n_estimators=2, random_state=0).fit(X, y)
    silent = int((model._oob_counts == 0).sum())
    assert 0 < silent < 100
    found = measure_out_of_bag(model, y, "accuracy")
    assert len(found.answers) == 100 - silent
    assert f"{silent} of 100 cases were drawn by all members" in str(found)
    numbers = margin.BaggingRegressor(n_estimators=2, random_state=0).fit(X, X[:, 0])
    assert (
        f"{(numbers._oob_counts == 0).sum()} of 100 cases were drawn" in measure_out_of_bag(numbers, X[:, 0])["r2"].how
    )
    assert np.isnan(model.oob_decision_function_[:, 0]).sum() == silent
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MarginWarning)
        alone = BaggingClassifier(TREE, n_estimators=2).fit([[1.0]], ["a"])
    with pytest.raises(InputError, match="none of 1 cases has an answer"):
        measure_out_of_bag(alone, ["a"])
    with pytest.raises(InputError, match="100 targets that it was fitted to"):
        measure_out_of_bag(model, y[:50])
    with pytest.raises(ParameterError, match="must have oob_decision_function_"):
        measure_out_of_bag(margin.NaiveBayes().fit(X, y), y)
    with pytest.raises(ParameterError, match="metrics of numbers"):
        measure_out_of_bag(BaggingRegressor(n_estimators=5).fit(X, y), y, "accuracy")


# what cannot be done


def test_a_member_that_fails_is_named_with_its_number():
    X, y = rings(50)
    with pytest.raises(MarginError, match=r"BaggingClassifier.*member 0, Fails, .*I never learn"):
        BaggingClassifier(Fails(), n_estimators=3).fit(X, y)

    class Stubborn(Repeats):
        def fit(self, X, y):
            super().fit(X, y)
            self.classes_ = np.array([0, 7])
            return self

    with pytest.raises(ParameterError, match=r"member 0, Stubborn,.*classes_ are \[0, 7\].*among \[0, 1\]"):
        BaggingClassifier(Stubborn(), n_estimators=3).fit(X, y)
    with pytest.raises(ParameterError, match="must have predict_proba"):
        BaggingClassifier(margin.LinearSVC(), voting="soft").fit(X, y)
    for wrong in ("tree", margin.NaiveBayes, 3):
        with pytest.raises(ParameterError, match="estimator"):
            BaggingClassifier(wrong).fit(X, y)
    with pytest.raises(ParameterError, match="kernel matrix"):
        BaggingClassifier(margin.SVC(kernel="precomputed")).fit(X @ X.T, y)


def test_a_cell_that_members_refuse_is_named_by_its_own_row():
    X, y = rings(50)
    X[17, 2] = 1e200
    with pytest.raises(InputError, match=r"17.*x2|x2.*17"):
        BaggingClassifier(margin.LinearDiscriminantAnalysis(), n_estimators=5, random_state=0).fit(X, y)


def test_one_class_and_more_columns_than_rows():
    X, y = rings(12)
    wide = np.hstack([X] * 20)
    assert BaggingClassifier(TREE, n_estimators=15, random_state=0).fit(wide, y).score(wide, y) > 0.7
    model = BaggingClassifier(TREE, n_estimators=3, random_state=0).fit(X, ["a"] * 12)
    assert model.predict(X).tolist() == ["a"] * 12
    assert model.predict_proba(X[:0]).shape == (0, 1)
    assert model.oob_score_ == 1


# what users do


def test_members_say_what_they_vote_for():
    X, y = rings(100)
    model = BaggingClassifier(TREE, n_estimators=9, random_state=0).fit(X, y)
    assert model.votes(X[:2]).shape == (2, 9)
    text = str(explain(model, X[:1]))
    assert "9 members (DecisionTreeClassifier" in text
    assert "of 9, mean probability" in text
    votes = BaggingClassifier(margin.LinearSVC(), n_estimators=9, random_state=0).fit(X, y)
    assert not hasattr(votes, "predict_proba")
    assert votes.decision_function(X).shape == (100,)
    assert "has a vote" in str(explain(votes, X[:1]))
    values = BaggingRegressor(n_estimators=9, random_state=0).fit(X, y)
    np.testing.assert_allclose(values.votes(X).mean(axis=1), values.predict(X), atol=1e-12)
    assert "9 members" in str(explain(values, X[:1]))


def test_parameters_of_the_model_inside_can_be_searched():
    X, y = rings(100)
    bag = BaggingClassifier(TREE, n_estimators=4, random_state=0)
    search = margin.GridSearch(bag, {"estimator__max_depth": [1, 4]}, cv=2).fit(X, y)
    assert search.best_params_["estimator__max_depth"] in (1, 4)
