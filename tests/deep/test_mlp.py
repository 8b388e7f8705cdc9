"""margin.MLPClassifier and MLPRegressor: scikit-learn's losses, gradients by their definition, and training."""

import warnings

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier as TheirClassifier
from sklearn.neural_network import MLPRegressor as TheirRegressor

import margin._core as _core
from margin import MLPClassifier, MLPRegressor, parallel
from margin.deep import backpropagate, layers_of
from margin.errors import ConvergenceWarning, InputError, LabelError, ParameterError, TrainingError

pytestmark = [
    pytest.mark.filterwarnings("ignore::margin.errors.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]

rng = np.random.default_rng(0)
X = rng.normal(size=(203, 7))
THREE, TWO = X[:, :3].argmax(axis=1), (X[:, 0] > 0).astype(int)
NUMBERS = np.column_stack([X[:, 0] ** 2, X[:, 1]])


def theirs_and_ours(their, our, y, **settings):
    """Both from the same weights, over the same batches."""
    common = {"shuffle": False, "batch_size": 50, **settings}
    still = {**common, "solver": "sgd", "learning_rate_init": 1e-300, "max_iter": 1}
    begin = their(random_state=1, **still).fit(X, y)
    init = [c.copy() for c in begin.coefs_], [b.copy() for b in begin.intercepts_]
    return (
        their(random_state=1, max_iter=10, **common).fit(X, y),
        our(init=init, scale=None, max_iter=10, **common).fit(X, y),
    )


@pytest.mark.golden("I2")
@pytest.mark.parametrize(
    "settings",
    [
        {"activation": "relu", "hidden_layer_sizes": (11, 5)},
        {"activation": "tanh", "hidden_layer_sizes": (30,)},
        {"activation": "logistic", "hidden_layer_sizes": (12,)},
        {"activation": "identity", "alpha": 0.5},
        {"solver": "sgd", "learning_rate_init": 0.05},
        {"solver": "sgd", "nesterovs_momentum": False, "learning_rate": "invscaling", "learning_rate_init": 0.5},
    ],
)
def test_losses_are_those_of_scikit_learn(settings):
    for y in (THREE, TWO):
        theirs, ours = theirs_and_ours(TheirClassifier, MLPClassifier, y, **settings)
        np.testing.assert_allclose(ours.loss_curve_, theirs.loss_curve_, atol=1e-8, rtol=0)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    theirs, ours = theirs_and_ours(TheirRegressor, MLPRegressor, NUMBERS, **{**settings, "learning_rate_init": 0.01})
    np.testing.assert_allclose(ours.loss_curve_, theirs.loss_curve_, atol=1e-8, rtol=0)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-8)


@pytest.mark.parametrize("activation", _core.deep.activations())
@pytest.mark.parametrize("error", ["softmax", "logistic", "squared_error"])
def test_the_gradient_of_the_core_is_that_of_the_layers(activation, error):
    units = [7, 5, 13, 3]
    flat, weight = rng.normal(size=8 * 5 + 6 * 13 + 14 * 3) * 0.5, rng.random(len(X)) + 0.5
    trainer = _core.deep.Trainer(units, activation, error, "sgd", 0.3, 0.0, 0.9, 0.999, 1e-8, 0.0, 0.0, 0)
    trainer.set(flat, None, None, 0)
    classes = THREE.astype(np.int32) if error == "softmax" else None
    values = None if error == "softmax" else np.eye(3)[THREE]
    _, found = trainer.objective(X, classes, values, weight, np.arange(len(X)), 1)
    model = MLPClassifier(hidden_layer_sizes=(5, 13), activation=activation, max_iter=1, scale=None).fit(X, THREE)
    model._flat = flat
    net = layers_of(model)
    z = net.forward(X)
    if error == "softmax":
        shares = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    else:
        shares = z if error == "squared_error" else 1 / (1 + np.exp(-z))
    slopes = net.parameter_gradient(X, weight[:, None] * (shares - np.eye(3)[THREE]))
    expected = [
        (slopes[f"{i}.{name}"] + (0.3 * net.layers[i].W if name == "W" else 0.0)).ravel() / len(X)
        for i in (0, 2, 4)
        for name in ("W", "b")
    ]
    np.testing.assert_allclose(found, np.concatenate(expected), atol=1e-12)


def slow_step(solver, w, g, first, second, t, rate):
    """What one step makes of a weight, written out."""
    if solver in ("sgd", "nesterov"):
        first = 0.9 * first - rate * g
        return w + (first if solver == "sgd" else 0.9 * first - rate * g), first, second
    if solver == "rmsprop":
        second = 0.999 * second + 0.001 * g * g
        return w - rate * g / (np.sqrt(second) + 1e-8), first, second
    if solver == "adagrad":
        second = second + g * g
        return w - rate * g / (np.sqrt(second) + 1e-8), first, second
    first, second = 0.9 * first + 0.1 * g, 0.999 * second + 0.001 * g * g
    m, v = first / (1 - 0.9**t), second / (1 - 0.999**t)
    if solver == "adamw":
        return w * (1 - rate * 1e-4) - rate * m / (np.sqrt(v) + 1e-8), first, second
    return w - rate * m / (np.sqrt(v) + 1e-8 / np.sqrt(1 - 0.999**t)), first, second


@pytest.mark.parametrize("solver", _core.deep.optimizers())
def test_a_hundred_steps_of_each_optimiser_are_those_of_its_definition(solver):
    x, y = X[:, :1].copy(), X[:, 1:2].copy()
    trainer = _core.deep.Trainer([1, 1], "identity", "squared_error", solver, 1e-4, 0.9, 0.9, 0.999, 1e-8, 0.0, 0.0, 0)
    trainer.set(np.array([0.5, 0.0]), None, None, 0)
    w, first, second = np.array([0.5, 0.0]), np.zeros(2), np.zeros(2)
    for t in range(1, 101):
        trainer.epoch(x, None, y, None, np.arange(len(x)), len(x), np.array([0.01]), 1)
        away = x[:, 0] * w[0] + w[1] - y[:, 0]
        g = np.array([(away * x[:, 0]).mean(), away.mean()])
        if solver != "adamw":
            g[0] += 1e-4 * w[0] / len(x)
        before = w.copy()
        w, first, second = slow_step(solver, w, g, first, second, t, 0.01)
        if solver == "adamw":  # intercepts do not decay
            w[1] += before[1] * 0.01 * 1e-4
    np.testing.assert_allclose(trainer.weights(), w, atol=1e-10)


@pytest.mark.golden("I2")
def test_xor_needs_a_hidden_layer_that_is_not_linear():
    corners, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    common = {"solver": "lbfgs", "max_iter": 300, "alpha": 0.0}
    solved = [
        MLPClassifier(hidden_layer_sizes=(4,), activation="tanh", random_state=i, **common)
        .fit(corners, y)
        .score(corners, y)
        for i in range(30)
    ]
    # scikit-learn solves 93 of 100.
    assert np.mean(np.array(solved) == 1.0) >= 0.8
    collapsed = MLPClassifier(hidden_layer_sizes=(8, 8), activation="identity", **common).fit(corners, y)
    assert collapsed.score(corners, y) <= 0.75


def test_the_network_does_not_depend_on_the_number_of_threads():
    wide = rng.normal(size=(600, 120))
    y = wide[:, :4].argmax(axis=1)
    for solver in ("adam", "lbfgs"):
        made = []
        for n_threads in (1, 2, 3):
            with parallel.threads(n_threads):
                made.append(
                    MLPClassifier(hidden_layer_sizes=(300,), batch_size=256, max_iter=3, solver=solver).fit(wide, y)
                )
        assert all(np.array_equal(made[0]._flat, each._flat) for each in made[1:])


def test_the_network_depends_neither_on_the_order_of_rows_nor_on_how_they_are_repeated():
    order = rng.permutation(len(X))
    counts = rng.integers(1, 4, len(X))
    settings = {"hidden_layer_sizes": (8,), "max_iter": 5, "batch_size": 32, "scale": None}
    repeated = np.repeat(np.arange(len(X)), counts)
    one = MLPClassifier(**settings).fit(X, THREE, sample_weight=counts)
    other = MLPClassifier(**settings).fit(X[repeated], THREE[repeated])
    assert np.array_equal(one._flat, other._flat)
    again = MLPClassifier(**settings).fit(X[order], THREE[order], sample_weight=counts[order])
    assert np.array_equal(one._flat, again._flat)


def test_single_precision_learns_the_same_to_its_digits():
    double = MLPClassifier(hidden_layer_sizes=(20,), max_iter=20).fit(X, THREE)
    single = MLPClassifier(hidden_layer_sizes=(20,), max_iter=20, precision="single").fit(X.astype(np.float32), THREE)
    assert single.coefs_[0].dtype == np.float32
    np.testing.assert_allclose(single.loss_curve_, double.loss_curve_, rtol=1e-4)
    np.testing.assert_allclose(single.predict_proba(X), double.predict_proba(X), atol=1e-3)


def test_training_is_a_loop_that_can_be_left():
    model = MLPClassifier(hidden_layer_sizes=(8,), max_iter=50)
    for epoch in model.epochs(X, THREE):
        assert min(epoch.seconds, epoch.gradient_norm) > 0
        if epoch.number == 7:
            break
    same = MLPClassifier(hidden_layer_sizes=(8,), max_iter=7).fit(X, THREE)
    assert model.n_iter_ == 7
    assert np.array_equal(model._flat, same._flat)
    assert epoch.loss == model.loss_ == same.loss_curve_[-1]


def test_the_best_weights_on_rows_held_out_come_back():
    noisy = np.where(rng.random(len(X)) < 0.3, rng.integers(0, 3, len(X)), THREE)
    model = MLPClassifier(
        hidden_layer_sizes=(60,), early_stopping=True, validation_fraction=0.3, learning_rate_init=0.05, max_iter=60
    )
    model.fit(X, noisy)
    scores = model.validation_scores_
    assert len(scores) == model.n_iter_ < 60
    assert model.best_validation_score_ == scores.max() == scores[model.best_epoch_ - 1]
    assert model.best_loss_ is None
    # What fills and scales is learnt from the other rows alone.
    other = MLPClassifier(hidden_layer_sizes=(60,), max_iter=1).fit(X, noisy)
    assert not np.array_equal(model._encoder.center, other._encoder.center)


def test_a_rate_that_is_too_high_ends_in_the_last_good_weights_and_says_what_to_try():
    # A first batch of its own weights, then steps that run away.
    y = 1e3 * X[:, 0]
    model = MLPRegressor(
        hidden_layer_sizes=(5,), solver="sgd", learning_rate_init=0.9, scale=None, activation="identity"
    )
    with pytest.warns(ConvergenceWarning, match=r"epoch \d+, batch \d+, at the rate 0.9; try learning_rate_init=0.09"):
        model.fit(X, y)
    assert np.isfinite(model._flat).all()
    with pytest.raises(TrainingError, match="nothing was learnt"):
        MLPRegressor(solver="sgd", learning_rate_init=1e200, scale=None, batch_size=20).fit(X, y)


@pytest.mark.parametrize("rate", ["constant", "invscaling", "adaptive", "step", "cosine", "one_cycle"])
def test_every_schedule_learns(rate):
    model = MLPClassifier(
        hidden_layer_sizes=(20,), learning_rate=rate, learning_rate_init=0.1, solver="sgd", power_t=0.1, max_iter=60
    ).fit(X, THREE)
    assert model.score(X, THREE) > 0.9
    assert len(model.learning_rates_) == model.n_iter_


def test_dropout_clip_and_class_weights_do_what_they_say():
    common = {"hidden_layer_sizes": (40,), "max_iter": 30, "learning_rate_init": 0.02}
    plain = MLPClassifier(**common).fit(X, THREE)
    dropped = MLPClassifier(dropout=0.5, **common).fit(X, THREE)
    assert dropped.loss_ > plain.loss_
    assert dropped.score(X, THREE) > 0.8
    clipped = MLPClassifier(hidden_layer_sizes=(40,), solver="sgd", momentum=0.0, clip=1e-3, max_iter=3, alpha=0.0).fit(
        X, TWO
    )
    begun = MLPClassifier(hidden_layer_sizes=(40,), solver="sgd", momentum=0.0, clip=1e-9, max_iter=1, alpha=0.0).fit(
        X, TWO
    )
    # Two batches an epoch, three epochs, none longer than rate times clip.
    assert np.linalg.norm(clipped._flat - begun._flat) <= 6.1 * 1e-3 * 1e-3
    rare = (X[:, 0] > 1.2).astype(int)
    heavy = MLPClassifier(hidden_layer_sizes=(5,), max_iter=30, class_weight="balanced").fit(X, rare)
    light = MLPClassifier(hidden_layer_sizes=(5,), max_iter=30).fit(X, rare)
    assert heavy.predict(X).sum() > light.predict(X).sum()


def test_parts_go_on_from_where_the_network_is():
    model = MLPClassifier(hidden_layer_sizes=(8,), scale=None, batch_size=32)
    for _ in range(5):
        model.partial_fit(X, THREE, classes=[0, 1, 2])
    whole = MLPClassifier(hidden_layer_sizes=(8,), scale=None, batch_size=32, max_iter=5).fit(X, THREE)
    np.testing.assert_allclose(model._flat, whole._flat, atol=1e-12)
    assert model.n_iter_ == 5
    with pytest.raises(LabelError, match="is not one of the classes"):
        model.partial_fit(X, THREE + 1)
    warm = MLPClassifier(hidden_layer_sizes=(8,), max_iter=3, warm_start=True).fit(X, THREE)
    first = warm.loss_curve_[0]
    assert warm.fit(X, THREE).loss_curve_[0] < first


def test_a_fitted_network_is_read_as_layers():
    model = MLPClassifier(hidden_layer_sizes=(6, 5), max_iter=5, activation="elu").fit(X, THREE)
    z = layers_of(model).forward(model._encoded(X, "predict"))
    shares = np.exp(z - z.max(axis=1, keepdims=True))
    np.testing.assert_allclose(model.predict_proba(X), shares / shares.sum(axis=1, keepdims=True), atol=1e-12)
    read = backpropagate(model, X, THREE)
    assert [each.Z.shape[1] for each in read.layers] == [6, 6, 5, 5, 3]


def test_bad_settings_are_refused():
    with pytest.raises(ParameterError, match=r"batch_size=500\): batch_size must be at most the number of rows"):
        MLPClassifier(batch_size=500).fit(X, THREE)
    for sizes in ((0,), 0, (3, -1), "wide"):
        with pytest.raises(ParameterError, match="hidden_layer_sizes must be a whole number of at least 1"):
            MLPClassifier(hidden_layer_sizes=sizes).fit(X, THREE)
    with pytest.raises(InputError, match="the network needs"):
        MLPClassifier(init=([np.zeros((2, 2))], [np.zeros(2)])).fit(X, THREE)
    with pytest.raises(ParameterError, match="partial_fit makes one pass"):
        MLPClassifier(early_stopping=True).partial_fit(X, THREE)


def test_numbers_far_from_1_are_learnt():
    y = 1e6 + 1e4 * X[:, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MLPRegressor(hidden_layer_sizes=(20,), learning_rate_init=0.01).fit(X * 1e3, y)
    assert model.score(X * 1e3, y) > 0.98
