"""DART against its definition: rounds are left out by known chances, and share with those that they left out."""

import numpy as np
import pytest

from margin import GradientBoostingClassifier, GradientBoostingRegressor
from margin.boosting.gradient.dropping import kept_shares
from margin.errors import ParameterError
from tests.boosting.gradient.slow_boosting import SlowTree, derivatives, slow_tree

RATE, SHARE = 0.3, 0.4


def drawn(seed, n, share=SHARE):
    """The rounds, of n before it, that a round leaves out: the chances of the core, by NumPy."""
    bits = np.random.Philox(key=np.uint64(seed) ^ np.uint64(0x64726F70), counter=[0, 0, n, 0])
    out = [k for k in range(n) if np.random.Generator(bits).random() < share]
    return out or ([int(bits.random_raw()) * n >> 64] if n else [])


def leaves(node: SlowTree):
    return [node] if not node.branches else [leaf for branch in node.branches for leaf in leaves(branch)]


def slow_dart(X, y, loss, f0, rounds, seed, l2=1.0):
    """What each round adds in the end, by keeping every tree and its factor."""
    said = []
    for n in range(rounds):
        out = drawn(seed, n)
        f = f0 + sum((tree for k, tree in enumerate(said) if k not in out), np.zeros(len(y)))
        g, h = derivatives(loss, f, y)
        new = np.zeros(len(y))
        for leaf in leaves(slow_tree(X, g, h, leaves=6, l2=l2, min_cases=5)):
            new[leaf.rows] = -g[leaf.rows].sum() / (h[leaf.rows].sum() + l2)
        k = len(out)
        said.append(new * (RATE / (k + RATE) if k else RATE))
        for j in out:
            said[j] = said[j] * (k / (k + RATE))
        yield f0 + sum(said)


def table(n=250):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 12, size=(n, 4)).astype(float)
    X[:, 2] += rng.normal(size=n).round(1)
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    return X, np.nan_to_num(np.sin(X[:, 0]) + 0.3 * X[:, 1] * (X[:, 2] > 5)), rng


def asked(**more):
    how = {"n_estimators": 9, "learning_rate": RATE, "drop_rate": SHARE, "max_leaf_nodes": 6, "min_samples_leaf": 5}
    return how | {"min_child_weight": 0.0, "random_state": 5} | more


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_numbers_are_the_definition(n):
    X, signal, rng = table()
    y = signal + rng.normal(size=len(signal))
    model = GradientBoostingRegressor(**asked(n_estimators=n)).fit(X, y)
    *_, slow = slow_dart(X, y, "squared_error", y.mean(), n, model._seed[0])
    np.testing.assert_allclose(model.predict(X), slow, rtol=1e-9, atol=1e-9)


def test_two_classes_are_the_definition():
    X, signal, rng = table()
    y = (signal + rng.logistic(size=len(signal)) > 0).astype(int)
    model = GradientBoostingClassifier(**asked()).fit(X, y)
    *_, slow = slow_dart(X, y, "log_loss", np.log(y.mean() / (1 - y.mean())), 9, model._seed[0])
    np.testing.assert_allclose(model.decision_function(X), slow, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("settings", [
    {}, {"subsample": 0.6}, {"growth": "symmetric"}, {"max_features": 0.5}, {"top_rate": 0.2},
], ids=str)  # fmt: skip
def test_the_model_is_the_same_for_any_number_of_threads(settings):
    X, signal, rng = table(900)
    y = np.digitize(signal + rng.normal(size=len(signal)), [0.0, 1.0])
    models = [GradientBoostingClassifier(**asked(**settings), n_jobs=jobs).fit(X, y) for jobs in (1, 3)]
    assert np.array_equal(models[0].trees_.nodes, models[1].trees_.nodes)
    plain = GradientBoostingClassifier(**asked(**settings, drop_rate=0.0)).fit(X, y)
    assert not np.array_equal(plain.predict_proba(X), models[0].predict_proba(X))


def test_the_best_round_is_kept_with_the_shares_of_its_time():
    X, signal, rng = table(400)
    y = signal + rng.normal(size=len(signal)) * 2
    stopped = GradientBoostingRegressor(**asked(n_estimators=60, early_stopping=True)).fit(X, y)
    n = stopped.n_estimators_
    assert n == stopped.validation_loss_.argmin() + 1 < len(stopped.validation_loss_)
    # The rows held back are known by what a model of n rounds would say of them: the curve has that loss at its end.
    shorter = GradientBoostingRegressor(**asked(n_estimators=n, early_stopping=True, n_iter_no_change=99)).fit(X, y)
    assert shorter.validation_loss_[-1] == stopped.validation_loss_[n - 1]
    np.testing.assert_array_equal(shorter.predict(X), stopped.predict(X))


def test_own_losses_leave_rounds_out_too():
    X, signal, rng = table()
    y = signal + rng.normal(size=len(signal))

    def squared(y, f):
        return (f - y) ** 2 / 2, f - y, np.ones_like(f)

    own = GradientBoostingRegressor(loss=squared, **asked()).fit(X, y)
    known = GradientBoostingRegressor(**asked()).fit(X, y)
    np.testing.assert_allclose(own.predict(X), known.predict(X), rtol=1e-6, atol=1e-6)


def test_values_add_up_to_answers():
    X, signal, rng = table()
    y = signal + rng.normal(size=len(signal))
    model = GradientBoostingRegressor(**asked()).fit(X, y)
    np.testing.assert_allclose(model.shap_values(X).sum(axis=1) + model.shap_base(), model.predict(X), rtol=1e-9)
    *_, last = model.staged_predict(X)
    np.testing.assert_allclose(last, model.predict(X), rtol=1e-12)


def test_shares_by_hand():
    # Round 1 left out round 0 (k = 1), round 2 both (k = 2), with a step of 1/2.
    found = kept_shares([np.array([], int), np.array([0]), np.array([0, 1])], 0.5)
    np.testing.assert_allclose(found, [1 / 1.5 * 2 / 2.5, 2 / 2.5, 1.0])


def test_going_on_and_the_exact_engine_know_nothing_of_it():
    X, signal, _ = table()
    model = GradientBoostingRegressor(**asked(warm_start=True, n_estimators=3)).fit(X, signal)
    with pytest.raises(ParameterError, match=r"drop_rate=0\.4"):
        model.set_params(n_estimators=5).fit(X, signal)
    assert model.n_estimators_ == 3
    with pytest.raises(ParameterError, match="drop_rate"):
        GradientBoostingRegressor(engine="exact", drop_rate=0.1).fit(X, signal)
