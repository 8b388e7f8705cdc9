"""What every column gains at a node, and stopping and growing by impurities."""

import numpy as np
import pytest

from margin import C45, ID3, DecisionStump, DecisionTreeClassifier, DecisionTreeRegressor
from margin.data import catalog
from margin.errors import InputTypeError, ParameterError
from margin.evaluation.predictions.from_model import predict_all
from margin.plots import plot_gains, plot_tree_size
from margin.tree import gain_ratio, information_gain, split_benefit
from margin.tree.parameter_path import split_order


def weather(name="weather_nominal"):
    return catalog.load(name).target("play")


def test_the_gains_of_the_weather_are_those_of_the_definition():
    X, y = weather()
    gains = ID3().fit(X, y).gains(X, y)
    assert [found.column for found in gains] == ["outlook", "humidity", "windy", "temperature"]
    for found in gains:
        column = X.values(found.column)
        assert found.gain == pytest.approx(information_gain(column, y))
        assert found.ratio == pytest.approx(gain_ratio(column, y))
        assert sum(branch.weight for branch in found.branches) == 14
    assert [found.asked for found in gains] == [True, False, False, False]
    assert [row["column"] for row in gains.to_dicts()] == [found.column for found in gains]


def test_a_node_below_looks_at_its_own_rows():
    X, y = weather()
    model = ID3().fit(X, y)
    node = next(n for n in range(1, model.tree_.n_nodes) if not model.tree_.is_leaf[n])
    gains = model.gains(X, y, node)
    best = gains[0]
    assert best.asked
    assert best.gain == pytest.approx(model.tree_.gain[node])
    assert sum(branch.weight for branch in best.branches) == model.tree_.weight[node]
    with pytest.raises(ParameterError, match="node"):
        model.gains(X, y, 99)


@pytest.mark.parametrize(
    "model",
    [C45(), DecisionTreeClassifier(), DecisionTreeClassifier(numeric="mdl", criterion="gain_ratio"), DecisionStump(),
     DecisionTreeClassifier(numeric="equal_count", max_intervals=3), ID3(missing="fractional")],
    ids=str,
)  # fmt: skip
def test_the_column_that_was_asked_about_gains_what_the_tree_says(model):
    X, y = catalog.load("iris").target("class")
    model = model.fit(X, y)
    asked = next(found for found in model.gains(X, y) if found.asked)
    assert asked.gain == pytest.approx(model.tree_.gain[0], abs=1e-9)
    assert "(asked)" in str(model.gains(X, y))


def test_gains_of_numbers_are_about_their_means():
    X = np.array([[1.0, 5.0], [2.0, 1.0], [8.0, 4.0], [9.0, 2.0]])
    model = DecisionTreeRegressor(max_depth=1).fit(X, [10.0, 12.0, 50.0, 54.0])
    best = model.gains(X, [10.0, 12.0, 50.0, 54.0])[0]
    assert [branch.answer for branch in best.branches] == [11.0, 52.0]
    assert best.branches[0].counts == {}


def test_gains_are_drawn():
    X, y = weather()
    ax = plot_gains(DecisionTreeClassifier().fit(X, y).gains(X, y))
    assert sum("gain" in text.get_text() for text in ax.texts) == 4
    with pytest.raises(InputTypeError, match="plot_gains"):
        plot_gains([])


def test_a_stump_asks_once():
    X, y = weather("weather_numeric")
    stump = DecisionStump(nominal="multiway", criterion="entropy").fit(X, y)
    assert stump.get_depth() == 1
    assert stump.tree_.value.tolist() == [[5, 9], [0, 4], [2, 3], [3, 2]]
    same = DecisionTreeClassifier(nominal="multiway", criterion="entropy", max_depth=1).fit(X, y)
    assert np.array_equal(stump.predict_proba(X), same.predict_proba(X))


@pytest.mark.parametrize("way", [{}, {"max_bins": 255}, {"max_leaf_nodes": 30}, {"criterion": "entropy"}], ids=str)
def test_no_node_below_the_impurity_is_split(way):
    X, y = catalog.load("iris").target("class")
    model = DecisionTreeClassifier(min_impurity_split=0.2, **way).fit(X, y)
    full = DecisionTreeClassifier(**way).fit(X, y)
    inner = ~model.tree_.is_leaf
    assert model.get_n_leaves() < full.get_n_leaves()
    assert (model.tree_.impurity[inner] > 0.2).all()
    # Only such nodes were kept from being split.
    left = model.tree_.impurity[~inner]
    assert (left <= 0.2).all()


def test_numbers_stop_at_an_impurity_in_their_own_unit():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.normal(size=200)
    for unit in (1.0, 1e40):
        tree = DecisionTreeRegressor(min_impurity_split=0.5 * unit * unit).fit(X, y * unit).tree_
        assert (tree.impurity[~tree.is_leaf] > 0.5 * unit * unit).all()
        assert (tree.impurity[tree.is_leaf] <= 0.5 * unit * unit).all()


def test_benefits_of_all_cases_decide_which_node_is_split_next():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0]])
    y = [0, 0, 1, 1, 0, 1, 1, 1]
    side = np.where(X[:, 0] <= 2, "low", "high")
    whole = split_benefit(side, y, "gini", times_n=True)
    assert whole == pytest.approx(8 * split_benefit(side, y, "gini"))
    tree = DecisionTreeClassifier(max_leaf_nodes=2).fit(X, y).tree_
    assert tree.gain[0] * tree.weight[0] == pytest.approx(whole)


def test_a_tree_of_any_size_is_what_a_larger_one_was_before():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=300) > 0.5).astype(int)
    sizes = [2, 3, 7, 20, None]
    along = DecisionTreeClassifier().answers_along("max_leaf_nodes", sizes, X, y, [X])
    for size, (said,) in zip(sizes, along, strict=True):
        alone = predict_all(DecisionTreeClassifier(max_leaf_nodes=size).fit(X, y), X)
        assert np.array_equal(said.probabilities, alone.probabilities)
    tree = DecisionTreeClassifier().fit(X, y).tree_
    order = split_order(tree)
    assert sorted(order[~tree.is_leaf]) == list(range(int((~tree.is_leaf).sum())))
    assert DecisionTreeClassifier(prune="pessimistic").answers_along("max_leaf_nodes", [2], X, y, [X]) is None


@pytest.mark.parametrize("prune", ["cost_complexity", "reduced_error"])
def test_the_error_is_drawn_against_the_size(prune):
    X, y = catalog.load("iris").target("class")
    model = DecisionTreeClassifier(prune=prune, random_state=0).fit(X, y)
    ax = plot_tree_size(model)
    assert ax.get_legend().get_texts()[-1].get_text() == f"chosen: {model.get_n_leaves()} leaves"
    with pytest.raises(InputTypeError, match="cost_complexity"):
        plot_tree_size(DecisionTreeClassifier().fit(X, y))
