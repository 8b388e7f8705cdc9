"""Searches inside fit: against a loop written out, by hand where that is short, and what goes wrong."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as OtherLDA
from sklearn.neighbors import KNeighborsClassifier as OtherKNN
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from margin import (
    SVC,
    DecisionTreeClassifier,
    GridSearch,
    HalvingSearch,
    KNeighborsClassifier,
    LogisticRegression,
    LogSearch,
    NaiveBayes,
    RandomSearch,
    Reject,
)
from margin.base.meta.cross_fitting import stratified_splits
from margin.data import catalog
from margin.errors import InputError, ParameterError
from margin.evaluation import HoldOut, LeaveOneOut, StratifiedFolds, evaluate
from margin.persistence import load, save
from margin.selection import knee
from tests.selection.rigged import Curve, blobs, rigged


def written_out(model, settings, X, y, folds):
    """The mean accuracy of each setting, by a loop."""
    means = []
    for setting in settings:
        scores = []
        for train, test in stratified_splits(y, np.ones(len(y)), folds):
            fitted = clone(model).set_params(**setting).fit(X[train.rows], y[train.rows])
            scores.append(np.mean(fitted.predict(X[test.rows]) == y[test.rows]))
        means.append(np.mean(scores))
    return means


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (KNeighborsClassifier(), {"n_neighbors": [1, 3, 9, 30], "weights": ["uniform", "distance"]}),
        (OtherKNN(), {"n_neighbors": [1, 9]}),
        (DecisionTreeClassifier(), {"max_depth": [1, 3, None], "min_samples_leaf": [1, 5]}),
        (make_pipeline(StandardScaler(), KNeighborsClassifier()), {"kneighborsclassifier__n_neighbors": [1, 7]}),
        (NaiveBayes(), [{"alpha": [0.5, 1.0]}, {"priors": [None]}]),
    ],
    ids=str,
)
def test_a_grid_search_is_a_loop_over_settings_and_folds(model, grid):
    X, y = blobs()
    search = GridSearch(model, grid, cv=4).fit(X, y)
    expected = written_out(model, search.results_.settings, X, y, 4)
    assert search.results_.mean == pytest.approx(expected, abs=1e-12)
    best = int(np.argmax(expected))
    assert search.best_params_ == search.results_.settings[best]
    assert float(search.best_score_) == pytest.approx(expected[best])
    again = clone(model).set_params(**search.best_params_).fit(X, y)
    assert np.array_equal(search.predict(X), again.predict(X))
    assert np.array_equal(search.predict_proba(X), again.predict_proba(X))


def test_settings_that_share_work_take_one_fit_a_fold():
    X, y = blobs()
    grid = {"n_neighbors": [1, 3, 9], "weights": ["uniform", "distance"]}
    assert GridSearch(KNeighborsClassifier(), grid, cv=4).fit(X, y).n_fits_ == 4 * 2
    assert GridSearch(OtherKNN(), {"n_neighbors": [1, 3, 9]}, cv=4).fit(X, y).n_fits_ == 4 * 3
    path = GridSearch(LogisticRegression(), {"C": [0.1, 1, 10]}, cv=4).fit(X, y)
    assert path.n_fits_ == 4


def test_any_number_of_jobs_finds_the_same():
    X, y = blobs(60)
    grid = {"min_samples_leaf": [1, 4], "max_depth": [2, 5]}
    one, two = (GridSearch(DecisionTreeClassifier(), grid, cv=3, n_jobs=n).fit(X, y) for n in (1, 2))
    assert np.array_equal(one.results_.fold_scores, two.results_.fold_scores)


def test_tables_words_and_labels_come_as_they_are():
    X, y = catalog.load("golf").target("play") if "golf" in catalog.names() else catalog.load("iris").target("class")
    search = GridSearch(DecisionTreeClassifier(), {"max_depth": [1, 2, 3]}, cv=3).fit(X, y)
    assert set(search.predict(X).tolist()) <= set(np.asarray(y).tolist())
    other = GridSearch(OtherLDA(), {"solver": ["svd", "lsqr"]}, cv=3).fit(X, y)  # takes no tables: through an encoder
    assert len(other.predict(X)) == X.n_rows


def test_frames_keep_their_column_names():
    X, y = load_iris(return_X_y=True, as_frame=True)
    search = GridSearch(cv=2).fit(X, y)
    assert search.feature_names_in_.tolist() == X.columns.tolist()
    with pytest.raises(InputError):
        search.predict(X.rename(columns={X.columns[0]: "other"}))


def test_what_is_saved_comes_back(tmp_path):
    X, y = load_iris(return_X_y=True)
    search = GridSearch(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=3).fit(X, y)
    loaded = load(save(search, tmp_path / "search.margin"))
    assert np.array_equal(loaded.predict_proba(X), search.predict_proba(X))
    assert str(loaded.results_) == str(search.results_)
    assert str(loaded.best_score_) == str(search.best_score_)


def test_failed_settings_are_reported_and_never_chosen():
    X, y = rigged()
    search = GridSearch(Curve(fail_at=8.0), {"p": [4.0, 8.0]}, cv=3).fit(X, y)
    assert search.best_params_ == {"p": 4.0}
    assert np.isnan(search.results_.mean[1])
    assert search.results_.errors[1] == "RuntimeError: no such thing"
    assert "failed: RuntimeError: no such thing" in str(search.results_)
    assert search.results_.rank.tolist() == [1, 2]


def test_a_value_that_a_model_refuses_fails_alone_though_work_is_shared():
    X, y = blobs()
    search = GridSearch(KNeighborsClassifier(), {"n_neighbors": [0, 5]}, cv=3).fit(X, y)
    assert search.best_params_ == {"n_neighbors": 5}
    assert "n_neighbors must be" in search.results_.errors[0]


def test_where_all_settings_fail_the_first_error_is_raised():
    X, y = rigged()
    with pytest.raises(RuntimeError, match="no such thing"):
        GridSearch(Curve(fail_at=1.0), {"p": [1.0]}, cv=3).fit(X, y)


@pytest.mark.parametrize(
    ("search", "message"),
    [
        (GridSearch(SVC(), {"kernal": ["rbf"]}), "did you mean 'kernel'"),
        (RandomSearch(SVC(), {"gama": [1]}), "did you mean 'gamma'"),
        (LogSearch(SVC(), {"Cs": 1.0}), "'Cs' is not a parameter of SVC"),
        (HalvingSearch(SVC(), {"C": [1]}, resource="n_estimators"), "'n_estimators' is not a parameter"),
        (HalvingSearch(SVC(), {"C": [1]}, resource="C"), "must not be in the grid"),
        (HalvingSearch(SVC(), {"C": [1]}, factor=1), "above 1"),
        (HalvingSearch(SVC(), {"C": [1]}, resource="gamma"), "say most"),
        (GridSearch(SVC()), "name what is to be tried"),
        (GridSearch(SVC(), {"C": []}), "lists of values"),
        (GridSearch(SVC(), {"C": [1]}, metric="acuracy"), "did you mean 'accuracy'"),
        (GridSearch(SVC(), {"C": [1]}, cv=1), "at least 2"),
        (GridSearch(SVC(), {"C": [1, 2]}, simpler={"C": "bigger"}), "'larger' or 'smaller'"),
        (GridSearch(SVC(), {"kernel": ["rbf", "linear"]}, rule="one_standard_error"), "simpler is not known"),
        (LogSearch(SVC(), {"C": 0.0}), "above 0"),
        (LogSearch(SVC(), {"C": 1.0}, bounds={"C": (2.0, 4.0)}), "within the bounds"),
        (LogSearch(SVC(), {"C": 1.0}, patience=-1), "at least 0"),
    ],
    ids=repr,
)
def test_what_cannot_be_is_refused_before_anything_is_fitted(search, message):
    X, y = blobs(60)
    with pytest.raises(ParameterError, match=message):
        search.fit(X, y)


def test_a_metric_on_probabilities_needs_them():
    X, y = blobs(60)
    with pytest.raises(ParameterError, match="needs probabilities"):
        GridSearch(SVC(), {"C": [1.0]}, metric="log_loss").fit(X, y)
    chosen = GridSearch(NaiveBayes(), {"alpha": [0.1, 1.0]}, metric="log_loss", cv=3).fit(X, y)
    assert chosen.results_.mean[chosen.best_index_] == chosen.results_.mean.min()


def test_the_one_standard_error_rule_takes_the_simplest_that_is_near_enough():
    X, y = blobs(200)
    grid = {"n_neighbors": [1, 5, 9, 15, 25, 41]}
    best = GridSearch(KNeighborsClassifier(), grid).fit(X, y)
    simple = GridSearch(KNeighborsClassifier(), grid, rule="one_standard_error").fit(X, y)
    found = best.results_
    within = found.mean >= found.mean[found.best] - found.standard_error[found.best]
    assert simple.best_params_["n_neighbors"] == max(k for k, near in zip(grid["n_neighbors"], within) if near)
    told = GridSearch(KNeighborsClassifier(), grid, rule="one_standard_error", simpler={"n_neighbors": "smaller"})
    assert told.fit(X, y).best_params_["n_neighbors"] == min(k for k, near in zip(grid["n_neighbors"], within) if near)


def test_the_simplest_keeps_parameters_of_unknown_direction_as_they_are_in_the_best():
    X, y = blobs(200)
    grid = {"weights": ["uniform", "distance"], "n_neighbors": [1, 5, 15, 45]}
    best = GridSearch(KNeighborsClassifier(), grid).fit(X, y)
    simple = GridSearch(KNeighborsClassifier(), grid, rule="one_standard_error").fit(X, y)
    assert simple.best_params_["weights"] == best.best_params_["weights"]
    assert simple.best_params_["n_neighbors"] >= best.best_params_["n_neighbors"]


def test_a_race_drops_what_is_surely_worse_and_ends_with_the_same_choice():
    X, y = rigged(400)
    grid = {"p": [2.0**-6, 2.0**-3, 1.0, 8.0]}
    Curve.fits = 0
    plain = GridSearch(Curve(), grid, cv=10).fit(X, y)
    all_fits, Curve.fits = Curve.fits, 0
    raced = GridSearch(Curve(), grid, cv=10, race=True).fit(X, y)
    assert raced.best_params_ == plain.best_params_ == {"p": 8.0}
    assert Curve.fits < 0.7 * all_fits
    assert raced.results_.dropped.tolist()[0]
    assert not raced.results_.dropped[3]
    assert "dropped" in str(raced.results_)
    first = raced.results_.fold_scores[0]
    assert np.isfinite(first[:3]).all()
    assert np.isnan(first[-1])


def test_results_say_which_settings_are_not_told_apart():
    X, y = rigged(400)
    found = GridSearch(Curve(), {"p": [2.0**-9, 8.0, 8.001]}, cv=10).fit(X, y).results_
    assert found.as_good_as_best.tolist() == [False, True, True]
    assert found.p[1] == 1.0
    assert found.p[0] < 0.001
    assert "differs from the best" in str(found)
    assert "not told apart" in found._repr_html_()
    rows = found.rows()
    assert [row["rank"] for row in rows] == [1, 2, 3]
    assert pd.DataFrame(rows)["setting_p"].tolist() == [8.0, 8.001, 2.0**-9]


def test_leave_one_out_is_that_of_evaluate():
    X, y = blobs(60)
    search = GridSearch(KNeighborsClassifier(), {"n_neighbors": [1, 5, 9]}, cv=LeaveOneOut()).fit(X, y)
    expected = [
        evaluate(KNeighborsClassifier(k), X, y, LeaveOneOut(), metrics=["accuracy"]).scores["accuracy"]
        for k in (1, 5, 9)
    ]
    assert search.results_.mean == pytest.approx([score.value for score in expected], abs=1e-12)
    assert search.best_score_.interval == expected[search.best_index_].interval
    assert search.n_fits_ == 1  # all k from one search
    scaled = GridSearch(KNeighborsClassifier(scale="standard"), {"n_neighbors": [1, 99]}, cv=LeaveOneOut()).fit(X, y)
    assert scaled.n_fits_ == 2
    alone = evaluate(KNeighborsClassifier(99, scale="standard"), X, y, LeaveOneOut(), metrics=["accuracy"])
    assert scaled.results_.mean[1] == alone.scores["accuracy"].value


def test_leave_one_out_takes_weights():
    X, y = blobs(40)
    weight = np.random.default_rng(0).integers(1, 3, 40)
    search = GridSearch(KNeighborsClassifier(), {"n_neighbors": [3]}, cv=LeaveOneOut()).fit(X, y, weight)
    alone = evaluate(KNeighborsClassifier(3), X, y, LeaveOneOut(), metrics=["accuracy"], sample_weight=weight)
    assert float(search.best_score_) == alone.scores["accuracy"].value


@pytest.mark.filterwarnings("ignore")
def test_a_metric_that_no_fold_can_have_is_refused():
    X, y = blobs(40)
    ordered = np.sort(y)
    halves = [(np.flatnonzero(ordered != k), np.flatnonzero(ordered == k)) for k in range(3)]
    with pytest.raises((ParameterError, InputError)):
        GridSearch(
            NaiveBayes(), {"alpha": [1.0]}, metric="roc_auc", cv=[(np.arange(40), test) for _, test in halves]
        ).fit(X, ordered)


def test_protocols_splitters_and_lists_are_splits_too():
    from sklearn.model_selection import KFold

    X, y = blobs(60)
    grid = {"n_neighbors": [1, 9]}
    for cv, n in [(StratifiedFolds(4), 4), (KFold(3), 3), (HoldOut(0.5), 1), ([(range(40), range(40, 60))], 1)]:
        assert GridSearch(KNeighborsClassifier(), grid, cv=cv).fit(X, y).results_.fold_scores.shape == (2, n)
    held = GridSearch(KNeighborsClassifier(), grid, cv=HoldOut(0.5)).fit(X, y)
    assert held.best_score_.interval.method == "exact"


def test_weights_count_in_fitting_and_in_scoring():
    X, y = blobs(90)
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    grid = {"max_depth": [1, 2, 4]}
    weighted = GridSearch(DecisionTreeClassifier(), grid, cv=3).fit(X, y, weight)
    repeated = GridSearch(DecisionTreeClassifier(), grid, cv=3).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert weighted.results_.mean == pytest.approx(repeated.results_.mean)
    with pytest.raises(ParameterError, match="takes no weights"):
        GridSearch(OtherKNN(), {"n_neighbors": [1, 3]}).fit(X, y, weight)


def test_progress_is_told_and_a_function_may_stop_the_search():
    X, y = rigged()
    told = []
    GridSearch(Curve(), {"p": [1.0, 8.0]}, cv=3, progress=told.append).fit(X, y)
    assert [report.done for report in told] == [1, 2, 3, 4, 5, 6]
    assert {report.of for report in told} == {6}

    def enough(report):
        raise KeyboardInterrupt

    search = GridSearch(Curve(), {"p": [1.0, 8.0]}, cv=3, progress=enough)
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, y)
    assert not hasattr(search, "results_")


def test_a_line_of_progress_is_written_on_demand(capsys):
    X, y = rigged()
    GridSearch(Curve(), {"p": [8.0]}, cv=2, progress=True).fit(X, y)
    assert "2 of 2 trials, p=8" in capsys.readouterr().err


def test_without_a_refit_there_is_nobody_to_ask():
    X, y = blobs(60)
    search = GridSearch(KNeighborsClassifier(), {"n_neighbors": [1, 3]}, refit=False).fit(X, y)
    assert search.best_params_ in ({"n_neighbors": 1}, {"n_neighbors": 3})
    with pytest.raises(ValueError, match="refit=False"):
        search.predict(X)


def test_methods_are_those_of_the_classifier_inside():
    assert not hasattr(GridSearch(SVC(), {"C": [1]}), "predict_proba")
    assert hasattr(GridSearch(SVC(), {"C": [1]}), "decision_function")
    X, y = blobs(60)
    search = GridSearch(SVC(), {"C": [1.0]}, cv=2).fit(X, y)
    assert np.array_equal(search.decision_function(X), SVC(C=1.0).fit(X, y).decision_function(X))


def test_a_search_can_be_searched_and_evaluated():
    X, y = blobs(90)
    inner = GridSearch(KNeighborsClassifier(), {"n_neighbors": [1, 9]}, cv=2)
    outer = GridSearch(inner, {"model__weights": ["uniform", "distance"]}, cv=2).fit(X, y)
    assert set(outer.best_params_) == {"model__weights"}
    assert evaluate(inner, X, y, StratifiedFolds(3)).scores["accuracy"].value > 0.4


def test_precomputed_kernels_are_cut_on_both_sides():
    X, y = blobs(60)
    K = X @ X.T
    search = GridSearch(SVC(kernel="precomputed"), {"C": [0.1, 1.0]}, cv=3).fit(K, y)
    same = GridSearch(SVC(kernel="linear"), {"C": [0.1, 1.0]}, cv=3).fit(X, y)
    assert search.results_.mean == pytest.approx(same.results_.mean, abs=0.04)


def test_classifiers_that_abstain_and_steps_that_are_replaced_can_be_chosen():
    X, y = blobs(90)
    silent = GridSearch(Reject(NaiveBayes()), {"threshold": [0.99, 0.999]}, cv=2).fit(X, y)
    assert None in silent.predict(X).tolist()
    pipe = Pipeline([("scale", StandardScaler()), ("last", OtherLDA())])
    found = GridSearch(pipe, {"last": [OtherLDA(), OtherKNN(1)]}, cv=2).fit(X, y)
    assert type(found.model_.steps[-1][1]) is type(found.best_params_["last"])


def test_the_front_door_has_the_knee():
    assert knee([1, 2, 3, 4], [9, 2, 1.5, 3]).x == 3
