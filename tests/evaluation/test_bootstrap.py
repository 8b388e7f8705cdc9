"""The bootstrap's estimates: .632+ worked by hand, slow definitions, what must hold for every metric."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from margin.errors import ParameterError
from margin.evaluation import METRICS, Answers, Bootstrap, evaluate, metric
from margin.evaluation.scoring.bootstrap_632 import case_values, no_information

IRIS = load_iris(return_X_y=True)


class Rote(ClassifierMixin, BaseEstimator):
    """Knows the rows it has seen by their number; answers "a" to all others."""

    def fit(self, X, y):
        self.classes_ = np.array(["a", "b"])
        self.known_ = dict(zip(X[:, 0].tolist(), y))
        return self

    def predict(self, X):
        return np.array([self.known_.get(number, "a") for number in X[:, 0].tolist()])


def test_632_plus_by_hand():
    """The rote learner on three a and one b: no error on the training data, out-of-bag it errs on b alone.

    Each case's out-of-bag error is 0 for an a and 1 for b, so E1 = 1/4. The no-information rate beside the answers of
    the model that learnt from all (3 a, 1 b): γ = 3/4·1/4 + 1/4·3/4 = 3/8. Relative overfitting R = (1/4)/(3/8) = 2/3,
    weight .632/(1 - .368·2/3) = 0.83744, error .632+ = 0.20936, error .632 = .632/4 = 0.158.
    """
    X, y = np.arange(4.0)[:, None], np.array(["a", "a", "a", "b"])
    plus, plain, outside = (
        evaluate(Rote(), X, y, Bootstrap(60, estimate), metrics=["error", "accuracy"])
        for estimate in (".632+", ".632", "out-of-bag")
    )
    assert outside.scores["error"].value == pytest.approx(1 / 4)
    assert plain.scores["error"].value == pytest.approx(0.158)
    assert plus.scores["error"].value == pytest.approx(0.25 * 0.632 / (1 - 0.368 * 2 / 3))
    assert plus.scores["accuracy"].value == pytest.approx(1 - plus.scores["error"].value)
    assert plus.beside["no information"]["error"].value == pytest.approx(3 / 8)
    assert plus.beside["training data"]["error"].value == 0
    assert plus.beside["out-of-bag"]["error"].value == pytest.approx(1 / 4)
    assert "relative overfitting 0.667" in plus.scores["error"].how
    assert outside.beside == {}


class Contrary(ClassifierMixin, BaseEstimator):
    """Right about rows it has seen, wrong about all others: worse than without any information."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        self.known_ = set(X[:, 0].tolist())
        return self

    def predict(self, X):
        truth = X[:, 0].astype(int) % 2
        return np.where([number in self.known_ for number in X[:, 0].tolist()], truth, 1 - truth)


def test_worse_than_no_information_counts_as_no_information():
    X, y = np.arange(10.0)[:, None], np.arange(10) % 2
    result = evaluate(Contrary(), X, y, Bootstrap(20), metrics=["error"])
    assert result.beside["out-of-bag"]["error"].value == 1
    assert result.scores["error"].value == pytest.approx(0.5)


def slow_out_of_bag(model, X, y, protocol, loss):
    """The leave-one-out bootstrap by its definition: for each case the mean loss over the draws without it."""
    by_case = [[] for _ in y]
    for drawn, left in protocol.split(y):
        fitted = type(model)().fit(X[drawn], y[drawn])
        for row in left:
            by_case[row].append(loss(fitted, X[row : row + 1], y[row]))
    return np.mean([np.mean(losses) for losses in by_case if losses])


def test_out_of_bag_agrees_with_the_definition():
    X, y = IRIS
    protocol = Bootstrap(12, "out-of-bag")
    result = evaluate(GaussianNB(), X, y, protocol, metrics=["error", "log_loss", "brier"])
    error = slow_out_of_bag(GaussianNB(), X, y, protocol, lambda model, row, label: model.predict(row)[0] != label)
    surprise = slow_out_of_bag(
        GaussianNB(),
        X,
        y,
        protocol,
        lambda model, row, label: -np.log(np.clip(model.predict_proba(row)[0, label], 2.3e-16, 1)),
    )
    assert result.scores["error"].value == pytest.approx(error)
    assert result.scores["log_loss"].value == pytest.approx(surprise, rel=1e-6)


def slow_no_information(y, probabilities, loss):
    return np.mean([[loss(label, shares) for shares in probabilities] for label in y])


def test_no_information_agrees_with_the_definition():
    X, y = IRIS
    model = GaussianNB().fit(X, y)
    answers = Answers.of(y, model.predict(X), probabilities=model.predict_proba(X))
    probabilities = model.predict_proba(X)
    slow = slow_no_information(y[::5], probabilities, lambda label, shares: ((shares - np.eye(3)[label]) ** 2).sum())
    assert no_information(metric("brier"), answers) == pytest.approx(slow)
    errors = slow_no_information(y[::5], probabilities, lambda label, shares: shares.argmax() != label)
    assert no_information(metric("error"), answers) == pytest.approx(errors)
    assert no_information(metric("kappa"), answers) == pytest.approx(0, abs=1e-12)
    assert no_information(metric("matthews"), answers) == pytest.approx(0, abs=1e-12)


def test_metrics_that_are_means_over_cases_are_found_out():
    truth, given = np.tile([0, 1, 1], 20), np.tile([0, 0, 1, 1], 15)
    answers = Answers.of(truth, given)
    for name in ("accuracy", "error"):
        assert case_values(metric(name), answers).mean() == pytest.approx(metric(name).value(answers))
    for name in ("f1", "kappa", "matthews", "balanced_accuracy"):
        assert case_values(metric(name), answers) is None


def test_every_metric_has_an_estimate_between_training_and_out_of_bag():
    X, y = IRIS
    result = evaluate(KNeighborsClassifier(3), X, y, Bootstrap(15), metrics=list(METRICS))
    assert len(result.scores) > 5
    for name, score in result.scores.items():
        parts = [result.beside[role][name].value for role in ("training data", "out-of-bag")]
        if np.isnan([score.value, *parts]).any():
            continue
        assert min(parts) - 1e-9 <= score.value <= max(parts) + 1e-9, name
        assert score.interval.low <= score.value <= score.interval.high


def test_a_whole_number_weight_does_not_change_what_equal_weights_say():
    X, y = IRIS
    plain = evaluate(GaussianNB(), X, y, Bootstrap(10), metrics=["accuracy", "brier"])
    doubled = evaluate(
        GaussianNB(), X, y, Bootstrap(10), metrics=["accuracy", "brier"], sample_weight=np.full(150, 2.0)
    )
    for name, score in plain.scores.items():
        assert doubled.scores[name].value == pytest.approx(score.value)
        assert doubled.scores[name].interval.low == pytest.approx(score.interval.low)


def test_the_standard_error_is_that_of_the_mean_over_many_data_sets():
    """Nearest means on Gaussian classes: the errors stated are near the spread of the estimates themselves."""
    from margin.evaluation.scoring.bootstrap_632 import _CaseSums

    random = np.random.default_rng(0)
    found = []
    for _ in range(60):
        y = np.arange(40) % 2
        x = random.normal(size=40) + 2 * y
        sums = _CaseSums(40)
        for _ in range(60):
            times = np.bincount(random.integers(40, size=40), minlength=40)
            left = np.flatnonzero(times == 0)
            means = [np.average(x, weights=times * (y == label)) for label in (0, 1)]
            sums.add(left, ((x[left] > np.mean(means)) != y[left]).astype(float), times, None)
        found.append(sums.mean_and_error())
    values, errors = np.array(found).T
    assert 0.75 < np.sqrt((errors**2).mean()) / values.std() < 1.45


def test_estimates_that_are_none_are_refused():
    with pytest.raises(ParameterError, match=r"did you mean '\.632\+'"):
        Bootstrap(estimate="632+")
    with pytest.raises(ParameterError, match="times must be a whole number, 2 or more"):
        Bootstrap(times=1)
