"""Pipelines: scalers, imputers and encoders become margin's own preparation, and the model takes the raw table."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import margin
from margin.interop.steps import STEPS
from tests.interop.cases import assert_same_answers, tied_rows
from tests.shared_data import shared_data

SETS = {"credit-g.arff.gz": "class", "heart-c.arff.gz": "num", "penguins.csv.gz": "species", "anneal.arff.gz": "class"}
LINEAR = [LogisticRegression(max_iter=500), LinearSVC(), SGDClassifier(random_state=0), SVC(kernel="linear", C=0.1)]
OTHERS = [SVC(), KNeighborsClassifier(), DecisionTreeClassifier(random_state=0), LinearDiscriminantAnalysis()]


def real(name):
    """Inputs and classes; what is missing stays missing in numbers, and is a word of its own in nominal columns."""
    X, y = margin.read(shared_data(name)).target(SETS[name])
    frame = X.inputs().to_pandas()
    for column in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[column]):
            frame[column] = frame[column].astype(object).where(frame[column].notna(), "none").astype(str)
    return frame, np.asarray(y).astype(str)


def front_for(frame, numbers, drop=None):
    words = [c for c in frame.columns if not pd.api.types.is_numeric_dtype(frame[c])]
    others = [c for c in frame.columns if c not in words]
    encoder = OneHotEncoder(handle_unknown="ignore", drop=drop)
    return ColumnTransformer([("words", encoder, words), ("numbers", numbers, others)])


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("model", [*LINEAR, *OTHERS], ids=str)
def test_a_table_with_words_and_gaps_gets_the_same_answers(name, model):
    frame, y = real(name)
    front = front_for(frame, make_pipeline(SimpleImputer(), StandardScaler()))
    theirs = make_pipeline(front, model).fit(frame[::2], y[::2])
    ours = margin.from_sklearn(theirs)
    assert [column.name for column in ours.schema_] == list(frame.columns)
    assert_same_answers(theirs, ours, frame[~tied_rows(theirs[-1], theirs[:-1].transform(frame))], 1e-9)
    turned = frame[frame.columns[::-1]]
    np.testing.assert_array_equal(ours.predict(turned), ours.predict(frame))


@pytest.mark.parametrize("model", [*LINEAR[:3], DecisionTreeClassifier(random_state=0)], ids=str)
def test_a_level_that_is_dropped_is_a_coefficient_of_zero(model):
    frame, y = real("credit-g.arff.gz")
    theirs = make_pipeline(front_for(frame, MinMaxScaler(), drop="first"), model).fit(frame, y)
    assert_same_answers(theirs, margin.from_sklearn(theirs), frame)


def numbers(n=200, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 3)) * [1.0, 100.0, 1e-3] + [5.0, 0.0, 1.0]
    return X, np.array(["low", "mid", "high"])[np.digitize(X[:, 0] + random.normal(size=n), [4.5, 5.5])]


MODELS = [
    LogisticRegression(),
    SVC(),
    KNeighborsClassifier(),
    NearestCentroid(metric="manhattan"),
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(solver="eigen"),
    LinearDiscriminantAnalysis(solver="lsqr"),
    QuadraticDiscriminantAnalysis(),
    GaussianNB(),
    DecisionTreeClassifier(random_state=0),
    CalibratedClassifierCV(LinearSVC()),
]


@pytest.mark.parametrize("scaler", [StandardScaler(), StandardScaler(with_mean=False), MinMaxScaler((2, 3))], ids=str)
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_scaled_numbers(scaler, model):
    X, y = numbers()
    theirs = make_pipeline(scaler, model).fit(X, y)
    ours = margin.from_sklearn(theirs)
    assert_same_answers(theirs, ours, X, 1e-9)
    if hasattr(theirs[-1], "transform") and theirs[-1].solver != "lsqr":
        np.testing.assert_allclose(
            ours.transform(X), theirs.transform(X), rtol=0, atol=1e-9 * np.abs(theirs.transform(X)).max()
        )


def test_the_encoder_of_a_model_that_scales_shows_mean_and_deviation_of_the_raw_columns():
    X, y = numbers()
    ours = margin.from_sklearn(make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y))
    assert ours.scale == "standard"
    np.testing.assert_array_equal(ours._encoder.center, X.mean(axis=0))
    np.testing.assert_allclose(ours._encoder.spread, X.std(axis=0))
    np.testing.assert_array_equal(ours.predict(np.full((1, 3), np.nan)), ours.predict(X.mean(axis=0)[None, :]))


def test_a_step_that_passes_rows_on_is_nothing():
    X, y = numbers()
    theirs = make_pipeline("passthrough", StandardScaler(), None, SVC()).fit(X, y)
    assert_same_answers(theirs, margin.from_sklearn(theirs), X)


def test_two_scalers_and_a_gap_filled_in_between_are_one():
    X, y = numbers()
    X[::9, 1] = np.nan
    theirs = make_pipeline(
        StandardScaler(), SimpleImputer(strategy="constant", fill_value=0.5), MinMaxScaler(), SVC()
    ).fit(X, y)
    assert_same_answers(theirs, margin.from_sklearn(theirs), X, 1e-9)


def test_columns_of_an_array_may_be_turned_and_left_out():
    X, y = numbers()
    front = make_column_transformer((StandardScaler(), [2]), ("passthrough", [0]))
    theirs = make_pipeline(front, LogisticRegression()).fit(X, y)
    ours = margin.from_sklearn(theirs)
    assert_same_answers(theirs, ours, X)
    assert ours.schema_["x1"].levels == ()
    front = make_column_transformer((StandardScaler(), [2, 0]), remainder="passthrough")
    theirs = make_pipeline(front, KNeighborsClassifier()).fit(X, y)
    assert_same_answers(theirs, margin.from_sklearn(theirs), X)


def test_sparse_rows_are_taken_by_what_takes_them_there():
    X, y = numbers()
    X[np.abs(X) < 1] = 0
    for model in (LogisticRegression(), SVC(), SVC(kernel="linear"), KNeighborsClassifier(), LinearSVC()):
        theirs = make_pipeline(StandardScaler(with_mean=False), model).fit(sp.csr_array(X), y)
        ours = margin.from_sklearn(theirs)
        assert_same_answers(theirs, ours, sp.csr_array(X), 1e-9)
        assert_same_answers(theirs, ours, X, 1e-9)


def test_sparse_rows_are_moved_where_dense_ones_are():
    X, y = numbers()
    ours = margin.from_sklearn(make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y))
    np.testing.assert_allclose(ours.predict_proba(sp.csr_array(X)), ours.predict_proba(X), rtol=1e-12)


def test_categories_numbered_by_an_encoder_are_counted_by_name():
    X, y = margin.read(shared_data("car.arff.gz")).target("class")
    frame = X.to_pandas().astype(str)
    theirs = make_pipeline(OrdinalEncoder(), CategoricalNB()).fit(frame, y)
    ours = margin.from_sklearn(theirs)
    assert_same_answers(theirs, ours, frame)
    assert ours.schema_["safety"].levels == ("high", "low", "med")


def test_ranks_that_were_never_seen_count_as_scikit_learn_was_told():
    frame = pd.DataFrame({"size": ["S", "M", "L", "M"] * 20, "x": np.arange(80.0)})
    y = (frame["size"] == "L") | (frame["x"] > 60)
    sizes = OrdinalEncoder(categories=[["S", "M", "L"]], handle_unknown="use_encoded_value", unknown_value=7)
    theirs = make_pipeline(make_column_transformer((sizes, ["size"]), ("passthrough", ["x"])), LogisticRegression())
    theirs.fit(frame, y)
    ours = margin.from_sklearn(theirs)
    new = pd.DataFrame({"size": ["XL", "S", None], "x": [1.0, 2.0, 3.0]})
    assert_same_answers(theirs, ours, new)


def test_models_inside_models_get_the_preparation_around_them():
    X, y = numbers()
    inner = make_pipeline(StandardScaler(), LinearSVC()).fit(X, y)
    theirs = CalibratedClassifierCV(FrozenEstimator(inner), method="isotonic").fit(X, y)
    assert_same_answers(theirs, margin.from_sklearn(theirs), X, 1e-9)
    theirs = make_pipeline(MinMaxScaler(), make_pipeline(StandardScaler(), LogisticRegression())).fit(X, y)
    assert_same_answers(theirs, margin.from_sklearn(theirs), X)


def test_every_kind_of_step_is_met_here():
    met = ["Pipeline", "ColumnTransformer", "FunctionTransformer", "StandardScaler", "MinMaxScaler", "SimpleImputer"]
    assert set(STEPS) == {*met, "OneHotEncoder", "OrdinalEncoder"}
