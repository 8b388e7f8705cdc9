"""What boosting does with wrong labels: errors on clean test rows, learnt with and without 10 % of the labels flipped.

    python examples/label_noise.py [folder of data sets] [repeats] [picture.png]

In each repeat half of the rows is for learning and the other half, whose labels stay as they are, for testing. Every
method has up to 100 stumps, LPBoost 40, for it solves a linear program for each.
BrownBoost is told the share of wrong labels by its target error (on clean rows a target of 2 %), LPBoost by
twice that share as its nu; the others are told nothing. "spheres" is made by a formula: ten normal columns, the class
is whether their squares add up to more than their median. Sets that are not there are left out.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import margin
from margin.errors import MarginWarning
from margin.random import generator

NOISE = 0.1
SETS = ("spheres", "breast-w", "ionosphere", "diabetes", "heart-statlog", "vote")
#: The median of chi-squared with ten degrees of freedom.
MEDIAN = 9.342


def methods(noise: float) -> dict[str, Any]:
    """Every method with 100 stumps."""
    return {
        "AdaBoost": margin.AdaBoostClassifier(n_estimators=100),
        "real AdaBoost": margin.AdaBoostClassifier(n_estimators=100, algorithm="SAMME.R"),
        "GentleBoost": margin.GentleBoostClassifier(n_estimators=100),
        "LogitBoost": margin.LogitBoostClassifier(n_estimators=100),
        "LogitBoost .1": margin.LogitBoostClassifier(n_estimators=100, learning_rate=0.1),
        "BrownBoost": margin.BrownBoostClassifier(target_error=noise or 0.02, n_estimators=100),
        "LPBoost": margin.LPBoostClassifier(nu=2 * noise or 0.05, n_estimators=40),
    }


def rows(name: str, folder: Path, stream: np.random.Generator) -> tuple[Any, np.ndarray]:
    """The rows in random order, and a class of each as 0 or 1."""
    if name == "spheres":
        X = stream.normal(size=(600, 10))
        return X, (np.sum(X**2, axis=1) > MEDIAN).astype(int)
    table = margin.read(folder / f"{name}.arff.gz")
    X, y = table.target(table.names[-1])
    order = stream.permutation(len(y))
    return X[order], np.unique(np.asarray(y)[order], return_inverse=True)[1]


def errors(name: str, folder: Path, repeats: int) -> np.ndarray:
    """Repeats x (clean, flipped) x methods: the share of test rows that are wrong."""
    found = []
    for repeat in range(repeats):
        stream = generator(repeat, "label noise", name)
        X, y = rows(name, folder, stream)
        half = np.arange(len(y) // 2)
        rest = np.arange(len(y) // 2, len(y))
        flipped = np.where(stream.random(len(half)) < NOISE, 1 - y[half], y[half])
        found.append(
            [
                [(model.fit(X[half], labels).predict(X[rest]) != y[rest]).mean() for model in methods(noise).values()]
                for noise, labels in ((0.0, y[half]), (NOISE, flipped))
            ]
        )
    return np.array(found)


def draw(found: dict[str, np.ndarray], path: str) -> None:
    """For each set a line from the error on clean rows to that on flipped ones, a colour for each method."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(found), figsize=(2.4 * len(found), 3), squeeze=False)
    for axis, (name, each) in zip(axes[0], found.items(), strict=True):
        for method, line in zip(methods(NOISE), 100 * each.mean(axis=0).T, strict=True):
            axis.plot([0, 1], line, marker="o", label=method)
        axis.set(title=name, xticks=[0, 1], xticklabels=["clean", f"{NOISE:.0%} flipped"], xlim=(-0.2, 1.2))
    axes[0][0].set_ylabel("test error, %")
    axes[0][-1].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "shared" / "data"
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    there = [name for name in SETS if name == "spheres" or (folder / f"{name}.arff.gz").exists()]
    print(f"test error in %, clean -> {NOISE:.0%} of the training labels flipped; mean of {repeats} repeats")
    print(f"{'':<14}" + "".join(f"{method:>15}" for method in methods(NOISE)))
    found = {}
    for name in there:
        found[name] = errors(name, folder, repeats)
        clean, noisy = 100 * found[name].mean(axis=0)
        print(f"{name:<14}" + "".join(f"{a:>7.1f} ->{b:>5.1f}" for a, b in zip(clean, noisy)), flush=True)
    clean, noisy = 100 * np.mean([each.mean(axis=0) for each in found.values()], axis=0)
    print(f"{'mean':<14}" + "".join(f"{a:>7.1f} ->{b:>5.1f}" for a, b in zip(clean, noisy)))
    worst = np.mean([100 * (each[:, 1] - each[:, 0]).mean(axis=0) for each in found.values()], axis=0)
    print(f"{'worse by':<14}" + "".join(f"{each:>15.1f}" for each in worst))
    if len(sys.argv) > 3:
        draw(found, sys.argv[3])


if __name__ == "__main__":
    warnings.simplefilter("ignore", MarginWarning)
    main()
