"""A Table inside scikit-learn: rows, splits, searches, pipelines, chains and column transformers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, StackingClassifier, VotingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression as Rival
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    learning_curve,
    train_test_split,
)
from sklearn.multioutput import ClassifierChain as RivalChain
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import _safe_indexing, check_array

from margin import DecisionTreeClassifier, LogisticRegression, NaiveBayes, TableEncoder
from margin.data import Table, catalog
from margin.errors import DataError

MIXED = Table.from_columns(
    {"age": [31.0, None, 45.0, 20.0], "sex": ["f", "m", None, "m"], "pay": [1.0, 2.0, 3.0, 4.0]}, name="people"
)


@pytest.fixture(scope="module")
def iris():
    return catalog.load("iris").target("class")


@pytest.fixture(scope="module")
def credit():
    return catalog.load("credit").inputs().target("risk")


@pytest.mark.parametrize("rows", [[2, 0], np.array([2, 0]), slice(1, 3), np.array([True, False, False, True])], ids=str)
def test_rows_are_selected_as_of_a_frame(rows):
    found = _safe_indexing(MIXED, rows)
    assert isinstance(found, Table)
    assert found.schema == MIXED.schema
    assert found.to_pandas().equals(_safe_indexing(MIXED.to_pandas(), rows).reset_index(drop=True))


@pytest.mark.parametrize(
    "columns", [["pay", "age"], [2, 0], slice(0, 2), slice("age", "sex"), np.array([True, False, True]), []], ids=str
)
def test_columns_are_selected_as_of_a_frame(columns):
    found = _safe_indexing(MIXED, columns, axis=1)
    assert found.names == tuple(_safe_indexing(MIXED.to_pandas(), columns, axis=1).columns)
    assert len(found) == 4


def test_a_single_column_is_its_values():
    assert _safe_indexing(MIXED, "sex", axis=1).tolist() == ["f", "m", None, "m"]
    assert _safe_indexing(MIXED, 2, axis=1).tolist() == [1.0, 2.0, 3.0, 4.0]


def test_what_is_not_there_is_refused():
    with pytest.raises(DataError, match="no column 3"):
        MIXED.iloc[:, [3]]
    with pytest.raises(DataError, match="'wage' is not in the table"):
        MIXED.loc[:, ["wage"]]
    with pytest.raises(DataError, match="no row 9"):
        MIXED.iloc[[9]]


def test_a_table_of_numbers_is_a_matrix_and_any_other_an_array_of_objects():
    numbers = np.asarray(MIXED[["age", "pay"]])
    assert numbers.dtype == np.float64
    assert np.array_equal(numbers, [[31, 1], [np.nan, 2], [45, 3], [20, 4]], equal_nan=True)
    assert np.asarray(MIXED)[2].tolist() == [45.0, None, 3.0]
    assert np.asarray(MIXED[["pay"]], dtype=np.float32).dtype == np.float32
    assert np.asarray(Table(MIXED[["age"]].schema, [np.empty(0)])).shape == (0, 1)


def test_check_array_reads_numbers(iris):
    X, _ = iris
    assert np.array_equal(check_array(X), np.column_stack([X.cells(name) for name in X.names]))


def test_splits_give_tables(credit):
    X, y = credit
    parts = train_test_split(X, y, test_size=0.25, random_state=0, stratify=y)
    assert [len(part) for part in parts] == [750, 250, 750, 250]
    assert parts[0].schema == X.schema
    train, test = next(KFold(4).split(X))
    assert len(train) == 750
    assert X.iloc[test] == X.take(test)


def test_scores_are_those_of_a_frame(credit):
    X, y = credit
    folds = StratifiedKFold(3)
    found = cross_val_score(NaiveBayes(), X, y, cv=folds)
    assert np.array_equal(found, cross_val_score(NaiveBayes(), X.to_pandas(), y, cv=folds))
    assert cross_val_predict(NaiveBayes(), X, y, cv=folds, method="predict_proba").shape == (len(y), 2)
    search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 3]}, cv=folds).fit(X, y)
    assert 0.6 < search.best_score_ < 1
    assert learning_curve(NaiveBayes(), X, y, cv=folds)[1].shape[1] == 3


def test_a_column_transformer_takes_columns_by_name_position_and_slice(credit, iris):
    X, y = credit
    numeric = [column.name for column in X.schema if column.is_numeric]
    nominal = [column.name for column in X.schema if not column.is_numeric]
    steps = [
        ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), numeric),
        ("words", OneHotEncoder(handle_unknown="ignore"), nominal),
    ]
    model = make_pipeline(ColumnTransformer(steps), Rival(max_iter=1000))
    assert cross_val_score(model, X, y, cv=3).min() > 0.65
    scaled = ColumnTransformer([("scaled", StandardScaler(), [0, 1])], remainder="passthrough").fit(iris[0])
    assert scaled.transform(iris[0]).shape == (150, 4)
    assert list(scaled.feature_names_in_) == list(iris[0].names)
    ranged = ColumnTransformer([("scaled", StandardScaler(), slice("sepalwidth", "petalwidth"))])
    assert ranged.fit_transform(iris[0]).shape == (150, 3)


def test_margin_s_own_transformers_work_inside_a_column_transformer(credit):
    X, y = credit
    nominal = [column.name for column in X.schema if not column.is_numeric]
    encoded = ColumnTransformer([("words", TableEncoder(), nominal)], remainder="drop")
    model = make_pipeline(encoded, LogisticRegression())
    assert model.fit(X, y).predict(X.iloc[:3]).shape == (3,)
    wanted = TableEncoder().fit_transform(X.select(nominal))
    assert np.array_equal(encoded.fit_transform(X), wanted)


@pytest.mark.parametrize(
    "model",
    [
        VotingClassifier([("a", NaiveBayes()), ("b", DecisionTreeClassifier(max_depth=2))], voting="soft"),
        StackingClassifier([("a", NaiveBayes())], final_estimator=Rival(), cv=3),
        BaggingClassifier(NaiveBayes(), n_estimators=3, random_state=0),
        CalibratedClassifierCV(NaiveBayes(), cv=3),
    ],
    ids=lambda model: type(model).__name__,
)
def test_ensembles_of_scikit_learn_take_a_mixed_table(model, credit):
    X, y = credit
    assert model.fit(X, y).score(X, y) > 0.7


def test_chains_and_forests_of_scikit_learn_take_a_table_of_numbers(iris):
    X, y = iris
    both = np.column_stack([y == "Iris-setosa", y == "Iris-virginica"]).astype(int)
    for inner in (NaiveBayes(), Rival(max_iter=1000)):
        found = RivalChain(inner).fit(X, both).predict(X)
        assert np.array_equal(found, RivalChain(inner).fit(np.asarray(X), both).predict(np.asarray(X)))
    assert MultiOutputClassifier(NaiveBayes()).fit(X, both).predict(X).shape == (150, 2)
    assert RandomForestClassifier(5, random_state=0).fit(X, y).score(X, y) > 0.9


def test_a_frame_made_of_a_table_has_the_same_names():
    assert list(pd.DataFrame(np.asarray(MIXED), columns=MIXED.names).columns) == ["age", "sex", "pay"]
