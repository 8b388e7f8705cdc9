"""margin.ensemble.committee.gated: regions that are known, the gate by its definition, and when none is kept."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone

import margin
from margin import GatedClassifier, LogisticRegression, NaiveBayes
from margin.base.meta.cross_fitting import stratified_splits
from margin.data import catalog
from margin.errors import MarginError, ParameterError
from margin.explain import explain
from margin.persistence import from_bytes, to_bytes
from tests.shared_data import shared_data

MEMBERS = [("line", LogisticRegression()), ("bayes", NaiveBayes())]


def two_regions(n=600, seed=0):
    """To the right a line tells the classes apart, to the left only how far from 0 a number is."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.where(X[:, 0] > 0, X[:, 1] > 0, np.abs(X[:, 1]) > 0.7)


@pytest.mark.golden("G1")
def test_different_members_are_asked_in_different_regions():
    X, y = two_regions()
    fresh, truth = two_regions(5000, 1)
    model = GatedClassifier(MEMBERS).fit(X, y)
    alone = [clone(member).fit(X, y).score(fresh, truth) for _, member in MEMBERS]
    plain = margin.VotingClassifier(MEMBERS).fit(X, y).score(fresh, truth)
    learnt = margin.VotingClassifier(MEMBERS, weights="learnt").fit(X, y).score(fresh, truth)
    assert model.score(fresh, truth) > max(*alone, plain, learnt) + 0.03
    rules = model.regions()
    assert len(rules) > 1
    assert rules[0].startswith("if x0 <= ")  # left of about 0 ...
    assert abs(float(rules[0].split("<= ")[1].split(" then")[0].split(" ")[0])) < 0.2
    assert rules[0].endswith("then bayes")  # ... naive Bayes answers
    assert any(rule.endswith("then line") for rule in rules)
    left = model.shares(fresh[fresh[:, 0] < -0.2])
    assert (left == [0.0, 1.0]).all()


def held_out(X, y, members, folds=5):
    said, order = [], []
    for train, test in stratified_splits(y.astype(int), np.ones(len(y)), folds):
        fitted = [clone(member).fit(X[train.rows], y[train.rows]) for _, member in members]
        said.append(np.stack([each.predict_proba(X[test.rows]) for each in fitted], axis=1))
        order.append(test.rows)
    return np.concatenate(said), np.concatenate(order), [len(rows) for rows in order]


def test_the_gate_learns_from_what_members_lose_on_rows_held_out():
    X, y = two_regions(300)
    said, order, sizes = held_out(X, y, MEMBERS)
    losses = ((said - np.eye(2)[y[order].astype(int)][:, None]) ** 2).sum(axis=2)
    model = GatedClassifier(MEMBERS).fit(X, y)
    np.testing.assert_allclose(model.losses_, losses.mean(axis=0), rtol=1e-9)

    def gate(rows):
        better = losses[rows].argmin(axis=1)
        weight = np.abs(losses[rows, 0] - losses[rows, 1])
        tree = margin.DecisionTreeClassifier(
            prune="cost_complexity", min_samples_leaf=10, charge_levels=True, random_state=0
        )
        kept = weight > 1e-9 * weight.max()
        return tree.fit(X[order][rows][kept], np.array(["line", "bayes"])[better[kept]], weight[kept])

    fold = np.repeat(np.arange(5), sizes)
    lost = np.empty(300)
    for each in range(5):
        chosen = gate(fold != each).predict(X[order][fold == each]) == "bayes"
        lost[fold == each] = losses[fold == each, chosen.astype(int)]
    assert model.gate_loss_ == pytest.approx(lost.mean())
    np.testing.assert_array_equal(model.gate_.predict(X), gate(np.full(300, True)).predict(X))


def test_shares_of_a_softmax_change_with_the_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 2))
    y = np.where(X[:, 0] > 0, X[:, 1] > 0, X[:, 1] < 0)  # one member is right on the right side, one on the left

    class Sign(ClassifierMixin, BaseEstimator):
        """Knows the rule of one side, and is sure of it."""

        def __init__(self, side=1):
            self.side = side

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return self.predict_proba(X).argmax(axis=1)

        def predict_proba(self, X):
            yes = np.where(np.asarray(X)[:, 1] * self.side > 0, 0.95, 0.05)
            return np.column_stack([1 - yes, yes])

    members = [("up", Sign(1)), ("down", Sign(-1))]
    model = GatedClassifier(members, gate="softmax").fit(X, y)
    assert model.gate_ is not None
    assert (model.shares([[2.0, 0.0]])[0, 0], model.shares([[-2.0, 0.0]])[0, 1]) > (0.95, 0.95)
    assert model.score(X, y) > 0.95
    assert model.shares(X).sum(axis=1) == pytest.approx(1)


def test_without_regions_the_best_member_answers_everything():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = X.sum(axis=1) + 0.5 * rng.normal(size=300) > 0
    model = GatedClassifier([("line", LogisticRegression()), ("guess", margin.MajorityClassifier())]).fit(X, y)
    assert model.best_ == "line"
    assert model.gate_ is None
    np.testing.assert_array_equal(model.predict_proba(X), LogisticRegression().fit(X, y).predict_proba(X))
    assert model.regions() == ["everywhere line: no gate loses less"]
    assert "line answers everything" in str(explain(model, X[:1]))


@pytest.mark.parametrize("name", ["diabetes", "glass", "vote", "heart-c"])
def test_on_real_tables_a_gate_is_hardly_worse_than_the_best_member(name):
    table = margin.read(shared_data(f"{name}.arff.gz"))
    X, y = table.target(table.names[-1])
    members = [
        ("logistic", LogisticRegression(scale="standard")),
        ("bayes", NaiveBayes()),
        ("tree", margin.DecisionTreeClassifier(max_depth=5, min_samples_leaf=5)),
    ]
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[: 2 * len(y) // 3], order[2 * len(y) // 3 :]
    X_train, y_train = X[train], y[train]
    alone = [clone(member).fit(X_train, y_train).score(X[test], y[test]) for _, member in members]
    model = GatedClassifier(members, random_state=0).fit(X_train, y_train)
    error = np.sqrt(0.25 / len(test))
    assert model.score(X[test], y[test]) > max(alone) - 2 * error


def test_members_without_probabilities_and_a_gate_of_ones_own():
    X, y = two_regions(400)
    members = [("svm", margin.LinearSVC()), ("tree", margin.DecisionTreeClassifier(max_depth=3))]
    model = GatedClassifier(members, gate=margin.KNeighborsClassifier(15)).fit(X, y)
    assert not hasattr(model, "predict_proba")
    assert model.score(X, y) > 0.7
    with pytest.raises(MarginError, match="gate"):
        GatedClassifier(MEMBERS, gate="forest").fit(X, y)

    class Stubborn(NaiveBayes):
        def fit(self, X, y, sample_weight=None):
            raise ValueError("no rules today")

    with pytest.raises(ParameterError, match=r"member 'gate'.*no rules today"):
        GatedClassifier(MEMBERS, gate=Stubborn()).fit(X, y)


def test_a_table_of_two_rows_and_one_validation_part():
    tiny = GatedClassifier(MEMBERS).fit([[0.0], [1.0]], ["a", "b"])
    assert tiny.gate_ is None
    X, y = two_regions(500)
    model = GatedClassifier(MEMBERS, cv=[(np.arange(250), np.arange(250, 500))]).fit(X, y)
    assert np.isfinite(model.gate_loss_)


def test_explanations_name_the_rule_that_applied_and_files_keep_the_gate():
    X, y = two_regions()
    model = GatedClassifier(MEMBERS).fit(X, y)
    text = str(explain(model, np.array([[-1.0, 0.1]])))
    assert "One member is asked: if x0 <= " in text
    assert "then bayes" in text
    again = from_bytes(to_bytes(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.regions() == model.regions()
    soft = GatedClassifier(MEMBERS, gate="softmax").fit(X, y)
    assert to_bytes(from_bytes(to_bytes(soft))) == to_bytes(soft)


def test_tables_of_words_have_regions_too():
    X, y = catalog.load("credit").target("risk")
    model = GatedClassifier(cv=3).fit(X, y)
    assert model.best_ in ("logistic", "naive_bayes", "tree")
    assert model.regions()
