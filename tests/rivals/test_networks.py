"""Networks against PyTorch, where it is installed, and against linear models that they contain.

The core's Adam adds epsilon as scikit-learn does, to the root that is not corrected yet; PyTorch's adds it after.
AdamW, RMSprop and Adagrad are PyTorch's. scikit-learn's penalty is part of the gradient of the mean loss, alpha / n.
"""

import numpy as np
import pytest
from scipy import optimize

import margin._core as _core
import margin.deep.layers as lego
from margin import Adaline, LinearSVC, LogisticRegression, MLPClassifier, MLPRegressor
from margin.deep.mlp.quasi_newton import descend

pytestmark = [
    pytest.mark.filterwarnings("ignore::margin.errors.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::margin.errors.MarginWarning"),
]

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 4))
Y = (X @ [1.0, -2.0, 0.5, 0.0] + rng.normal(size=60) > 0).astype(int)


@pytest.fixture(scope="module")
def torch():
    found = pytest.importorskip("torch", reason="PyTorch is not installed; networks on tables do without it")
    found.set_default_dtype(found.float64)
    yield found
    found.set_default_dtype(found.float32)


def minimised(error, penalty=0.0):
    """The smallest mean error of one linear layer with half the squared weights times a penalty."""
    net = lego.Linear(4, 1)

    def objective(flat):
        net.W[:, 0], net.b[0] = flat[:4], flat[4]
        z = net.forward(X)
        slopes = net.parameter_gradient(X, error.gradient(z, Y))
        value = error.error(z, Y) + 0.5 * penalty * (net.W**2).sum()
        return value, np.append(slopes["W"][:, 0] + penalty * net.W[:, 0], slopes["b"])

    *_, last = descend(objective, np.zeros(5), 1e-12, 100_000)
    return last.x, last.value


@pytest.mark.golden("I1")
def test_a_linear_layer_with_squared_error_is_adaline():
    _, value = minimised(TwoSided())
    model = Adaline(max_iter=20_000, scale=None).fit(X, Y)
    z = model.decision_function(X)
    assert 0.5 * ((z - np.where(Y > 0, 1, -1)) ** 2).mean() == pytest.approx(value, abs=1e-6)


class TwoSided(lego.SquaredError):
    """Adaline's targets are -1 and 1."""

    def error(self, z, y):
        return super().error(z, np.where(np.asarray(y) > 0, 1.0, -1.0))

    def gradient(self, z, y):
        return super().gradient(z, np.where(np.asarray(y) > 0, 1.0, -1.0))


@pytest.mark.golden("I1")
def test_a_linear_layer_with_cross_entropy_is_logistic_regression():
    C = 0.7
    _, value = minimised(lego.LogisticLoss(), 1.0 / (C * len(X)))
    model = LogisticRegression(C=C, tol=1e-10).fit(X, Y)
    z = model.decision_function(X)
    own = np.logaddexp(0, -np.where(Y > 0, z, -z)).mean() + 0.5 * (model.coef_**2).sum() / (C * len(X))
    assert own == pytest.approx(value, abs=1e-6)
    net = MLPClassifier(hidden_layer_sizes=(), solver="lbfgs", alpha=1.0 / C, scale=None, tol=1e-10, max_iter=500)
    assert net.fit(X, Y).loss_ == pytest.approx(value, abs=1e-6)


@pytest.mark.golden("I1")
def test_a_linear_layer_with_hinge_and_a_penalty_is_the_linear_svm():
    C = 0.3
    model = LinearSVC(C=C, loss="hinge", tol=1e-10).fit(X, Y)
    net, error = lego.Linear(4, 1), lego.Hinge()

    def objective(coef, intercept):
        net.W[:, 0], net.b[0] = coef, intercept
        return error.error(net.forward(X), Y) + 0.5 * (net.W**2).sum() / (C * len(X))

    own = objective(model.coef_[0], model.intercept_[0])
    # From nothing: least sums of slacks and squared weights, a quadratic programme that knows neither of them.
    signs = np.where(Y > 0, 1.0, -1.0)
    beside = np.column_stack([signs[:, None] * X, signs, np.eye(len(X))])
    found = optimize.minimize(
        lambda v: v[5:].mean() + 0.5 * (v[:4] ** 2).sum() / (C * len(X)),
        np.concatenate([np.zeros(5), np.ones(len(X))]),
        jac=lambda v: np.concatenate([v[:4] / (C * len(X)), [0.0], np.full(len(X), 1 / len(X))]),
        bounds=[(None, None)] * 5 + [(0, None)] * len(X),
        constraints={"type": "ineq", "fun": lambda v: beside @ v - 1, "jac": lambda v: beside},
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    assert objective(found.x[:4], found.x[4]) == pytest.approx(own, abs=1e-6)


def test_the_core_and_the_layers_find_the_same_squared_error():
    net = MLPRegressor(hidden_layer_sizes=(), solver="lbfgs", alpha=0.0, scale=None, tol=1e-12, max_iter=500)
    _, value = minimised(TwoSided())
    assert net.fit(X, np.where(Y > 0, 1.0, -1.0)).loss_ == pytest.approx(value, abs=1e-9)


# ---- PyTorch.


@pytest.mark.parametrize("solver", ["sgd", "nesterov", "adamw", "rmsprop", "adagrad", "adam"])
def test_a_hundred_steps_are_those_of_torch(torch, solver):
    # Adam's epsilon stands in another place: where it is nothing beside the slopes, steps are equal.
    epsilon, decay = (1e-30 if solver == "adam" else 1e-8), 0.01
    made = _core.deep.Trainer(
        [4, 3, 1], "tanh", "squared_error", solver, decay if solver == "adamw" else 0.0, 0.9, 0.9, 0.999, epsilon, 0.0,
        0.0, 0,
    )  # fmt: skip
    flat = rng.normal(size=5 * 3 + 4)
    made.begin(flat)
    net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    with torch.no_grad():
        for layer, W, b in (
            (net[0], flat[:12].reshape(4, 3), flat[12:15]),
            (net[2], flat[15:18].reshape(3, 1), flat[18:]),
        ):
            layer.weight.copy_(torch.from_numpy(W.T.copy()))
            layer.bias.copy_(torch.from_numpy(b.copy()))
    weights, biases = [net[0].weight, net[2].weight], [net[0].bias, net[2].bias]
    optimisers = torch.optim
    optimiser = {
        "sgd": lambda: optimisers.SGD(net.parameters(), 0.01, momentum=0.9),
        "nesterov": lambda: optimisers.SGD(net.parameters(), 0.01, momentum=0.9, nesterov=True),
        "adamw": lambda: optimisers.AdamW(
            [{"params": weights}, {"params": biases, "weight_decay": 0.0}], 0.01, weight_decay=decay
        ),
        "rmsprop": lambda: optimisers.RMSprop(net.parameters(), 0.01, alpha=0.999),
        "adagrad": lambda: optimisers.Adagrad(net.parameters(), 0.01, eps=epsilon),
        "adam": lambda: optimisers.Adam(net.parameters(), 0.01, eps=epsilon),
    }[solver]()
    x, y = torch.from_numpy(X), torch.from_numpy(X[:, 1:2].copy())
    for _ in range(100):
        made.epoch(X, None, X[:, 1:2].copy(), None, np.arange(len(X)), len(X), np.array([0.01]), 1)
        optimiser.zero_grad()
        (0.5 * ((net(x) - y) ** 2).mean()).backward()
        optimiser.step()
    parts = [net[0].weight.detach().numpy().T, net[0].bias.detach().numpy()]
    parts += [net[2].weight.detach().numpy().T, net[2].bias.detach().numpy()]
    np.testing.assert_allclose(made.weights(), np.concatenate([each.ravel() for each in parts]), atol=1e-10)


def given(torch, array):
    return torch.from_numpy(np.ascontiguousarray(array)).requires_grad_()


def compare(torch, layer, x, output, parameters):
    """Outputs and slopes of a layer of ours and of a function of torch's, at random slopes of the output."""
    mine = layer.forward(x)
    dy = rng.normal(size=mine.shape)
    at = given(torch, x)
    theirs = output(at)
    np.testing.assert_allclose(mine, theirs.detach().numpy(), atol=1e-10)
    theirs.backward(torch.from_numpy(dy))
    np.testing.assert_allclose(layer.input_gradient(x, dy), at.grad.numpy(), atol=1e-10)
    slopes = layer.parameter_gradient(x, dy)
    for name, (tensor, turned) in parameters.items():
        np.testing.assert_allclose(slopes[name], turned(tensor.grad.numpy()), atol=1e-10)


PICTURES = rng.normal(size=(2, 4, 6, 6))


def test_layers_of_rows_and_pictures_are_those_of_torch(torch):
    F = torch.nn.functional

    def same(array):
        return array

    linear = lego.Linear(4, 3)
    W, b = given(torch, linear.W.T), given(torch, linear.b)
    compare(torch, linear, X, lambda x: F.linear(x, W, b), {"W": (W, np.transpose), "b": (b, same)})
    for options in ({}, {"stride": 2, "padding": 1, "groups": 2}, {"dilation": 2, "padding": 1}):
        conv = lego.Conv2d(4, 6, 3, **options)
        W, b = given(torch, conv.parameters["W"]), given(torch, conv.parameters["b"])
        compare(torch, conv, PICTURES, lambda x: F.conv2d(x, W, b, **options), {"W": (W, same), "b": (b, same)})  # noqa: B023
    compare(torch, lego.MaxPool2d(3, stride=2, padding=1), PICTURES, lambda x: F.max_pool2d(x, 3, 2, 1), {})
    compare(torch, lego.AvgPool2d(3, stride=1), PICTURES, lambda x: F.avg_pool2d(x, 3, 1), {})
    norm = lego.BatchNorm(4)
    g, h = given(torch, norm.gamma), given(torch, norm.beta)
    run = {"training": True}
    compare(torch, norm, X, lambda x: F.batch_norm(x, None, None, g, h, **run), {"gamma": (g, same), "beta": (h, same)})
    pairs = {
        "ReLU": F.relu, "LeakyReLU": F.leaky_relu, "ELU": F.elu, "GELU": F.gelu, "Softplus": F.softplus,
        "Tanh": torch.tanh, "Sigmoid": torch.sigmoid,
    }  # fmt: skip
    for name, function in pairs.items():
        compare(torch, getattr(lego, name)(), X, function, {})


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_recurrent_layers_are_those_of_torch(torch, kind):
    x = rng.normal(size=(3, 5, 2))
    layer, theirs = getattr(lego, kind)(2, 4), getattr(torch.nn, kind)(2, 4, batch_first=True)
    tensors = copied(torch, layer, theirs)
    compare(torch, layer, x, lambda at: theirs(at)[0], tensors)


def copied(torch, layer, theirs):
    """Our parameters in torch's layer; what of torch's slopes belongs to each of ours."""
    U, V, b = (layer.parameters[name] for name in ("U", "V", "b"))
    with torch.no_grad():
        theirs.weight_ih_l0.copy_(torch.from_numpy(U.T.copy()))
        theirs.weight_hh_l0.copy_(torch.from_numpy(V.T.copy()))
        theirs.bias_ih_l0.copy_(torch.from_numpy(b.copy()))
        theirs.bias_hh_l0.zero_()
    return {
        "U": (theirs.weight_ih_l0, np.transpose),
        "V": (theirs.weight_hh_l0, np.transpose),
        "b": (theirs.bias_ih_l0, lambda grad: grad),
    }


def test_batch_norm_of_the_core_is_that_of_torch(torch):
    made = _core.deep.Trainer(
        [4, 5, 1], "relu", "squared_error", "nesterov", 0.0, 0.9, 0.9, 0.999, 1e-8, 0.0, 0.0, 0, batch_norm=True
    )  # fmt: skip
    flat = rng.normal(size=5 * 5 + 6)
    made.begin(flat)
    net = torch.nn.Sequential(
        torch.nn.Linear(4, 5, bias=False), torch.nn.BatchNorm1d(5), torch.nn.ReLU(), torch.nn.Linear(5, 1)
    )
    with torch.no_grad():
        net[0].weight.copy_(torch.from_numpy(flat[:20].reshape(4, 5).T.copy()))
        net[1].bias.copy_(torch.from_numpy(flat[20:25].copy()))
        net[3].weight.copy_(torch.from_numpy(flat[25:30].reshape(1, 5).copy()))
        net[3].bias.copy_(torch.from_numpy(flat[30:].copy()))
    optimiser = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9, nesterov=True)
    x, y = torch.from_numpy(X), torch.from_numpy(X[:, 1:2].copy())
    net.train()
    for _ in range(30):
        made.epoch(X, None, X[:, 1:2].copy(), None, np.arange(len(X)), 20, np.full(3, 0.05), 1)
        for begin in (0, 20, 40):
            optimiser.zero_grad()
            (0.5 * ((net(x[begin : begin + 20]) - y[begin : begin + 20]) ** 2).mean()).backward()
            optimiser.step()
    net.eval()
    W, b, V, c = np.split(made.answering(), [20, 25, 30])
    found = np.maximum(X @ W.reshape(4, 5) + b, 0) @ V + c
    np.testing.assert_allclose(found, net(x).detach().numpy()[:, 0], atol=1e-9)
