"""margin.linear.online.streaming: rows that come in parts, seen through the columns and classes of the first part."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from margin.base.representations.numeric import Scale
from margin.data import Table
from margin.errors import InputError, LabelError, ParameterError
from margin.linear.online.streaming import StreamingClassifier
from margin.params import ClassWeight


class Sums(StreamingClassifier):
    """Adds up the rows of each class; a class named "fail" makes a pass fail halfway."""

    def __init__(self, *, scale: Scale | None = None, class_weight: ClassWeight = None) -> None:
        self.scale = scale
        self.class_weight = class_weight

    def _fit(self, X, y, rows):
        self._begin(X.shape[1])
        self._go_on(X, y, rows)

    def _begin(self, n_columns):
        self.coef_ = np.zeros((len(self.classes_), n_columns))
        self.intercept_ = np.zeros(len(self.classes_))

    def _go_on(self, X, y, rows):
        sums = self.coef_.copy()
        np.add.at(sums, y, self._with_class_weight(y, rows.weights())[:, None] * (X.toarray() if sp.issparse(X) else X))
        self.coef_ = sums
        if "fail" in self.classes_[y]:
            raise InputError("halfway")


X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
Y = ["a", "b", "a", "b"]


def test_a_second_part_goes_on_from_the_first():
    model = Sums()
    assert model.partial_fit(X[:2], Y[:2]) is model
    assert model.partial_fit(X[2:], Y[2:]).coef_.tolist() == [[6, 8], [10, 12]]
    assert model.fit(X[:2], Y[:2]).coef_.tolist() == [[1, 2], [3, 4]]  # fit begins anew
    assert model.partial_fit(X[2:], Y[2:]).coef_.tolist() == [[6, 8], [10, 12]]


def test_fit_is_one_part():
    whole, part = Sums(scale="standard").fit(X, Y), Sums(scale="standard").partial_fit(X, Y)
    assert np.array_equal(whole.coef_, part.coef_)


def test_classes_named_at_first_have_a_place_before_they_are_seen():
    model = Sums().partial_fit(X[:1], ["b"], classes=["c", "b", "a"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.coef_.tolist() == [[0, 0], [1, 2], [0, 0]]
    assert model.partial_fit(X[1:2], ["c"], classes=["a", "b", "c"]).coef_.tolist() == [[0, 0], [1, 2], [3, 4]]
    with pytest.raises(LabelError, match="not the same as on last call"):
        model.partial_fit(X, Y, classes=["a", "b"])
    with pytest.raises(LabelError, match=r"classes='ab'\): classes must be a list"):
        Sums().partial_fit(X, Y, classes="ab")


@pytest.mark.parametrize(("first", "later"), [(["a", "b"], ["z", "a"]), ([0, 1], ["0", "1"]), ([0, 1], [False, True])])
def test_labels_that_come_too_late_are_refused_with_what_to_do(first, later):
    model = Sums().partial_fit(X[:2], first)
    with pytest.raises(LabelError, match=r"not one of the classes .*name all labels to come in classes= at the first"):
        model.partial_fit(X[2:], later)
    with pytest.raises(LabelError, match="'b' is not one of the classes 'a'"):
        Sums().partial_fit(X, Y, classes=["a"])


def test_columns_are_matched_by_name_and_unseen_categories_are_missing():
    first = pd.DataFrame({"n": [1.0, 2.0], "word": ["x", "y"]})
    model = Sums().partial_fit(first, ["a", "b"])
    model.partial_fit(pd.DataFrame({"word": ["z", "x"], "n": [10.0, 20.0]}), ["a", "b"])
    assert model.coef_.tolist() == [[11, 1, 0], [22, 1, 1]]
    model.partial_fit(Table.from_columns({"n": [None], "word": ["y"]}), ["a"])
    assert model.coef_[0].tolist() == [12.5, 1, 1]  # the mean of the first part fills the gap
    with pytest.raises(InputError, match="column 'm' was not there at fit"):
        model.partial_fit(first.rename(columns={"n": "m"}), ["a", "b"])
    with pytest.raises(InputError, match="column 'word' is missing"):
        model.partial_fit(first[["n"]], ["a", "b"])


def test_the_scale_is_that_of_the_first_part():
    model = Sums(scale="range").partial_fit([[0.0], [10.0]], ["a", "b"])
    assert model.partial_fit([[20.0]], ["a"]).coef_.tolist() == [[2.0], [1.0]]


def test_sparse_parts_equal_dense_ones():
    dense, sparse = Sums(), Sums()
    for part in (slice(0, 2), slice(2, 4)):
        dense.partial_fit(X[part], Y[part])
        sparse.partial_fit(sp.csr_array(X[part]), Y[part])
    assert np.array_equal(dense.coef_, sparse.coef_)


def test_weights_count_and_rows_of_weight_zero_are_not_looked_at():
    model = Sums(class_weight={"b": 10}).partial_fit(X[:2], Y[:2], sample_weight=[2, 1])
    assert model.coef_.tolist() == [[2, 4], [30, 40]]
    spoilt = X[2:].copy()
    spoilt[1] = np.inf
    assert model.partial_fit(spoilt, Y[2:], sample_weight=[1, 0]).coef_.tolist() == [[7, 10], [30, 40]]


def test_balanced_classes_are_refused_where_the_shares_are_not_known():
    with pytest.raises(ParameterError, match=r"Sums\(class_weight='balanced'\): partial_fit must know"):
        Sums(class_weight="balanced").partial_fit(X, Y)
    assert np.isfinite(Sums(class_weight="balanced").fit(X, Y).coef_).all()


@pytest.mark.parametrize(
    ("rows", "labels", "weight", "message"),
    [
        ([[1.0, 2.0, 3.0]], ["a"], None, r"X has 3 features, but Sums is expecting 2 features"),
        (pd.DataFrame({"p": [1.0], "q": ["word"]}), ["a"], None, "column 'q' holds words"),
        (np.empty((0, 2)), [], None, "no rows to learn from"),
        ([[1.0, np.inf]], ["a"], None, "column 'x1', row 0"),
        ([[1.0, 2.0]], ["a", "b"], None, "2 labels for 1 rows"),
        ([[1.0, 2.0]], [None], None, "1 are missing"),
        ([[1.0, 2.0]], ["a"], [-1.0], "weights must be numbers of at least 0"),
        ([[1.0, 2.0]], ["fail"], None, "halfway"),
    ],
    ids=["width", "words", "none", "infinite", "lengths", "no label", "weight", "in the pass"],
)
def test_a_part_that_is_refused_leaves_the_model_as_it_was(rows, labels, weight, message):
    model = Sums().partial_fit(X, Y, classes=["a", "b", "fail"])
    before = dict(vars(model))
    with pytest.raises((InputError, LabelError), match=message):
        model.partial_fit(rows, labels, sample_weight=weight)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is before[name] for name in before)


def test_a_first_part_that_is_refused_leaves_nothing_behind():
    model = Sums()
    with pytest.raises(InputError, match="halfway"):
        model.partial_fit(X, ["fail", "a", "a", "a"])
    assert vars(model) == {"scale": None, "class_weight": None}
