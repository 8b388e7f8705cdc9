"""What a step of training does, written out: batch norm, mixtures, smoothed labels, averages, vectors, sparse rows."""

import itertools

import numpy as np
import pytest
import scipy.sparse

import margin._core as _core
from margin import MLPClassifier, MLPRegressor
from margin.deep.layers import BatchNorm, CrossEntropy, Linear, Sequential, Tanh
from margin.deep.mlp.rates import Schedule
from margin.deep.mlp.several_targets import one_hot_targets

pytestmark = [
    pytest.mark.filterwarnings("ignore::margin.errors.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning"),
]

rng = np.random.default_rng(3)
X = rng.normal(size=(41, 7))
THREE = X[:, :3].argmax(axis=1).astype(np.int32)
UNITS = [7, 5, 14, 3]
N_FLAT = 8 * 5 + 6 * 14 + 15 * 3


def trainer(error="softmax", units=UNITS, optimizer="sgd", single=False, **more):
    make = _core.deep.SingleTrainer if single else _core.deep.Trainer
    return make(units, "tanh", error, optimizer, 0.0, 0.0, 0.9, 0.999, 1e-8, 0.0, 0.0, 5, **more)


def one_step(made, x=X, classes=THREE, values=None, weight=None, rate=0.1, order=None, batch=None):
    order = np.arange(len(x)) if order is None else order
    return made.epoch(x, classes, values, weight, order, batch or len(order), np.array([rate]), 1)


def net_of(flat, normed):
    layers, at = [], 0
    for i, (n_in, n_out) in enumerate(itertools.pairwise(UNITS)):
        linear = Linear(n_in, n_out)
        linear.W = flat[at : at + n_in * n_out].reshape(n_in, n_out).copy()
        shift = flat[at + n_in * n_out : at + (n_in + 1) * n_out].copy()
        at += (n_in + 1) * n_out
        layers.append(linear)
        if i + 2 == len(UNITS):
            linear.b = shift
        elif normed:
            norm = BatchNorm(n_out)
            norm.beta = shift
            layers += [norm, Tanh()]
        else:
            linear.b = shift
            layers.append(Tanh())
    return Sequential(layers)


def test_a_step_with_batch_norm_is_that_of_the_layers_and_running_means_are_folded_in():
    flat = rng.normal(size=N_FLAT) * 0.5
    made = trainer(batch_norm=True)
    made.begin(flat)
    net = net_of(flat, normed=True)
    error = CrossEntropy()
    loss, _, failed = one_step(made)
    outputs = net.outputs(X)
    slopes = net.slopes(outputs, error.gradient(outputs[-1], THREE))
    assert failed == -1
    np.testing.assert_allclose(loss, error.error(outputs[-1], THREE), rtol=1e-12)
    for i, layer in enumerate(net.layers):
        for name, slope in layer.parameter_gradient(outputs[i], slopes[i + 1]).items():
            if not (name == "b" and i < len(net.layers) - 1):  # its shift takes the place of the intercept
                layer.parameters[name][:] -= 0.1 * slope
    # The same network without batch norm: a tenth of the batch's mean and variance are in the running ones.
    expected, at = [], 0
    for i, layer in enumerate(net.layers):
        if not isinstance(layer, Linear):
            continue
        at = i
        if i == len(net.layers) - 1:
            expected += [layer.W.ravel(), layer.b]
            continue
        norm, z = net.layers[i + 1], outputs[i + 1]
        mean, variance = 0.1 * z.mean(axis=0), 0.9 + 0.1 * z.var(axis=0, ddof=1)
        factor = norm.gamma / np.sqrt(variance + 1e-5)
        expected += [(layer.W * factor).ravel(), norm.beta - mean * factor]
    assert at == len(net.layers) - 1
    np.testing.assert_allclose(made.answering(), np.concatenate(expected), atol=1e-12)


@pytest.mark.parametrize("single", [False, True])
def test_smoothed_labels_spread_a_share_over_all_classes(single):
    dtype = np.float32 if single else np.float64
    flat = (rng.normal(size=N_FLAT) * 0.5).astype(dtype)
    made, soft = trainer(smoothing=0.1, single=single), trainer(single=single)
    targets = 0.9 * np.eye(3)[THREE] + 0.1 / 3
    for each in (made, soft):
        each.begin(flat)
    loss, _, _ = one_step(made, X.astype(dtype))
    again, _, _ = one_step(soft, X.astype(dtype), None, np.ascontiguousarray(targets, dtype=dtype))
    np.testing.assert_allclose(loss, again, rtol=1e-5 if single else 1e-12)
    np.testing.assert_allclose(made.weights(), soft.weights(), atol=1e-5 if single else 1e-12)
    z = net_of(flat.astype(float), normed=False).forward(X)
    logs = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(again, -(targets * logs).sum(axis=1).mean(), rtol=1e-5)


def test_two_classes_are_smoothed_towards_one_half():
    model = MLPClassifier(
        hidden_layer_sizes=(40,), label_smoothing=0.4, max_iter=400, learning_rate_init=0.02, alpha=0, tol=0
    )
    model.fit(X, THREE > 0)
    sure = model.predict_proba(X).max(axis=1)
    np.testing.assert_allclose(sure, 0.8, atol=0.05)
    three = MLPClassifier(
        hidden_layer_sizes=(40,), label_smoothing=0.3, max_iter=400, learning_rate_init=0.02, alpha=0, tol=0
    )
    np.testing.assert_allclose(three.fit(X, THREE).predict_proba(X).max(axis=1), 0.8, atol=0.05)


def test_mixtures_are_learnt_with_mixed_targets():
    flat = rng.normal(size=N_FLAT) * 0.5
    weight = rng.random(len(X)) + 0.5
    made = trainer(mixup=0.7)
    made.begin(flat)
    loss, _, _ = one_step(made, weight=weight)
    # Rows that are all alike are their own mixtures.
    again = trainer(mixup=0.7)
    again.begin(flat)
    alike, _, _ = one_step(again, np.tile(X[:1], (10, 1)), np.repeat(THREE[:1], 10), weight=np.ones(10))
    plain = trainer()
    plain.begin(flat)
    np.testing.assert_allclose(alike, one_step(plain, X[:1], THREE[:1])[0], rtol=1e-12)
    np.testing.assert_allclose(again.weights(), plain.weights(), atol=1e-12)
    # Two rows: partners are themselves or each other, and then rows and targets are mixed by the same share.
    pair, seen = X[:2], set()
    labels = np.array([0, 1], np.int32)
    for seed in range(12):
        mixed = _core.deep.Trainer(
            UNITS, "tanh", "softmax", "sgd", 0.0, 0.0, 0.9, 0.999, 1e-8, 0.0, 0.0, seed, mixup=0.7
        )  # fmt: skip
        mixed.begin(flat)
        found, _, _ = one_step(mixed, pair, labels)
        shares = np.linspace(0, 0.5, 20001)
        net = net_of(flat, normed=False)
        losses = [_soft_loss(net.forward(_mixed(pair, s)), _mixed(np.eye(2, 3), s)) for s in shares[::500]]
        unmixed = CrossEntropy().error(net.forward(pair), labels)
        seen.add("itself" if abs(found - unmixed) < 1e-12 else "other")
        assert abs(found - unmixed) < 1e-12 or min(losses) - 1e-3 <= found <= max(losses) + 1e-3
    assert seen == {"itself", "other"}
    assert np.isfinite(loss)


def _mixed(rows, share):
    return (1 - share) * rows + share * rows[::-1]


def _soft_loss(z, targets):
    logs = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    return -(targets * logs).sum(axis=1).mean()


def test_averaged_weights_follow_the_weights():
    flat = rng.normal(size=N_FLAT) * 0.5
    made, plain = trainer(average=0.95), trainer()
    made.begin(flat)
    plain.begin(flat)
    average = flat.copy()
    for t in range(1, 30):
        one_step(made)
        one_step(plain)
        average += (1 - min(0.95, (1 + t) / (10 + t))) * (plain.weights() - average)
    np.testing.assert_allclose(made.weights(), plain.weights(), atol=0)
    np.testing.assert_allclose(made.answering(), average, atol=1e-12)


def test_vectors_of_codes_are_learnt_as_one_hot_columns_before_a_layer_of_their_own():
    codes = rng.integers(-1, 4, size=(41, 2)).astype(float)
    rows = np.column_stack([X[:, :3], codes])
    units, levels, widths = [3 + 2 + 3, 5, 3], [4, 4], [2, 3]
    flat = rng.normal(size=5 * 2 + 5 * 3 + 9 * 5 + 6 * 3) * 0.5
    made = trainer(units=units, levels=levels, widths=widths)
    made.begin(flat)
    loss, length, _ = one_step(made, rows)

    def objective(w):
        tables = w[:10].reshape(5, 2), w[10:25].reshape(5, 3)
        inputs = np.column_stack([rows[:, :3], *(t[rows[:, 3 + j].astype(int) + 1] for j, t in enumerate(tables))])
        W, b, V, c = w[25:65].reshape(8, 5), w[65:70], w[70:85].reshape(5, 3), w[85:]
        return CrossEntropy().error(np.tanh(inputs @ W + b) @ V + c, THREE)

    np.testing.assert_allclose(loss, objective(flat), rtol=1e-12)
    gradient = np.array([(objective(flat + 1e-6 * e) - objective(flat - 1e-6 * e)) / 2e-6 for e in np.eye(len(flat))])
    np.testing.assert_allclose(made.weights(), flat - 0.1 * gradient, atol=1e-9)
    np.testing.assert_allclose(length, np.linalg.norm(gradient), rtol=1e-6)
    # Only what a batch has looked up moves, whatever the optimiser remembers.
    adam = trainer(units=units, levels=levels, widths=widths, optimizer="adam")
    adam.begin(flat)
    one_step(adam, rows)
    before = adam.weights()
    some = np.flatnonzero((codes[:, 0] == 2) & (codes[:, 1] >= 0))
    one_step(adam, rows, order=some)
    moved = (adam.weights() != before)[:10].reshape(5, 2).any(axis=1)
    assert moved.tolist() == [False, False, False, True, False]


def test_several_targets_cost_what_each_costs_by_itself():
    y = np.column_stack([THREE > 0, THREE, THREE == 2]).astype(int)
    classes = [np.arange(2), np.arange(3), np.arange(2)]
    units = [7, 4, 5]
    made = trainer("several", units, groups=[1, 3, 1])
    flat = rng.normal(size=8 * 4 + 5 * 5)
    made.begin(flat)
    weight = rng.random(len(X)) + 0.5
    loss, _, _ = one_step(made, X, None, one_hot_targets(y, classes), weight)
    W, b, V, c = flat[:28].reshape(7, 4), flat[28:32], flat[32:52].reshape(4, 5), flat[52:]
    z = np.tanh(X @ W + b) @ V + c
    costs = np.logaddexp(0, z[:, 0]) - y[:, 0] * z[:, 0] + np.logaddexp(0, z[:, 4]) - y[:, 2] * z[:, 4]
    costs += np.log(np.exp(z[:, 1:4]).sum(axis=1)) - z[np.arange(len(z)), 1 + y[:, 1]]
    np.testing.assert_allclose(loss, (weight * costs).mean(), rtol=1e-12)


@pytest.mark.parametrize("model", [MLPClassifier, MLPRegressor])
@pytest.mark.parametrize("settings", [{}, {"solver": "lbfgs"}, {"precision": "single"}, {"shuffle": False}])
def test_sparse_rows_are_learnt_as_dense_ones_to_the_last_bit(model, settings):
    few = np.where(X > 0.4, X, 0.0)
    few[:, 4] = 0.0
    common = {"hidden_layer_sizes": (30,), "max_iter": 4, "scale": None, "batch_size": 10, **settings}
    dense, sparse = model(**common).fit(few, THREE), model(**common).fit(scipy.sparse.csr_array(few), THREE)
    assert np.array_equal(dense._flat, sparse._flat)
    assert np.array_equal(dense.predict(few), sparse.predict(scipy.sparse.csc_array(few)))
    if model is MLPClassifier:
        assert np.array_equal(dense.predict_proba(few), sparse.predict_proba(scipy.sparse.coo_array(few)))


def test_float32_stays_float32():
    single = MLPClassifier(hidden_layer_sizes=(5,), max_iter=3).fit(X.astype(np.float32), THREE)
    assert {each.dtype for each in single.coefs_} == {np.dtype(np.float32)}
    double = MLPClassifier(hidden_layer_sizes=(5,), max_iter=3, precision="double").fit(X.astype(np.float32), THREE)
    assert double.coefs_[0].dtype == np.float64


def test_the_rate_warms_up_and_falls():
    rates = np.concatenate([Schedule("warm_up", 2.0, 20).rates(epoch, 5, 0) for epoch in range(20)])
    assert np.allclose(np.diff(rates[:10]), 0.2)
    assert rates[9] == pytest.approx(2.0)
    assert (np.diff(rates[10:]) <= 0).all()
    assert rates[-1] < 0.01
