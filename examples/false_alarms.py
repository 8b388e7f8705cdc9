"""How often ``margin compare`` says that a model is behind the best where there is nothing to learn.

Labels are tossed, so that every model is as good as any other, and whatever is called a difference is a false alarm.
A table of n rows is compared as ``margin compare`` does it: a fifth is sealed, ten folds of the rest are drawn three
times, and seven quick models meet them. Beside it, the corrected resampled t-test with Holm's correction, and the
share of real differences that both find where one column tells the classes apart a little.

    python examples/false_alarms.py            # some minutes; a number of tables and a seed may follow
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

from margin import (
    DecisionStump,
    DecisionTreeClassifier,
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    MajorityClassifier,
    NaiveBayes,
    NearestCentroid,
    evaluate,
)
from margin.errors import MarginWarning
from margin.evaluation import Evaluation, SealedTest, StratifiedFolds, compare_scores
from margin.experiment.read_out import rank
from margin.random import generator
from margin.zoo import Entry

__all__: list[str] = []

MODELS = {
    "majority": MajorityClassifier(),
    "naive-bayes": NaiveBayes(),
    "lda": LinearDiscriminantAnalysis(),
    "centroid": NearestCentroid(),
    "knn": KNeighborsClassifier(15),
    "tree": DecisionTreeClassifier(max_depth=4, min_samples_leaf=5),
    "stump": DecisionStump(),
}
ENTRIES = {name: Entry(name, lambda: None, yardstick=name == "majority") for name in MODELS}
COLUMNS = 5


def compared(random: np.random.Generator, n: int, apart: float, seed: int) -> dict[str, Evaluation]:
    """The evaluations of all models on the training part of one table, with classes ``apart`` in one column."""
    y = random.integers(2, size=n)
    X = random.normal(size=(n, COLUMNS))
    X[:, 0] += apart * y
    X, y = SealedTest(X, y, 0.2, seed).train
    folds = StratifiedFolds(min(10, len(y)), 3, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MarginWarning)
        return {name: evaluate(model, X, y, folds, metrics="accuracy") for name, model in MODELS.items()}


def behind(found: dict[str, Evaluation]) -> tuple[bool, bool]:
    """Whether some model is called behind the best: by ``margin compare``, and by the t-test over folds."""
    board, _, _ = rank(ENTRIES, found, {}, "accuracy")
    best = board[0].name
    old = compare_scores(found)
    by_folds = any(pair.differs and best in (pair.first, pair.second) for pair in old.pairs)
    return any(line.differs for line in board), by_folds


def main(times: int, seed: int = 0) -> None:
    print(f"tables in which some of {len(MODELS)} models is called behind the best, of {times} (a fifth at 1,000 rows)")
    print(f"{'':>22}{'margin compare':>16}{'t over folds':>14}")
    for title, apart, sizes in (
        ("noise", 0.0, (8, 12, 20, 40, 100, 300, 1000)),
        ("a real difference", 1.0, (100, 300)),
    ):
        print(title)
        for n in sizes:
            tables = max(times // 5, 1) if n >= 1000 else times
            drawn = [(generator(seed, title, n, k), seed * 100_000 + k) for k in range(tables)]
            counts = np.sum([behind(compared(random, n, apart, split)) for random, split in drawn], axis=0)
            shown = "".join(f"{100 * count / tables:>13.1f} %" for count in counts)
            print(f"{n:>12} rows    {shown}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3] or ["500"]))
