"""Boosting by the protocols of two papers, and boosted stumps beside boosted C4.5 on every set at hand.

    python examples/published_boosting.py [folder of data sets] [rounds] [picture.png]

First Freund and Schapire (1996): test error in ten folds of C4.5, of boosted C4.5 (AdaBoost.M1) and of boosted stumps,
theirs of C4.5 beside ours. Then additive logistic regression as Friedman, Hastie and Tibshirani (2000) tried it:
LogitBoost, GentleBoost and AdaBoost (real and discrete) with stumps on breast cancer, ionosphere and glass in five
folds, after 50, 100 and 200 rounds. Last, with a name for a picture, boosted stumps against boosted C4.5 on all sets of
up to 3,000 rows, as a scatter plot. Sets that are not there are left out.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import margin
from margin.errors import MarginWarning
from margin.random import generator

#: Test error of C4.5 and of boosted C4.5 in percent: Freund, Schapire (1996).
PUBLISHED = {"glass": (31.7, 22.7), "ionosphere": (8.9, 5.8), "iris": (5.9, 5.0), "segment": (3.6, 1.4)}
LARGEST = 3_000


def table(name: str, folder: Path) -> tuple[Any, np.ndarray]:
    """Rows and classes; only rows whose class is known."""
    there = next(path for path in (folder / f"{name}.arff.gz", folder / f"{name}.arff") if path.exists())
    found = margin.read(there)
    target = next((each for each in found.names if each.lower() == "class"), found.names[-1])
    return found.target(target)


def folds(X: Any, y: np.ndarray, n_folds: int, name: str) -> Iterator[tuple[Any, np.ndarray, Any, np.ndarray]]:
    """The rows dealt out by chance, every class as evenly as it goes."""
    y = np.asarray(y)
    draw, fold, dealt = generator(0, "folds", name), np.empty(len(y), dtype=int), 0
    for label in np.unique(y):
        of = draw.permutation(np.flatnonzero(y == label))
        fold[of] = (np.arange(len(of)) + dealt) % n_folds
        dealt += len(of)
    for k in range(n_folds):
        test, train = np.flatnonzero(fold == k), np.flatnonzero(fold != k)
        yield X[train], y[train], X[test], y[test]


def error(model: Any, X: Any, y: np.ndarray, n_folds: int, name: str) -> float:
    """Percent of all rows that are wrong in the fold that they are held out in."""
    wrong = [
        (model.fit(train, labels).predict(test) != truth).sum()
        for train, labels, test, truth in folds(X, y, n_folds, name)
    ]
    return 100 * float(sum(wrong)) / len(y)


def boosted_c45(rounds: int) -> Any:
    """Rows are drawn by their weights: C4.5 prunes to nothing where a few rows weigh half of all."""
    return margin.AdaBoostClassifier(margin.C45(), n_estimators=rounds, algorithm="M1", resample=True, random_state=0)


def freund_and_schapire(folder: Path, rounds: int) -> None:
    print(f"Freund and Schapire (1996), test error in %, ten folds; {rounds} rounds here")
    print(f"{'':<12}{'C4.5':>8}{'theirs':>8}{'boosted':>9}{'theirs':>8}{'stumps':>8}")
    for name, (one, many) in PUBLISHED.items():
        if not any((folder / f"{name}{end}").exists() for end in (".arff.gz", ".arff")):
            continue
        X, y = table(name, folder)
        stumps = margin.AdaBoostClassifier(n_estimators=10 * rounds)
        c45, boosted, shallow = (error(model, X, y, 10, name) for model in (margin.C45(), boosted_c45(rounds), stumps))
        print(f"{name:<12}{c45:>8.1f}{one:>8.1f}{boosted:>9.1f}{many:>8.1f}{shallow:>8.1f}", flush=True)


def additive(folder: Path) -> None:
    marks = (50, 100, 200)
    models = {
        "LogitBoost": margin.LogitBoostClassifier(n_estimators=max(marks)),
        "real AdaBoost": margin.AdaBoostClassifier(n_estimators=max(marks), algorithm="SAMME.R"),
        "GentleBoost": margin.GentleBoostClassifier(n_estimators=max(marks)),
        "discrete AdaBoost": margin.AdaBoostClassifier(n_estimators=max(marks)),
    }
    print(f"\nstumps, test error in %, five folds, after {', '.join(map(str, marks))} rounds")
    for name in ("breast-w", "ionosphere", "glass"):
        if not (folder / f"{name}.arff.gz").exists():
            continue
        X, y = table(name, folder)
        for method, model in models.items():
            wrong = np.zeros(len(marks))
            for train, labels, test, truth in folds(X, y, 5, name):
                answers = list(model.fit(train, labels).staged_predict(test))
                wrong += [(answers[min(n, len(answers)) - 1] != truth).sum() for n in marks]
            shown = "".join(f"{each:>7.1f}" for each in 100 * wrong / len(y))
            print(f"{name:<12}{method:<18}{shown}", flush=True)


def scatter(folder: Path, rounds: int, picture: str) -> None:
    """Boosted stumps (up) against boosted C4.5 (right): stumps are too simple for sets above the line."""
    import matplotlib.pyplot as plt

    print(f"\nboosted stumps ({10 * rounds} rounds) and boosted C4.5 ({rounds} rounds), test error in %, five folds")
    points = []
    for path in sorted([*folder.glob("*.arff.gz"), *folder.glob("*.arff")]):
        name = path.name.split(".arff")[0]
        X, y = table(name, folder)
        free = all(column.kind == "text" for column in X.schema)
        if free or len(y) > LARGEST or len(y) < 50 or np.asarray(y).dtype.kind == "f":
            continue
        began = time.perf_counter()
        stumps = error(margin.AdaBoostClassifier(n_estimators=10 * rounds), X, y, 5, name)
        c45 = error(boosted_c45(rounds), X, y, 5, name)
        points.append((c45, stumps, name))
        print(f"{name:<20}{stumps:>7.1f}{c45:>7.1f}   {time.perf_counter() - began:>6.1f} s", flush=True)
    figure, axes = plt.subplots(figsize=(6, 6))
    most = max(max(c45, stumps) for c45, stumps, _ in points) + 3
    axes.plot([0, most], [0, most], color="0.7", linewidth=0.8)
    for c45, stumps, name in points:
        axes.plot(c45, stumps, "o", color="tab:blue", markersize=4)
        axes.annotate(name, (c45, stumps), xytext=(3, 2), textcoords="offset points", fontsize=7)
    axes.set(xlabel="boosted C4.5, test error in %", ylabel="boosted stumps, test error in %")
    axes.set(xlim=(0, most), ylim=(0, most))
    figure.tight_layout()
    figure.savefig(picture, dpi=150)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "shared" / "data"
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    freund_and_schapire(folder, rounds)
    additive(folder)
    if len(sys.argv) > 3:
        scatter(folder, rounds, sys.argv[3])


if __name__ == "__main__":
    warnings.simplefilter("ignore", MarginWarning)
    main()
