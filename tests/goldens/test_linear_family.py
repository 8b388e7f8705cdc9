"""The golden figure of the linear family: one picture, one table."""

import numpy as np
import pytest

from margin import loss_family, plot_losses


@pytest.mark.golden("D6")
def test_one_linear_layer_under_four_error_layers_is_one_table():
    table = {row["model"]: row for row in loss_family().table()}
    assert table["Perceptron"]["formula"] == "max(0, -m)"
    assert table["Adaline"]["formula"] == "(1 - m)^2 / 2"
    assert table["LogisticRegression"]["formula"] == "log(1 + exp(-m))"
    assert table["SVM (soft margin)"]["formula"] == "max(0, 1 - m)"
    assert [model for model, row in table.items() if row["P(y = +1)"] == "none"] == [
        "Perceptron", "Adaline", "SVM (soft margin)", "SVM (squared)", "AdaBoost",
    ]  # fmt: skip


@pytest.mark.golden("D6")
def test_and_one_picture():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = plot_losses()
    drawn = {line.get_label(): line.get_xydata() for line in ax.lines if not line.get_label().startswith("_")}
    at = {name: dict(np.round(points, 6).tolist()) for name, points in drawn.items()}
    assert (at["perceptron"][-1.0], at["perceptron"][1.0]) == (1.0, 0.0)
    assert (at["squared_error"][1.0], at["squared_error"][3.0]) == (0.0, 2.0)  # more than right is punished too
    assert at["log_loss"][0.0] == pytest.approx(np.log(2), abs=1e-6)
    assert (at["hinge"][0.0], at["hinge"][1.0]) == (1.0, 0.0)
