"""Pictures of boosting: what is drawn is what the rounds say."""

import numpy as np
import pytest

from margin import AdaBoostClassifier, AdaBoostMHClassifier, Table
from margin.errors import InputError
from margin.plots import plot_boosting_bounds, plot_boosting_boxes, plot_boosting_margins
from tests.boosting.test_adaboost import POINTS, SIGNS

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of Agg)


@pytest.fixture(autouse=True)
def _closed_afterwards():
    yield
    plt.close("all")


def ten_points():
    return AdaBoostClassifier(n_estimators=3).fit(POINTS, SIGNS)


def test_the_boxes_of_the_lectures():
    ax = plot_boosting_boxes(ten_points(), POINTS, SIGNS)
    boxes = ax.child_axes
    assert [box.get_title() for box in boxes[:3]] == [
        "round 1: ε 0.30, α 0.42",
        "round 2: ε 0.21, α 0.65",
        "round 3: ε 0.14, α 0.92",
    ]
    # Class by class, minus and then plus: in round 1 all weigh the same, in round 2 the three that were wrong more.
    sizes = [[one.get_sizes() for one in box.collections if len(one.get_offsets()) == 5] for box in boxes]
    assert np.allclose(sizes[0], sizes[0][0][0])
    plus = sizes[1][1]
    assert np.allclose(plus[2:] / plus[0], 7 / 3)


def test_boxes_of_a_table_and_of_pseudo_loss():
    X = Table.from_columns({"long": POINTS[:, 0], "wide": POINTS[:, 1]})
    y = np.array(["a", "b", "c", "a", "b", "c", "a", "b", "c", "a"])
    ax = plot_boosting_boxes(
        AdaBoostClassifier(n_estimators=5, algorithm="M2").fit(X, y), X, y, rounds=[1, 5], steps=20
    )
    assert [box.get_xlabel() for box in ax.child_axes] == ["long", "", ""]
    assert ax.child_axes[-1].get_title() == "all 5 rounds"


def test_errors_stand_beneath_their_bounds():
    model = ten_points()
    ax = plot_boosting_bounds(model)
    exponential, product, error = (line.get_ydata() for line in ax.lines)
    assert error.tolist() == [one.training_error for one in model.rounds_]
    assert (error <= product + 1e-12).all()
    assert (product <= exponential + 1e-12).all()


def test_the_curve_of_margins_is_the_share_up_to_each():
    model = ten_points()
    ax = plot_boosting_margins(model, rounds=[3])
    margin, share = ax.lines[0].get_data()
    at = np.searchsorted(margin, 0.5)
    assert share[at] == pytest.approx(model.rounds_[2].share_up_to(0.5), abs=0.01)
    labels = AdaBoostMHClassifier(n_estimators=2).fit(POINTS, SIGNS)
    assert plot_boosting_margins(labels).get_xlabel() == "margin"


def test_what_has_no_rounds_or_other_columns_is_refused():
    with pytest.raises(InputError, match="with rounds"):
        plot_boosting_bounds(object())
    wide = np.hstack([POINTS, POINTS])
    with pytest.raises(InputError, match="two numeric columns"):
        plot_boosting_boxes(AdaBoostClassifier().fit(wide, SIGNS), wide, SIGNS)
