"""margin.plots: what evaluations, comparisons and curves found is drawn as it is."""

from types import SimpleNamespace

import numpy as np
import pytest

import margin
from margin.errors import InputTypeError
from margin.evaluation import (
    HoldOut,
    Interval,
    Score,
    bayesian_comparison,
    bias_variance_curve,
    calibration_curve,
    compare_scores,
    confusion,
    evaluate,
    friedman,
    measure,
    precision_recall_curve,
    roc_curve,
)

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of Agg)


@pytest.fixture(autouse=True)
def _closed_afterwards():
    yield
    plt.close("all")


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def cases(n=200, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=n)
    return truth, np.clip(0.5 + 0.25 * (truth - 0.5) + 0.2 * rng.normal(size=n), 0, 1)


# Thresholds


def test_the_roc_line_is_the_curve_its_band_is_shaded_and_the_choice_marked():
    curve = roc_curve(*cases())
    best = curve.best()
    ax = margin.plot_roc(curve, choice=best)
    assert ax.lines[1].get_xydata() == pytest.approx(np.column_stack([curve.fpr, curve.tpr]))
    assert ax.collections[-1].get_offsets().tolist() == [[best.fpr, best.tpr]]
    assert legend(ax) == [f"1: area {curve.area}", f"threshold {best.threshold:.3g}: {best.reason}"]
    band = ax.collections[0].get_paths()[0].vertices
    assert band[:, 1].min() >= 0
    assert band[:, 1].max() <= 1


def test_several_roc_curves_have_their_names_and_colours_and_no_band():
    ax = margin.plot_roc({"one": roc_curve(*cases()), "two": roc_curve(*cases(seed=1))})
    assert [text.split(":")[0] for text in legend(ax)] == ["one", "two"]
    assert len({line.get_color() for line in ax.lines[1:]}) == 2
    assert not ax.collections


def test_what_was_measured_has_its_curves():
    truth, chance = cases()
    measured = measure(truth, probabilities=np.column_stack([1 - chance, chance]))
    assert legend(margin.plot_roc(measured))[0] == f"1: area {measured.roc.area}"
    assert legend(margin.plot_precision_recall(measured))[0].startswith("1: average precision")
    assert legend(margin.plot_calibration(measured))[0] == f"calibration error {measured.calibration.error:.3f}"


def test_the_precision_recall_line_stands_above_the_line_of_guessing():
    curve = precision_recall_curve(*cases())
    ax = margin.plot_precision_recall(curve, choice=curve.best())
    assert ax.lines[0].get_xydata() == pytest.approx(np.column_stack([curve.recall, curve.precision]))
    assert ax.lines[1].get_ydata()[0] == pytest.approx(curve.prevalence)
    assert legend(ax)[1] == f"guessing: precision {curve.prevalence:.3f}"


def test_long_curves_are_thinned():
    assert len(margin.plot_roc(roc_curve(*cases(20_000)), band=False).lines[1].get_xydata()) == 1000


@pytest.mark.parametrize("plot", [margin.plot_roc, margin.plot_precision_recall, margin.plot_calibration])
def test_other_things_are_refused(plot):
    with pytest.raises(InputTypeError, match="is needed"):
        plot([0.1, 0.2])


# Calibration and confusion


def test_calibration_points_have_their_intervals_and_a_histogram_at_the_foot():
    curve = calibration_curve(*cases(), bins=5)
    ax = margin.plot_calibration(curve)
    there = curve.filled
    points = ax.containers[0].lines[0].get_xydata()
    assert points == pytest.approx(np.column_stack([curve.mean_confidence[there], curve.observed[there]]))
    reach = ax.containers[0].lines[2][0].get_segments()
    assert [segment[0][1] for segment in reach] == pytest.approx(curve.low[there].tolist())
    bars = [patch.get_height() for patch in ax.patches]
    assert bars == pytest.approx((0.16 * curve.counts / curve.counts.max()).tolist())
    assert ax.get_xlabel() == "predicted probability of 1"


def test_the_confusion_matrix_holds_counts_and_shares_and_a_column_for_silence():
    matrix = confusion(["a", "a", "a", "b"], ["a", "a", "b", None])
    ax = margin.plot_confusion(matrix)
    assert [text.get_text() for text in ax.texts] == ["2\n67 %", "1\n33 %", "0", "0", "0", "1\n100 %"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b", "no answer"]


def test_an_evaluation_has_its_matrix_and_the_largest_class_may_come_first():
    y = np.array(["few"] * 10 + ["many"] * 30)
    found = evaluate(margin.MajorityClassifier(), np.zeros((40, 1)) + np.arange(40)[:, None], y, protocol=HoldOut(0.5))
    labels = [label.get_text() for label in margin.plot_confusion(found, order="size").get_yticklabels()]
    assert labels == ["many", "few"]


def test_a_matrix_of_many_classes_has_no_writing():
    truth = np.arange(60) % 30
    assert not margin.plot_confusion(confusion(truth, truth)).texts


# Comparison


@pytest.fixture(scope="module")
def compared():
    rng = np.random.default_rng(0)
    y = np.arange(150) % 2
    X = rng.normal(size=(150, 3)) + y[:, None]
    models = {"bayes": margin.GaussianNB(), "guess": margin.MajorityClassifier()}
    return compare_scores({name: evaluate(model, X, y) for name, model in models.items()})


def test_models_stand_with_the_best_on_top_and_real_differences_marked(compared):
    ax = margin.plot_comparison(compared)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["bayes", "guess"]
    assert [text.get_text() for text in ax.texts] == ["best", "differs (p < 0.001)"]
    dots = [float(dots.get_offsets()[0][0]) for dots in ax.collections]
    assert dots == pytest.approx([standing.score.value for standing in compared.standings])


def test_a_belief_about_a_difference_is_a_density_in_three_parts(compared):
    found = bayesian_comparison(compared.evaluations["bayes"], compared.evaluations["guess"], rope=0.02)
    ax = margin.plot_comparison(found)
    assert legend(ax)[2] == f"first better: {found.first_better:.3f}"
    line = ax.lines[0].get_xydata()
    assert line[line[:, 1].argmax(), 0] == pytest.approx(found.location, abs=0.02)
    with pytest.raises(InputTypeError, match="a Comparison or a Posterior"):
        margin.plot_comparison(3)


def test_ranks_stand_on_their_axis_and_bars_join_what_cannot_be_told_apart():
    rng = np.random.default_rng(1)
    scores = np.linspace(0.9, 0.7, 5) + 0.03 * rng.normal(size=(12, 5))
    found = friedman(scores, names=list("abcde"))
    ax = margin.plot_critical_difference(found)
    assert [float(dots.get_offsets()[0][0]) for dots in ax.collections] == pytest.approx(found.mean_ranks.tolist())
    bars = [line for line in ax.lines if line.get_linewidth() == 3.2]
    assert len(bars) == sum(len(group) > 1 for group in found.groups)
    assert ax.texts[-1].get_text() == f"critical difference {found.critical_difference:.2f}"


# Bias and variance, curves


def test_the_parts_of_the_error_add_up_to_its_line():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = rng.normal(size=(120, 2)) + y[:, None]
    found = bias_variance_curve(
        margin.KNeighborsClassifier(), X, y, parameter="n_neighbors", values=[1, 9, 41], times=8
    )
    ax = margin.plot_bias_variance(found)
    assert ax.lines[0].get_ydata() == pytest.approx(found.error)
    top = ax.collections[1].get_paths()[0].vertices
    assert top[:, 1].max() == pytest.approx(found.error.max())
    assert legend(ax)[0] == f"error, least at n_neighbors = {found.best}"
    alone = margin.plot_bias_variance(found.points[0])
    assert sum(patch.get_width() for patch in alone.patches) == pytest.approx(found.points[0].error.value)


def scores(*values):
    return lambda _=None: [Score(value, Interval(value - 0.05, value + 0.05, 0.95, "t")) for value in values]


def test_a_learning_curve_goes_on_to_twice_the_rows():
    found = SimpleNamespace(
        sizes=np.array([10, 30, 90]), metrics=[SimpleNamespace(name="accuracy")], training=scores(1, 0.95, 0.9),
        test=scores(0.6, 0.7, 0.8), power_law=lambda n: 0.9 - n**-0.5,
    )  # fmt: skip
    ax = margin.plot_learning_curve(found)
    assert ax.lines[1].get_ydata().tolist() == [0.6, 0.7, 0.8]
    assert ax.lines[2].get_xydata()[-1] == pytest.approx([180, 0.9 - 180**-0.5])
    assert ax.get_xscale() == "log"
    assert ax.collections[1].get_paths()[0].vertices[:, 1].max() == pytest.approx(0.85)


def test_a_validation_curve_marks_what_is_worth_choosing_once_each():
    found = SimpleNamespace(
        parameter="depth", values=(1, 2, 4, 8), metrics=[SimpleNamespace(name="accuracy")], best_index=2,
        within_one_standard_error=2, simpler="smaller", knee=SimpleNamespace(index=1),
        training=scores(0.6, 0.7, 0.9, 1), test=scores(0.55, 0.7, 0.75, 0.72),
    )  # fmt: skip
    ax = margin.plot_validation_curve(found)
    assert legend(ax)[2] == "best: 4"
    assert legend(ax)[3] == "within one standard error, knee: 2"


def test_values_that_are_no_numbers_stand_side_by_side():
    found = SimpleNamespace(
        parameter="kernel", values=("linear", "rbf"), metrics=[SimpleNamespace(name="accuracy")], best_index=1,
        simpler=None, knee=None, training=scores(0.8, 0.9), test=scores(0.7, 0.75),
    )  # fmt: skip
    ax = margin.plot_validation_curve(found)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["linear", "rbf"]
