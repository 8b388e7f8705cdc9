"""margin.plots: error against coverage is drawn as it is."""

import numpy as np
import pytest

from margin import plot_risk_coverage
from margin.errors import InputTypeError
from margin.evaluation import risk_coverage

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of Agg)


@pytest.fixture(autouse=True)
def _closed_afterwards():
    yield
    plt.close("all")


def curve_of(n, seed=0):
    rng = np.random.default_rng(seed)
    sure = rng.random(n)
    return risk_coverage(np.zeros(n), (rng.random(n) > sure).astype(int), sure)


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_the_line_is_the_curve_and_the_mark_the_choice():
    curve = curve_of(200)
    choice = curve.for_cost(0.3)
    ax = plot_risk_coverage(curve, choice=choice)
    assert ax.lines[0].get_xydata() == pytest.approx(np.column_stack([curve.coverage, curve.risk]))
    assert ax.collections[-1].get_offsets().tolist() == [[choice.coverage, choice.risk]]
    assert legend(ax)[1].startswith(f"threshold {choice.threshold:.3g}: {100 * choice.coverage:.1f} % answered")


def test_several_curves_have_their_names_and_colours():
    ax = plot_risk_coverage({"one": curve_of(50), "two": curve_of(50, 1)})
    assert [text.split(":")[0] for text in legend(ax)] == ["one", "two"]
    assert len({line.get_color() for line in ax.lines}) == 2


def test_a_long_curve_is_thinned_and_the_first_few_cases_do_not_press_it_flat():
    curve = curve_of(50_000)
    ax = plot_risk_coverage(curve)
    assert len(ax.lines[0].get_xydata()) == 1000
    assert ax.get_ylim()[1] == pytest.approx(1.6 * curve.risk[curve.coverage >= 0.05].max())


def test_a_choice_of_answering_nothing_has_no_mark_and_other_things_are_refused():
    curve = risk_coverage(["a", "a"], ["b", "b"], [1.0, 2.0])
    assert legend(plot_risk_coverage(curve, choice=curve.for_cost(0.1))) == ["area under the curve 1.0000"]
    with pytest.raises(InputTypeError, match="a RiskCoverage or a mapping of them"):
        plot_risk_coverage([0.1, 0.2])
