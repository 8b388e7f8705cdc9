"""Bagging trees: Breiman's figures of 1996 beside ours, by his protocol.

    python examples/published_bagging.py [folder of data sets] [repeats]

In each repeat a tenth of the rows is held out for testing. One tree is grown from the rest and pruned by
cross-validation; 50 trees from draws of the rest vote, and are not pruned here. Waveforms are made by their formula:
300 to learn from, 1500 to test. Sets that are not there are left out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import margin
from margin.errors import MarginWarning
from margin.random import generator

#: Misclassification of one tree and of 50 bagged ones, in percent: Breiman (1996), table 1.
PUBLISHED = {
    "waveform": (29.1, 19.3),
    "breast-w": (5.9, 3.7),
    "ionosphere": (11.2, 7.9),
    "diabetes": (25.3, 23.9),
    "glass": (30.4, 23.6),
}


def waveform(n: int, stream: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Three classes, each a random mix of two of three triangles over 21 points, with noise of variance 1."""
    at = np.arange(1, 22)
    triangles = np.array([np.maximum(6 - np.abs(at - centre), 0) for centre in (7, 15, 11)])
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    y = stream.integers(3, size=n)
    share = stream.random((n, 1))
    X = share * triangles[first[y]] + (1 - share) * triangles[second[y]] + stream.normal(size=(n, 21))
    return X, y


def parts(name: str, folder: Path, stream: np.random.Generator) -> tuple[object, np.ndarray, object, np.ndarray]:
    if name == "waveform":
        return *waveform(300, stream), *waveform(1500, stream)
    table = margin.read(folder / f"{name}.arff.gz")
    X, y = table.target(table.names[-1])
    order = stream.permutation(len(y))
    test, train = order[: len(y) // 10], order[len(y) // 10 :]
    return X[train], y[train], X[test], y[test]


def errors(name: str, folder: Path, repeats: int) -> np.ndarray:
    """The error of one tree and of the bag, for each repeat."""
    found = []
    for repeat in range(repeats):
        X, y, X_test, y_test = parts(name, folder, generator(repeat, name))
        tree = margin.DecisionTreeClassifier(prune="cost_complexity", random_state=repeat)
        bag = margin.BaggingClassifier(
            margin.DecisionTreeClassifier(), voting="hard", oob_score=False, random_state=repeat
        )
        found.append([(model.fit(X, y).predict(X_test) != y_test).mean() for model in (tree, bag)])
    return 100 * np.array(found)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "shared" / "data"
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    print(f"{repeats} repeats         one tree           bagged")
    print("             paper   here      paper   here")
    for name, (alone, bagged) in PUBLISHED.items():
        if name != "waveform" and not (folder / f"{name}.arff.gz").exists():
            print(f"{name:<11}  is not in {folder}")
            continue
        found = errors(name, folder, repeats)
        (one, many), error = found.mean(axis=0), found.std(axis=0) / np.sqrt(repeats)
        print(f"{name:<11}  {alone:>5.1f}  {one:>5.1f} ± {error[0]:.1f}  {bagged:>5.1f}  {many:>5.1f} ± {error[1]:.1f}")


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore", MarginWarning)
    main()
