"""margin.ensemble.committee: votes by hand, shares against a general solver, stacking against its definition."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.optimize
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.ensemble import StackingClassifier as TheirStacking
from sklearn.ensemble import VotingClassifier as TheirVoting
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.naive_bayes import GaussianNB as TheirBayes
from sklearn.neighbors import KNeighborsClassifier as TheirNeighbors

import margin
from margin import StackingClassifier, StackingRegressor, VotingClassifier, VotingRegressor
from margin.base.meta.cross_fitting import stratified_splits
from margin.data import catalog
from margin.ensemble.committee.simplex import mixture_shares, squared_error_shares
from margin.errors import MarginError, ParameterError
from margin.persistence import from_bytes, to_bytes


def rows(seed=0, n=120, k=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, 4)) + y[:, None] * [1.0, 0.5, 0.0, 0.0], y


class Says:
    """A member that always says the same; a stand-in with scikit-learn's contract."""

    def __init__(self, label=0):
        self.label = label

    def get_params(self, deep=True):
        return {"label": self.label}

    def set_params(self, **params):
        self.label = params["label"]
        return self

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.label)


MEMBERS = [("bayes", margin.NaiveBayes()), ("near", margin.KNeighborsClassifier()), ("tree", margin.C45())]


# votes


def test_most_votes_win_and_weights_count():
    X, y = rows(k=2)
    members = [("no", Says(0)), ("also no", Says(0)), ("yes", Says(1))]
    assert set(VotingClassifier(members).fit(X, y).predict(X)) == {0}
    assert set(VotingClassifier(members, weights=[1, 1, 3]).fit(X, y).predict(X)) == {1}


@pytest.mark.parametrize("flip", [False, True])
def test_equal_votes_go_to_the_more_frequent_class_however_it_is_called(flip):
    X = np.zeros((5, 1)) + np.arange(5)[:, None]
    y = np.array([0, 0, 1, 1, 1])
    y = 1 - y if flip else y
    model = VotingClassifier([("no", Says(0)), ("yes", Says(1))]).fit(X, y)
    assert set(model.predict(X)) == {0 if flip else 1}
    assert model.votes(X[:1]).tolist() == [[0, 1]]


def test_probabilities_are_the_mean_and_answers_their_largest():
    X, y = rows()
    model = VotingClassifier(MEMBERS, weights=[2, 1, 1]).fit(X, y)
    alone = [clone(member).fit(X, y).predict_proba(X) for _, member in MEMBERS]
    np.testing.assert_allclose(model.predict_proba(X), np.average(alone, axis=0, weights=[2, 1, 1]), rtol=1e-12)
    assert np.array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))
    assert model.voting_ == "soft"
    assert list(model.named_members_) == ["bayes", "near", "tree"]


def test_members_without_probabilities_make_votes_hard_or_are_named():
    X, y = rows()
    members = [("svm", margin.LinearSVC()), ("bayes", margin.NaiveBayes())]
    model = VotingClassifier(members).fit(X, y)
    assert model.voting_ == "hard"
    assert not hasattr(model, "predict_proba")
    for settings in ({"voting": "soft"}, {"weights": "learnt"}):
        with pytest.raises(ParameterError, match="predict_proba"):
            VotingClassifier(members, **settings).fit(X, y)


# shares


def members_answers(seed, n=200, m=5):
    """Probabilities that members of different strength give to the right class."""
    rng = np.random.default_rng(seed)
    return 1 / (1 + np.exp(-rng.normal(rng.uniform(-1, 2, m), rng.uniform(0.2, 3, m), (n, m)))), rng.random(n) + 0.1


@pytest.mark.parametrize("seed", range(8))
def test_shares_of_the_least_log_loss_are_those_of_a_general_solver(seed):
    p, weight = members_answers(seed)
    shares, certificate = mixture_shares(p, weight)
    v = weight / weight.sum()
    found = scipy.optimize.minimize(
        lambda s: -(v @ np.log(p @ s)),
        np.full(5, 0.2),
        jac=lambda s: -(v / (p @ s)) @ p,
        bounds=[(0, 1)] * 5,
        constraints={"type": "eq", "fun": lambda s: s.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert certificate.loss <= found.fun + 1e-9
    assert certificate.bound <= found.fun + 1e-9
    assert 0 <= certificate.gap < 1e-8
    assert shares.min() >= 0
    assert shares.sum() == pytest.approx(1)
    assert certificate.loss <= min(certificate.equal_loss, certificate.best_alone) + 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_no_shares_on_a_grid_have_a_smaller_squared_error(seed):
    rng = np.random.default_rng(seed)
    y, weight = rng.normal(size=50), rng.random(50) + 0.1
    answers = y[:, None] * rng.uniform(0.2, 1.5, 3) + rng.normal(size=(50, 3))
    shares, certificate = squared_error_shares(answers, y, weight)
    grid = np.array([(a, b, 1 - a - b) for a in np.linspace(0, 1, 51) for b in np.linspace(0, 1 - a, 51)])
    losses = np.average((answers @ grid.T - y[:, None]) ** 2, axis=0, weights=weight)
    assert certificate.loss <= losses.min() + 1e-12
    assert certificate.bound <= certificate.loss < losses.min() * 1.01
    assert certificate.gap < 1e-9 * max(1, certificate.loss)
    assert certificate.loss == pytest.approx(np.average((answers @ shares - y) ** 2, weights=weight))


def test_members_that_say_nothing_or_the_same_have_shares():
    for p in (np.full((4, 2), 0.5), np.zeros((4, 2)), np.ones((4, 3)), np.array([[0.5], [0.1]])):
        shares, certificate = mixture_shares(p, np.ones(len(p)))
        assert shares.sum() == pytest.approx(1)
        assert certificate.gap <= 1e-9
    shares, certificate = squared_error_shares(np.ones((3, 2)), np.ones(3), np.ones(3))
    assert (shares.sum(), certificate.loss) == (pytest.approx(1), 0.0)


def test_learnt_shares_come_from_rows_held_out():
    X, y = rows(1, 90)
    model = VotingClassifier(MEMBERS, weights="learnt", cv=3).fit(X, y)
    right = np.empty((90, 3))
    for train, test in stratified_splits(y, np.ones(90), 3):
        for m, (_, member) in enumerate(MEMBERS):
            said = clone(member).fit(X[train.rows], y[train.rows]).predict_proba(X[test.rows])
            right[test.rows, m] = said[np.arange(len(test.rows)), y[test.rows]]
    np.testing.assert_allclose(model.weights_, mixture_shares(right, np.ones(90))[0], atol=1e-9)


def test_shares_can_be_learnt_on_a_validation_part():
    X, y = rows(2)
    model = VotingClassifier(MEMBERS, weights="learnt", cv=[(np.arange(80), np.arange(80, 120))]).fit(X, y)
    said = [clone(member).fit(X[:80], y[:80]).predict_proba(X[80:]) for _, member in MEMBERS]
    right = np.column_stack([each[np.arange(40), y[80:]] for each in said])
    np.testing.assert_allclose(model.weights_, mixture_shares(right, np.ones(40))[0], atol=1e-9)


# stacking


def test_the_final_model_learns_from_answers_to_rows_held_out():
    X, y = rows(3, 100, 2)
    members = [("bayes", margin.NaiveBayes()), ("svm", margin.LinearSVC())]
    model = StackingClassifier(members, cv=4).fit(X, y)
    said, order = [], []
    for train, test in stratified_splits(y, np.ones(100), 4):
        part = [clone(member).fit(X[train.rows], y[train.rows]) for _, member in members]
        said.append(
            np.column_stack([part[0].predict_proba(X[test.rows])[:, 1], part[1].decision_function(X[test.rows])])
        )
        order.append(test.rows)
    final = margin.LogisticRegression().fit(np.vstack(said), y[np.concatenate(order)])
    whole = [clone(member).fit(X, y) for _, member in members]
    seen = np.column_stack([whole[0].predict_proba(X)[:, 1], whole[1].decision_function(X)])
    np.testing.assert_allclose(model.predict_proba(X), final.predict_proba(seen), rtol=1e-9)
    assert model.column_names_ == ["bayes: 1", "svm: 1"]


def test_the_final_model_may_see_the_columns_too():
    X, y = catalog.load("credit").target("risk")
    model = StackingClassifier(final_estimator=margin.DecisionTreeClassifier(max_depth=3), passthrough=True, cv=3)
    model.fit(X, y)
    assert model.final_.model.n_features_in_ == len(X.names) - 1 + 3  # the number of the customer is no column
    names = [column.name for column in model.final_.model.schema_]
    assert names[-3:] == ["logistic: good", "naive_bayes: good", "tree: good"]
    sparse, labels = sp.csr_array(np.eye(30).repeat(2, axis=0)), np.arange(60) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = StackingClassifier(passthrough=True, cv=2).fit(sparse, labels).predict(sparse)
    assert set(answers) <= {0, 1}


def test_regressors_are_stacked_by_shares_or_by_a_final_model():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = X[:, 0] * 2 + np.sin(3 * X[:, 1])
    members = [("near", margin.KNeighborsRegressor(5)), ("tree", margin.DecisionTreeRegressor(max_depth=4))]
    shares = StackingRegressor(members).fit(X, y)
    voted = VotingRegressor(members, weights="learnt").fit(X, y)
    np.testing.assert_array_equal(shares.predict(X), voted.predict(X))
    final = StackingRegressor(members, margin.SVR(kernel="linear", epsilon=0.01)).fit(X, y)
    assert final.score(X, y) > 0.8
    with pytest.raises(ParameterError, match="final_estimator"):
        StackingRegressor(members, passthrough=True).fit(X, y)


# rivals


@pytest.mark.parametrize("seed", range(2))
def test_the_same_members_answer_as_scikit_learns_committee_does(seed):
    X, y = rows(seed, 300, 2 + seed)
    members = [("bayes", TheirBayes()), ("near", TheirNeighbors()), ("logistic", TheirLogistic(max_iter=2000))]
    ours = VotingClassifier(members, weights=[1, 2, 1]).fit(X, y)
    theirs = TheirVoting(members, voting="soft", weights=[1, 2, 1]).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)
    half = [(np.arange(0, len(y), 2), np.arange(1, len(y), 2)), (np.arange(1, len(y), 2), np.arange(0, len(y), 2))]
    final = TheirLogistic(C=1e3, max_iter=2000)
    stacked = StackingClassifier(members, final, cv=half).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = TheirStacking(members, final, cv=half).fit(X, y)
    assert (stacked.predict(X) == other.predict(X)).mean() > 0.99


# what users do


def test_parameters_of_members_are_reached_by_their_names():
    model = VotingClassifier(MEMBERS)
    assert model.get_params()["near__n_neighbors"] == 5
    copy = clone(model).set_params(near__n_neighbors=7, tree=margin.ID3())
    assert copy.get_params()["near__n_neighbors"] == 7
    assert isinstance(dict(copy.estimators)["tree"], margin.ID3)
    assert model.get_params()["near__n_neighbors"] == 5
    X, y = rows()
    search = margin.GridSearch(VotingClassifier(MEMBERS), {"near__n_neighbors": [1, 9]}, cv=3).fit(X, y)
    assert search.best_params_["near__n_neighbors"] in (1, 9)


def test_a_member_that_fails_is_named():
    class Fails(Says):
        def fit(self, X, y):
            raise ValueError("I never learn")

    X, y = rows()
    with pytest.raises(MarginError, match=r"VotingClassifier.*member 'bad'.*I never learn"):
        VotingClassifier([("good", margin.NaiveBayes()), ("bad", Fails())]).fit(X, y)
    for names in (["a", "a"], ["a__b", "c"], ["weights", "c"]):
        with pytest.raises(ParameterError, match="names must differ"):
            VotingClassifier([(name, margin.NaiveBayes()) for name in names]).fit(X, y)
    with pytest.raises(ParameterError, match="one for each of the 3 members"):
        VotingClassifier(MEMBERS, weights=[1, 2]).fit(X, y)
    for wrong in ([], [margin.NaiveBayes()], "tree", [("a", margin.NaiveBayes)]):
        with pytest.raises(ParameterError, match="estimators"):
            VotingClassifier(wrong).fit(X, y)


@pytest.mark.parametrize("make", [VotingClassifier, StackingClassifier, lambda: VotingClassifier(weights="learnt")])
def test_a_class_of_one_row_and_a_table_of_two(make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X, y = rows(4, 40, 2)
        y = y.astype(object)
        y[0] = 2
        assert set(make().fit(X, y.astype(int)).predict(X)) <= {0, 1, 2}
        assert make().fit([[0.0], [1.0]], ["a", "b"]).predict([[0.0]]).shape == (1,)
        assert make().fit([[0.0], [1.0]], ["a", "a"]).predict([[5.0]]).tolist() == ["a"]


def test_tables_with_words_go_to_members_of_scikit_learn_through_an_encoder():
    frame = pd.DataFrame({"colour": ["red", "blue", "red", "blue"] * 6, "size": np.arange(24.0)})
    y = np.array(["x", "y"] * 12)
    model = VotingClassifier([("near", TheirNeighbors(1)), ("tree", margin.ID3())]).fit(frame, y)
    assert model.score(frame, y) == 1.0


def test_files_keep_committees_to_the_bit():
    X, y = rows()
    for model in (VotingClassifier(MEMBERS, weights="learnt"), StackingClassifier(MEMBERS, cv=2)):
        again = from_bytes(to_bytes(model.fit(X, y)))
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_explanations_name_the_members():
    X, y = rows()
    text = str(margin.explain.explain(VotingClassifier(MEMBERS).fit(X, y), X[:1]))
    assert "bayes" in text
    assert "counts 33.3%" in text
    text = str(margin.explain.explain(StackingClassifier(MEMBERS).fit(X, y), X[:1]))
    assert "near: 0" in text
    text = str(margin.explain.explain(VotingRegressor().fit(X, y.astype(float)), X[:1]))
    assert "neighbors" in text
