"""Pictures of forests: what is drawn is what the forest says."""

from types import SimpleNamespace as Of

import numpy as np
import pytest

from margin import BaggingClassifier, GradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from margin.data import catalog
from margin.ensemble import correlation_curve, proximity_map
from margin.errors import InputError
from margin.plots import plot_boosting_curve, plot_importances, plot_out_of_bag, plot_proximities, plot_tree_correlation

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of Agg)


@pytest.fixture(autouse=True)
def _closed_afterwards():
    yield
    plt.close("all")


def iris():
    return catalog.load("iris").target("class")


def words(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_the_curve_is_the_error_out_of_bag():
    for model, unit in (
        (RandomForestClassifier(n_estimators=30, random_state=0), "trees"),
        (BaggingClassifier(random_state=0), "members"),
    ):
        fitted = model.fit(*iris())
        ax = plot_out_of_bag(fitted)
        np.testing.assert_array_equal(ax.lines[0].get_ydata(), fitted.oob_error_)
        assert ax.get_xlabel() == unit
        assert ax.get_legend() is None


def test_the_stretches_that_stopped_auto_are_drawn():
    model = RandomForestClassifier(n_estimators="auto", random_state=0).fit(*iris())
    n = model.trees_.n_trees
    ax = plot_out_of_bag(model)
    means = [float(model.oob_error_[k : k + 25].mean()) for k in (n - 50, n - 25)]
    assert words(ax) == [
        f"mean of trees {n - 49} to {n - 25}: {means[0]:.4g}",
        f"mean of trees {n - 24} to {n}: {means[1]:.4g}",
    ]
    assert ax.get_legend().get_title().get_text() == f"stopped at {n} trees"


def test_a_model_without_rows_out_of_bag_has_no_curve():
    model = RandomForestClassifier(n_estimators=3, oob_score=False).fit(*iris())
    with pytest.raises(InputError, match="oob_score=True"):
        plot_out_of_bag(model)


def test_importances_are_bars_with_their_intervals_the_largest_first():
    X, y = iris()
    found = RandomForestClassifier(n_estimators=30, random_state=0).fit(X, y).importances(X, y)
    ax = plot_importances(found, most=3)
    assert [bar.get_width() for bar in ax.patches] == [value for _, value in found.ranked()[:3]]
    assert [label.get_text() for label in ax.get_yticklabels()] == [name for name, _ in found.ranked()[:3]]
    spans = [segment[:, 0].tolist() for segment in ax.collections[0].get_segments()]
    order = np.argsort(-found.mean, kind="stable")[:3]
    np.testing.assert_allclose(spans, np.column_stack([found.low, found.high])[order])
    assert ax.get_title() == "3 of 4 columns"
    with pytest.raises(InputError, match=r"model\.importances"):
        plot_importances(found.mean)


def test_impurities_have_no_intervals():
    model = RandomForestClassifier(n_estimators=5, random_state=0).fit(*iris())
    ax = plot_importances(model.importances(kind="impurity"))
    assert "interval" not in ax.get_xlabel()
    assert len(ax.collections[0].get_segments()) == 0


def test_the_map_keeps_distances_that_fit_a_plane():
    corners = np.array([[0.0, 0.0], [0.6, 0.0], [0.6, 0.5], [0.0, 0.5]])
    apart = ((corners[:, None] - corners) ** 2).sum(axis=2)
    places, shares = proximity_map(1 - apart)
    np.testing.assert_allclose(((places[:, None] - places) ** 2).sum(axis=2), apart, atol=1e-12)
    assert shares.tolist() == pytest.approx([0.36 / 0.61, 0.25 / 0.61])


def test_classes_that_a_forest_tells_apart_lie_apart_on_the_map():
    X, y = iris()
    near = RandomForestClassifier(random_state=0).fit(X, y).proximities_out_of_bag(X, y)
    ax = plot_proximities(near, y)
    assert words(ax) == ["Iris-setosa", "Iris-versicolor", "Iris-virginica"]
    places = [np.asarray(drawn.get_offsets()) for drawn in ax.collections]
    assert sum(map(len, places)) == 150
    middles = np.array([place.mean(axis=0) for place in places])
    spread = max(float(np.sqrt(((place - place.mean(axis=0)) ** 2).sum(axis=1).mean())) for place in places)
    assert np.sqrt(((middles[0] - middles[1:]) ** 2).sum(axis=1)).min() > 2 * spread
    assert len(plot_proximities(near).collections) == 1
    assert plot_proximities(near, np.arange(150.0)).get_legend() is None
    with pytest.raises(InputError, match="150 rows"):
        plot_proximities(near, y[:10])
    with pytest.raises(InputError, match="same rows"):
        plot_proximities(near[:, :3])


def test_a_map_of_one_row_and_of_equal_rows():
    assert proximity_map(np.ones((1, 1)))[0].tolist() == [[0.0, 0.0]]
    places, shares = proximity_map(np.ones((4, 4)))
    assert np.abs(places).max() < 1e-6
    assert shares.max() <= 1


def test_trees_are_more_alike_the_more_columns_they_look_at():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 8))
    y = X[:, :3].sum(axis=1) + rng.normal(size=200) / 2
    found = correlation_curve(
        RandomForestRegressor(), X, y, X[:30], max_features=[8, 1], n_trees=20, n_repeats=10, random_state=0
    )
    assert found.max_features.tolist() == [1, 8]
    assert found.correlation[0] < found.correlation[1]
    np.testing.assert_array_less(found.forest_variance, found.variance)
    ax = plot_tree_correlation(found)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), found.correlation)
    assert ax.lines[1].get_ydata().max() == 1
    assert words(ax)[2] == "variance of 20 trees"


def test_a_curve_of_constant_answers_is_drawn():
    flat = Of(
        max_features=np.array([1, 2]),
        correlation=np.zeros(2),
        variance=np.zeros(2),
        forest_variance=np.zeros(2),
        n_trees=5,
    )
    assert np.isfinite(plot_tree_correlation(flat).lines[1].get_ydata()).all()


def test_the_curve_of_boosting_is_the_loss_of_rows_not_learnt_from_and_marks_the_round_kept():
    model = GradientBoostingClassifier(n_estimators=60, early_stopping=True, random_state=0).fit(*iris())
    ax = plot_boosting_curve(model)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), model.validation_loss_)
    assert f"after {model.n_estimators_} rounds" in ax.texts[0].get_text()
    with pytest.raises(InputError, match="early_stopping=True"):
        plot_boosting_curve(GradientBoostingClassifier(n_estimators=3).fit(*iris()))
