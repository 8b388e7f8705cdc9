"""margin.tree.reading.decision_path: the lectures' example, then that a path is what the prediction is made of."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import ID3, DecisionTreeClassifier, DecisionTreeRegressor, Table
from margin.base.representations.mixed import MixedData
from margin.data import Column, catalog
from margin.errors import InputError
from margin.tree import predict as walking
from margin.tree.nodes import Ask
from margin.tree.reading.decision_path import path_of
from margin.tree.reading.named_tree import DescribedTree
from tests.tree.random_trees import Builder, random_rows, random_tree

LEVELS = (3, 7, 5)
COLUMNS = (
    Column("x0", "numeric"),
    Column("x1", "numeric"),
    *(Column(f"c{j}", "nominal", tuple(range(n))) for j, n in enumerate(LEVELS)),
)


@pytest.mark.golden("F8")
def test_the_record_of_the_lecture_goes_to_no():
    builder = Builder(2)
    builder.add([7, 3], 10, ask=Ask.LEVEL, column=1, missing=0, children=[1, 7])  # Refund
    builder.add([4, 3], 7, ask=Ask.LEVEL, column=2, missing=1, children=[2, 3, 4])  # No: marital status
    builder.add([1, 1], 2)  # Divorced
    builder.add([3, 0], 3)  # Married
    builder.add([0, 2], 2, ask=Ask.THRESHOLD, column=0, threshold=80.0, missing=1, children=[5, 6])  # Single: income
    builder.add([1, 0], 1)
    builder.add([0, 2], 1)
    builder.add([3, 0], 3)  # Yes
    columns = (
        Column("Taxable Income", "numeric"),
        Column("Refund", "nominal", ("No", "Yes")),
        Column("Marital Status", "nominal", ("Divorced", "Married", "Single")),
    )
    tree = builder.tree()
    described = DescribedTree(tree, columns, ("No", "Yes"), np.array(["No", "Yes"])[tree.value.argmax(axis=1)])
    record = MixedData(np.array([[80.0]]), (np.array([0], np.int32), np.array([1], np.int32)))
    path = path_of(described, record, "No")
    assert [step.test for step in path] == ["", "Refund = No", "Marital Status = Married"]
    assert (path.leaves[0].answer, path.leaves[0].shares) == ("No", {"No": 1.0, "Yes": 0.0})
    assert str(path).splitlines() == [
        "10 cases: No 70.0%, Yes 30.0%",
        "Refund = No (gain 0): 7 cases, No 57.1%, Yes 42.9%",
        "Marital Status = Married (gain 0): 3 cases, No 100.0%",
        "answer: No",
    ]


@pytest.mark.golden("F8")
@pytest.mark.parametrize("model", [ID3(), DecisionTreeClassifier(), DecisionTreeClassifier(criterion="entropy")])
def test_the_trees_grown_from_the_ten_records_agree(model):
    X, y = catalog.load("refund").target("Cheat")
    record = Table.from_columns({"Refund": ["No"], "Marital Status": ["Married"], "Taxable Income": [80]})
    path = model.fit(X, y).path(record)
    assert path.answer == path.leaves[0].answer == "No"


def test_each_step_has_the_value_the_test_and_the_numbers():
    model = DecisionTreeClassifier(max_depth=1).fit([[0], [0], [0], [9]], ["a", "a", "b", "b"])
    first, second = model.path([[2.0]])
    assert (first.test, first.part, first.is_leaf, first.cases, first.answer) == ("", 1, False, 4, "a")
    assert (second.test, second.cases, second.weight) == ("x0 = 2, <= 4.5", 3, 3)
    assert second.gain == pytest.approx(model.tree_.gain[0])
    assert second.shares == pytest.approx({"a": 2 / 3, "b": 1 / 3})


def test_a_regression_shows_its_values():
    path = DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0], [8.0]], [1.0, 2.0, 10.0]).path([[9.0]])
    assert str(path).splitlines()[1:] == ["x0 = 9, > 5 (gain 16.1): 1 case, value 10", "answer: 10"]


def test_a_missing_cell_is_followed_in_words():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [9.0], [np.nan], [np.nan]])
    path = DecisionTreeClassifier().fit(X, list("aaaabbb")).path([[np.nan]])
    assert path.steps[1].test == "x0 is missing, as if x0 > 6"
    fractional = DecisionTreeClassifier(missing="fractional").fit([[0.0], [1.0], [2.0], [3.0]], list("aaab"))
    assert str(fractional.path([[np.nan]])).splitlines()[1:] == [
        "  75.0% of it: x0 is missing, x0 <= 2.5 (gain 0.375): 3 cases, a 100.0%",
        "  25.0% of it: x0 is missing, x0 > 2.5 (gain 0.375): 1 case, b 100.0%",
        "answer: a",
    ]


def test_a_surrogate_is_named():
    builder = Builder(2)
    builder.add([1, 1], 2, ask=Ask.THRESHOLD, column=0, threshold=1.0, missing=0, children=[1, 2],
                surrogates=[(1, 5.0, 0, [])])  # fmt: skip
    builder.add([1, 0], 1)
    builder.add([0, 1], 1)
    described = DescribedTree(builder.tree(), COLUMNS[:2], ("a", "b"), np.array(["a", "a", "b"]))
    path = path_of(described, MixedData(np.array([[np.nan, 7.0]])), "b")
    assert path.steps[1].test == "x0 is missing, but x1 = 7: x0 > 1"


def test_only_one_row_has_a_path():
    model = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(InputError, match=r"DecisionTreeClassifier.path: X must be one row, but has 2"):
        model.path([[0.0], [1.0]])


@given(seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_the_leaves_of_a_path_are_those_of_the_walk(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, 2, LEVELS, depth=4)
    described = DescribedTree(tree, COLUMNS, ("a", "b"), np.array(["a", "b"])[tree.value.argmax(axis=1)])
    X = random_rows(rng, 20, 2, LEVELS, gone=0.4)
    found = walking.parts(tree, X)
    for i in range(20):
        path = path_of(described, X.take(np.array([i])), "a")
        stretch = slice(found.start[i], found.start[i + 1])
        assert [leaf.node for leaf in path.leaves] == found.leaf[stretch].tolist()
        assert [leaf.part for leaf in path.leaves] == pytest.approx(found.part[stretch])
