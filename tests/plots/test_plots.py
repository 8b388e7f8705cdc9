"""margin.plots: pictures draw what the data say."""

import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from margin import (
    KNeighborsClassifier,
    NaiveBayes,
    RoteClassifier,
    Table,
    choose_k,
    curse,
    decision_regions,
    voronoi_edges,
)
from margin.plots import plot_curse, plot_k_choice, plot_regions
from margin.plots.style import PALETTE, class_colours

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of Agg)
from matplotlib.colors import to_rgb  # noqa: E402

X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0], [4.0, 3.0]])
Y = np.array(["left", "right", "left", "right"])


@pytest.fixture(autouse=True)
def _closed_afterwards():
    yield
    plt.close("all")


def one_neighbour(steps=10):
    return decision_regions(KNeighborsClassifier(1).fit(X, Y), X, Y, steps=steps)


def scattered(ax):
    return {tuple(np.round(c.get_facecolor()[0][:3], 3)): c.get_offsets().tolist() for c in ax.collections[1:]}


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


# Regions


def test_every_place_has_the_colour_of_its_winner():
    regions = one_neighbour()
    ax = plot_regions(regions)
    shades = np.asarray(ax.images[0].get_array())
    assert shades.shape == (10, 10, 3)
    assert ax.images[0].origin == "lower"
    for code, colour in enumerate(class_colours(2)):
        expected = 1 - 0.5 * (1 - np.array(colour))  # sure of itself: as strong as it gets
        assert np.allclose(shades[regions.winner == code], expected)


def test_the_less_sure_the_paler():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, 2)) + np.repeat([[0, 0], [1, 1]], 40, axis=0)
    regions = decision_regions(NaiveBayes().fit(rows, np.arange(80) // 40), rows, steps=20)
    shades = np.asarray(plot_regions(regions).images[0].get_array())
    won = regions.winner == 0
    paleness = shades[won].sum(axis=1)
    order = np.argsort(regions.probability[won])
    assert (np.diff(paleness[order]) <= 1e-9).all()


def test_the_picture_ends_where_the_cells_end():
    ax = plot_regions(one_neighbour(steps=5))
    low, high = -0.05 * 4, 1.05 * 4
    half = (high - low) / 4 / 2
    assert ax.get_xlim() == pytest.approx((low - half, high + half))
    assert ax.images[0].get_extent()[:2] == pytest.approx((low - half, high + half))


def test_points_stand_at_their_rows_in_the_colours_of_their_classes():
    ax = plot_regions(one_neighbour())
    left, right = (tuple(np.round(to_rgb(colour), 3)) for colour in PALETTE[:2])
    assert scattered(ax) == {left: [[0, 0], [0, 3]], right: [[4, 0], [4, 3]]}
    assert legend_of(ax) == ["left", "right"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x0", "x1")


def test_borders_of_the_grid_stand_between_places_of_different_winners():
    ax = plot_regions(one_neighbour(steps=10))
    borders = np.array(ax.collections[0].get_segments())
    assert borders.shape == (10, 2, 2)
    assert np.allclose(borders[..., 0], 2.0)
    assert borders[..., 1].min() == pytest.approx(ax.get_ylim()[0])
    assert borders[..., 1].max() == pytest.approx(ax.get_ylim()[1])


def test_exact_edges_are_drawn_as_they_are_given():
    edges = voronoi_edges(X, Y)
    ax = plot_regions(one_neighbour(), edges=edges)
    assert np.array(ax.collections[0].get_segments()).tolist() == edges.tolist()


def test_places_without_an_answer_are_white_and_rows_without_a_class_grey():
    model = RoteClassifier(unmatched="abstain").fit(X, Y)
    ax = plot_regions(decision_regions(model, X, steps=4))
    assert (np.asarray(ax.images[0].get_array()) == 1).all()
    assert len(scattered(ax)) == 1


def test_levels_are_named_on_their_axis_and_held_columns_in_the_title():
    table = Table.from_columns(
        {"sky": ["sun", "rain", "sun", "rain"], "wind": [1.0, 2.0, 3.0, 4.0], "days": [1.0, 2.0, 3.0, 4.0]}
    )
    ax = plot_regions(decision_regions(NaiveBayes().fit(table, [0, 1, 0, 1]), table, [0, 1, 0, 1], steps=4))
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["rain", "sun"]
    assert ax.get_title(loc="left") == "at days = 2.5"
    drawn = np.concatenate(list(scattered(ax).values()))
    assert np.abs(drawn[:, 0] - np.round(drawn[:, 0])).max() <= 0.3


def test_given_axes_are_drawn_on():
    _, ax = plt.subplots()
    assert plot_regions(one_neighbour(), ax) is ax
    assert plot_curse(curse(X), plt.subplots()[1]) is not ax


# Choosing k


def found(best=4, within=6, knee=2):
    k = np.arange(1, 9)
    return SimpleNamespace(
        k=k,
        error=np.array([0.3, 0.2, 0.15, 0.1, 0.11, 0.12, 0.2, 0.3]),
        standard_error=np.full(8, 0.02),
        best=best,
        within_one_standard_error=within,
        knee=knee,
    )


def test_errors_and_choices_stand_where_they_were_found():
    choice = found()
    ax = plot_k_choice(choice)
    line, limit = ax.lines
    assert line.get_xdata().tolist() == choice.k.tolist()
    assert line.get_ydata().tolist() == choice.error.tolist()
    assert limit.get_ydata() == pytest.approx([0.12, 0.12])
    marks = [c.get_offsets().tolist()[0] for c in ax.collections[1:]]
    assert marks == [[4, 0.1], [6, 0.12], [2, 0.2]]
    assert legend_of(ax)[:3] == ["smallest error: k = 4", "within one standard error: k = 6", "knee: k = 2"]
    assert ax.get_ylim()[0] == 0


def test_the_band_is_one_standard_error_wide():
    band = plot_k_choice(found()).collections[0].get_paths()[0].vertices
    at_four = sorted(set(np.round(band[band[:, 0] == 4][:, 1], 9)))
    assert at_four == [0.08, 0.12]


def test_a_k_chosen_for_several_reasons_is_marked_once():
    ax = plot_k_choice(found(within=4, knee=4))
    assert len(ax.collections) == 2
    assert legend_of(ax)[0] == "smallest error, within one standard error, knee: k = 4"


# The curse


def test_the_curve_is_the_edge_length_and_the_data_are_marked_on_it():
    measured = curse(np.random.default_rng(0).random((500, 3)))
    ax = plot_curse(measured)
    curve = ax.lines[0].get_xydata()
    assert np.allclose(curve[:, 1], measured.fraction ** (1 / curve[:, 0]))
    marks = [c.get_offsets().tolist()[0] for c in ax.collections]
    assert marks == [[3, measured.edge], [measured.dimension.estimate, measured.edge_intrinsic]]
    assert legend_of(ax)[0] == f"3 columns: {measured.edge:.2g}"
    assert ax.get_xlim()[1] >= 10


def test_without_a_finite_dimension_only_the_columns_are_marked():
    assert len(plot_curse(curse(np.eye(5))).collections) == 1
    assert len(plot_curse(curse([[1.0, 2.0]])).collections) == 1


def test_very_many_columns_go_on_a_logarithmic_axis():
    ax = plot_curse(curse(np.random.default_rng(0).random((100, 300))))
    assert ax.get_xscale() == "log"
    assert ax.get_xlim()[1] >= 300


# The package


def test_twenty_classes_have_twenty_colours():
    assert len(set(class_colours(20))) == 20
    assert len(set(class_colours(8))) == 8


def test_matplotlib_is_loaded_when_a_picture_is_drawn_and_asked_for_where_it_is_missing():
    code = (
        "import sys, margin.plots\nassert 'matplotlib' not in sys.modules\nsys.modules['matplotlib.pyplot'] = None\n"
        "from margin import curse\nfrom margin.errors import MarginError\n"
        "try:\n    margin.plots.plot_curse(curse([[0.0], [1.0], [3.0]]))\n"
        "except MarginError as refusal:\n    print(refusal)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env=os.environ)
    assert "need matplotlib" in done.stdout, done.stderr


def test_errors_of_quantities_are_drawn_as_squares():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    choice = choose_k(X, 30 * X[:, 0], 10, loss="squared_error")
    ax = plot_k_choice(choice)
    assert ax.get_ylabel() == "mean squared error"
    drawn = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert drawn.max() == pytest.approx((choice.error + choice.standard_error).max())
    assert drawn.max() > 1
