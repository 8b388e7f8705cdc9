"""Rows with several labels through folds, searches and curves: against loops written out and scikit-learn's figures."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import accuracy_score, f1_score, hamming_loss, roc_auc_score
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB

from margin import GridSearch, HalvingSearch, KNeighborsClassifier, LogSearch, RandomSearch, evaluate, nested
from margin.data import Table
from margin.errors import InputError, LabelError, ParameterError
from margin.evaluation import (
    Bootstrap,
    GroupFolds,
    HoldOut,
    LeaveOneOut,
    StratifiedFolds,
    TrainValidationTest,
    compare_scores,
)
from margin.selection import learning_curve, validation_curve

X, Y = make_multilabel_classification(90, 6, n_classes=4, random_state=0)
NAMES = ["sport", "news", "art", "zoo"]
SETS = [{NAMES[at] for at in np.flatnonzero(row)} for row in Y]


@pytest.mark.parametrize(
    "model",
    [MultiOutputClassifier(GaussianNB()), ClassifierChain(GaussianNB(), random_state=0), KNeighborsClassifier()],
    ids=lambda model: type(model).__name__,
)
def test_folds_are_those_of_a_loop_and_scores_those_of_scikit_learn(model):
    protocol = StratifiedFolds(3)
    result = evaluate(model, X, Y, protocol, metrics=["accuracy", "hamming_loss", "f1_macro", "roc_auc_macro"])
    assert list(result.scores) == ["subset_accuracy", "hamming_loss", "f1_macro", "roc_auc_macro"]
    for fold, (train, test) in zip(result.folds, protocol.split(Y), strict=True):
        fitted = clone(model).fit(X[train], Y[train])
        said, sure = fitted.predict(X[test]), fitted.predict_proba(X[test])
        sure = np.column_stack([each[:, 1] for each in sure]) if isinstance(sure, list) else sure
        assert fold.scores["subset_accuracy"] == pytest.approx(accuracy_score(Y[test], said))
        assert fold.scores["hamming_loss"] == pytest.approx(hamming_loss(Y[test], said))
        assert fold.scores["f1_macro"] == pytest.approx(f1_score(Y[test], said, average="macro", zero_division=0))
        assert fold.scores["roc_auc_macro"] == pytest.approx(roc_auc_score(Y[test], sure))
        assert fold.test_rows.tolist() == test.tolist()
        np.testing.assert_array_equal(result.predictions[test], said)
    np.testing.assert_array_equal(result.truth, Y)
    assert result.scores["f1_macro"].interval is not None
    assert "label  cases  precision" in result.summary()
    assert "<table>" in result._repr_html_()


def test_any_form_of_labels_gives_the_same_scores():
    table = Table.from_columns({f"x{j}": X[:, j] for j in range(6)} | {n: Y[:, j] for j, n in enumerate(NAMES)})
    frame = pd.DataFrame({f"x{j}": X[:, j] for j in range(6)})
    words = frame.assign(**{name: np.array(["no", "yes"])[Y[:, j]] for j, name in enumerate(NAMES)})
    model = MultiOutputClassifier(GaussianNB())
    asked = {"protocol": 3, "metrics": ["f1_micro", "f1_macro"]}
    expected = evaluate(model, X, Y, **asked).scores
    for rows, labels in (
        (X, Y.astype(bool)),
        (X, sparse.csr_matrix(Y)),
        (X, Y.tolist()),
        (frame, pd.DataFrame(Y, columns=NAMES)),
        (table, NAMES),
        (words, NAMES),
    ):
        result = evaluate(model, rows, labels, **asked)
        assert result.scores == expected
    assert result.classes.tolist() == NAMES
    named = evaluate(model, X, SETS, **asked)  # labels in order, so that columns are others
    assert named.classes.tolist() == sorted(NAMES)
    order = [NAMES.index(name) for name in sorted(NAMES)]
    assert named.scores == evaluate(model, X, Y[:, order], **asked).scores
    assert named.by_label.labels.tolist() == sorted(NAMES)


def test_folds_have_their_share_of_every_label_and_rare_ones_lie_apart():
    rng = np.random.default_rng(1)
    labels = (rng.random((400, 6)) < [0.5, 0.3, 0.1, 0.05, 0.02, 0.0125]).astype(int)
    for protocol in (StratifiedFolds(5), StratifiedFolds(5, repeats=2, seed=3)):
        tests = [test for _, test in protocol.split(labels)]
        assert {len(test) for test in tests} <= {79, 80, 81}
        for test in tests:
            assert np.abs(labels[test].sum(axis=0) - labels.sum(axis=0) / 5).max() < 2
        assert np.sort(np.concatenate(tests[:5])).tolist() == list(range(400))
    plain = [np.abs(labels[i::5].sum(axis=0) - labels.sum(axis=0) / 5).max() for i in range(5)]
    assert max(plain) >= 2  # as rows come, they are further off
    ((train, test),) = HoldOut(0.25).split(labels)
    assert len(test) == 100
    assert np.abs(labels[test].sum(axis=0) - labels.sum(axis=0) / 4).max() < 2
    parts = TrainValidationTest().parts(labels)
    assert sorted(len(part) for part in parts) == [80, 80, 240]
    assert len(list(LeaveOneOut().split(labels))) == 400
    groups = np.arange(400) // 8
    for train, test in GroupFolds(groups, 5).split(labels):
        assert not set(groups[train]) & set(groups[test])
        assert np.abs(labels[test].sum(axis=0) - labels.sum(axis=0) / 5)[:2].max() < 8


@pytest.mark.parametrize("protocol", [HoldOut(0.3), TrainValidationTest(), "5-fold", 2, StratifiedFolds(2, repeats=2)])
def test_other_protocols_weights_and_threads_are_taken(protocol):
    weight = np.random.default_rng(0).integers(1, 4, 90)
    model = MultiOutputClassifier(GaussianNB())
    one, two = (evaluate(model, X, Y, protocol, sample_weight=weight, n_jobs=jobs) for jobs in (1, 2))
    assert one.scores == two.scores
    assert not one.failures


class Silent(ClassifierMixin, BaseEstimator):
    """Answers label sets, says nothing of every third row, and has no probabilities."""

    def fit(self, X, Y):
        assert Y.dtype == np.int64
        assert set(np.unique(Y)) <= {0, 1}
        self.n_ = Y.shape[1]
        return self

    def predict(self, X):
        return [None if i % 3 == 0 else {0, 1} for i in range(len(X))]


def test_answers_may_be_sets_and_abstentions_and_scores_may_be_missing():
    result = evaluate(Silent(), X, Y, 3, metrics=["hamming_loss", "roc_auc_macro"])
    assert list(result.scores) == ["hamming_loss"]
    assert "roc_auc_macro is left out: Silent gives neither" in result.warnings[0]
    assert np.isnan(result.predictions).any()
    with pytest.raises(InputError, match="one for each label"):
        _ = result.confusion
    assert result.measured.confusion(1).counts.shape == (2, 2)


def test_what_several_labels_do_not_have_is_refused():
    model = MultiOutputClassifier(GaussianNB())
    with pytest.raises(ParameterError, match="did you mean 'f1_micro'"):
        evaluate(model, X, Y, 3, metrics=["f1_mico"])
    with pytest.raises(ParameterError, match="rows have several labels"):
        evaluate(model, X, Y, 3, metrics=["log_loss"])
    with pytest.raises(ParameterError, match="rows have several labels"):
        evaluate(model, X, Y, Bootstrap(5))
    with pytest.raises(ParameterError, match="rows have several labels"):
        evaluate(model, X, Y, 3, positive=1)
    with pytest.raises(InputError, match="must hold 0 and 1"):
        evaluate(model, X, Y + 1, 3)
    with pytest.raises(LabelError, match="must say yes or no"):
        evaluate(model, pd.DataFrame({"a": X[:, 0], "b": list("xyz") * 30, "c": Y[:, 0]}), ["b", "c"], 3)
    with pytest.raises(InputError, match="90 rows, but y has 80"):
        evaluate(model, X, Y[:80], 3)
    with pytest.raises(ParameterError, match="metric must be one of"):
        evaluate(GaussianNB(), X, Y[:, 0], 3, metrics=["f1_macro"])


@pytest.mark.parametrize("kind", [GridSearch, HalvingSearch, RandomSearch])
def test_a_search_chooses_by_several_labels(kind):
    values = [1e-9, 1e-2, 1.0]
    search = kind(
        MultiOutputClassifier(GaussianNB()), {"estimator__var_smoothing": values}, metric="f1_macro", cv=3
    ).fit(X, Y)
    assert search.results_.metric == "f1_macro"
    np.testing.assert_array_equal(search.predict(X), search.model_.predict(X))
    if kind is GridSearch:
        for i, value in enumerate(values):
            by_hand = evaluate(MultiOutputClassifier(GaussianNB(var_smoothing=value)), X, Y, 3, metrics=["f1_macro"])
            np.testing.assert_allclose(search.results_.fold_scores[i], by_hand.fold_scores["f1_macro"])
    result = evaluate(search, X, Y, 3, metrics=["f1_macro"])
    assert not result.failures


def test_searches_take_sets_and_leave_one_out_and_can_be_judged():
    search = GridSearch(KNeighborsClassifier(), {"n_neighbors": [1, 5, 15]}, cv=3).fit(X, SETS)
    assert search.results_.metric == "subset_accuracy"
    assert search.labels_.tolist() == sorted(NAMES)
    left_out = GridSearch(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=LeaveOneOut()).fit(X[:30], Y[:30])
    assert left_out.results_.fold_scores.shape == (2, 1)
    walk = LogSearch(KNeighborsClassifier(), {"n_neighbors": 2}, metric="f1_micro", cv=3).fit(X, Y)
    assert walk.best_params_["n_neighbors"] >= 1
    one, two = (nested(clone(walk), X, Y, 3, n_jobs=jobs) for jobs in (1, 2))
    assert one.metric == "f1_micro"
    assert one.outer_scores.tolist() == two.outer_scores.tolist()
    assert one.inner_scores.tolist() == two.inner_scores.tolist()
    assert one.choices == two.choices


def test_two_models_are_compared_fold_by_fold():
    models = {"bayes": MultiOutputClassifier(GaussianNB()), "near": KNeighborsClassifier()}
    judged = {name: evaluate(model, X, Y, 5, metrics=["f1_macro"]) for name, model in models.items()}
    comparison = compare_scores(judged, "f1_macro")
    gap = judged["bayes"].scores["f1_macro"].value - judged["near"].scores["f1_macro"].value
    assert abs(comparison.pairs[0].difference) == pytest.approx(abs(gap))
    held = {name: evaluate(model, X, Y, HoldOut(), metrics=["f1_macro"]) for name, model in models.items()}
    with pytest.raises(ParameterError, match="compared fold by fold"):
        compare_scores(held, "f1_macro")


def test_a_test_part_of_its_own_may_have_several_labels():
    model = MultiOutputClassifier(GaussianNB())
    result = evaluate(model, X[:60], Y[:60], test=(X[60:], Y[60:]), metrics=["f1_macro"])
    said = model.fit(X[:60], Y[:60]).predict(X[60:])
    assert result.scores["f1_macro"].value == pytest.approx(f1_score(Y[60:], said, average="macro", zero_division=0))
    named = evaluate(model, X[:60], SETS[:60], test=(X[60:], SETS[60:]), metrics=["f1_micro"])
    assert named.rows.tolist() == list(range(30))


def test_curves_take_several_labels():
    model = MultiOutputClassifier(GaussianNB())
    grown = learning_curve(model, X, Y, [20, 40], protocol=3, metrics="f1_macro")
    assert grown.test()[1].value > 0
    along = validation_curve(model, X, Y, "estimator__var_smoothing", [1e-9, 1.0], protocol=3, metrics="f1_macro")
    assert len(along.test()) == 2


@pytest.mark.parametrize("form", [list, tuple, pd.Series, lambda sets: np.array(sets, dtype=object)], ids="ltsa")
def test_what_a_model_takes_for_label_sets_evaluations_and_searches_do_too(form):
    given = form(SETS)
    assert isinstance(KNeighborsClassifier().fit(X, given).predict(X)[0], frozenset)
    expected = evaluate(KNeighborsClassifier(), X, SETS, 3, metrics=["hamming_loss"]).scores["hamming_loss"].value
    found = evaluate(KNeighborsClassifier(), X, given, 3, metrics=["hamming_loss"]).scores["hamming_loss"].value
    assert found == expected
    search = GridSearch(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, metric="hamming_loss", cv=3)
    assert search.fit(X, given).labels_.tolist() == sorted(NAMES)


@pytest.mark.parametrize("row", [0, 1])
def test_a_row_without_a_set_among_sets_is_named_wherever_it_stands(row):
    mixed = [{"a"}, {"b"}, {"a"}]
    mixed[row] = "a"
    with pytest.raises(LabelError, match=f"row {row} holds 'a'"):
        KNeighborsClassifier().fit(X[:3], mixed)
