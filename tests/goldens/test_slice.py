"""The golden figures of the instance-based and Bayesian methods on the decks' own tables."""

import numpy as np
import pytest

from margin import KNeighborsClassifier, MajorityClassifier, NaiveBayes, RoteClassifier, Table
from margin.data import catalog
from margin.evaluation import LeaveOneOut, evaluate


def one_day(**cells):
    return Table.from_columns({name: [cell] for name, cell in cells.items()})


@pytest.mark.golden("C3")
def test_the_sunny_cool_humid_windy_day_is_a_no():
    X, y = catalog.load("weather_nominal").target("play")
    day = one_day(outlook="sunny", temperature="cool", humidity="high", windy="TRUE")
    model = NaiveBayes(alpha=0).fit(X, y)
    no, yes = np.exp(model.joint_log_likelihood(day))[0]
    assert (round(yes, 4), round(no, 4)) == (0.0053, 0.0206)
    assert model.predict(day)[0] == "no"


@pytest.mark.golden("C4")
def test_the_numeric_weather_has_the_densities_and_likelihoods_of_the_deck():
    X, y = catalog.load("weather_numeric").target("play")
    day = one_day(outlook="sunny", temperature=66.0, humidity=90.0, windy="TRUE")
    model = NaiveBayes(alpha=0).fit(X, y)
    terms = {name: np.exp(term) for name, _, term in model.column_terms(day)}
    assert np.round(terms["temperature"], 4).tolist() == [0.0279, 0.0340]
    assert np.round(terms["humidity"], 4).tolist() == [0.0380, 0.0221]
    no, yes = np.exp(model.joint_log_likelihood(day))[0]
    assert f"{yes:.7f}" == "0.0000358"
    assert f"{no:.6f}" == "0.000136"
    assert model.predict(day)[0] == "no"


@pytest.mark.golden("C4")
def test_the_mixed_weather_day_is_a_no_with_79_percent():
    X, y = catalog.load("weather_numeric").target("play")
    day = one_day(outlook="sunny", temperature=66.0, humidity=90.0, windy="TRUE")
    no, yes = NaiveBayes(alpha=0).fit(X, y).predict_proba(day)[0]
    assert (round(100 * yes, 1), round(100 * no, 1)) == (20.8, 79.2)


@pytest.mark.golden("C5")
def test_two_thousand_coin_flips_do_not_underflow():
    rng = np.random.default_rng(0)
    y = np.repeat(["fair", "loaded"], 200)
    flips = rng.random((400, 2000)) < np.where(y == "fair", 0.5, 0.6)[:, None]
    names = [f"flip{i}" for i in range(2000)]
    X = Table.from_columns({name: np.where(flips[:, i], "head", "tail").tolist() for i, name in enumerate(names)})
    model = NaiveBayes().fit(X, y)
    probabilities = model.predict_proba(X)
    assert np.isfinite(model.joint_log_likelihood(X)).all()
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert (model.predict(X) == y).mean() > 0.95


def test_naive_bayes_cannot_solve_xor():
    X, y = catalog.load("xor").target("y")
    assert np.allclose(NaiveBayes().fit(X, y).predict_proba(X), 0.5)


@pytest.mark.golden("B1")
def test_the_rote_learner_abstains_on_a_new_day_and_knows_the_old_ones():
    X, y = catalog.load("weather_nominal").target("play")
    new_day = one_day(outlook="overcast", temperature="cool", humidity="high", windy="TRUE")
    model = RoteClassifier(unmatched="abstain").fit(X, y)
    assert model.predict(new_day)[0] is None
    assert (model.predict(X) == y).all()
    assert RoteClassifier(unmatched="majority").fit(X, y).predict(new_day)[0] == "yes"


@pytest.mark.golden("B2")
@pytest.mark.parametrize(("k", "right"), [(1, 144), (3, 144), (5, 145), (7, 145)])
def test_leave_one_out_on_iris(k, right):
    X, y = catalog.load("iris").target("class")
    found = evaluate(KNeighborsClassifier(k), X, y, LeaveOneOut())
    assert (found.predictions == y).sum() == right


@pytest.mark.golden("B3")
def test_votes_weighted_by_the_inverse_square_of_the_distance():
    X, y = [[0.0], [1.0], [1.5]], ["near", "far", "far"]
    near, far = 1 / 0.4**2, 1 / 0.6**2 + 1 / 1.1**2
    found = KNeighborsClassifier(3, weights="inverse_square").fit(X, y).predict_proba([[0.4]])[0]
    assert np.allclose(found, [far / (near + far), near / (near + far)])
    exact = KNeighborsClassifier(3, weights="inverse_square").fit(X, y).predict_proba([[0.0]])[0]
    assert exact.tolist() == [0.0, 1.0]


@pytest.mark.golden("B4")
def test_the_two_vector_pairs_are_equally_far_apart_raw_and_not_so_at_unit_length():
    full, empty = np.ones(11), np.zeros(11)
    first, last = np.eye(11)[0], np.eye(11)[10]
    pairs = [(full - last, full - first), (empty + first, empty + last)]

    def apart(a, b):
        return float(KNeighborsClassifier(1).fit([a], ["a"]).kneighbors([b])[0][0, 0])

    assert [round(apart(a, b), 4) for a, b in pairs] == [1.4142, 1.4142]
    at_unit_length = [apart(a / np.linalg.norm(a), b / np.linalg.norm(b)) for a, b in pairs]
    assert at_unit_length[0] < 0.5 < 1.4 < at_unit_length[1]


@pytest.mark.golden("B5")
def test_income_does_not_drown_height_when_columns_are_scaled():
    heights = [1.5, 1.52, 1.9, 1.92]
    X = [[height, income] for height, income in zip(heights, [30_000.0, 90_000.0, 31_000.0, 91_000.0])]
    y = ["short", "short", "tall", "tall"]
    person = [[1.51, 31_000.0]]
    assert KNeighborsClassifier(1).fit(X, y).predict(person)[0] == "tall"
    assert KNeighborsClassifier(1, scale="range").fit(X, y).predict(person)[0] == "short"


@pytest.mark.golden("H2")
def test_the_majority_learner_is_always_wrong_on_balanced_coin_flips_left_out_one_by_one():
    y = np.array(["head", "tail"] * 20)
    found = evaluate(MajorityClassifier(), np.arange(40.0).reshape(-1, 1), y, LeaveOneOut(), metrics=("error",))
    assert found.scores["error"].value == 1.0


@pytest.mark.golden("A1")
@pytest.mark.parametrize(
    "model", [MajorityClassifier(), RoteClassifier(), NaiveBayes(), KNeighborsClassifier(scale="standard")], ids=repr
)
def test_a_mixed_table_with_missing_cells_goes_straight_in(model):
    table = catalog.load("credit")
    X, y = table.target("risk")
    assert any(table.missing(name).any() for name in table.names)
    assert {"numeric", "nominal"} <= {column.kind for column in X.schema}
    assert model.fit(X, y).predict_proba(X).shape == (len(y), 2)


@pytest.mark.parametrize("labels", [(-1, 1), (0, 1), ("no", "yes"), (False, True), ("a", "b", "c")], ids=str)
def test_targets_of_every_kind_come_back_as_they_are(labels):
    X, y = np.arange(30.0).reshape(-1, 1), np.repeat(np.array(labels), 30 // len(labels))
    for model in (NaiveBayes(), KNeighborsClassifier(3), RoteClassifier(), MajorityClassifier()):
        assert set(model.fit(X, y).predict(X)) <= set(labels)


@pytest.mark.golden("A3")
def test_nothing_of_the_test_rows_is_used_by_the_preparation():
    rng = np.random.default_rng(0)
    train, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    model = KNeighborsClassifier(3, scale="standard").fit(train, y)
    ordinary, strange = rng.normal(size=(1, 2)), np.array([[1e6, np.nan]])
    alone = model.predict_proba(ordinary)
    together = model.predict_proba(np.vstack([ordinary, np.repeat(strange, 100, axis=0)]))
    assert np.array_equal(alone[0], together[0])
