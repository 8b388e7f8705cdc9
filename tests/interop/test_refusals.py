"""What is not taken, and that the message says why."""

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC, NuSVC
from sklearn.tree import DecisionTreeClassifier

import margin
from margin.errors import ConversionError, InputTypeError
from margin.interop.converting import MODELS, REFUSED

X = np.random.default_rng(0).normal(size=(60, 3))
Y = (X[:, 0] > 0).astype(int)
WORDS = pd.DataFrame({"word": ["a", "b", "c"] * 20, "x": X[:, 0]})


class Own(LogisticRegression):
    """A user's own model may answer anything."""


def one_hot(**settings):
    return make_column_transformer((OneHotEncoder(**settings), ["word"]), ("passthrough", ["x"]))


NUMBERS = [
    (RandomForestClassifier(3), "forests are not converted yet"),
    (HistGradientBoostingClassifier(max_iter=2), "boosted trees are not converted yet"),
    (GridSearchCV(LogisticRegression(), {"C": [1]}), "best_estimator_"),
    (NuSVC(), "no nu"),
    (GaussianProcessClassifier(), "known are BernoulliNB, CalibratedClassifierCV"),
    (Own(), "must be a model of scikit-learn"),
    (margin.GaussianNB(), "one of margin's already"),
    (DummyClassifier(strategy="most_frequent"), "strategy must be 'prior'"),
    (DummyClassifier(strategy="uniform"), "strategy must be 'prior'"),
    (SGDClassifier(loss="huber"), "loss must be one of 'perceptron'"),
    (CalibratedClassifierCV(LinearDiscriminantAnalysis()), "log-odds"),
    (OneVsRestClassifier(GaussianNB()), "must all be LogisticRegression"),
    (KNeighborsClassifier(metric="braycurtis"), "metric must be one of"),
    (KNeighborsClassifier(metric="seuclidean", metric_params={"V": [1, 1, 1]}), "metric must be one of"),
    (make_pipeline(PCA(), LogisticRegression()), "PCA.*known are Pipeline, ColumnTransformer"),
    (make_pipeline(MinMaxScaler(clip=True), LogisticRegression()), r"clip=True"),
    (make_pipeline(FunctionTransformer(np.abs), LogisticRegression()), "what a function does"),
    (make_pipeline(SimpleImputer(add_indicator=True), LogisticRegression()), "add_indicator"),
    (make_pipeline(SimpleImputer(missing_values=-1), LogisticRegression()), "missing_values=-1"),
    (make_pipeline(MinMaxScaler(), MultinomialNB()), "no preparation may stand before it"),
    (make_pipeline(SimpleImputer(), GaussianNB()), "leaves missing cells out"),
]


@pytest.mark.parametrize(("model", "why"), NUMBERS, ids=lambda value: " ".join(str(value).split()))
def test_what_cannot_be_said_is_refused_with_its_reason(model, why):
    with pytest.raises(ConversionError, match=why) as told:
        margin.from_sklearn(model.fit(X, Y))
    assert str(told.value).startswith("from_sklearn(")


TABLES = [
    (make_pipeline(one_hot(drop="first"), SVC()), "as distances count every level"),
    (
        make_pipeline(one_hot(), StandardScaler(with_mean=False), KNeighborsClassifier()),
        "one-hot columns that are scaled",
    ),
    (
        make_pipeline(one_hot(), StandardScaler(with_mean=False), SVC(kernel="linear")),
        "one-hot columns that are scaled",
    ),
    (make_pipeline(one_hot(max_categories=2), LogisticRegression()), "rare categories"),
    (make_pipeline(one_hot(), GaussianNB()), "counts categories"),
    (
        make_pipeline(make_column_transformer((StandardScaler(), ["x"]), ("passthrough", ["x"])), LogisticRegression()),
        "'x' is prepared in more than one way",
    ),
    (
        make_pipeline(
            make_column_transformer((OneHotEncoder(), ["word", "x"]), ("passthrough", ["x"])), DecisionTreeClassifier()
        ),
        "'x' is prepared in more than one way",
    ),
    (
        make_pipeline(
            make_column_transformer(
                (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()), ["word"])
            ),
            LogisticRegression(),
        ),
        "a missing category cannot be counted as another one",
    ),
    (
        make_pipeline(
            one_hot().set_params(transformer_weights={"onehotencoder": 2.0}),
            LogisticRegression(),
        ),
        "weights of transformers",
    ),
]


@pytest.mark.parametrize(("model", "why"), TABLES, ids=lambda value: " ".join(str(value).split())[:80])
def test_preparation_that_cannot_be_said_is_refused_with_its_reason(model, why):
    with pytest.raises(ConversionError, match=why):
        margin.from_sklearn(model.fit(WORDS, Y))


def test_a_missing_cell_that_is_a_category_of_its_own_is_refused():
    frame = pd.DataFrame({"word": ["a", None, "b", "a"], "x": [1.0, 2.0, 3.0, 4.0]})
    with pytest.raises(ConversionError, match="a missing cell is a category of its own"):
        margin.from_sklearn(make_pipeline(one_hot(), LogisticRegression()).fit(frame, [0, 1, 1, 0]))
    ranks = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2)
    model = make_pipeline(make_column_transformer((ranks, ["word"])), LogisticRegression())
    with pytest.raises(ConversionError, match="both values must be the same"):
        margin.from_sklearn(model.fit(frame, [0, 1, 1, 0]))


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_probabilities_of_libsvm_are_refused_saying_why():
    with pytest.raises(ConversionError, match="rounds that stop early"):
        margin.from_sklearn(SVC(probability=True).fit(X, Y))


def test_several_targets_are_refused_but_by_neighbours():
    two = np.column_stack([Y, 1 - Y])
    with pytest.raises(ConversionError, match="must have one target, but has 2"):
        margin.from_sklearn(DecisionTreeClassifier().fit(X, two))
    with pytest.raises(ConversionError, match="several labels a row"):
        margin.from_sklearn(OneVsRestClassifier(LogisticRegression()).fit(X, two))
    theirs = KNeighborsClassifier().fit(X, two)
    np.testing.assert_array_equal(margin.from_sklearn(theirs).predict(X), theirs.predict(X))


def test_a_model_must_be_a_model_and_fitted():
    with pytest.raises(ConversionError, match="must be fitted"):
        margin.from_sklearn(LogisticRegression())
    for nothing in (LogisticRegression, 3, None):
        with pytest.raises(InputTypeError, match="a fitted model of scikit-learn is needed"):
            margin.from_sklearn(nothing)


def test_a_missing_cell_that_scikit_learn_refuses_is_refused_by_column_and_row():
    ours = margin.from_sklearn(LogisticRegression().fit(X, Y))
    with pytest.raises(margin.errors.InputError, match="column 'x0', row 1: the cell is missing, and what to fill it"):
        ours.predict(np.where(np.eye(60, 3, -1) > 0, np.nan, X))


def test_nothing_is_both_taken_and_refused():
    assert not set(MODELS) & set(REFUSED)
