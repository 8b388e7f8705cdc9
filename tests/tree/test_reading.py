"""margin.tree.reading.text and the words of conditions: by hand, then what must hold of any tree."""

import math
import re
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margin import ID3, DecisionTreeClassifier, DecisionTreeRegressor, Table
from margin.data import Column, Schema, catalog
from margin.errors import ConstantColumnWarning, NotFittedError, ParameterError
from margin.tree.reading.conditions import Condition

AGE = Column("age", "numeric")
SKY = Column("sky", "nominal", ("black", "blue", "grey", "red"))
SIZE = Column("size", "ordinal", ("small", "medium", "large", "huge"))


def weather(name="weather_nominal"):
    return catalog.load(name).target("play")


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (Condition(AGE, high=77.5), "age <= 77.5"),
        (Condition(AGE, low=3.0), "age > 3"),
        (Condition(AGE, low=3.0, high=4.0), "3 < age <= 4"),
        (Condition(AGE, high=3.0, missing=True), "age <= 3"),
        (Condition(AGE, high=3.0, missing=True, tell_missing=True), "age <= 3 or missing"),
        (Condition(AGE), "age is known"),
        (Condition(AGE, low=math.inf, missing=True), "age is missing"),
        (Condition(SKY, codes=(1,)), "sky = blue"),
        (Condition(SKY, codes=(0, 1, 3)), "sky != grey"),
        (Condition(SKY, codes=(0, 3)), "sky in {black, red}"),
        (Condition(SIZE, codes=(0, 1)), "size <= medium"),
        (Condition(SIZE, codes=(2, 3)), "size > medium"),
        (Condition(SIZE, codes=(1, 2)), "size > small and <= large"),
    ],
)
def test_a_condition_reads_as_people_say_it(condition, words):
    assert str(condition) == words


def test_many_levels_are_counted():
    many = Column("city", "nominal", tuple(f"c{i:02}" for i in range(30)))
    assert str(Condition(many, codes=tuple(range(20)))) == "city in {c00, c01, c02, c03, c04, c05, … 14 more}"


@given(
    st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.booleans()), min_size=1, max_size=4),
    st.one_of(st.integers(-6, 6).map(float), st.just(math.nan)),
)
def test_conditions_joined_hold_where_all_of_them_hold(ranges, cell):
    conditions = [Condition(AGE, low=low, high=high, missing=missing) for low, high, missing in ranges]
    joined = conditions[0]
    for condition in conditions[1:]:
        joined &= condition
    assert joined.holds(cell) == all(condition.holds(cell) for condition in conditions)


@given(st.sets(st.integers(0, 3)), st.sets(st.integers(0, 3)), st.integers(0, 3))
def test_sets_of_levels_joined_hold_where_both_do(a, b, code):
    one, other = Condition(SKY, codes=tuple(sorted(a))), Condition(SKY, codes=tuple(sorted(b)))
    assert (one & other).holds(code) == (code in a and code in b)


def test_the_weather_reads_as_in_the_book():
    X, y = weather()
    lines = ID3().fit(X, y).text().splitlines()
    assert lines == [
        "outlook = overcast: yes (4.0)",
        "outlook = rainy",
        "|   windy = FALSE: yes (3.0)",
        "|   windy = TRUE: no (2.0)",
        "outlook = sunny",
        "|   humidity = high: no (3.0)",
        "|   humidity = normal: yes (2.0)",
    ]


def test_errors_counts_or_shares_stand_at_the_leaves():
    model = DecisionTreeClassifier(max_depth=1).fit([[0], [1], [2], [9]], ["a", "a", "b", "b"])
    assert model.text() == "x0 <= 1.5: a (2.0)\nx0 > 1.5: b (2.0)"
    model = DecisionTreeClassifier(max_depth=1).fit([[0], [0], [0], [9]], ["a", "a", "b", "b"])
    assert model.text() == "x0 <= 4.5: a (3.0/1.0)\nx0 > 4.5: b (1.0)"
    assert model.text(show="counts") == "x0 <= 4.5: a (a 2, b 1)\nx0 > 4.5: b (b 1)"
    assert model.text(show="shares").splitlines()[0] == "x0 <= 4.5: a (a 66.7%, b 33.3%)"
    with pytest.raises(ParameterError, match="did you mean 'counts'"):
        model.text(show="count")


def test_below_a_depth_leaves_are_counted():
    X, y = weather()
    assert ID3().fit(X, y).text(max_depth=1).splitlines() == [
        "outlook = overcast: yes (4.0)",
        "outlook = rainy: yes (5.0/2.0) … 2 leaves below",
        "outlook = sunny: no (5.0/2.0) … 2 leaves below",
    ]


def test_a_tree_that_asks_nothing_says_so():
    model = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert model.text() == "all cases: a (2.0)"
    assert str(model.rules()[0]).startswith("a (2 cases, 100.0%")


def test_a_regression_prints_its_values():
    model = DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0], [8.0]], [1.0, 2.0, 10.0])
    assert model.text() == "x0 <= 5: 1.5 (2)\nx0 > 5: 10 (1)"


def test_the_way_of_missing_cells_is_told_where_it_was_learnt():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [9.0], [np.nan], [np.nan]])
    model = DecisionTreeClassifier().fit(X, list("aaaabbb"))
    assert model.text() == "x0 <= 6: a (4.0)\nx0 > 6 or missing: b (3.0)"
    X = np.array([[1.0, 0.0], [1.0, 1.0], [np.nan, 0.0], [np.nan, 1.0]])
    with pytest.warns(ConstantColumnWarning):
        model = DecisionTreeClassifier().fit(X, list("aabb"))
    assert model.text() == "x0 is known: a (2.0)\nx0 is missing: b (2.0)"
    complete = DecisionTreeClassifier().fit([[0.0], [1.0], [2.0]], list("aab"))
    assert "missing" not in complete.text()


def test_ordinal_levels_are_compared():
    schema = Schema([SIZE])
    X = Table(schema, [np.array([0, 1, 2, 3, 3], dtype=np.int32)])
    model = DecisionTreeClassifier().fit(X, list("aabbb"))
    assert model.text() == "size <= medium: a (2.0)\nsize > medium: b (3.0)"


def test_text_has_a_line_for_each_branch_and_leaf():
    X, y = catalog.load("credit").target("risk")
    model = DecisionTreeClassifier(min_samples_leaf=3).fit(X, y)
    lines = model.text().splitlines()
    assert len(lines) == model.tree_.n_nodes - 1
    assert sum(re.search(r": (bad|good) \(", line) is not None for line in lines) == model.get_n_leaves()


def test_a_deep_chain_is_printed_without_recursion():
    n = 3000
    X = np.arange(n, dtype=float)[:, None]
    model = DecisionTreeClassifier(min_samples_leaf=1).fit(X, np.arange(n) % 2)
    assert len(model.text().splitlines()) == model.tree_.n_nodes - 1
    assert len(model.rules()) == n


def test_nothing_can_be_read_before_fit():
    for method in ("text", "rules", "to_dot"):
        with pytest.raises(NotFittedError, match=f"DecisionTreeClassifier.{method}: nothing was learnt"):
            getattr(DecisionTreeClassifier(), method)()
    for method in ("path", "apply", "decision_path"):
        with pytest.raises(NotFittedError, match=f"DecisionTreeClassifier.{method}: nothing was learnt"):
            getattr(DecisionTreeClassifier(), method)([[1.0]])


def test_the_graph_names_every_node_and_edge():
    X, y = weather()
    words = X.schema["outlook"].levels
    X = Table.from_columns({"sky": [f'"{words[code]}"' for code in X.cells("outlook")]})
    model = ID3().fit(X, y)
    dot = model.to_dot()
    assert len(re.findall(r"^ +\d+ \[label=", dot, re.M)) == model.tree_.n_nodes
    assert len(re.findall(r"->", dot)) == model.tree_.n_nodes - 1
    assert r"= \"sunny\"" in dot
    assert model.to_dot(max_depth=0).count("->") == 0
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tsvg"], input=dot, check=True, capture_output=True, text=True)
