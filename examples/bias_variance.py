"""Bias, variance and noise of polynomials of growing order, fitted to noisy points of a sine.

python examples/bias_variance.py
"""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from margin.evaluation import bias_variance_curve

__all__: list[str] = []

#: Standard deviation of the noise.
NOISE = 0.3


def curve(x: np.ndarray) -> np.ndarray:
    return np.sin(2 * np.pi * x[:, 0])


def draw(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = random.uniform(size=(30, 1))
    return x, curve(x) + NOISE * random.normal(size=len(x))


def main() -> None:
    asked = np.linspace(0.05, 0.95, 50)[:, None]
    print(
        bias_variance_curve(
            make_pipeline(PolynomialFeatures(), LinearRegression()),
            parameter="polynomialfeatures__degree",
            values=range(8),
            draw=draw,
            X_test=asked,
            expected=curve(asked),
            noise=NOISE**2,
            times=400,
        )
    )


if __name__ == "__main__":
    main()
