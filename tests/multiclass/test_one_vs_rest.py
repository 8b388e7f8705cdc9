"""OneVsRest: beside a slow definition, labels in every form, and what is degenerate."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression as Rival
from sklearn.naive_bayes import GaussianNB as RivalNB
from sklearn.neighbors import KNeighborsClassifier as RivalNeighbors

from margin import (
    DecisionTreeClassifier,
    KNeighborsClassifier,
    LinearSVC,
    LogisticRegression,
    NaiveBayes,
    OneVsRest,
)
from margin.data import Table, catalog
from margin.errors import ConstantColumnWarning, LabelError, ParameterError
from margin.explain import explain
from margin.persistence import from_bytes, to_bytes

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
CLASSES = np.array(["a", "b", "c"])[np.argmax(X + RNG.normal(size=X.shape), axis=1)]
LABELS = np.column_stack([X[:, 0] > 0, X[:, 1] > 0.3, X.sum(axis=1) > 1]).astype(int)
SETS = [{name for name, there in zip(("cold", "dark", "wet"), row) if there} for row in LABELS]
TABLE = Table.from_columns(
    {"size": X[:, 0], "width": np.where(X[:, 1] > 2, np.nan, X[:, 1]), "ink": np.where(X[:, 2] > 0, "red", "blue")}
)


def test_agrees_with_the_definition():
    model = OneVsRest(LogisticRegression()).fit(X, CLASSES)
    alone = [LogisticRegression().fit(X, (k == CLASSES).astype(int)).predict_proba(X)[:, 1] for k in model.classes_]
    shares = np.column_stack(alone)
    shares /= shares.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), shares, rtol=1e-12)
    assert np.array_equal(model.predict(X), model.classes_[shares.argmax(axis=1)])


def test_scores_decide_where_there_are_no_probabilities():
    model = OneVsRest(LinearSVC()).fit(X, CLASSES)
    assert not hasattr(model, "predict_proba")
    scores = np.column_stack([LinearSVC().fit(X, k == CLASSES).decision_function(X) for k in model.classes_])
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-9)
    assert np.array_equal(model.predict(X), model.classes_[scores.argmax(axis=1)])


def test_two_classes_are_one_classifier():
    two = CLASSES != "c"
    model = OneVsRest(LogisticRegression()).fit(X[two], CLASSES[two])
    alone = LogisticRegression().fit(X[two], CLASSES[two])
    assert len(model.members_[0]) == 1
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X), rtol=1e-12)
    np.testing.assert_allclose(model.decision_function(X), alone.decision_function(X), rtol=1e-12)


@pytest.mark.parametrize(
    "source", [X, TABLE, TABLE.to_pandas(), sp.csr_array(X)], ids=["array", "table", "frame", "csr"]
)
@pytest.mark.parametrize("inner", [NaiveBayes(), LogisticRegression(), Rival(), LinearSVC()], ids=repr)
def test_each_label_is_learnt_as_if_it_were_alone(source, inner):
    if source is not X and isinstance(inner, NaiveBayes) and sp.issparse(source):
        pytest.skip("the same as dense rows")
    model = OneVsRest(inner).fit(source, LABELS)
    assert [classes.tolist() for classes in model.classes_] == [[0, 1]] * 3
    for j in range(3):
        alone = OneVsRest(inner).fit(source, LABELS[:, j])
        assert np.array_equal(model.predict(source)[:, j], alone.predict(source))


@pytest.mark.parametrize(
    "given",
    [
        LABELS.astype(bool),
        LABELS.tolist(),
        pd.DataFrame(LABELS),
        pl.DataFrame({str(j): LABELS[:, j] for j in range(3)}),
        sp.csr_array(LABELS),
        Table.from_columns({str(j): LABELS[:, j] for j in range(3)}),
    ],
    ids=["booleans", "lists", "pandas", "polars", "csr", "table"],
)
def test_a_label_matrix_of_any_make_is_read(given):
    expected = OneVsRest().fit(X, LABELS).predict(X)
    assert np.array_equal(OneVsRest().fit(X, given).predict(X).astype(int), expected)


@pytest.mark.parametrize(
    "make", [list, tuple, pd.Series, lambda s: np.array(s, dtype=object)], ids=["list", "tuple", "series", "objects"]
)
def test_sets_of_labels_come_back_as_sets(make):
    model = OneVsRest().fit(X, make([frozenset(each) for each in SETS]))
    expected = OneVsRest().fit(X, LABELS).predict(X)
    assert model.labels_.tolist() == ["cold", "dark", "wet"]
    found = np.array([[name in said for name in ("cold", "dark", "wet")] for said in model.predict(X)])
    assert np.array_equal(found, expected.astype(bool))
    assert [each.shape for each in model.predict_proba(X)] == [(90, 2)] * 3


def test_targets_of_several_classes_and_types_keep_them():
    y = pd.DataFrame({"class": CLASSES, "wet": LABELS[:, 2], "big": X[:, 0] > 1})
    model = OneVsRest(DecisionTreeClassifier(max_depth=3)).fit(TABLE, y)
    assert model.target_names_ == ["class", "wet", "big"]
    said = model.predict(TABLE.take([0, 1]))
    assert [type(value) for value in said[0]] == [str, int, bool]
    assert [each.shape[1] for each in model.predict_proba(TABLE)] == [3, 2, 2]


def test_a_label_that_all_or_none_have_is_certain():
    y = np.column_stack([LABELS[:, 0], np.ones(90, dtype=int)])
    model = OneVsRest().fit(X, y)
    assert model.classes_[1].tolist() == [1]
    assert (model.predict(X)[:, 1] == 1).all()
    weight = (LABELS[:, 0] == 0).astype(float)  # the rows left have one class of two
    model = OneVsRest().fit(X, LABELS, sample_weight=weight)
    assert (model.predict(X)[:, 0] == 0).all()
    assert (model.predict_proba(X)[0] == [1, 0]).all()


def test_empty_sets_alone_and_mixed_rows_are_refused():
    with pytest.raises(LabelError, match="at least one label"):
        OneVsRest().fit(X, [set()] * 90)
    with pytest.raises(LabelError, match="89 sets for 90 rows"):
        OneVsRest().fit(X, SETS[1:])
    with pytest.raises(LabelError, match="must be of one type"):
        OneVsRest().fit(X, [{1}, {"1"}] * 45)


def test_a_member_that_takes_no_weights_is_refused_only_for_weighted_rows():
    model = OneVsRest(RivalNeighbors())
    assert model.fit(X, CLASSES).predict(X).shape == (90,)
    with pytest.raises(ParameterError, match="takes no weights"):
        model.fit(X, CLASSES, sample_weight=np.arange(1, 91))


def test_constant_columns_are_warned_of_once(recwarn):
    OneVsRest(NaiveBayes()).fit(np.column_stack([X, np.ones(90)]), CLASSES)
    assert [warning.category for warning in recwarn.list] == [ConstantColumnWarning]
    assert "'x3'" in str(recwarn.list[0].message)


def test_members_side_by_side_learn_the_same():
    one, three = (to_bytes(OneVsRest(n_jobs=n).fit(TABLE, SETS).set_params(n_jobs=None)) for n in (1, 3))
    assert one == three


def test_label_sets_go_through_a_file():
    model = OneVsRest(LogisticRegression()).fit(TABLE, SETS)
    found = from_bytes(to_bytes(model))
    assert found.predict(TABLE).tolist() == model.predict(TABLE).tolist()
    assert found.labels_.tolist() == ["cold", "dark", "wet"]
    neighbours = KNeighborsClassifier(3).fit(X, SETS)
    assert from_bytes(to_bytes(neighbours)).predict(X).tolist() == neighbours.predict(X).tolist()


def test_says_which_member_said_what():
    text = str(explain(OneVsRest(RivalNB()).fit(X, CLASSES), X[:1]))
    assert "a against the rest" in text
    assert "%" in text
    several = explain(OneVsRest().fit(TABLE, SETS), TABLE.take([0]))
    assert [reason.what for reason in several.reasons] == ["cold", "dark", "wet"]


@pytest.mark.golden("A2")
def test_a_mixed_table_with_missing_cells_learns_several_labels():
    """Each label of a mixed table, with what each classifier can natively or through one-vs-rest."""
    table = catalog.load("credit").inputs()
    y = Table.from_columns({"risk": table.values("risk"), "many": np.asarray(table.cells(table.names[0]) > 20)})
    inputs = table.drop("risk", table.names[0])
    for model in (KNeighborsClassifier(5), OneVsRest(NaiveBayes()), OneVsRest(LogisticRegression())):
        assert model.fit(inputs, y).predict(inputs.take([0, 1])).shape == (2, 2)
