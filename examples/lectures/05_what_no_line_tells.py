"""XOR, a ring and two moons: what naive Bayes and lines cannot tell, and neighbours, trees and kernels can.

    python examples/lectures/05_what_no_line_tells.py [folder]

Prints the share of right answers to rows that were held out; with a folder, the gallery of decision regions.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from margin import SVC, DecisionTreeClassifier, KNeighborsClassifier, LogisticRegression, NaiveBayes
from margin.plots import plot_gallery

MODELS = {
    "naive Bayes": NaiveBayes(),
    "logistic": LogisticRegression(),
    "tree": DecisionTreeClassifier(random_state=0),
    "5 neighbours": KNeighborsClassifier(5),
    "RBF kernel": SVC(),
}


def tables(n: int = 150) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Rows of two columns and their classes."""
    random = np.random.default_rng(0)
    square = random.uniform(-1, 1, (n, 2))
    angle, inner = random.uniform(0, 2 * np.pi, n), np.arange(n) % 2
    ring = (1.0 - 0.6 * inner[:, None]) * np.column_stack([np.cos(angle), np.sin(angle)])
    half = np.pi * random.uniform(size=n)
    moons = np.column_stack([np.cos(half), np.sin(half)])
    moons[inner == 1] = np.array([1.0, 0.4]) - moons[inner == 1]
    noise = random.normal(0, 0.12, (n, 2))
    return {
        "xor": (square, (square[:, 0] * square[:, 1] > 0).astype(int)),
        "ring": (ring + noise, inner),
        "moons": (moons + noise, inner),
    }


def main(folder: str | None = None) -> int:
    """Print a line for each table."""
    made = tables()
    grid = plot_gallery(MODELS, made, steps=60 if folder else 5)
    for name, line in zip(made, grid, strict=True):
        told = ", ".join(f"{model} {ax.texts[-1].get_text()}" for model, ax in zip(MODELS, line, strict=True))
        print(f"{name}: {told}")
    if folder is not None:
        grid[0, 0].figure.savefig(Path(folder) / "gallery.png", dpi=110)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
