"""ClassifierChain: beside a slow definition, orders, what is fed, and what is degenerate."""

import numpy as np
import pytest
import scipy.sparse as sp

from margin import ClassifierChain, DecisionTreeClassifier, LinearSVC, LogisticRegression, NaiveBayes, OneVsRest
from margin.data import Table
from margin.errors import ParameterError
from margin.explain import explain
from margin.persistence import from_bytes, to_bytes

RNG = np.random.default_rng(3)
X = RNG.normal(size=(160, 3))
FIRST = (X[:, 0] + 0.3 * RNG.normal(size=160) > 0).astype(int)
SECOND = (FIRST ^ (X[:, 1] > 0)).astype(int)  # exclusive or: no straight line without the first
THIRD = np.array(["low", "middle", "high"])[np.clip(np.round(X[:, 2] + FIRST), 0, 2).astype(int)]
Y = np.column_stack([FIRST, SECOND])
TABLE = Table.from_columns({"x": X[:, 0], "up": np.where(X[:, 1] > 0, "yes", "no"), "z": X[:, 2]})
TARGETS = Table.from_columns({"first": FIRST, "second": SECOND, "third": THIRD})


def by_hand(order):
    """Links one after another: true labels to learn with, answers to be asked with."""
    learnt, asked, found = X, X, np.empty((160, 2), dtype=int)
    for j in order:
        model = LogisticRegression().fit(learnt, Y[:, j])
        found[:, j] = model.predict(asked)
        learnt, asked = np.column_stack([learnt, Y[:, j]]), np.column_stack([asked, found[:, j]])
    return found


@pytest.mark.parametrize("order", [[0, 1], [1, 0]], ids=str)
def test_agrees_with_the_definition(order):
    model = ClassifierChain(LogisticRegression(), order=order).fit(X, Y)
    assert np.array_equal(model.predict(X), by_hand(order))
    assert np.array_equal(
        ClassifierChain(LogisticRegression(), order=order).fit(sp.csr_array(X), Y).predict(X), by_hand(order)
    )


def test_learns_what_targets_have_to_do_with_each_other():
    """One of three labels, by chance: alone each is unlikely and none is answered, in a chain the last one is left."""
    y = np.eye(3, dtype=int)[np.arange(160) % 3]
    alone, chain = (model.fit(X, y).predict(X) for model in (OneVsRest(NaiveBayes()), ClassifierChain(NaiveBayes())))
    assert (alone == y).all(axis=1).mean() < 0.2
    assert (chain == y).all(axis=1).mean() > 0.3
    assert (chain.sum(axis=1) == 1).mean() > 0.9


def test_targets_of_any_number_of_classes_are_columns_under_their_names():
    model = ClassifierChain(DecisionTreeClassifier(max_depth=4), order=["third", "first", "second"]).fit(TABLE, TARGETS)
    chain = model.chains_[0]
    assert chain.order.tolist() == [2, 0, 1]
    assert chain.members[2].model.schema_.names == ("x", "up", "z", "third", "first")
    assert chain.members[1].model.schema_["third"].levels == ("high", "low", "middle")
    said = model.predict(TABLE.take([0, 1, 2]))
    assert [type(value) for value in said[0]] == [int, int, str] or said.dtype == object
    assert [each.shape for each in model.predict_proba(TABLE)] == [(160, 2), (160, 2), (160, 3)]
    numbers = ClassifierChain(LogisticRegression(), order=[2, 0, 1]).fit(X, TARGETS)
    assert [member.model.n_features_in_ for member in numbers.chains_[0].members] == [3, 6, 7]


def test_a_column_that_is_called_as_a_target_is_told_from_it():
    table = Table.from_columns({"first": X[:, 0], "z": X[:, 2]})
    model = ClassifierChain(NaiveBayes()).fit(table, TARGETS)
    assert model.chains_[0].members[1].model.schema_.names == ("first", "z", "first (target)")


def test_probabilities_can_be_passed_on():
    model = ClassifierChain(LogisticRegression(), feed="probabilities").fit(X, Y)
    first = model.predict_proba(X)[0][:, 1]
    second = LogisticRegression().fit(np.column_stack([X, FIRST]), SECOND)
    np.testing.assert_allclose(model.predict_proba(X)[1], second.predict_proba(np.column_stack([X, first])), rtol=1e-9)
    named = ClassifierChain(LogisticRegression(), feed="probabilities").fit(TABLE, TARGETS)
    assert named.chains_[0].members[1].model.schema_.names[-1] == "P(first = 1.0)"


def test_held_out_answers_are_learnt_from():
    """With a member that knows its training rows by heart, what it says of them is no use; cv asks others."""
    folds = [(np.flatnonzero(np.arange(160) % 4 != k), np.flatnonzero(np.arange(160) % 4 == k)) for k in range(4)]
    model = ClassifierChain(DecisionTreeClassifier(), cv=folds).fit(X, Y)
    fed = np.empty(160)
    for train, test in folds:
        fed[test] = DecisionTreeClassifier().fit(X[train], FIRST[train]).predict(X[test])
    expected = DecisionTreeClassifier().fit(np.column_stack([X, fed]), SECOND)
    first = DecisionTreeClassifier().fit(X, FIRST).predict(X + 0.1)
    assert np.array_equal(model.predict(X + 0.1)[:, 1], expected.predict(np.column_stack([X + 0.1, first])))


def test_the_learnt_order_begins_with_what_can_be_answered_alone():
    noise = RNG.integers(0, 2, 160)
    y = np.column_stack([noise, SECOND, (X[:, 0] > 0).astype(int)])
    model = ClassifierChain(LogisticRegression(), order="learnt").fit(X, y)
    assert model.chains_[0].order[0] == 2


def test_several_chains_are_averaged():
    model = ClassifierChain(LogisticRegression(), n_chains=4, random_state=0).fit(X, Y)
    orders = [chain.order.tolist() for chain in model.chains_]
    assert sorted(map(tuple, {*map(tuple, orders)})) == [(0, 1), (1, 0)]
    alone = [ClassifierChain(LogisticRegression(), order=order).fit(X, Y).predict_proba(X) for order in orders]
    np.testing.assert_allclose(model.predict_proba(X)[1], np.mean([each[1] for each in alone], axis=0), rtol=1e-12)
    voting = ClassifierChain(LinearSVC(), n_chains=3, random_state=0).fit(X, Y)
    assert voting.predict(X).shape == (160, 2)
    assert not hasattr(voting, "decision_function")


def test_one_target_is_learnt_as_by_the_classifier_alone():
    chain, alone = (model.fit(TABLE, THIRD) for model in (ClassifierChain(NaiveBayes()), NaiveBayes()))
    assert np.array_equal(chain.predict_proba(TABLE), alone.predict_proba(TABLE))


def test_a_target_of_one_class_is_passed_over():
    y = np.column_stack([np.ones(160, dtype=int), FIRST])
    model = ClassifierChain(LogisticRegression()).fit(X, y)
    assert model.chains_[0].members[1].model.n_features_in_ == 3
    assert (model.predict(X)[:, 0] == 1).all()


def test_threads_change_nothing_and_files_keep_everything():
    settings = {"n_chains": 3, "cv": 3, "random_state": 5, "feed": "probabilities"}
    made = [ClassifierChain(LogisticRegression(), n_jobs=n, **settings).fit(TABLE, TARGETS) for n in (1, 3)]
    assert len({to_bytes(model.set_params(n_jobs=None)) for model in made}) == 1
    found = from_bytes(to_bytes(made[0]))
    assert found.predict(TABLE).tolist() == made[0].predict(TABLE).tolist()
    assert found.target_names() == ["first", "second", "third"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"order": [0, 0]}, "each of the 2 targets once"),
        ({"order": ["first", "third"]}, "each of the 2 targets once"),
        ({"order": [0, 1], "n_chains": 2}, "random orders"),
        ({"estimator": LinearSVC(), "feed": "probabilities"}, "must have predict_proba"),
        ({"cv": [(np.arange(100), np.arange(100, 160))]}, "every row must be held out"),
        ({"order": "learned"}, "did you mean 'learnt'"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(settings, message):
    with pytest.raises(ParameterError, match=message):
        ClassifierChain(**settings).fit(X, Y)


def test_says_what_each_link_said_and_after_which():
    why = explain(ClassifierChain(NaiveBayes()).fit(TABLE, TARGETS), TABLE.take([0]))
    assert [reason.what for reason in why.reasons] == ["first", "second", "third"]
    assert why.reasons[2].says.endswith("(after first, second)")
