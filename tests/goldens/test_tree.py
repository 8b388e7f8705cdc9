"""The golden figures of decision trees, on the decks' own tables."""

import numpy as np
import pytest

from margin import C45, ID3, DecisionTreeClassifier, DecisionTreeRegressor, Table, read
from margin.data import catalog
from margin.tree import entropy, gain_ratio, gini, information_gain, split_benefit
from margin.tree.nodes import Ask
from tests.shared_data import shared_data


def words(X, name):
    column = X.schema[name]
    return [column.levels[code] for code in X.cells(name)]


def table(name, target):
    return catalog.load(name).target(target)


def question(model, *levels):
    """The column asked, and the gain, at the node that one reaches along these levels."""
    node = 0
    columns = [c for c in model.schema_ if c.is_numeric] + [c for c in model.schema_ if not c.is_numeric]
    for level in levels:
        asked = columns[model.tree_.column[node]]
        node = model.tree_.children(node)[asked.levels.index(level)]
    tree = model.tree_
    return (columns[tree.column[node]].name if not tree.is_leaf[node] else None), round(float(tree.gain[node]), 4)


# F2


@pytest.mark.golden("F2")
def test_the_three_entropies_of_the_deck():
    assert [round(entropy(counts), 2) for counts in ([0, 6], [1, 5], [2, 4])] == [0.0, 0.65, 0.92]


@pytest.mark.golden("F2")
def test_x1_of_the_six_rows_gains_a_third_of_a_bit():
    X, y = table("six_rows", "Y")
    assert round(information_gain(words(X, "X1"), y), 4) == 0.3167
    model = ID3().fit(X, y)
    assert question(model) == ("X1", 0.3167)


@pytest.mark.golden("F2")
def test_the_split_of_28_points_lowers_the_gini_index():
    X, y = table("gini_28", "class")
    assert round(split_benefit(words(X, "side"), y), 4) == 0.2296
    model = DecisionTreeClassifier().fit(X, y)
    assert round(float(model.tree_.gain[0]), 4) == 0.2296
    assert gini([13, 15]) == pytest.approx(2 * 13 / 28 * 15 / 28)


@pytest.mark.golden("F2")
def test_the_minimum_error_counts_what_the_majority_leaves():
    X, y = table("gini_28", "class")
    assert split_benefit(words(X, "side"), y, "error") == pytest.approx(13 / 28 - 5 / 28)
    assert DecisionTreeClassifier(criterion="error").fit(X, y).tree_.gain[0] == pytest.approx(8 / 28)


@pytest.mark.golden("F2")
def test_the_weather_has_the_gains_and_ratios_of_the_deck():
    X, y = table("weather_nominal", "play")
    gains = [round(information_gain(words(X, name), y), 4) for name in X.names]
    ratios = [round(gain_ratio(words(X, name), y), 4) for name in X.names]
    assert gains == [0.2467, 0.0292, 0.1518, 0.0481]
    assert ratios == [0.1564, 0.0188, 0.1518, 0.0488]


@pytest.mark.golden("F2")
def test_the_contact_lenses_have_their_gains():
    X, y = table("contact_lenses", "contact-lenses")
    gains = [round(information_gain(words(X, name), y), 4) for name in X.names]
    assert gains == [0.0394, 0.0395, 0.3770, 0.5488]
    assert question(ID3().fit(X, y)) == (X.names[3], 0.5488)


# F1 and F4


@pytest.mark.golden("F4")
def test_the_loan_risk_tree_by_gain():
    X, y = table("loan_risk", "Risk Level")
    model = ID3().fit(X, y)
    assert question(model) == ("Income Level", 0.9663)
    assert question(model, "Low") == (None, 0.0)
    assert question(model, "Medium") == ("Credit History", 0.5)
    assert question(model, "High")[0] == "Credit History"
    assert model.score(X, y) == 1


@pytest.mark.golden("F4")
def test_the_loan_risk_tree_by_gain_ratio_is_the_deck_s_tree():
    X, y = table("loan_risk", "Risk Level")
    model = ID3(criterion="gain_ratio").fit(X, y)
    assert question(model)[0] == "Income Level"
    assert round(gain_ratio(words(X, "Income Level"), y), 4) == 0.6208
    medium = [i for i, level in enumerate(words(X, "Income Level")) if level == "Medium"]
    debts = np.array(words(X, "Debt Level"))[medium]
    assert round(gain_ratio(debts, y[medium]), 4) == 0.3837
    assert question(model, "Medium")[0] == "Debt Level"
    assert question(model, "Medium", "High")[0] == "Credit History"
    assert question(model, "Medium", "Low")[0] is None
    assert question(model, "High")[0] == "Credit History"
    assert model.score(X, y) == 1


@pytest.mark.golden("F1")
def test_three_trees_by_name_are_settings_of_one():
    X, y = table("weather_nominal", "play")
    by_name = ID3().fit(X, y).tree_
    by_setting = DecisionTreeClassifier(criterion="entropy", nominal="multiway").fit(X, y).tree_
    for name, array in by_name.arrays().items():
        assert np.array_equal(array, by_setting.arrays()[name]), name
    assert C45().fit(X, y).tree_.n_leaves == 5
    assert set(DecisionTreeClassifier().fit(X, y).tree_.ask) <= {Ask.NOTHING, Ask.SUBSET}


@pytest.mark.golden("F1")
def test_c45_grows_the_trees_of_j48():
    X, y = table("iris", "class")
    assert (C45().fit(X, y).predict(X) == y).sum() == 147
    X, y = table("weather_numeric", "play")
    tree = C45().fit(X, y).tree_
    assert (tree.n_leaves, tree.n_nodes) == (5, 8)


# F3


@pytest.mark.golden("F3")
def test_words_ranks_and_numbers_are_split_as_they_should_be():
    X, y = table("weather_numeric", "play")
    asked = {
        "multiway": {Ask.NOTHING, Ask.LEVEL, Ask.THRESHOLD},
        "subset": {Ask.NOTHING, Ask.SUBSET, Ask.THRESHOLD},
        "one_vs_rest": {Ask.NOTHING, Ask.SUBSET, Ask.THRESHOLD},
    }
    for nominal, kinds in asked.items():
        model = DecisionTreeClassifier(nominal=nominal).fit(X, y)
        assert set(model.tree_.ask) <= kinds
        assert model.score(X, y) == 1
    X, y = table("iris", "class")
    for discretize in ("static", "dynamic"):
        for numeric in ("equal_width", "equal_count", "mdl"):
            model = DecisionTreeClassifier(numeric=numeric, discretize=discretize, max_depth=3).fit(X, y)
            assert set(model.tree_.ask) == {Ask.NOTHING, Ask.INTERVAL}
            assert model.score(X, y) > 0.9


# F5


@pytest.mark.golden("F5")
def test_the_rule_of_small_gains_makes_a_useless_tree_of_xor():
    X, y = table("xor", "y")
    stopped = DecisionTreeClassifier(min_impurity_decrease=0.01).fit(X, y)
    assert (stopped.get_n_leaves(), stopped.score(X, y)) == (1, 0.5)
    grown = DecisionTreeClassifier().fit(X, y)
    assert (grown.get_n_leaves(), grown.score(X, y)) == (4, 1)


@pytest.mark.golden("F5")
def test_growth_stops_where_it_is_told_to():
    X, y = table("iris", "class")
    full = DecisionTreeClassifier().fit(X, y)
    assert DecisionTreeClassifier(max_depth=2).fit(X, y).get_depth() == 2
    assert DecisionTreeClassifier(max_leaf_nodes=4).fit(X, y).get_n_leaves() == 4
    assert DecisionTreeClassifier(min_samples_leaf=10).fit(X, y).tree_.cases.min() >= 10
    split = DecisionTreeClassifier(min_samples_split=40).fit(X, y).tree_
    assert split.cases[~split.is_leaf].min() >= 40
    by_chance = DecisionTreeClassifier(max_p=0.001).fit(X, np.random.default_rng(0).permutation(y))
    assert by_chance.get_n_leaves() < 10 < DecisionTreeClassifier(max_p=0.001).fit(X, y).score(X, y) * 11
    assert full.score(X, y) == 1


# F6


@pytest.mark.golden("F6")
def test_pruning_the_spam_tree_makes_it_small_and_no_worse():
    X, y = read(shared_data("spambase.arff.gz")).target("class")
    sizes, errors = [], []
    for seed in range(3):
        parts = np.split(np.random.default_rng(seed).permutation(len(y)), [len(y) // 2, 3 * len(y) // 4])
        (grow, grow_y), (judge, judge_y), (test, test_y) = [(X.take(part), y[part]) for part in parts]
        full = DecisionTreeClassifier().fit(grow, grow_y)
        pruned = full.prune_on(judge, judge_y)
        trace = pruned.pruning_trace_
        assert (np.diff(trace.loss) < 0).all()
        assert (np.diff(trace.leaves) < 0).all()
        assert (trace.leaves[0], trace.leaves[-1]) == (full.get_n_leaves(), pruned.get_n_leaves())
        assert trace.loss[-1] == pytest.approx(1 - pruned.score(judge, judge_y))
        sizes.append((full.get_n_leaves(), pruned.get_n_leaves()))
        errors.append((1 - full.score(test, test_y), 1 - pruned.score(test, test_y)))
    grown, pruned = np.mean(sizes, axis=0)
    assert pruned < grown / 2
    assert np.mean(errors, axis=0)[1] <= np.mean(errors, axis=0)[0]


@pytest.mark.golden("F6")
@pytest.mark.parametrize("prune", ["reduced_error", "pessimistic", "cost_complexity"])
def test_every_kind_of_pruning_shortens_a_tree_grown_on_noise(prune):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    y = (X[:, 0] > 0) ^ (rng.random(400) < 0.2)
    full = DecisionTreeClassifier(random_state=0).fit(X, y)
    pruned = DecisionTreeClassifier(prune=prune, random_state=0).fit(X, y)
    fresh = rng.normal(size=(4000, 5))
    assert pruned.get_n_leaves() < 0.7 * full.get_n_leaves()
    assert (pruned.predict(fresh) == (fresh[:, 0] > 0)).mean() > (full.predict(fresh) == (fresh[:, 0] > 0)).mean()


# F7


@pytest.mark.golden("F7")
@pytest.mark.parametrize("missing", ["direction", "fractional", "surrogate"])
def test_missing_cells_are_taken_at_fit_and_at_prediction(missing):
    X, y = read(shared_data("vote.arff.gz")).target("Class")
    model = DecisionTreeClassifier(missing=missing, max_depth=4).fit(X, y)
    assert model.score(X, y) > 0.95
    nothing = Table.from_columns({name: [None] for name in X.names})
    assert model.predict(nothing)[0] in ("democrat", "republican")


@pytest.mark.golden("F7")
def test_a_regression_tree_answers_the_means_of_its_leaves():
    X = np.array([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]])
    y = np.array([1.0, 2.0, 3.0, 20.0, 21.0, 22.0])
    model = DecisionTreeRegressor(max_depth=1).fit(X, y)
    assert model.tree_.threshold[0] == 6.5
    assert model.predict([[0.0], [20.0]]).tolist() == [2.0, 21.0]


# F8


@pytest.mark.golden("F8")
@pytest.mark.parametrize("kind", [ID3, C45, DecisionTreeClassifier])
def test_a_married_record_of_80k_without_refund_is_no_cheat(kind):
    X, y = table("refund", "Cheat")
    model = kind()
    record = Table.from_columns({"Refund": ["No"], "Marital Status": ["Married"], "Taxable Income": [80.0]})
    assert model.fit(X, y).predict(record)[0] == "No"
    path = str(model.path(record)).splitlines()
    assert path[0] == "10 cases: No 70.0%, Yes 30.0%"
    assert path[-1] == "answer: No"


@pytest.mark.golden("F8")
def test_the_refund_tree_can_be_read():
    X, y = table("refund", "Cheat")
    model = ID3().fit(X, y)
    assert "Marital Status = Married: No (4.0)" in model.text().splitlines()
    assert any("Marital Status = Married" in str(rule) for rule in model.rules())
