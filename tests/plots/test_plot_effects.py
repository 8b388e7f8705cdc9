"""Pictures of SHAP values and of partial dependence: what stands in them is what was found."""

from __future__ import annotations

import numpy as np
import pytest

from margin import DecisionTreeRegressor, RandomForestClassifier
from margin.data import catalog
from margin.errors import ParameterError
from margin.explain import partial_dependence, shap_values
from margin.plots import plot_partial_dependence, plot_shap_case, plot_shap_summary


@pytest.fixture(scope="module")
def weather():
    X, y = catalog.load("weather_numeric").target("play")
    return RandomForestClassifier(n_estimators=10, random_state=0).fit(X, y), X


def test_the_steps_of_a_case_lead_from_the_base_to_the_answer(weather):
    found = shap_values(*weather)
    ax = plot_shap_case(found, 3, label="yes")
    bars = sorted(ax.patches, key=lambda bar: bar.get_y())
    one = found.of_class("yes")
    assert bars[0].get_x() == pytest.approx(float(one.base))
    assert bars[-1].get_x() + bars[-1].get_width() == pytest.approx(float(one.answers[3]))
    assert len(bars) == 4
    assert len(plot_shap_case(found, 3, most=2).patches) == 3


def test_a_summary_has_a_point_for_each_row_and_column(weather):
    found = shap_values(*weather)
    ax = plot_shap_summary(found)
    points = np.concatenate([drawn.get_offsets() for drawn in ax.collections])
    assert len(points) == 14 * 4
    np.testing.assert_allclose(np.sort(points[:, 0]), np.sort(found.of_class("yes").values.ravel()))
    top = ax.get_yticklabels()[0].get_text()
    assert top == found.of_class("yes").mean_absolute()[0][0]


def test_partial_dependence_is_drawn_for_numbers_and_levels(weather):
    model, X = weather
    ax = plot_partial_dependence(partial_dependence(model, X, "outlook", label="yes"))
    assert [text.get_text() for text in ax.get_xticklabels()] == ["overcast", "rainy", "sunny"]
    found = partial_dependence(model, X, "humidity")
    ax = plot_partial_dependence(found, centred=True)
    assert len(ax.lines) == 14 + 2  # the rows, the mean, the tenths
    assert (ax.lines[0].get_ydata()[0], ax.lines[14].get_ydata()[0]) == (0, 0)
    assert ax.get_ylabel() == "change of the probability of yes"


def test_no_rows_and_rows_that_are_not_there_are_refused():
    X = np.arange(20.0).reshape(-1, 2)
    found = shap_values(DecisionTreeRegressor().fit(X, X[:, 0]), X[:0])
    with pytest.raises(ParameterError, match="a row at least"):
        plot_shap_summary(found)
    with pytest.raises(ParameterError, match="one of the 0 rows"):
        plot_shap_case(found)
