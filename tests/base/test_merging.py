"""margin.base.mergeable: models of parts add up to the model of the whole."""

import warnings

import numpy as np
import pandas as pd
import pytest

from margin import JointBayes, Table
from margin.base import MergeableClassifier, Mixed, Numeric
from margin.errors import InputError, InputTypeError, LabelError


class Tally:
    """Weight of every level in every class, and of every class."""

    def __init__(self, levels, totals):
        self.levels, self.totals = levels, totals

    def plus(self, other):
        return Tally([a + b for a, b in zip(self.levels, other.levels)], self.totals + other.totals)

    def aligned(self, places):
        levels = []
        for table, at, n in zip(self.levels, places.levels, places.n_levels):
            wide = np.zeros((n, places.n_classes))
            wide[np.ix_(at, places.classes)] = table
            levels.append(wide)
        totals = np.zeros(places.n_classes)
        totals[places.classes] = self.totals
        return Tally(levels, totals)


class Counter(MergeableClassifier):
    """Answers the most frequent class; counts the levels on the way."""

    representation = Mixed()

    def _count(self, X, y, weight):
        weight = np.ones(len(y)) if weight is None else weight
        tables = []
        for column, codes in zip([c for c in X.schema or () if not c.is_numeric], X.codes):
            table = np.zeros((len(column.levels), len(self.classes_)))
            np.add.at(table, (codes[codes >= 0], y[codes >= 0]), weight[codes >= 0])
            tables.append(table)
        return Tally(tables, np.bincount(y, weight, len(self.classes_)))

    def _settle(self):
        self.shares_ = self._statistics.totals / self._statistics.totals.sum()

    def _scores(self, X):
        return np.tile(self.shares_, (len(X), 1))


class Sums(MergeableClassifier):
    """The sum of each matrix column."""

    representation = Numeric()

    def _count(self, X, y, weight):
        return ColumnSums(X.sum(axis=0))

    def _settle(self):
        self.sums_ = self._statistics.sums


class ColumnSums:
    def __init__(self, sums):
        self.sums = sums

    def plus(self, other):
        return ColumnSums(self.sums + other.sums)

    def aligned(self, places):
        wide = np.zeros(places.n_columns)
        wide[places.columns] = self.sums
        return ColumnSums(wide)


def parts():
    one = Table.from_columns({"word": ["b", "d", "b"], "n": [1.0, 2.0, 3.0]})
    other = Table.from_columns({"word": ["a", "d", None], "n": [4.0, 5.0, 6.0]})
    return (one, ["yes", "yes", "no"]), (other, ["maybe", "no", "no"])


def whole():
    X = Table.from_columns({"word": ["b", "d", "b", "a", "d", None], "n": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    return X, ["yes", "yes", "no", "maybe", "no", "no"]


def same(first, second):
    assert first.classes_.tolist() == second.classes_.tolist()
    assert first.schema_ == second.schema_
    for a, b in zip(first._statistics.levels, second._statistics.levels):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(first._statistics.totals, second._statistics.totals)


def test_levels_and_classes_of_both_parts_are_united():
    one, other = (Counter().fit(*part) for part in parts())
    same(one.merge(other), Counter().fit(*whole()))
    same(other.merge(one), Counter().fit(*whole()))


def test_rows_that_come_in_parts_make_the_model_of_all_of_them():
    model = Counter()
    for part in parts():
        assert model.partial_fit(*part) is model
    same(model, Counter().fit(*whole()))


def test_columns_of_a_further_part_are_found_by_name():
    X, y = whole()
    frame = X.to_pandas()
    model = Counter().partial_fit(frame[:3], y[:3]).partial_fit(frame[3:][["n", "word"]], y[3:])
    same(model, Counter().fit(frame, y))


def test_named_classes_have_a_place_before_they_are_seen():
    model = Counter().partial_fit([[1.0], [2.0]], ["b", "c"], classes=["a", "b", "c"])
    assert model.shares_.tolist() == [0.0, 0.5, 0.5]
    with pytest.raises(LabelError, match="'d' is not one of the classes named"):
        model.partial_fit([[1.0]], ["d"])
    with pytest.raises(LabelError, match="not the same as on last call"):
        model.partial_fit([[1.0]], ["a"], classes=["a", "b"])
    assert model.partial_fit([[1.0]], ["a"]).shares_ == pytest.approx([1 / 3] * 3)


def test_classes_may_be_named_in_any_collection():
    for classes in ({"a", "b"}, iter("ab"), ("b", "a"), np.array(["a", "b"]), pd.Series(["a", "b"])):
        assert Counter().partial_fit([[1.0]], ["b"], classes=classes).classes_.tolist() == ["a", "b"]
    for classes in (3, "ab", []):
        with pytest.raises(LabelError, match=r"partial_fit\(classes=.*must be a list of all labels to come"):
            Counter().partial_fit([[1.0]], ["b"], classes=classes)


def test_settings_that_mean_the_same_may_be_written_differently():
    X, y = [[0.0], [1.0], [1.0]], [0, 1, 1]
    for first, second in (((0.5, 0.5), [0.5, 0.5]), ([0.5, 0.5], np.array([0.5, 0.5]))):
        both = JointBayes(priors=first).fit(X, y).merge(JointBayes(priors=second).fit(X, y))
        assert both.priors_.tolist() == [0.5, 0.5]
    assert JointBayes(alpha=1).fit(X, y).merge(JointBayes(alpha=1.0).fit(X, y)).alpha == 1


def test_a_part_that_lacks_a_class_is_not_asked_for_a_model_of_its_own():
    model = JointBayes(priors=[0.25, 0.75]).partial_fit([[0.0], [1.0]], [0, 0], classes=[0, 1])
    assert model.partial_fit([[1.0]], [1]).priors_.tolist() == [0.25, 0.75]


def test_a_part_that_is_refused_leaves_the_model_as_it_was():
    model = Counter().partial_fit([[1.0], [2.0]], ["b", "c"])
    before = model.shares_
    with pytest.raises(InputError, match="expecting 1 features"):
        model.partial_fit([[1.0, 2.0]], ["b"])
    assert model.shares_ is before


def test_models_of_different_kinds_or_columns_are_not_added_up():
    model = Counter().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(InputTypeError, match="must be a Counter"):
        model.merge(Sums().fit([[1.0], [2.0]], [0, 1]))
    with pytest.raises(InputError, match="one part is a table and the other an array"):
        model.merge(Counter().fit(pd.DataFrame({"a": [1.0, 2.0]}), [0, 1]))
    with pytest.raises(InputError, match="same columns in the same order"):
        Counter().fit(pd.DataFrame({"a": [1.0, 2.0]}), [0, 1]).merge(
            Counter().fit(pd.DataFrame({"b": [1.0, 2.0]}), [0, 1])
        )
    with pytest.raises(InputError, match="'a' is numeric in one part and nominal in the other"):
        Counter().fit(pd.DataFrame({"a": [1.0, 2.0]}), [0, 1]).merge(
            Counter().fit(pd.DataFrame({"a": ["x", "y"]}), [0, 1])
        )


def test_a_level_that_a_part_lacks_is_a_column_of_zeros_there():
    one, other = (Sums().fit(*part) for part in parts())
    assert one.merge(other)._encoder.names_out() == ["n", "word=a", "word=b", "word=d"]
    assert one.merge(other).sums_.tolist() == [21.0, 1.0, 2.0, 2.0]


def test_the_mean_that_fills_gaps_is_that_of_all_rows():
    one, other = (Sums().fit(*part) for part in parts())
    assert one.merge(other)._encoder.fill.tolist() == [3.5]


@pytest.mark.parametrize(("first", "second", "both"), [("sl", "ml", "sml"), ("sm", "l", "sml"), ("sml", "m", "sml")])
def test_scales_are_united_in_an_order_that_keeps_both(first, second, both):
    def model(levels):
        cells = pd.Categorical(list(levels), list(levels), ordered=True)
        return Counter().fit(pd.DataFrame({"size": cells}), [0] * len(levels))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert "".join(model(first).merge(model(second)).schema_["size"].levels) == both


def test_scales_that_contradict_each_other_are_refused():
    def model(levels):
        return Counter().fit(pd.DataFrame({"size": pd.Categorical(list(levels), list(levels), ordered=True)}), [0, 1])

    with pytest.raises(InputError, match="another order in each part"):
        model("sl").merge(model("ls"))
