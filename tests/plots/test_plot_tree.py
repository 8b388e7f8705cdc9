"""margin.plots.plot_tree: what is drawn is what the tree holds."""

from itertools import pairwise

import numpy as np
import pytest

from margin import ID3, DecisionTreeClassifier, DecisionTreeRegressor, NaiveBayes, Table
from margin.data import catalog
from margin.errors import InputTypeError, ParameterError
from margin.plots import plot_tree
from margin.plots.style import class_colours

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of Agg)
from matplotlib.colors import to_rgb  # noqa: E402
from matplotlib.patches import FancyBboxPatch, Rectangle  # noqa: E402


@pytest.fixture(autouse=True)
def _closed_afterwards():
    yield
    plt.close("all")


def words(ax):
    return [text.get_text() for text in ax.texts if text.get_text()]


def boxes(ax):
    return [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]


def weather_tree():
    return ID3().fit(*catalog.load("weather_nominal").target("play"))


def test_every_node_has_a_box_and_every_branch_its_words():
    model = weather_tree()
    ax = plot_tree(model)
    assert len(boxes(ax)) == model.tree_.n_nodes
    assert {"outlook", "windy", "humidity", "= sunny", "= TRUE", "14 cases", "yes", "no"} <= set(words(ax))


def test_the_bar_of_a_box_shows_the_shares_of_the_classes():
    ax = plot_tree(weather_tree(), max_depth=0)
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    total = sum(bar.get_width() for bar in bars)
    assert [bar.get_width() / total for bar in bars] == pytest.approx([5 / 14, 9 / 14])
    assert [to_rgb(bar.get_facecolor()) for bar in bars] == [pytest.approx(colour) for colour in class_colours(2)]


def test_what_lies_below_the_depth_is_counted():
    ax = plot_tree(weather_tree(), max_depth=1)
    assert len(boxes(ax)) == 4
    assert words(ax).count("… 2 leaves") == 2


def test_boxes_of_a_level_do_not_overlap():
    X, y = catalog.load("credit").target("risk")
    ax = plot_tree(DecisionTreeClassifier(min_samples_leaf=10).fit(X, y), max_depth=None)
    places = sorted((round(box.get_y(), 6), box.get_x()) for box in boxes(ax))
    for (level, left), (next_level, right) in pairwise(places):
        assert level != next_level or right - left >= boxes(ax)[0].get_width()


def test_very_many_branches_are_drawn_as_the_heaviest_and_the_rest():
    rng = np.random.default_rng(0)
    names = np.array([f"city {i}" for i in range(40)])
    city = names[(rng.power(0.5, 500) * 40).astype(int)]
    model = ID3().fit(Table.from_columns({"city": city}), rng.integers(2, size=500))
    ax = plot_tree(model)
    assert len(boxes(ax)) == 1 + 12
    assert any(text.endswith("others") for text in words(ax))


def test_a_broad_tree_is_cut_sooner_and_still_drawn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    ax = plot_tree(DecisionTreeClassifier().fit(X, rng.integers(2, size=2000)), max_depth=None)
    assert len(boxes(ax)) < 100
    ax.figure.canvas.draw()


def test_a_regression_has_values_and_no_legend():
    X = np.arange(8.0)[:, None]
    ax = plot_tree(DecisionTreeRegressor(max_depth=1).fit(X, X[:, 0] > 3))
    assert {"0", "1", "<= 3.5", "> 3.5"} <= set(words(ax))
    assert ax.get_legend() is None


def test_is_drawn_on_the_axes_given():
    ax = plt.figure().gca()
    assert plot_tree(weather_tree(), ax) is ax


def test_refuses_what_is_no_tree():
    X, y = catalog.load("weather_nominal").target("play")
    with pytest.raises(InputTypeError, match="NaiveBayes"):
        plot_tree(NaiveBayes().fit(X, y))
    with pytest.raises(ParameterError, match="max_depth"):
        plot_tree(weather_tree(), max_depth=-1)
