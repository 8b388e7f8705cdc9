"""margin.tree.reading.rules: by hand, then that rules and tree are the same thing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import ID3, DecisionTreeClassifier, DecisionTreeRegressor
from margin.data import Column, catalog
from margin.errors import ParameterError
from margin.evaluation.intervals.interval import wilson
from margin.tree import predict as walking
from margin.tree.reading.named_tree import DescribedTree
from margin.tree.reading.rules import rules_of
from tests.tree.random_trees import random_rows, random_tree

LEVELS = (3, 70, 5)
COLUMNS = (
    Column("x0", "numeric"),
    Column("x1", "numeric"),
    *(Column(f"c{j}", "nominal", tuple(range(n))) for j, n in enumerate(LEVELS)),
)


def test_tests_of_one_column_become_one_condition():
    X, y = catalog.load("iris").target("class")
    rules = DecisionTreeClassifier(max_depth=3).fit(X, y).rules()
    assert str(rules[1]) == (
        "if 2.45 < petallength <= 4.95 and petalwidth <= 1.75 then Iris-versicolor "
        "(48 cases, 32.0%; confidence 0.979 [0.891, 0.996])"
    )


def test_confidence_is_the_share_of_the_class_with_wilsons_interval():
    model = DecisionTreeClassifier(max_depth=1).fit([[0], [0], [0], [9]], ["a", "a", "b", "b"])
    rule = model.rules()[0]
    assert (rule.answer, rule.cases, rule.support, rule.counts) == ("a", 3, 0.75, {"a": 2, "b": 1})
    assert rule.confidence.value == pytest.approx(2 / 3)
    assert (rule.confidence.interval.low, rule.confidence.interval.high) == pytest.approx(wilson(2, 3, 0.95))


def test_heavy_rows_do_not_make_a_rule_surer():
    X, y = [[0], [0], [0], [9]], ["a", "a", "b", "b"]
    light = DecisionTreeClassifier(max_depth=1).fit(X, y).rules()[0]
    heavy = DecisionTreeClassifier(max_depth=1).fit(X, y, sample_weight=[2.5] * 4).rules()[0]
    assert heavy.cases == 7.5
    assert heavy.confidence.interval.low == pytest.approx(light.confidence.interval.low)


def test_leaves_that_no_case_reached_are_left_out_unless_asked_for():
    X, y = catalog.load("contact_lenses").target("contact-lenses")
    rare = X.take(np.arange(11))
    model = ID3().fit(rare, y[:11])
    n_empty = int((model.tree_.weight[model.tree_.is_leaf] == 0).sum())
    assert len(model.rules()) == model.get_n_leaves() - n_empty
    assert len(model.rules(empty=True)) == model.get_n_leaves()


def test_rules_are_sorted_by_support_confidence_or_length():
    X, y = catalog.load("iris").target("class")
    rules = DecisionTreeClassifier(max_depth=3).fit(X, y).rules()
    assert [rule.cases for rule in rules.sorted("support")] == [50, 48, 43, 6, 3]
    assert rules.sorted("confidence")[0].answer == "Iris-setosa"
    assert len(rules.sorted("length")[0].conditions) == 1
    assert [row["cases"] for row in rules[:2].to_dicts()] == [50, 48]
    with pytest.raises(ParameterError, match="did you mean 'support'"):
        rules.sorted("suport")


def test_supports_add_up_to_one():
    X, y = catalog.load("credit").target("risk")
    for missing in ("direction", "fractional"):
        rules = DecisionTreeClassifier(min_samples_leaf=5, missing=missing).fit(X, y).rules()
        assert sum(rule.support for rule in rules) == pytest.approx(1)


def test_rules_of_a_regression_have_no_confidence():
    rules = DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0], [8.0]], [1.0, 2.0, 10.0]).rules()
    assert str(rules) == "if x0 <= 5 then 1.5 (2 cases, 66.7%)\nif x0 > 5 then 10 (1 case, 33.3%)"


@given(seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_the_rule_that_holds_is_that_of_the_leaf(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 2, LEVELS, depth=4)
    described = DescribedTree(tree, COLUMNS, ("a", "b"), np.array(["a", "b"])[tree.value.argmax(axis=1)])
    rules = {rule.node: rule for rule in rules_of(described, empty=True)}
    X = random_rows(rng, 60, 2, LEVELS, gone=0.0)
    cells = np.column_stack([X.numeric, *X.codes])
    for leaf, row in zip(walking.leaves(tree, X), cells):
        named = dict(zip((column.name for column in COLUMNS), row))
        holding = [
            node for node, rule in rules.items() if all(c.holds(float(named[c.column.name])) for c in rule.conditions)
        ]
        assert holding == [leaf]
