"""Perceptrons that begin at small random weights, and that end at an error that is small enough."""

import numpy as np
import pytest

from margin import Perceptron
from margin.base.rollback import NotYetFittedError
from margin.errors import NotSeparableWarning


def noisy(seed=0, n=200):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = X[:, 0] > 0
    y[:6] = ~y[:6]
    return X, y


def test_training_ends_where_the_share_of_mistakes_is_small_enough():
    X, y = noisy()
    model = Perceptron(max_error=0.2).fit(X, y)  # a warning would be an error here
    shares = model.mistake_counts_ / len(y)
    assert shares[-1] <= 0.2
    assert (shares[:-1] > 0.2).all()
    with pytest.warns(NotSeparableWarning):
        Perceptron(max_iter=20).fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("variant", ["plain", "averaged", "voted"])
def test_random_weights_are_small_seeded_and_lead_to_a_plane_too(n_classes, variant):
    rng = np.random.default_rng(1)
    y = rng.integers(0, n_classes, 150)
    X = np.column_stack([np.cos(2.1 * y), np.sin(2.1 * y)]) + 0.05 * rng.normal(size=(150, 2))
    fits = [Perceptron(init="random", random_state=s, variant=variant).fit(X, y) for s in (0, 0, 1)]
    assert (fits[0].coef_ == fits[1].coef_).all()
    assert (fits[0].coef_ != fits[2].coef_).any()
    assert all((model.predict(X) == y).mean() > 0.98 for model in fits)


def test_the_first_weights_are_at_most_a_twentieth_of_a_step():
    begun = Perceptron(init="random", random_state=0, eta0=2.0)._first_memory(1, 3)
    assert 0 < np.abs(begun.w[:, :3]).max() <= 0.1
    assert (begun.w[:, 3:] == 0).all()


def test_the_bound_is_not_claimed_for_random_weights():
    X, y = [[0.0, 1.0], [1.0, 0.0]], [0, 1]
    with pytest.raises(NotYetFittedError, match="begin at 0"):
        _ = Perceptron(init="random", random_state=0).fit(X, y).certificate_
