"""The mistake bound (R/γ)² on 1,000 random problems that can be separated."""

import numpy as np
import pytest

from margin import Perceptron

PROBLEMS = 1000


def separable(seed: int) -> tuple[np.ndarray, np.ndarray, bool]:
    """Rows on both sides of a random plane, none nearer to it than a margin drawn for the problem."""
    rng = np.random.default_rng(seed)
    n, d, intercept = int(rng.integers(4, 80)), int(rng.integers(1, 12)), bool(rng.integers(2))
    u = rng.normal(size=d)
    u /= np.linalg.norm(u)
    X = rng.normal(size=(n, d)) * 10 ** rng.uniform(-1, 1)
    side = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    side[:2] = 1, -1
    margin = 10 ** rng.uniform(-2, 0) * np.abs(X).max()
    X += ((side * (margin + np.abs(X @ u)) - X @ u)[:, None]) * u
    return X + (u * rng.uniform(0, 1) if intercept else 0), side, intercept


@pytest.mark.golden("D2")
def test_no_perceptron_makes_more_mistakes_than_its_certificate_allows():
    shares = []
    for seed in range(PROBLEMS):
        X, y, intercept = separable(seed)
        model = Perceptron(
            max_iter=100_000,
            eta0=[1.0, 0.1, 7.0][seed % 3],
            shuffle=seed % 2 == 1,
            fit_intercept=intercept,
            random_state=0,
        ).fit(X, y)
        found = model.certificate_
        assert found.separable
        assert found.mistakes == model.n_mistakes_ >= 1
        assert found.mistakes <= found.bound * (1 + 1e-9), seed
        assert len(model.mistakes_[-1]) == 0
        assert np.array_equal(model.predict(X), y)
        shares.append(found.mistakes / found.bound)
    assert max(shares) > 0.5  # the bound is no empty promise: some problems come near it
