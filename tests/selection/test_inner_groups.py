"""Searches inside protocols by group: no group on both sides of any fold, inner ones included."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from margin import GridSearch, HalvingSearch, LogSearch, evaluate, nested
from margin.errors import DataError, ParameterError
from margin.evaluation import GroupFolds, GroupHoldOut, LeaveOneOut, StratifiedFolds

SHARED: list[int] = []
RNG = np.random.default_rng(0)
GROUPS = np.repeat(np.arange(24), 5)
X = np.column_stack([RNG.normal(size=(120, 2)), GROUPS])
Y = (X[:, 0] + RNG.normal(size=120) > 0).astype(int)
GRID = {"var_smoothing": [1e-9, 1e-3]}


class Spy(GaussianNB):
    """Notes how many groups it is asked about that it has learnt from; the group stands in the last column."""

    def fit(self, X, y, sample_weight=None):
        self.seen_ = set(X[:, -1].tolist())
        return super().fit(X, y)

    def predict(self, X):
        SHARED.append(len(self.seen_ & set(X[:, -1].tolist())))
        return super().predict(X)


@pytest.mark.parametrize(
    ("search", "n_asked"),
    [
        (GridSearch(Spy(), GRID, cv=3), 3 * (3 * 2 + 1)),
        (HalvingSearch(Spy(), GRID, cv=3, factor=2), None),
        (LogSearch(Spy(), {"var_smoothing": 1e-9}, cv=3), None),
        (GridSearch(Spy(), GRID, cv=GroupFolds(folds=3)), 3 * (3 * 2 + 1)),
        (GridSearch(Spy(), GRID, cv=GroupKFold(3)), 3 * (3 * 2 + 1)),
        (make_pipeline(FunctionTransformer(), GridSearch(Spy(), GRID, cv=3)), 3 * (3 * 2 + 1)),
        (GridSearchCV(Spy(), GRID, cv=GroupKFold(3)), 3 * (3 * 2 + 1)),
    ],
    ids=["grid", "halving", "log", "protocol", "splitter", "pipeline", "sklearn"],
)
def test_no_group_stands_on_both_sides_of_any_fold(search, n_asked):
    SHARED.clear()
    result = evaluate(search, X, Y, 3, groups=GROUPS)
    assert not result.failures
    assert len(SHARED) == n_asked or n_asked is None
    assert len(SHARED) > 3
    assert set(SHARED) == {0}


def test_without_groups_rows_of_one_stand_on_both_sides():
    SHARED.clear()
    evaluate(GridSearch(Spy(), GRID, cv=3), X, Y, 3)
    assert max(SHARED) > 0


def test_nested_validation_and_the_final_search_cut_by_group_too():
    SHARED.clear()
    found = nested(GridSearch(Spy(), GRID, cv=3), X, Y, GroupHoldOut(), groups=GROUPS)
    assert set(SHARED) == {0}
    assert len(SHARED) == 6 + 1 + 6
    assert found.final.n_fits_ == 6


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_outer_folds_side_by_side_give_the_same(workers):
    search = GridSearch(GaussianNB(), GRID | {"var_smoothing": [1e-9, 1e-3, 1.0]}, cv=3)
    one = nested(search, X, Y, 4)
    other = nested(search, X, Y, 4, n_jobs=2, workers=workers)
    assert one.inner_scores.tolist() == other.inner_scores.tolist()
    assert one.outer_scores.tolist() == other.outer_scores.tolist()
    assert one.choices == other.choices
    assert str(one) == str(other)


def test_a_search_of_scikit_learn_that_cuts_through_groups_is_told_of():
    result = evaluate(GridSearchCV(GaussianNB(), GRID, cv=3), X, Y, 3, groups=GROUPS)
    assert "GridSearchCV(cv=3) chose by folds of its own that cut through the groups" in result.warnings[0]
    assert evaluate(GaussianNB(), X, Y, 3, groups=GROUPS).warnings == ()


def test_folds_that_cannot_keep_groups_together_are_refused():
    for cv in (LeaveOneOut(), StratifiedFolds(3)):
        with pytest.raises(ParameterError, match="splits without groups"):
            GridSearch(GaussianNB(), GRID, cv=cv).fit(X, Y, groups=GROUPS)
    with pytest.raises(DataError, match="groups do not fill so many folds"):
        GridSearch(GaussianNB(), GRID).fit(X, Y, groups=np.zeros(120))
    search = GridSearch(GaussianNB(), GRID, cv=5).fit(X, Y, groups=np.arange(120) % 2)
    assert search.results_.fold_scores.shape == (2, 2)  # no more folds than groups
    assert not hasattr(search, "_groups")
    clone(search)
