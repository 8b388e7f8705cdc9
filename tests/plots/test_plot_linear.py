"""margin.plots: losses, coefficients and paths are drawn as they are."""

from types import SimpleNamespace

import numpy as np
import pytest

from margin import LinearSGD, LogisticRegression, loss_family, plot_coefficients, plot_losses, plot_path
from margin.errors import InputError, ParameterError

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of Agg)

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(200, 5))
Y = np.where(X @ [2.0, -1.0, 0.0, 0.5, 0.0] + RANDOM.logistic(size=200) > 0, "yes", "no")


@pytest.fixture(autouse=True)
def _closed_afterwards():
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def names_beside(ax):
    """The names of the rows from top to bottom."""
    return [label.get_text() for label in ax.get_yticklabels()]


def test_every_loss_is_a_line_with_its_name_beside_it():
    ax = plot_losses()
    curves = loss_family().curves(np.linspace(-3, 3, 601))
    lines = {line.get_label(): line.get_ydata() for line in ax.lines if not line.get_label().startswith("_")}
    assert lines.keys() == curves.value.keys()
    for name, value in curves.value.items():
        assert np.array_equal(lines[name], value)
    assert set(texts(ax)) == {name.replace("_", " ") for name in lines} | {"errors counted"}


def test_names_of_losses_do_not_touch():
    ax = plot_losses()
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_losses_can_be_drawn_at_other_margins_on_other_axes():
    axes = plt.subplots()[1]
    assert plot_losses(loss_family(), axes, margins=[-1.0, 0.0, 1.0]) is axes
    assert axes.get_xlim() == (-1.0, 1.0)


def test_bars_are_the_coefficients_the_largest_on_top():
    model = LogisticRegression(scale="standard").fit(X, Y)
    ax = plot_coefficients(model)
    order = np.argsort(-np.abs(model.coef_[0]))
    assert names_beside(ax) == [f"x{j}" for j in order]
    assert [bar.get_width() for bar in ax.patches] == model.coef_[0, order].tolist()
    assert ax.patches[0].get_y() > ax.patches[1].get_y()
    assert ax.get_xlabel() == "what the column adds to the log-odds of yes, per standard deviation"


def test_intervals_are_those_of_the_summary():
    model = LogisticRegression().fit(X, Y)
    table = model.summary().table
    ends = {c: (np.log(a), np.log(b)) for c, a, b in zip(table["column"], table["low"], table["high"])}
    ax = plot_coefficients(model)
    drawn = [segment[:, 0] for collection in ax.collections for segment in collection.get_segments()]
    for name, (low, high) in zip(names_beside(ax), drawn, strict=True):
        assert (low, high) == pytest.approx(ends[name])


def test_only_the_largest_are_shown_and_the_picture_says_so():
    ax = plot_coefficients(LogisticRegression().fit(X, Y), most=2)
    assert len(ax.patches) == 2
    assert ax.get_title(loc="left") == "the 2 largest of 5 coefficients"


def test_several_classes_have_a_dot_each_and_models_without_odds_speak_of_scores():
    model = LinearSGD(loss="hinge", random_state=0).fit(X, RANDOM.integers(0, 3, 200))
    ax = plot_coefficients(model)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0", "1", "2"]
    assert "score of each class" in ax.get_xlabel()
    assert len(ax.collections[0].get_offsets()) == 5


def test_what_is_no_fitted_linear_model_is_refused():
    with pytest.raises(InputError, match="fitted linear model"):
        plot_coefficients(LogisticRegression())


def path(n_scores=1):
    C = np.array([0.01, 0.1, 1.0, np.inf])
    coef = np.arange(4.0)[:, None, None] * RANDOM.normal(size=(n_scores, 12))
    classes = np.array(["no", "yes"] if n_scores == 1 else ["a", "b", "c"])
    return SimpleNamespace(C=C, coef=coef, columns=tuple(f"x{j}" for j in range(12)), classes=classes)


def test_a_path_is_a_line_per_column_the_largest_with_names():
    found = path()
    ax = plot_path(found, most=3)
    lines = [line for line in ax.lines if len(line.get_xdata()) == 3]  # C of infinity has no place on the axis
    assert len(lines) == 12
    largest = np.argsort(-np.abs(found.coef[2, 0]))[:3]
    assert set(texts(ax)) == {f"x{j}" for j in largest}
    assert ax.get_ylabel() == "coefficients for yes"
    assert ax.get_xscale() == "log"


def test_a_path_of_several_classes_shows_the_one_that_is_asked_for():
    found = path(3)
    ax = plot_path(found, of="b")
    assert ax.get_ylabel() == "coefficients for b"
    ends = sorted(line.get_ydata()[-1] for line in ax.lines if len(line.get_xdata()) == 3)
    assert ends == pytest.approx(sorted(found.coef[2, 1]))
    with pytest.raises(ParameterError, match="one of the classes"):
        plot_path(found, of="B")
