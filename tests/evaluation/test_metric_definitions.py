"""Every metric of the list by its definition, written out slowly, case by case."""

import math

import numpy as np
import pytest

from margin.evaluation import METRICS

N, K = 60, 3
RANDOM = np.random.default_rng(5)
TRUTH = RANDOM.integers(0, K, N)
SHARES = RANDOM.dirichlet([0.7] * K, N)
SHARES = 0.5 * SHARES + 0.5 * np.eye(K)[np.where(RANDOM.random(N) < 0.6, TRUTH, RANDOM.integers(0, K, N))]
SAID = SHARES.argmax(axis=1)
PAIRS = list(zip(TRUTH.tolist(), SAID.tolist()))


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def over_classes(of_class):
    return mean(of_class(k) for k in range(K))


def count(test):
    return sum(test(true, said) for true, said in PAIRS)


def tp(k):
    return count(lambda true, said: true == said == k)


def fp(k):
    return count(lambda true, said: said == k != true)


def fn(k):
    return count(lambda true, said: true == k != said)


def tn(k):
    return count(lambda true, said: true != k != said)


def fbeta(k, beta):
    return (1 + beta**2) * tp(k) / ((1 + beta**2) * tp(k) + beta**2 * fn(k) + fp(k))


def correlation():
    true, said = np.eye(K)[TRUTH], np.eye(K)[SAID]
    covariance = [
        sum(np.cov(a[:, k], b[:, k])[0, 1] for k in range(K)) for a, b in ((true, said), (true, true), (said, said))
    ]
    return covariance[0] / math.sqrt(covariance[1] * covariance[2])


def kappa():
    chance = sum((k == TRUTH).mean() * (k == SAID).mean() for k in range(K))
    return ((TRUTH == SAID).mean() - chance) / (1 - chance)


def auc(k):
    inside, outside = SHARES[k == TRUTH, k], SHARES[k != TRUTH, k]
    return mean((a > b) + 0.5 * (a == b) for a in inside for b in outside)


def average_precision(k):
    order = np.argsort(-SHARES[:, k], kind="stable")
    hits = TRUTH[order] == k
    return sum(hits[: i + 1].mean() for i in range(N) if hits[i]) / hits.sum()


def calibration_error():
    sure, right, gaps = SHARES.max(axis=1), TRUTH == SAID, []
    for low in range(15):
        inside = (sure > low / 15) & (sure <= (low + 1) / 15)
        gaps.append(abs(right[inside].sum() - sure[inside].sum()) / N)
    return sum(gaps)


DEFINITIONS = {
    "accuracy": lambda: mean(true == said for true, said in PAIRS),
    "error": lambda: mean(true != said for true, said in PAIRS),
    "balanced_accuracy": lambda: over_classes(lambda k: tp(k) / (tp(k) + fn(k))),
    "precision": lambda: over_classes(lambda k: tp(k) / (tp(k) + fp(k))),
    "recall": lambda: over_classes(lambda k: tp(k) / (tp(k) + fn(k))),
    "specificity": lambda: over_classes(lambda k: tn(k) / (tn(k) + fp(k))),
    "fpr": lambda: over_classes(lambda k: fp(k) / (tn(k) + fp(k))),
    "f1": lambda: over_classes(lambda k: fbeta(k, 1)),
    "fbeta": lambda: over_classes(lambda k: fbeta(k, 2)),
    "jaccard": lambda: over_classes(lambda k: tp(k) / (tp(k) + fp(k) + fn(k))),
    "matthews": correlation,
    "kappa": kappa,
    "coverage": lambda: 1.0,
    "selective_error": lambda: mean(true != said for true, said in PAIRS),
    "reject_cost": lambda: mean(true != said for true, said in PAIRS),
    "cost": lambda: mean(true != said for true, said in PAIRS),
    "log_loss": lambda: mean(-math.log(row[true]) for true, row in zip(TRUTH, SHARES)),
    "brier": lambda: mean(sum((row[k] - (k == true)) ** 2 for k in range(K)) for true, row in zip(TRUTH, SHARES)),
    "calibration_error": calibration_error,
    "top_k": lambda: mean(true in np.argsort(-row, kind="stable")[:2] for true, row in zip(TRUTH, SHARES)),
    "roc_auc": lambda: over_classes(auc),
    "average_precision": lambda: over_classes(average_precision),
}


@pytest.mark.parametrize("name", list(METRICS))
def test_a_metric_is_what_its_definition_says(name):
    given = SAID if METRICS[name].needs == "labels" else SHARES
    assert METRICS[name](TRUTH, given) == pytest.approx(DEFINITIONS[name](), rel=1e-12)


def test_abstentions_count_as_metrics_about_them_say():
    truth, said = ["a", "a", "b", "b"], ["a", None, "a", None]
    values = {name: METRICS[name](truth, said) for name in ("coverage", "selective_error", "reject_cost", "cost")}
    assert values == {"coverage": 0.5, "selective_error": 0.5, "reject_cost": 0.5, "cost": 0.75}
