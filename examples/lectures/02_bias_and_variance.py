"""Bias, variance and noise: polynomials of growing order, and neighbours of growing number, on noisy points of a sine.

    python examples/lectures/02_bias_and_variance.py [folder]

Prints the parts of the squared error at each order and each k; with a folder, both as pictures.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from margin import KNeighborsRegressor
from margin.evaluation import bias_variance_curve
from margin.plots import plot_bias_variance

#: Standard deviation of the noise, and training sets that are drawn.
NOISE, TIMES = 0.3, 400


def sine(x: np.ndarray) -> np.ndarray:
    """What is learnt: one wave."""
    return np.sin(2 * np.pi * x[:, 0])


def draw(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Thirty noisy points of it."""
    x = random.uniform(size=(30, 1))
    return x, sine(x) + NOISE * random.normal(size=len(x))


def main(folder: str | None = None, times: int = TIMES) -> int:
    """Print both tables; write their pictures."""
    asked = np.linspace(0.05, 0.95, 50)[:, None]
    known = {"draw": draw, "X_test": asked, "expected": sine(asked), "noise": NOISE**2, "times": times}
    polynomials = make_pipeline(PolynomialFeatures(), LinearRegression())
    found = {
        "order": bias_variance_curve(polynomials, parameter="polynomialfeatures__degree", values=range(8), **known),
        "k": bias_variance_curve(KNeighborsRegressor(), parameter="n_neighbors", values=(1, 2, 4, 8, 16, 30), **known),
    }
    for name, curve in found.items():
        print(curve, end="\n\n")
        if folder is not None:
            plot_bias_variance(curve).figure.savefig(Path(folder) / f"bias-and-variance-of-{name}.png", dpi=110)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
