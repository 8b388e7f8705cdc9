"""margin.deep.layers: slopes against differences, figures worked by hand, and what follows from linearity."""

import numpy as np
import pytest

import margin.deep.layers as lego
from margin.deep import backpropagate, check_gradients
from margin.deep.layers.activations import ACTIVATIONS
from margin.deep.layers.errors import ErrorLayer
from margin.errors import InputError, ParameterError

rng = np.random.default_rng(0)
PICTURES = rng.normal(size=(2, 4, 6, 6))
SEQUENCES = rng.normal(size=(3, 4, 2))
ROWS = rng.normal(size=(5, 4))

NET = lego.Sequential([lego.Conv2d(4, 2, 3), lego.Tanh(), lego.MaxPool2d(2), lego.Flatten(), lego.Linear(8, 3)])
LAYERS = [
    (lego.Linear(4, 3), ROWS),
    (lego.Flatten(), PICTURES),
    (lego.Embedding(7, 3), np.array([[0, 6, 6], [2, 1, 0]])),
    (lego.Conv2d(4, 6, 3), PICTURES),
    (lego.Conv2d(4, 6, 3, stride=2, padding=1, groups=2), PICTURES),
    (lego.Conv2d(4, 2, 2, dilation=2, padding=1), PICTURES),
    (lego.LocallyConnected2d((4, 6, 6), 2, 3, stride=2, padding=1), PICTURES),
    (lego.MaxPool2d(2), PICTURES),
    (lego.MaxPool2d(3, stride=2, padding=1), PICTURES),
    (lego.AvgPool2d(3, stride=1), PICTURES),
    (lego.AvgPool2d(2, padding=1), PICTURES),
    (lego.Dropout(0.4), ROWS),
    (lego.BatchNorm(4), ROWS),
    (lego.BatchNorm(4), PICTURES),
    (lego.RNN(2, 3), SEQUENCES),
    (lego.LSTM(2, 3), SEQUENCES),
    (lego.GRU(2, 3), SEQUENCES),
    (NET, PICTURES),
    *[(kind(), ROWS) for kind in ACTIVATIONS.values()],
]


@pytest.mark.golden("I1")
@pytest.mark.parametrize(("layer", "x"), LAYERS, ids=[f"{i}-{layer!r}"[:40] for i, (layer, _) in enumerate(LAYERS)])
def test_slopes_are_those_of_central_differences(layer, x):
    assert check_gradients(layer, x).worst <= 1e-6


ERRORS = [
    (lego.SquaredError(), rng.normal(size=(6, 2)), rng.normal(size=(6, 2))),
    (lego.CrossEntropy(), rng.normal(size=(6, 3)), np.array([0, 1, 2, 2, 1, 0])),
    (lego.CrammerSinger(), rng.normal(size=(6, 3)), np.array([0, 1, 2, 2, 1, 0])),
    *[
        (kind(), rng.normal(size=(6, 1)), np.array([0, 1, 1, 0, 1, 0]))
        for kind in (lego.LogisticLoss, lego.Hinge, lego.SquaredHinge, lego.PerceptronLoss)
    ],
]


@pytest.mark.golden("I1")
@pytest.mark.parametrize(("error", "z", "y"), ERRORS, ids=[repr(error) for error, _, _ in ERRORS])
def test_slopes_of_error_layers_are_those_of_central_differences(error: ErrorLayer, z, y):
    found, step = error.gradient(z, y), 1e-6
    for place in np.ndindex(z.shape):
        moved = np.zeros(z.shape)
        moved[place] = step
        difference = (error.error(z + moved, y) - error.error(z - moved, y)) / (2 * step)
        assert found[place] == pytest.approx(difference, abs=1e-6)


def test_a_wrong_slope_is_found_out():
    class Wrong(lego.Tanh):
        def slope(self, x):
            return 1.01 * super().slope(x)

    assert check_gradients(Wrong(), ROWS).worst > 1e-3


@pytest.mark.golden("I3")
def test_the_pooling_table_of_the_lectures():
    table = np.array(
        [
            [8, 1, 13, 8, 7, 13],
            [1, 5, 6, 8, -1, 1],
            [1, 2, 7, 1, 2, 5],
            [4, 1, 9, 6, 1, 3],
            [1, 8, 1, 0, 8, 3],
            [4, 9, 7, 2, 5, 5],
        ],
        dtype=np.float64,
    )
    pooled = lego.MaxPool2d(2).forward(table[None, None])[0, 0]
    assert pooled.tolist() == [[8, 13, 13], [4, 9, 5], [9, 7, 8]]


@pytest.mark.golden("I3")
def test_three_kernels_of_3_by_3_by_2_on_5_by_5_by_2_give_3_by_3_by_3():
    layer = lego.Conv2d(2, 3, 3)
    assert layer.forward(np.zeros((1, 2, 5, 5))).shape == (1, 3, 3, 3)
    assert layer.W.shape == (3, 2, 3, 3)
    assert layer.b.shape == (3,)


@pytest.mark.golden("I3")
def test_weights_of_a_picture_to_1000_units_full_local_and_shared():
    assert lego.Linear(200 * 200 * 3, 1000, weights=False).n_connections == 120_000_000
    # 1000 units, each of which sees 5 × 5 × 3 cells: 25 × 40 places.
    local = lego.LocallyConnected2d((3, 29, 44), 1, 5)
    assert (local.W.shape[1] * local.W.shape[2], local.W.size) == (1000, 75_000)
    assert lego.Conv2d(3, 1, 5).W.size == 75


def test_a_convolution_is_the_sum_over_its_window():
    layer = lego.Conv2d(4, 6, 3, stride=2, padding=1, dilation=1, groups=2)
    x = np.pad(PICTURES, ((0, 0), (0, 0), (1, 1), (1, 1)))
    found = layer.forward(PICTURES)
    for n, m, i, j in np.ndindex(found.shape):
        group = m // 3
        window = x[n, 2 * group : 2 * group + 2, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3]
        assert found[n, m, i, j] == pytest.approx((window * layer.W[m]).sum() + layer.b[m])


@pytest.mark.golden("I2")
def test_two_linear_layers_are_one():
    first, second, one = lego.Linear(4, 7), lego.Linear(7, 3), lego.Linear(4, 3)
    first.b[:] = rng.normal(size=7)
    one.W, one.b = first.W @ second.W, first.b @ second.W + second.b
    np.testing.assert_allclose(lego.Sequential([first, second]).forward(ROWS), one.forward(ROWS), atol=1e-12)


def test_back_propagation_is_read_layer_by_layer():
    net = lego.Sequential([lego.Linear(4, 3), lego.Tanh(), lego.Linear(3, 2)])
    y = np.array([0, 1, 1, 0, 1])
    read = backpropagate(net, ROWS, y, lego.CrossEntropy())
    whole = net.parameter_gradient(ROWS, lego.CrossEntropy().gradient(net.forward(ROWS), y))
    np.testing.assert_allclose(read.layers[0].gradients["W"], whole["0.W"])
    np.testing.assert_allclose(read.layers[2].delta, lego.CrossEntropy().gradient(net.forward(ROWS), y))
    assert read.error == pytest.approx(lego.CrossEntropy().error(net.forward(ROWS), y))
    assert "5×3" in str(read)


@pytest.mark.parametrize(("factor", "word"), [(0.01, "vanishing"), (100.0, "exploding")])
def test_layers_that_hardly_learn_or_run_away_are_named(factor, word):
    net = lego.Sequential([lego.Linear(4, 4, random_state=i) for i in range(6)])
    for layer in net.layers:
        layer.W *= factor
    read = backpropagate(net, ROWS, ROWS, lego.SquaredError())
    assert [each.warning for each in read.layers][::5] == [word, ""]


def test_bad_input_is_refused_by_name():
    with pytest.raises(InputError, match=r"Linear: x must be rows of 4 numbers, but has the shape \(4,\)"):
        lego.Linear(4, 2).forward(np.zeros(4))
    with pytest.raises(ParameterError, match="groups must divide"):
        lego.Conv2d(3, 4, 2, groups=2)
    with pytest.raises(InputError, match="does not fit"):
        lego.Conv2d(1, 1, 5).forward(np.zeros((1, 1, 3, 3)))
