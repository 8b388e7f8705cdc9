"""Every model of the table, fitted by scikit-learn and asked in margin: the same answers.

Numbers agree to 1e-12 of the largest. Looser, and why:

- SVC, 1e-9: sums over support vectors of products of thousands cancel, in LIBSVM as here, each in its own order.
- One logistic curve per class: where all of them are 0 in doubles, scikit-learn answers equal shares, margin the right
  ones; such rows are left out here.
- Nearest neighbours by a minkowski power or the cosine, 1e-9: scikit-learn takes differences of squared lengths there.
- Nearest centroids: probabilities are not scikit-learn's, which count the evidence twice; squared they are.
"""

import io
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone, is_regressor

import margin
from margin import params
from margin.interop.converting import MODELS
from tests.interop.cases import CASES, DATA, NAMES, assert_same_answers, fitted, rows_for, tied_rows

EVERY = [pytest.param(place, data, id=f"{NAMES[place]} on {data}") for place in range(len(CASES)) for data in DATA]
LOOSE = {"SVC": 1e-9, "KNeighborsClassifier": 1e-9, "CalibratedClassifierCV": 1e-9}


def test_every_entry_of_the_table_has_a_case():
    assert {type(case).__name__ for case in CASES} == set(MODELS)


@pytest.mark.parametrize(("place", "data"), EVERY)
def test_answers_are_those_of_scikit_learn(place, data):
    theirs, (X, _) = fitted(place, data), rows_for(CASES[place], data)
    if type(theirs).__name__ == "NearestCentroid":
        pytest.skip("has a test of its own")
    ours = margin.from_sklearn(theirs)
    assert type(ours).__module__.startswith("margin.")
    if "KNeighbors" in repr(theirs) and type(theirs).__name__ == "CalibratedClassifierCV":
        X = X[~np.any([tied_rows(part.estimator, X) for part in theirs.calibrated_classifiers_], axis=0)]
    if getattr(theirs, "loss", "") == "log_loss":
        X = X[theirs.decision_function(X).reshape(len(X), -1).max(axis=1) > -700]
    assert_same_answers(theirs, ours, X[~tied_rows(theirs, X)], LOOSE.get(type(theirs).__name__, 1e-12))


@pytest.mark.parametrize("place", [i for i, case in enumerate(CASES) if type(case).__name__ == "NearestCentroid"])
@pytest.mark.parametrize("data", DATA)
def test_nearest_centroids_differ_in_probabilities_alone_which_count_the_evidence_once(place, data):
    theirs, (X, _) = fitted(place, data), rows_for(CASES[place], data)
    ours = margin.from_sklearn(theirs)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if theirs.metric == "euclidean":
        scores = theirs.decision_function(X)
        np.testing.assert_allclose(ours.decision_function(X), scores, rtol=0, atol=1e-12 * np.abs(scores).max())
        squared = ours.predict_proba(X) ** 2
        np.testing.assert_allclose(squared / squared.sum(axis=1, keepdims=True), theirs.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("place", range(len(CASES)), ids=NAMES)
def test_a_model_taken_over_is_a_fitted_model_with_valid_parameters(place):
    theirs, (X, y) = fitted(place, "iris"), rows_for(CASES[place], "iris")
    ours = margin.from_sklearn(theirs)
    params.check(ours)
    assert ours.n_features_in_ == 4
    assert [column.name for column in ours.schema_] == ["x0", "x1", "x2", "x3"]
    if not is_regressor(theirs):
        assert ours.classes_.tolist() == [0, 1, 2]
        assert ours.classes_.dtype == theirs.classes_.dtype
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = clone(ours).fit(X, y)  # parameters are such that it could be learnt here
    assert type(again) is type(ours)
    assert "_origin" not in vars(again)


@pytest.mark.parametrize("place", range(len(CASES)), ids=NAMES)
def test_a_model_taken_over_can_be_saved(place, tmp_path):
    if callable(getattr(CASES[place], "kernel", None)):
        pytest.skip("a function cannot be saved")
    theirs, (X, _) = fitted(place, "iris"), rows_for(CASES[place], "iris")
    ours = margin.from_sklearn(theirs)
    margin.persistence.save(ours, tmp_path / "model.margin")
    for back in (margin.persistence.load(tmp_path / "model.margin"), pickle.load(io.BytesIO(pickle.dumps(ours)))):
        np.testing.assert_array_equal(back.predict(X), ours.predict(X))


def test_fitting_a_model_that_was_taken_over_forgets_where_it_came_from():
    theirs, (X, y) = fitted(0, "iris"), rows_for(CASES[0], "iris")
    ours = margin.from_sklearn(theirs)
    with pytest.raises(margin.errors.NotFittedError, match="taken over from scikit-learn's LogisticRegression"):
        _ = ours.certificate_
    ours.set_params(max_iter=1000).fit(X, y)
    assert ours.certificate_.converged


def test_nothing_is_shared_with_the_model_it_came_from():
    theirs = clone(CASES[0]).fit(*rows_for(CASES[0], "iris"))
    ours, X = margin.from_sklearn(theirs), rows_for(CASES[0], "iris")[0]
    before = ours.predict(X)
    theirs.coef_[:] = 0
    theirs.classes_[:] = 7
    np.testing.assert_array_equal(ours.predict(X), before)
