"""Pictures of networks show what the results say."""

import numpy as np
import pytest

from margin import LogisticRegression, MLPClassifier
from margin.deep import backpropagate, find_learning_rate, optimizer_paths
from margin.errors import InputError, ParameterError
from margin.plots import (
    plot_backpropagation,
    plot_network,
    plot_optimizer_paths,
    plot_rate_finder,
    plot_training,
    plot_transformed_space,
)

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConvergenceWarning")

rng = np.random.default_rng(0)
CORNERS = np.repeat([[0.0, 0], [0, 1], [1, 0], [1, 1]], 15, axis=0) + rng.normal(size=(60, 2)) * 0.1
XOR = np.repeat([0, 1, 1, 0], 15)


@pytest.fixture(scope="module")
def model():
    settings = {"early_stopping": True, "validation_fraction": 0.3, "max_iter": 8}
    return MLPClassifier((3,), "tanh", learning_rate_init=0.05, **settings).fit(CORNERS, XOR)


def test_the_training_curve_marks_the_epoch_that_was_kept(model):
    ax = plot_training(model)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), model.loss_curve_)
    told = [text.get_text() for other in ax.figure.axes for text in other.texts]
    assert told == [f"best score: epoch {model.best_epoch_}"]
    with pytest.raises(InputError, match="no epochs"):
        plot_training(LogisticRegression().fit(CORNERS, XOR))


def test_the_rate_to_take_is_drawn():
    curve = find_learning_rate(MLPClassifier((4,), batch_size=10), CORNERS, XOR)
    ax = plot_rate_finder(curve)
    assert ax.texts[0].get_text() == f"rate to take: {curve.suggestion:.2g}"
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), curve.smoothed)


def test_behind_the_hidden_layer_a_line_separates():
    tries = (MLPClassifier((2,), "tanh", solver="lbfgs", random_state=i).fit(CORNERS, XOR) for i in range(20))
    model = next(each for each in tries if each.score(CORNERS, XOR) == 1.0)
    _, after = plot_transformed_space(model, CORNERS, XOR)
    line = after.lines[-1].get_xydata()
    value = line @ model.coefs_[-1][:, 0] + model.intercepts_[-1][0]
    np.testing.assert_allclose(value, 0.0, atol=1e-9)
    with pytest.raises(InputError, match="must have two inputs"):
        plot_transformed_space(model.fit(np.column_stack([CORNERS, CORNERS]), XOR), np.tile(CORNERS, 2), XOR)


def test_every_optimiser_goes_down_from_one_start():
    paths = optimizer_paths(n_steps=30)
    for path in paths.paths.values():
        np.testing.assert_array_equal(path[0, :2], [-2.0, 3.0])
        np.testing.assert_allclose(path[:, 2], paths.loss(path[:, 0], path[:, 1]), rtol=1e-12)
        assert path[-1, 2] < path[0, 2]
    assert len(plot_optimizer_paths(paths).lines) == len(paths.paths) + 1
    with pytest.raises(ParameterError, match="did you mean 'adam'"):
        optimizer_paths(solvers=["adm"])


def test_the_diagram_has_a_circle_for_every_unit_and_the_error_a_line_for_every_layer(model):
    ax = plot_network(model)
    assert [len(each.get_offsets()) for each in ax.collections if len(each.get_offsets()) > 1][-2:] == [2, 3]
    read = backpropagate(model, CORNERS, XOR)
    drawn = plot_backpropagation(read).collections[-1].get_offsets()
    np.testing.assert_allclose(drawn[:, 0], [each.delta_norm for each in read.layers])
