"""Choosing settings beside scikit-learn, on the same folds: the same scores."""

import numpy as np
import pytest
import sklearn.svm
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, StratifiedKFold, cross_val_score
from sklearn.model_selection import learning_curve as other_learning_curve
from sklearn.model_selection import validation_curve as other_validation_curve
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier as OtherKNN
from sklearn.tree import DecisionTreeClassifier as OtherTree

from margin import GridSearch, HalvingSearch, KNeighborsClassifier, learning_curve, nested, validation_curve

FOLDS = StratifiedKFold(4, shuffle=True, random_state=0)


def data(n=160):
    return make_classification(n, 6, n_informative=4, n_classes=3, flip_y=0.1, random_state=0)


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (sklearn.svm.SVC(), {"C": [0.1, 1, 10], "gamma": [0.01, 0.1]}),
        (OtherTree(random_state=0), [{"max_depth": [1, 3]}, {"min_samples_leaf": [1, 10]}]),
    ],
    ids=str,
)
def test_a_grid_search_has_the_scores_of_grid_search_cv(model, grid):
    X, y = data()
    ours, theirs = GridSearch(model, grid, cv=FOLDS).fit(X, y), GridSearchCV(model, grid, cv=FOLDS).fit(X, y)
    by_setting = {repr(sorted(s.items())): m for s, m in zip(ours.results_.settings, ours.results_.mean)}
    for setting, mean in zip(theirs.cv_results_["params"], theirs.cv_results_["mean_test_score"]):
        assert by_setting[repr(sorted(setting.items()))] == pytest.approx(mean)
    assert float(ours.best_score_) == pytest.approx(theirs.best_score_)
    if ours.best_params_ == theirs.best_params_:  # settings may tie, and the order of parameters differs
        assert np.array_equal(ours.predict(X), theirs.predict(X))


def test_shared_neighbours_score_as_separate_fits_of_scikit_learn():
    X, y = data()
    ks = [1, 2, 3, 5, 8, 13, 50]
    ours = validation_curve(KNeighborsClassifier(), X, y, "n_neighbors", ks, protocol=FOLDS)
    training, test = other_validation_curve(OtherKNN(), X, y, param_name="n_neighbors", param_range=ks, cv=FOLDS)
    assert np.array_equal(ours.test_folds["accuracy"][0], test[0])
    # Equal votes go to the class whose voters are nearer, to the first one in scikit-learn. Odd ones of three classes
    # tie rarely; a training row is its own nearest neighbour, so that its class wins most ties.
    odd = [i for i, k in enumerate(ks) if k % 2]
    assert np.abs(ours.test_folds["accuracy"] - test)[odd].mean() < 0.02
    assert 0 <= (ours.training_folds["accuracy"] - training)[odd].mean() < 0.05
    assert (ours.training_folds["accuracy"][ks.index(2)] == 1).all()


def test_a_validation_curve_has_the_scores_of_scikit_learn():
    X, y = data()
    ours = validation_curve(sklearn.svm.SVC(), X, y, "C", [0.1, 1.0, 10.0], protocol=FOLDS)
    training, test = other_validation_curve(
        sklearn.svm.SVC(), X, y, param_name="C", param_range=[0.1, 1.0, 10.0], cv=FOLDS
    )
    assert ours.test_folds["accuracy"] == pytest.approx(test)
    assert ours.training_folds["accuracy"] == pytest.approx(training)


def test_a_learning_curve_ends_where_that_of_scikit_learn_does():
    # The rows of smaller sizes are drawn differently (ours by class in proportion); with all rows there is one answer.
    X, y = data()
    ours = learning_curve(GaussianNB(), X, y, sizes=[0.5, 1.0], protocol=FOLDS)
    _, training, test = other_learning_curve(GaussianNB(), X, y, train_sizes=[0.5, 1.0], cv=FOLDS)
    assert ours.test_folds["accuracy"][-1] == pytest.approx(test[-1])
    assert ours.training_folds["accuracy"][-1] == pytest.approx(training[-1])
    assert ours.test_folds["accuracy"][0].mean() == pytest.approx(test[0].mean(), abs=0.1)


def test_halving_on_a_parameter_follows_the_schedule_of_scikit_learn():
    # On rows the two differ: scikit-learn draws rows before it makes folds, so that early test parts are small too.
    from sklearn.ensemble import RandomForestClassifier

    X, y = data(80)
    grid = {"max_depth": [1, 2, 3, 4]}
    model = RandomForestClassifier(random_state=0)
    theirs = HalvingGridSearchCV(
        model, grid, resource="n_estimators", min_resources=1, max_resources=4, factor=2, cv=FOLDS
    ).fit(X, y)
    ours = HalvingSearch(model, grid, resource="n_estimators", least=1, most=4, factor=2, cv=FOLDS).fit(X, y)
    assert ours.rounds_ == tuple(zip(theirs.n_candidates_, theirs.n_resources_))
    assert float(ours.best_score_) == pytest.approx(theirs.best_score_)


def test_nested_validation_is_cross_validation_of_grid_search_cv():
    X, y = data()
    search = GridSearchCV(OtherKNN(), {"n_neighbors": [1, 5, 15]}, cv=3)
    assert nested(search, X, y, FOLDS, refit=False).outer_scores == pytest.approx(
        cross_val_score(search, X, y, cv=FOLDS)
    )
