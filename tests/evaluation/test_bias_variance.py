"""margin.evaluation.decomposition.bias_variance: worked by hand, then slow definitions, then properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from margin.data import Table
from margin.errors import InputError, ParameterError
from margin.evaluation import bias_variance, bias_variance_curve
from margin.evaluation.decomposition.terms import Predictions, domingos, mean_terms, squared, vectors

X, Y = load_iris(return_X_y=True)


def means(codes, decompose, n_classes):
    predictions = Predictions(vectors(np.array(codes), n_classes))
    return mean_terms(predictions, decompose, 0.95)


def test_squared_loss_worked_by_hand():
    # Answers 1, 2, 3 where 5 was expected: mean 2, sample variance 1, bias² 9 - 1/3, error (16 + 9 + 4)/3
    values = np.array([1.0, 2.0, 3.0]).reshape(3, 1, 1)
    terms, scores = mean_terms(Predictions(values), squared(np.array([[5.0]]), np.zeros(1), measured=False), 0.95)
    assert terms.variance[0] == pytest.approx(1.0)
    assert terms.bias[0] == pytest.approx(9 - 1 / 3)
    assert scores["error"].value == pytest.approx(29 / 3)


@pytest.mark.golden("H5")
def test_domingos_terms_worked_by_hand():
    # Three classes, four training sets. Case 0: answers 0 0 0 1, truth 0. Case 1: answers 2 2 1 0, truth 1.
    codes = [[0, 2], [0, 2], [0, 1], [1, 0]]
    truth = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    terms, _ = means(codes, domingos(truth), 3)
    assert terms.bias.tolist() == [0.0, 1.0]
    assert terms.unbiased.tolist() == [0.25, 0.0]
    assert terms.biased.tolist() == [0.0, 0.25]  # one answer in four mends the wrong main answer
    assert terms.error.tolist() == [0.25, 0.75]
    assert terms.noise.tolist() == [0.0, 0.0]


@pytest.mark.golden("H5")
def test_kohavi_and_wolperts_terms_worked_by_hand():
    # Two classes with chances 0.8 and 0.2, answers 0 0 1 1: bias² ½(0.3² + 0.3²), variance ½ · 0.5, noise ½ · 0.32;
    # the sample variance is 4/3 as large, and what it has more is taken off the bias.
    truth = np.array([[0.8, 0.2, 0.0]])
    decompose = squared(truth, 1 - (truth**2).sum(axis=1), measured=False, scale=0.5)
    terms, _ = means([[0], [0], [1], [1]], decompose, 2)
    assert terms.noise[0] == pytest.approx(0.16)
    assert terms.variance[0] == pytest.approx(0.25 * 4 / 3)
    assert terms.bias[0] == pytest.approx(0.09 - 0.25 / 3)
    assert terms.error[0] == pytest.approx(0.5)


def slow_error(codes, truth):
    """Chance that an answer of a random training set is not the class drawn."""
    return np.mean([[1 - (row[code] if code < len(row) else 0.0) for code, row in zip(each, truth)] for each in codes])


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(2, 12), st.integers(1, 6))
def test_the_terms_of_zero_one_loss_add_up_to_the_chance_of_a_wrong_answer(seed, n_classes, times, cases):
    random = np.random.default_rng(seed)
    codes = random.integers(n_classes + 1, size=(times, cases))  # the last code is an abstention
    truth = random.dirichlet(np.ones(n_classes), size=cases)
    wide = np.column_stack([truth, np.zeros(cases)])
    for decompose in (
        domingos(truth),
        squared(wide, 1 - (truth**2).sum(axis=1), measured=False, scale=0.5),
    ):
        terms, scores = means(codes, decompose, n_classes)
        np.testing.assert_allclose(terms.bias + terms.variance + terms.noise, terms.error, atol=1e-12)
        assert scores["error"].value == pytest.approx(slow_error(codes, truth))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.integers(2, 8), st.integers(1, 5))
def test_two_classes_follow_domingos_formula(seed, times, cases):
    # E[L] = (2 P(answer is best) - 1) N + B + c V with c = 1 where unbiased and -1 where biased
    random = np.random.default_rng(seed)
    codes = random.integers(2, size=(times, cases))
    truth = random.dirichlet([1, 1], size=cases)
    terms, _ = means(codes, domingos(truth), 2)
    best = truth.argmax(axis=1)
    for at in range(cases):
        shares = np.bincount(codes[:, at], minlength=2) / times
        main = shares.argmax()
        noise, bias, variance = 1 - truth[at, best[at]], float(main != best[at]), 1 - shares[main]
        total = (2 * shares[best[at]] - 1) * noise + bias + (1 - 2 * bias) * variance
        assert terms.error[at] == pytest.approx(total)


def test_the_intervals_cover_the_terms_of_infinitely_many_training_sets():
    random = np.random.default_rng(0)
    target, noise = np.zeros((20, 1)), np.zeros(20)
    inside = np.zeros(2)
    for _ in range(200):
        values = 0.5 + random.normal(size=(40, 20, 1))
        _, scores = mean_terms(Predictions(values), squared(target, noise, measured=False), 0.95)
        inside += [0.25 in scores["bias"].interval, 1.0 in scores["variance"].interval]
    assert (inside > 0.9 * 200).all()
    assert (inside < 200).all()


def test_the_interval_of_domingos_bias_is_as_wide_as_the_bias_moves():
    random = np.random.default_rng(0)
    right = random.beta(2, 0.3, size=150)
    decompose = domingos(np.tile([1.0, 0.0], (150, 1)))
    found, widths = [], []
    for _ in range(30):
        codes = (random.random((40, 150)) > right).astype(int)
        _, scores = mean_terms(Predictions(vectors(codes, 2)), decompose, 0.95, smooth=False)
        found.append(scores["bias"].value)
        widths.append(scores["bias"].interval.half_width / 2.02)
    assert np.mean(widths) == pytest.approx(np.std(found), rel=0.35)


def test_classifiers_are_taken_apart_by_answers_or_by_probabilities():
    tree = DecisionTreeClassifier(random_state=0)
    for options in ({}, {"decomposition": "kohavi_wolpert"}, {"loss": "squared"}):
        found = bias_variance(tree, X, Y, times=15, **options)
        assert found.bias.value + found.variance.value == pytest.approx(found.error.value)
        assert not found.noise_known
        assert "inside" in str(found)
        assert "<table>" in found._repr_html_()
    assert found.main.shape == (50, 3)
    assert bias_variance(tree, X, Y, times=15).main.shape == (50,)
    zero_one = [bias_variance(tree, X, Y, times=15, decomposition=d) for d in ("domingos", "kohavi_wolpert")]
    assert zero_one[0].error.value == pytest.approx(zero_one[1].error.value)
    net = zero_one[0].unbiased_variance.value - zero_one[0].biased_variance.value
    assert zero_one[0].variance.value == pytest.approx(net)


def test_the_result_depends_on_the_seed_alone():
    runs = [bias_variance(GaussianNB(), X, Y, times=10, seed=3, n_jobs=n) for n in (1, 2)]
    assert runs[0].error == runs[1].error
    np.testing.assert_array_equal(runs[0].cases.variance, runs[1].cases.variance)
    assert bias_variance(GaussianNB(), X, Y, times=10, seed=4).error != runs[0].error
    seen = []
    bias_variance(GaussianNB(), X, Y, times=3, progress=lambda done, of: seen.append((done, of)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_repeated_measurements_make_the_noise_known():
    random = np.random.default_rng(0)
    inputs = np.linspace(0, 1, 30)[:, None]
    y = inputs[:, 0] + random.normal(0, 0.5, 30)
    twice = inputs + random.normal(0, 0.5, (30, 2))
    found = bias_variance(LinearRegression(), inputs, y, X_test=inputs, y_test=twice, times=20)
    once = bias_variance(LinearRegression(), inputs, y, X_test=inputs, y_test=twice[:, 0], times=20)
    assert found.noise_known
    assert not once.noise_known
    assert found.noise.value == pytest.approx(twice.var(axis=1).mean())
    slow = np.mean([once.error.value, bias_variance(
        LinearRegression(), inputs, y, X_test=inputs, y_test=twice[:, 1], times=20
    ).error.value])  # fmt: skip
    assert found.error.value == pytest.approx(slow), "the mean over the measurements"
    known = bias_variance(LinearRegression(), inputs, y, X_test=inputs, y_test=twice[:, 0], noise=0.25, times=20)
    assert known.error.value == pytest.approx(once.error.value)
    assert known.bias.value == pytest.approx(once.bias.value - 0.25)


def test_a_third_of_the_rows_is_held_back_where_no_cases_are_given():
    found = bias_variance(LinearRegression(), X[:, :3], X[:, 3], times=10)
    assert len(found.cases.error) == 50
    assert found.bias.value + found.variance.value == pytest.approx(found.error.value)
    assert found.main.shape == (50,)
    assert 0 < found.variance.value < found.bias.value


def test_labels_measured_several_times_and_chances_say_the_same():
    labels = np.array([["a", "a", "b"], ["b", "b", "b"]])
    inputs = np.array([[0.0], [1.0]])
    train = np.array([[0.0], [0.1], [0.9], [1.0]]), np.array(["a", "b", "b", "b"])
    options = {"X_test": inputs, "times": 20}
    for loss in ("zero_one", "squared"):
        by_labels = bias_variance(GaussianNB(), *train, y_test=labels, loss=loss, **options)
        by_chance = bias_variance(GaussianNB(), *train, noise=[[2 / 3, 1 / 3], [0, 1]], loss=loss, **options)
        assert by_labels.error.value == pytest.approx(by_chance.error.value)
        assert by_labels.noise_known


class Silent(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.array([None] * len(X), dtype=object)


def test_abstentions_are_never_right():
    found = bias_variance(Silent(), X, Y, times=3)
    assert found.error.value == 1.0
    assert set(found.main.tolist()) == {None}


def test_tables_are_taken_by_the_name_of_the_target():
    table = Table.from_columns({"x": X[:, 0].tolist(), "y": X[:, 2].tolist(), "kind": [str(y) for y in Y]})
    from margin.bayes import NaiveBayes

    assert bias_variance(NaiveBayes(), table, "kind", times=5).error.value < 0.3


def test_a_curve_uses_the_same_training_sets_for_all_its_points():
    found = bias_variance_curve(
        DecisionTreeClassifier(random_state=0), X, Y, parameter="max_depth", values=[1, 2], times=5
    )
    alone = bias_variance(DecisionTreeClassifier(random_state=0, max_depth=2), X, Y, times=5)
    assert found.error[1] == alone.error.value
    assert found.best == 2
    assert "<table>" in found._repr_html_()
    with pytest.raises(ParameterError, match="'deep'"):
        bias_variance_curve(DecisionTreeClassifier(), X, Y, parameter="deep", values=[1])
    with pytest.raises(ParameterError, match="name the parameter"):
        bias_variance_curve(DecisionTreeClassifier(), X, Y)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"loss": "cubic"}, "loss must be"),
        ({"times": 1}, "at least 2"),
        ({"n_jobs": 0}, "whole number"),
        ({"decomposition": "james"}, "decomposition must be"),
        ({"expected": 0.0}, "for regressors"),
        ({"confidence": 2}, "between 0 and 1"),
        ({"noise": [[1.0, 0.0]]}, "one column for each"),
        ({"X_test": X}, "as y_test"),
        ({"X_test": X, "y_test": Y[:3]}, "3 labels for 150"),
    ],
)
def test_wrong_options_are_refused(options, match):
    with pytest.raises((ParameterError, InputError), match=match):
        bias_variance(GaussianNB(), X, Y, **options)


def test_what_cannot_be_done_is_said():
    with pytest.raises(InputError, match="gives no probabilities"):
        bias_variance(LinearSVC(), X, Y, loss="squared", times=2)
    with pytest.raises(ParameterError, match="no classifier"):
        bias_variance(LinearRegression(), X, Y, loss="zero_one")
    with pytest.raises(ParameterError, match="must be an estimator"):
        bias_variance(GaussianNB, X, Y)
    with pytest.raises(InputError, match="a function that does"):
        bias_variance(GaussianNB())
    with pytest.raises(InputError, match="as X_test"):
        bias_variance(GaussianNB(), draw=lambda random: (X, Y))
    with pytest.raises(InputError, match="either y_test"):
        bias_variance(DummyRegressor(), X, X[:, 0], X_test=X)
    with pytest.raises(InputError, match="cannot be below 0"):
        bias_variance(DummyRegressor(), X, X[:, 0], X_test=X, expected=0.0, noise=-1.0)
