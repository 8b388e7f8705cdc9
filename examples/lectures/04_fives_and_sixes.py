"""Fives and sixes: naive Bayes averages all pictures of each, and compares a new one with both averages.

    python examples/lectures/04_fives_and_sixes.py [folder]

Prints the share of right answers to the pictures that were held out, for fives and sixes and for all ten digits; with a
folder, the averages as pictures.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

from margin import NaiveBayes, evaluate
from margin.errors import ConstantColumnWarning
from margin.plots import plot_class_means

#: A pixel of 0 … 16 is ink from here on.
INK = 8


def main(folder: str | None = None) -> int:
    """Print the answers; write the averages."""
    warnings.simplefilter("ignore", ConstantColumnWarning)  # pixels that never have ink
    pictures = load_digits()
    on, digit = (pictures.data >= INK).astype(float), pictures.target
    for asked in ((5, 6), tuple(range(10))):
        rows = np.isin(digit, asked)
        X, y = on[rows], digit[rows]
        model = NaiveBayes(distributions="bernoulli")
        score = evaluate(model, X, y, "10-fold").scores["accuracy"]
        majority = np.bincount(y).max() / len(y)
        print(f"{len(asked)} digits, {len(y)} pictures: {score} right (the majority guess {majority:.3f})")
        if folder is not None:
            name = f"averages-of-{len(asked)}-digits.png"
            plot_class_means(model.fit(X, y)).figure.savefig(Path(folder) / name, dpi=110)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
