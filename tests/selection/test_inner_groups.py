"""Searches inside protocols by group: no group on both sides of any fold, inner ones included."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from margin import (
    C45,
    SVC,
    BaggingClassifier,
    CalibratedClassifier,
    ClassifierChain,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GridSearch,
    HalvingSearch,
    LogisticRegressionCV,
    LogSearch,
    OneVsRest,
    Reject,
    StackingClassifier,
    VotingClassifier,
    evaluate,
    nested,
)
from margin.errors import DataError, ParameterError
from margin.evaluation import GroupFolds, GroupHoldOut, LeaveOneOut, StratifiedFolds
from margin.svm import choose_C

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


class SpyOnProbabilities(Spy):
    """The same for models that ask for probabilities."""

    def predict_proba(self, X):
        SHARED.append(len(self.seen_ & set(X[:, -1].tolist())))
        return super().predict_proba(X)


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


SPIES = [("first", SpyOnProbabilities()), ("second", SpyOnProbabilities(var_smoothing=1e-3))]


@pytest.mark.parametrize(
    "model",
    [
        CalibratedClassifier(SpyOnProbabilities(), cv=3),
        CalibratedClassifier(SpyOnProbabilities(), cv=3, ensemble=False, random_state=1),
        CalibratedClassifier(SpyOnProbabilities(), cv=GroupFolds(folds=3)),
        CalibratedClassifier(SpyOnProbabilities(), cv=GroupKFold(3)),
        CalibratedClassifier(GridSearch(SpyOnProbabilities(), GRID, cv=3), cv=3),
        Reject(SpyOnProbabilities(), target_error=0.45, cv=3),
        StackingClassifier(SPIES, cv=3),
        VotingClassifier(SPIES, weights="learnt", cv=3),
        OneVsRest(GridSearch(SpyOnProbabilities(), GRID, cv=3)),
        GridSearch(CalibratedClassifier(SpyOnProbabilities(), cv=3), {"method": ["sigmoid", "temperature"]}, cv=3),
    ],
    ids=["apart", "together", "protocol", "splitter", "search", "reject", "stacking", "voting", "members", "searched"],
)
def test_models_around_models_part_no_group(model):
    SHARED.clear()
    result = evaluate(model, X, Y, 3, groups=GROUPS)
    assert not result.failures
    assert len(SHARED) > 3
    assert set(SHARED) == {0}


def test_a_chain_parts_no_group():
    SHARED.clear()
    targets = np.column_stack([Y, X[:, 1] > 0]).astype(int)
    ClassifierChain(SpyOnProbabilities(), cv=3).fit(X, targets, groups=GROUPS)
    assert len(SHARED) >= 3
    assert set(SHARED) == {0}


PATIENTS = np.repeat(np.arange(60), 6)
#: Who a patient is can be read off the columns, and what a patient has follows from nothing.
SCANNER = np.random.default_rng(0)
SCANS = SCANNER.normal(size=(60, 8))[PATIENTS] + SCANNER.normal(scale=1e-3, size=(360, 8))
ILL = SCANNER.permutation(np.arange(60) % 2)[PATIENTS]


def test_the_penalty_is_chosen_by_new_patients():
    columns = SCANNER.normal(size=(60, 50))[PATIENTS] + SCANNER.normal(scale=1e-3, size=(360, 50))
    remembering, learning = (LogisticRegressionCV().fit(columns, ILL, groups=groups) for groups in (None, PATIENTS))
    assert learning.C_ < remembering.C_ / 100


@pytest.mark.parametrize(
    "model",
    [SVC(gamma=0.1, C=10.0, probability="sigmoid"), CalibratedClassifier(DecisionTreeClassifier(min_samples_leaf=2))],
    ids=["svc", "calibrated"],
)
def test_nobody_is_surer_of_patients_than_of_new_ones(model):
    sureness = [clone(model).fit(SCANS, ILL, groups=groups).predict_proba(SCANS).max() for groups in (None, PATIENTS)]
    assert sureness[0] > 0.95
    assert sureness[1] < 0.75


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(prune="cost_complexity", random_state=0),
        DecisionTreeClassifier(prune="reduced_error", random_state=0),
        DecisionTreeRegressor(prune="cost_complexity", random_state=0),
        DecisionTreeRegressor(prune="reduced_error", random_state=0),
        C45(reduced_error=True, random_state=0),
    ],
    ids=["alpha", "reduced", "alpha of values", "reduced of values", "c45"],
)
def test_what_tells_patients_apart_is_pruned_only_where_they_are_told_of(model):
    assert clone(model).fit(SCANS, ILL, groups=PATIENTS).tree_.n_leaves <= 3
    assert clone(model).fit(SCANS, ILL).tree_.n_leaves > 12


def test_groups_do_not_depend_on_their_names_nor_on_the_order_of_rows():
    model = DecisionTreeClassifier(prune="cost_complexity", random_state=3)
    found = clone(model).fit(SCANS, ILL, groups=PATIENTS).pruning_path_.losses
    order = np.random.default_rng(1).permutation(len(ILL))
    named = np.array([f"patient {i:02}" for i in PATIENTS])
    assert (
        clone(model).fit(SCANS[order], ILL[order], groups=named[order]).pruning_path_.losses.tolist() == found.tolist()
    )


def test_rows_of_no_weight_take_their_groups_with_them():
    weight = (PATIENTS >= 3).astype(float)
    one = LogisticRegressionCV().fit(SCANS, ILL, sample_weight=weight, groups=PATIENTS)
    other = LogisticRegressionCV().fit(SCANS[18:], ILL[18:], groups=PATIENTS[18:])
    assert one.scores_.tolist() == other.scores_.tolist()


@pytest.mark.parametrize(
    "model",
    [
        CalibratedClassifier(GaussianNB()),
        LogisticRegressionCV(),
        DecisionTreeClassifier(prune="cost_complexity"),
        DecisionTreeClassifier(prune="reduced_error"),
    ],
    ids=["calibrated", "logistic", "alpha", "reduced"],
)
def test_one_group_leaves_nothing_to_hold_out(model):
    with pytest.raises(DataError, match="at least two groups are needed"):
        model.fit(X, Y, groups=np.zeros(120))
    assert "_groups" not in vars(model)


def test_a_class_of_one_group_is_learnt_in_every_fold():
    y = np.where(GROUPS == 7, 2, Y)
    model = CalibratedClassifier(GaussianNB(), ensemble=False, cv=4).fit(X, y, groups=GROUPS)
    assert model.predict_proba(X).shape == (120, 3)


def test_groups_are_checked():
    with pytest.raises(ValueError, match="3 groups were given for 120 rows"):
        CalibratedClassifier().fit(X, Y, groups=[1, 2, 3])
    with pytest.raises(ParameterError, match="without regard to the groups"):
        CalibratedClassifier(GaussianNB(), cv=StratifiedFolds(3)).fit(X, Y, groups=GROUPS)


def test_members_of_a_bag_that_cut_folds_keep_groups_together():
    bag = BaggingClassifier(GridSearch(Spy(), GRID, cv=3), n_estimators=3, oob_score=False, random_state=0, n_jobs=1)
    SHARED.clear()
    assert not evaluate(bag, X, Y, 3, groups=GROUPS).failures
    assert len(SHARED) == 3 * 3 * 6
    assert set(SHARED) == {0}
    SHARED.clear()
    bag.fit(X, Y, groups=GROUPS).grow(1, X, Y, groups=GROUPS)
    assert set(SHARED) == {0}
    SHARED.clear()
    bag.grow(1, X, Y)
    assert max(SHARED) > 0


def test_c_is_chosen_by_folds_that_keep_groups_together():
    random = np.random.default_rng(1)
    rows, labels = np.repeat(random.normal(size=(30, 2)), 2, axis=0), np.repeat(random.integers(2, size=30), 2)
    torn = choose_C(rows, labels, [100.0], gamma=50.0, random_state=0)
    whole = choose_C(rows, labels, [100.0], gamma=50.0, random_state=0, groups=np.repeat(np.arange(30), 2))
    assert torn.errors[0] < 0.25 < whole.errors[0]
