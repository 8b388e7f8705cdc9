"""Rows tied at the k-th distance: worked by hand, then the definition in plain Python, then properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from margin import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
    choose_k,
    read,
)
from margin.data import Table
from margin.evaluation.predictions.leave_one_out import refitted_predictions
from margin.neighbors import losses_by_k
from margin.neighbors.voting import answers_by_k, neighborhoods
from tests.contract.estimators import ALL
from tests.shared_data import shared_data

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")

METRICS = {
    "euclidean": lambda a, b: float(np.sqrt(((a - b) ** 2).sum())),
    "manhattan": lambda a, b: float(np.abs(a - b).sum()),
    "chebyshev": lambda a, b: float(np.abs(a - b).max()),
    "hamming": lambda a, b: float((a != b).mean()),
}
ALGORITHMS = ["brute", "kd_tree", "ball_tree"]
VOTES = {"uniform": lambda d, _: 1.0, "distance": lambda d, nearest: _ratio(nearest, d)}
VOTES["inverse_square"] = lambda d, nearest: _ratio(nearest, d) ** 2
WEIGHTS = ["none", "repeats", "any"]


def _ratio(nearest, d):
    return nearest / d if d > 0 else 1.0


def slow_votes(metric, X, query, k, vote, weight, repeats):
    """The vote of each training row, and how far it is."""
    far = np.array([METRICS[metric](row, query) for row in X])
    places = weight if repeats else np.ones(len(X))
    votes = np.zeros(len(X))
    for i, d in enumerate(far):
        left = k - places[far < d].sum()
        part = min(max(left / places[far == d].sum(), 0.0), 1.0)
        votes[i] = vote(d, far.min()) * weight[i] * part
    return votes, far


def slow_class(votes, far, y, weight):
    """Most votes, then nearest voters in sum, then most weight in training, then the first."""
    classes = np.unique(y)
    keys = []
    for label in classes:
        of_class = y == label
        rounded = [float(f"{value:.9e}") for value in ((votes * of_class).sum(), (votes * far * of_class).sum())]
        keys.append((-rounded[0], rounded[1], -float(f"{weight[of_class].sum():.9e}")))
    shares = np.array([votes[y == label].sum() for label in classes]) / votes.sum()
    return classes[min(range(len(classes)), key=lambda c: (keys[c], c))], shares


def some_weights(rng, kind, n):
    return {"none": None, "repeats": rng.integers(1, 4, n).astype(float), "any": rng.random(n) + 0.1}[kind]


def few_levels(seed, n=24, columns=2, levels=3):
    rng = np.random.default_rng(seed)
    return rng, rng.integers(0, levels, (n, columns)).astype(float), rng.integers(0, 3, n)


def test_a_majority_that_ties_is_not_outvoted_by_the_last_class():
    X = np.array([["a"]] * 10, dtype=object)
    for y in (["no"] * 7 + ["yes"] * 3, ["yes"] * 7 + ["no"] * 3):
        model = KNeighborsClassifier(5).fit(X, y)
        assert model.predict(X[:1]).tolist() == [y[0]]
        assert sorted(model.predict_proba(X[:1])[0]) == pytest.approx([0.3, 0.7], abs=1e-15)


def test_tied_rows_answer_with_the_mean_of_all_their_targets():
    X = np.array([["a"]] * 100, dtype=object)
    assert KNeighborsRegressor(5).fit(X, np.arange(100.0)).predict(X[:1]).tolist() == [49.5]
    one_nearer = KNeighborsRegressor(3).fit([[0.0], [2.0], [2.0], [-2.0], [9.0]], [6.0, 0.0, 3.0, 9.0, 100.0])
    assert one_nearer.predict([[0.0]]).tolist() == [pytest.approx((6 + 2 * 4) / 3)]


def test_equal_votes_go_to_the_nearer_then_to_the_more_frequent_class():
    for names in (("a", "b"), ("b", "a")):
        near, far = names
        model = KNeighborsClassifier(2).fit([[1.0], [-2.0], [9.0], [9.0]], [near, far, far, far])
        assert model.predict([[0.0]]).tolist() == [near]
        np.testing.assert_allclose(model.predict_proba([[0.0]]), [[0.5, 0.5]], rtol=1e-15)
        assert model.classes_[model.predict_proba([[0.0]]).argmax()] == near
        model = KNeighborsClassifier(2).fit([[1.0], [-1.0], [9.0]], [near, far, far])
        assert model.predict([[0.0]]).tolist() == [far]


def test_all_rows_that_share_places_are_voters_with_their_part_of_a_vote():
    model = KNeighborsClassifier(2).fit([[0.0], [1.0], [-1.0], [1.0], [5.0]], ["a", "b", "c", "b", "a"])
    distance, rows, labels, votes = model.voters([[0.0]])
    assert (distance.tolist(), sorted(rows.tolist())) == ([0.0, 1.0, 1.0, 1.0], [0, 1, 2, 3])
    assert dict(zip(rows.tolist(), labels.tolist())) == {0: "a", 1: "b", 2: "c", 3: "b"}
    assert votes.tolist() == pytest.approx([1.0, 1 / 3, 1 / 3, 1 / 3])
    assert model.kneighbors([[0.0]])[1].shape == (1, 2)


@pytest.mark.parametrize("weighting", WEIGHTS)
@pytest.mark.parametrize("weights", sorted(VOTES))
@pytest.mark.parametrize("metric", sorted(METRICS))
def test_agrees_with_the_definition_in_every_index(metric, weights, weighting):
    for seed in range(6 if ALL else 2):
        rng, X, y = few_levels(seed)
        weight = some_weights(rng, weighting, len(X))
        queries, target = np.vstack([X[:4], rng.integers(0, 3, (4, 2)) + 0.5]), rng.normal(size=len(X)) + 1e3
        for k in (1, 2, 3, 5, 23, 40):
            given_weight = np.ones(len(X)) if weight is None else weight
            found = [slow_votes(metric, X, query, k, VOTES[weights], given_weight, weighting != "any")
                     for query in queries]  # fmt: skip
            expected = [slow_class(*each, y, given_weight) for each in found]
            values = [np.average(target, weights=votes) for votes, _ in found]
            for algorithm in ALGORITHMS if metric != "hamming" else ["brute", "ball_tree"]:
                given = {"weights": weights, "metric": metric, "algorithm": algorithm}
                model = KNeighborsClassifier(k, **given).fit(X, y, weight)
                assert model.predict(queries).tolist() == [label for label, _ in expected]
                np.testing.assert_allclose(
                    model.predict_proba(queries), [s for _, s in expected], rtol=1e-12, atol=1e-15
                )
                model = KNeighborsRegressor(k, **given).fit(X, target, weight)
                np.testing.assert_allclose(model.predict(queries), values, rtol=1e-13)


@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: 1 / (1 + d)], ids=["uniform", "distance", "own"])
@pytest.mark.parametrize("weighting", WEIGHTS)
def test_all_indexes_and_numbers_of_threads_give_the_same_bits(weights, weighting):
    rng, X, y = few_levels(1, n=300, columns=3)
    weight, target = some_weights(rng, weighting, 300), rng.normal(size=300)
    table = Table.from_columns({name: list(column) for name, column in zip("abc", X.T)})
    X_sparse = csr_array(X)
    found = set()
    for rows, more in [(X, {"algorithm": name}) for name in ALGORITHMS] + [(X_sparse, {}), (X, {"n_jobs": 1})]:
        shares = KNeighborsClassifier(7, weights=weights, **more).fit(rows, y, weight).predict_proba(rows)
        values = KNeighborsRegressor(7, weights=weights, **more).fit(rows, target, weight).predict(rows)
        found.add((shares.tobytes(), values.tobytes()))
    assert len(found) == 1
    mixed = KNeighborsClassifier(7, weights=weights, metric="heom").fit(table, y, weight).predict_proba(table)
    plain = KNeighborsClassifier(7, weights=weights).fit(X / 2, y, weight).predict_proba(X / 2)
    np.testing.assert_allclose(mixed, plain, rtol=1e-12)


MODELS = [
    KNeighborsClassifier(4),
    KNeighborsClassifier(6, weights="distance", metric="manhattan"),
    KNeighborsClassifier(3, metric="gower"),
    RadiusNeighborsClassifier(1.0),
    RadiusNeighborsClassifier(0.2, weights="inverse_square"),
]


@given(seed=st.integers(0, 10_000), model=st.sampled_from(MODELS), weighting=st.sampled_from(WEIGHTS))
@settings(max_examples=60, deadline=None)
def test_neither_the_order_of_rows_nor_the_names_of_classes_matter(seed, model, weighting):
    rng, X, y = few_levels(seed, n=30)
    weight = some_weights(rng, weighting, 30)
    queries = np.vstack([X, rng.integers(0, 4, (20, 2)) + 0.5])
    model = model.fit(X, y, weight)
    labels, shares = model.predict(queries), model.predict_proba(queries)
    order = rng.permutation(30)
    model.fit(X[order], y[order], None if weight is None else weight[order])
    assert model.predict(queries).tolist() == labels.tolist()
    assert model.predict_proba(queries).tobytes() == shares.tobytes()
    # Equally near and equally frequent classes are told apart by their names: nothing else could.
    if len(set(np.bincount(y, weight, 3).round(9))) == 3:
        names = np.array(["c", "a", "b"])
        model.fit(X, names[y], weight)
        renamed = model.predict(queries)
        np.testing.assert_allclose(model.predict_proba(queries)[:, [2, 0, 1]], shares, rtol=1e-14)
        assert renamed.tolist() == names[labels].tolist()


@given(
    seed=st.integers(0, 10_000), weights=st.sampled_from(["uniform", "distance"]), weighting=st.sampled_from(WEIGHTS)
)
@settings(max_examples=25, deadline=None)
def test_quantities_do_not_depend_on_the_order_of_rows(seed, weights, weighting):
    rng, X, _ = few_levels(seed, n=30)
    weight, target, order = some_weights(rng, weighting, 30), rng.normal(size=30), rng.permutation(30)
    for model in (KNeighborsRegressor(4, weights=weights), RadiusNeighborsRegressor(1.0, weights=weights)):
        one = model.fit(X, target, weight).predict(X)
        other = model.fit(X[order], target[order], None if weight is None else weight[order]).predict(X)
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("weighting", WEIGHTS)
@pytest.mark.parametrize("metric", ["euclidean", "heom"])
def test_rows_left_out_share_ties_as_in_new_fits(weighting, metric, monkeypatch):
    monkeypatch.setattr(neighborhoods, "VOTES_AT_ONCE", 50)
    for seed in range(8 if ALL else 2):
        rng, X, y = few_levels(seed, n=26)
        X[:6] = [[0], [2], [2], [0], [0], [2]]  # no row alone has the smallest or the largest number
        if metric == "heom":
            X[rng.random(X.shape) < 0.1] = np.nan
        weight = some_weights(rng, weighting, len(y))
        for k in (1, 2, 4, 25):
            for weights in ("uniform", "distance"):
                model = KNeighborsClassifier(k, weights=weights, metric=metric)
                found = model.left_out_answers(X, y, weight)
                if found is None:
                    continue
                refitted = refitted_predictions(model, X, y, weight, np.arange(len(y)))
                assert found.labels.tolist() == refitted.labels.tolist()
                np.testing.assert_allclose(found.probabilities, refitted.probabilities, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("weighting", WEIGHTS)
@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: 1 / (1 + d)], ids=["uniform", "distance", "own"])
def test_every_k_shares_ties_as_the_model_does(weights, weighting, monkeypatch):
    monkeypatch.setattr(neighborhoods, "VOTES_AT_ONCE", 60)
    monkeypatch.setattr(losses_by_k, "NEIGHBORS_AT_ONCE", 200)
    for seed in range(4):
        rng, X, y = few_levels(seed, n=40, columns=1 + seed % 2)
        weight, target = some_weights(rng, weighting, 40), rng.normal(size=40) + 50
        new, truth = rng.integers(0, 3, (15, X.shape[1])) + 0.0, rng.integers(0, 3, 15)
        given_weights = {"weights": weights, "sample_weight": weight}
        classes = choose_k(X, y, 60, validation=(new, truth), **given_weights)
        values = choose_k(X, target, 60, validation=(new, truth), loss="squared_error", **given_weights)
        for k in (1, 2, 3, 7, 30, len(classes.k)):
            model = KNeighborsClassifier(k, weights=weights).fit(X, y, weight)
            assert classes.right[k - 1] == (model.predict(new) == truth).sum()
            model = KNeighborsRegressor(k, weights=weights).fit(X, target, weight)
            assert values.error[k - 1] == pytest.approx(((model.predict(new) - truth) ** 2).mean(), rel=1e-12)
        along = KNeighborsClassifier(weights=weights).answers_along(
            "n_neighbors", [1, 2, 3, 9, 50], X, y, [new], weight
        )
        for k, (said,) in zip([1, 2, 3, 9, 50], along):
            model = KNeighborsClassifier(k, weights=weights).fit(X, y, weight)
            assert said.labels.tolist() == model.predict(new).tolist()
            assert said.probabilities.tobytes() == model.predict_proba(new).tobytes()


def test_places_between_two_ends_of_a_group_are_shared_in_proportion():
    X, y = np.zeros((9, 1)), np.array(list("aaaaaabbb"))
    for k, (code,) in enumerate(_codes_by_k(X, y), 1):
        assert code == 0, k


def _codes_by_k(X, y):
    model = KNeighborsClassifier().fit(X, y)
    _, tied = neighborhoods.neighborhoods(model, model._as_queries(X[:1]), 7)
    totals = np.bincount([0] * 6 + [1] * 3)[None]
    return answers_by_k.answers_in_groups(model, tied, 7, lambda some: totals)


def test_of_equally_frequent_classes_rows_without_neighbours_get_that_of_the_nearest_row():
    X = [[0.0], [1.0], [50.0], [51.0], [20.0]]
    for names in (["a", "a", "b", "b", "c"], ["b", "b", "a", "a", "0"]):
        model = RadiusNeighborsClassifier(2.0).fit(X, names)
        assert model.predict([[9.0], [30.0], [90.0], [1.5]]).tolist() == [names[0], names[2], names[2], names[0]]
        left_out = model.left_out_answers(X, names)
        refitted = refitted_predictions(model, X, np.array(names), None, np.arange(5))
        assert left_out.labels.tolist() == refitted.labels.tolist()


def test_many_tied_rows_are_counted_once_for_all_equal_queries():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (20_000, 1)).astype(float)
    y = (rng.random(20_000) < 0.2 + X[:, 0] / 10).astype(int)
    shares = KNeighborsClassifier(5).fit(X, y).predict_proba(X)
    for level in range(5):
        of_level = X[:, 0] == level
        np.testing.assert_allclose(shares[of_level, 1], y[of_level].mean(), rtol=1e-13)


def test_lists_are_cut_into_parts_without_a_difference(monkeypatch):
    _, X, y = few_levels(5, n=200)
    whole = KNeighborsClassifier(9).fit(X, y).predict_proba(X)
    monkeypatch.setattr(neighborhoods, "VOTES_AT_ONCE", 10)
    assert KNeighborsClassifier(9).fit(X, y).predict_proba(X).tobytes() == whole.tobytes()


@pytest.mark.parametrize("name", ["vote", "tic-tac-toe", "zoo", "car"])
def test_the_nearest_rows_of_a_nominal_table_vote_as_in_weka(name):
    """IBk gives every row up to the k-th distance a full vote.

    For one neighbour that comes to the same shares, and labels differ only where they are equal: there IBk takes the
    first class. For more, the rows at the last distance outvote nearer ones in IBk, and not here.
    """
    table = read(shared_data(f"{name}.arff.gz"))
    X, y = table.target("class" if "class" in table.schema.names else table.schema.names[-1])
    train, asked = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
    model = KNeighborsClassifier(1, metric="heom").fit(X.take(train), y[train])
    distance = model.kneighbors(X.take(asked))[0][:, 0]
    far, rows = model.radius_neighbors(X.take(asked), float(distance.max()))
    shares = model.predict_proba(X.take(asked))
    codes = np.searchsorted(model.classes_, y[train])
    for i, of_case in enumerate(rows):
        votes = np.bincount(codes[of_case[far[i] <= distance[i]]], minlength=len(model.classes_))
        np.testing.assert_allclose(shares[i], votes / votes.sum(), rtol=1e-12)
    for k in (1, 5):
        right = KNeighborsClassifier(k, metric="heom").fit(X.take(train), y[train]).score(X.take(asked), y[asked])
        assert right > max((y[asked] == label).mean() for label in model.classes_)
