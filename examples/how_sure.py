"""How often intervals of 95 % hold the truth, and how often equal models are told apart: both by trying it many times.

Two classes lie around two points, one column each; the classifier asks which of the two class means is nearer. Its
true accuracy, F1 and area under the curve are then known, and two classifiers on two such columns are equally good.

    python examples/how_sure.py            # some minutes; a number of tries may follow
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from scipy.stats import norm

from margin import KNeighborsClassifier, MajorityClassifier, NearestCentroid, evaluate, measure
from margin.evaluation import StratifiedFolds, compare_scores, corrected_t_test, proportion_interval

__all__: list[str] = []

#: How far the two classes lie apart, in standard deviations.
APART = 1.2


def draw(random: np.random.Generator, n: int, columns: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two equally likely classes."""
    y = random.integers(2, size=n)
    return APART * y[:, None] + random.normal(size=(n, columns)), y


def coverage(times: int, n: int = 150) -> dict[str, float]:
    """The share of intervals that hold the true value, of a threshold halfway between the classes."""
    right = norm.cdf(APART / 2)
    truth = {"accuracy": right, "f1": right, "roc_auc": norm.cdf(APART / np.sqrt(2))}
    held = dict.fromkeys([*truth, "accuracy, Wilson"], 0)
    random = np.random.default_rng(0)
    for _ in range(times):
        X, y = draw(random, n)
        found = measure(y, (X[:, 0] > APART / 2).astype(int), scores=X[:, 0], metrics=list(truth))
        for name, value in truth.items():
            held[name] += value in found[name].interval
        hits = int(((X[:, 0] > APART / 2) == y).sum())
        held["accuracy, Wilson"] += right in proportion_interval(hits, n, method="wilson")
    return {name: count / times for name, count in held.items()}


def coverage_of_folds(times: int, protocol: StratifiedFolds, n: int = 100) -> dict[str, float]:
    """The same for the mean over folds, of models that hardly depend on their training rows and of one that does.

    The truth is the mean over all tries: what a model learnt from that many rows can be expected to get right.
    """
    held = {}
    for name, model in {
        "nearest centroid": NearestCentroid(),
        "1 neighbour": KNeighborsClassifier(1),
        "majority": MajorityClassifier(),
    }.items():
        random = np.random.default_rng(1)
        found = [evaluate(model, *draw(random, n), protocol, metrics="accuracy") for _ in range(times)]
        expected = np.mean([each.scores["accuracy"].value for each in found])
        plain = [_plain(each.fold_scores["accuracy"]) for each in found]
        held[name] = np.mean([expected in each.scores["accuracy"].interval for each in found])
        held[f"{name}, mean ± 1.96·s/√J"] = np.mean([low <= expected <= high for low, high in plain])
    return held


def _plain(scores: np.ndarray) -> tuple[float, float]:
    half = 1.96 * scores.std(ddof=1) / np.sqrt(len(scores))
    return scores.mean() - half, scores.mean() + half


def false_claims(times: int, n: int = 100) -> dict[str, float]:
    """How often two equally good models are said to differ at the level of 5 %."""
    random = np.random.default_rng(2)
    claims = {"corrected": 0, "uncorrected": 0}
    for _ in range(times):
        X, y = draw(random, n, columns=2)
        both = {
            name: evaluate(NearestCentroid(), X[:, [at]], y, "10x10", metrics="accuracy")
            for at, name in enumerate(("first", "second"))
        }
        claims["corrected"] += compare_scores(both).standings[-1].differs
        differences = both["first"].fold_scores["accuracy"] - both["second"].fold_scores["accuracy"]
        claims["uncorrected"] += corrected_t_test(differences, test_to_train=0.0).p < 0.05
    return {name: count / times for name, count in claims.items()}


def show(title: str, found: Callable[[], dict[str, float]]) -> None:
    print(f"\n{title}")
    for name, share in found().items():
        print(f"  {name:<36}{100 * share:5.1f} %", flush=True)


def main(times: int) -> None:
    show(f"95 % intervals that hold the truth, 150 cases, {times} tries", lambda: coverage(times))
    show(
        f"the same over 10 folds of 100 rows, {times // 2} tries",
        lambda: coverage_of_folds(times // 2, StratifiedFolds(10)),
    )
    show(
        f"the same over 10 × 10 folds of 100 rows, {times // 10} tries",
        lambda: coverage_of_folds(times // 10, StratifiedFolds(10, repeats=10)),
    )
    show(
        f"equal models said to differ at 5 %, 10 × 10 folds of 100 rows, {times // 10} tries",
        lambda: false_claims(times // 10),
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4000)
