"""margin.plots: thresholds, training steps, galleries, data at a glance, dark pages, and pictures asked of a model."""

from __future__ import annotations

from itertools import pairwise

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

from margin import KNeighborsClassifier, LogisticRegression, NaiveBayes, Perceptron
from margin.data import catalog
from margin.errors import InputError, InputTypeError, ParameterError
from margin.evaluation import confusion, measure
from margin.plots import (
    darkened,
    gradient_steps,
    perceptron_steps,
    plot_calibration,
    plot_confusion,
    plot_data,
    plot_gallery,
    plot_precision_recall,
    plot_regions,
    plot_risk_coverage,
    plot_roc,
    plot_step,
    plot_steps,
    plot_thresholds,
    save_steps,
)


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def clouds():
    random = np.random.default_rng(0)
    X = np.vstack([random.normal(0, 1, (30, 2)), random.normal(4.5, 1, (30, 2))])
    return X, np.repeat(["no", "yes"], 30)


def test_a_threshold_curve_is_the_metric_of_the_answers_it_gives(clouds):
    X, y = clouds
    model = NaiveBayes().fit(X[::2], y[::2])
    ax = plot_thresholds(model, X, y, metrics=("recall", "f1"), positive="yes", cost=3.0)
    for line, name in zip(ax.lines[::2], ("recall", "f1")):
        at, values = line.get_data()
        for place in (20, 100, 180):
            answers = np.where(model.predict_proba(X)[:, 1] >= at[place], "yes", "no")
            assert values[place] == pytest.approx(measure(y, answers, metrics=[name], positive="yes")[name].value)
    assert ax.get_title(loc="left") == "60 rows, 30 of yes"
    assert "mean cost" in ax.get_legend().get_texts()[-1].get_text()


def test_thresholds_are_of_two_classes_with_probabilities(clouds):
    X, y = clouds
    with pytest.raises(InputTypeError, match="with probabilities"):
        plot_thresholds(Perceptron().fit(X, y), X, y)
    with pytest.raises(ParameterError, match="did you mean 'yes'"):
        plot_thresholds(NaiveBayes().fit(X, y), X, y, positive="yess")
    iris, kind = catalog.load("iris").target("class")
    with pytest.raises(InputError, match="two classes, but knows 3"):
        plot_thresholds(NaiveBayes().fit(iris, kind), iris, kind)
    with pytest.raises(ParameterError, match="it ranks cases"):
        plot_thresholds(NaiveBayes().fit(X, y), X, y, metrics=("roc_auc",))


def test_the_steps_of_a_perceptron_are_its_mistakes_and_end_where_it_does(clouds):
    X, y = clouds
    model = Perceptron().fit(X, y)
    steps = perceptron_steps(model, X, y)
    assert [step.row for step in steps[1:]] == np.concatenate(model.mistakes_).tolist()
    assert np.allclose(steps[-1].w, model.coef_[0])
    assert steps[-1].b == pytest.approx(float(model.intercept_[0]))
    for before, after in pairwise(steps):
        side = 1 if y[after.row] == "yes" else -1
        assert side * (X[after.row] @ before.w + before.b) <= 0  # it was wrong, or undecided
    with pytest.raises(InputError, match="do not lead to the model"):
        perceptron_steps(model, X[::-1], y[::-1])


def test_the_steps_of_a_gradient_go_down_to_logistic_regression(clouds):
    X, y = clouds
    noisy = np.where(np.arange(60) % 7 == 0, np.where(y == "yes", "no", "yes"), y)
    losses = [float(step.says.rpartition(" ")[2]) for step in gradient_steps(X, noisy, rate=1.0, steps=400)]
    assert losses == sorted(losses, reverse=True)
    last = gradient_steps(X, noisy, rate=1.0, steps=3000)[-1]
    exact = LogisticRegression(C=np.inf).fit(X, noisy)
    assert np.allclose(last.w, exact.coef_[0], rtol=1e-3)
    assert last.b == pytest.approx(float(exact.intercept_[0]), rel=1e-2)


def test_steps_are_drawn_one_by_one_side_by_side_and_as_a_film(clouds, tmp_path):
    from PIL import Image

    X, y = clouds
    steps = gradient_steps(X, y, steps=9)
    ax = plot_step(steps, X, y, step=4)
    assert ax.get_title(loc="left").startswith("step 4,")
    (line,) = [line for line in ax.lines if line.get_linewidth() == 1.8]
    assert np.allclose(np.column_stack(line.get_data()) @ steps[4].w + steps[4].b, 0)
    assert len(plot_steps(steps, X, y, most=4)) == 4
    with Image.open(save_steps(steps, X, y, tmp_path / "film.gif", most=3)) as film:
        assert film.n_frames == 3
    with pytest.raises(ParameterError, match=r"must end in \.gif"):
        save_steps(steps, X, y, tmp_path / "film.png")
    with pytest.raises(ParameterError, match="there are steps 0 to 9"):
        plot_step(steps, X, y, step=10)


def test_a_gallery_has_a_line_for_each_table_and_says_how_good_each_model_is(clouds):
    X, y = clouds
    grid = plot_gallery({"a": KNeighborsClassifier(1), "b": NaiveBayes()}, {"t": (X, y), "u": (X, y[::-1])}, steps=8)
    assert grid.shape == (2, 2)
    assert [ax.get_title() for ax in grid[0]] == ["a", "b"]
    assert [line[0].get_ylabel() for line in grid] == ["t", "u"]
    right = grid[0, 1].texts[-1].get_text()
    assert 0.9 <= float(right) <= 1.0
    with pytest.raises(InputTypeError, match="models="):
        plot_gallery([NaiveBayes()], {"t": (X, y)})
    with pytest.raises(InputError, match="4 axes are needed"):
        plot_gallery({"a": NaiveBayes(), "b": NaiveBayes()}, {"t": (X, y), "u": (X, y)}, axes=grid[0])


def test_a_table_at_a_glance_counts_every_row_once():
    X, y = catalog.load("credit").target("risk")
    axes = plot_data(X, y)
    assert axes[0].get_title(loc="left") == "1,000 rows, 2 classes"
    by_name = {ax.get_title(loc="left").partition(" (")[0]: ax for ax in axes[1:]}
    assert sum(patch.get_height() for patch in by_name["age"].patches) == (~X.missing("age")).sum()
    assert sum(patch.get_width() for patch in by_name["housing"].patches) == (~X.missing("housing")).sum()
    assert "missing)" in by_name["age"].get_title(loc="left")
    assert len(plot_data(np.random.default_rng(0).normal(size=(9, 3)), most=2)) == 2
    with pytest.raises(InputError, match="one label per row"):
        plot_data(X, y[:5])


def test_pictures_of_scores_can_be_asked_of_a_model_and_rows(clouds):
    X, y = clouds
    model = NaiveBayes().fit(X[::2], y[::2])
    told = [text.get_text() for text in plot_confusion(model, X, y).texts]
    assert told == [text.get_text() for text in plot_confusion(confusion(y, model.predict(X))).texts]
    for draw in (plot_roc, plot_precision_recall, plot_calibration, plot_risk_coverage, plot_regions):
        ax = plt.figure().add_subplot()
        assert draw(model, X, y, ax=ax) is ax
    iris, kind = catalog.load("iris").target("class")
    assert len(plot_roc(NaiveBayes().fit(iris, kind), iris, kind).get_legend().get_texts()) == 3
    ax = plt.figure().add_subplot()
    assert plot_confusion(confusion(y, y), ax) is ax  # axes may stand where rows would
    with pytest.raises(InputError, match="give the rows too"):
        plot_roc(model)
    with pytest.raises(InputTypeError, match="rows are for a fitted model"):
        plot_confusion(confusion(y, y), X, y)


def test_on_dark_pages_greys_change_places_and_colours_stay(clouds):
    X, y = clouds
    ax = plot_regions(NaiveBayes().fit(X, y), X, y)
    before = ax.collections[-1].get_facecolor().copy()
    darkened(ax)
    assert max(ax.figure.get_facecolor()[:3]) < 0.2
    assert max(ax.get_facecolor()[:3]) < 0.2
    assert np.allclose(ax.collections[-1].get_facecolor(), before)
    assert min(mpl.colors.to_rgb(ax.xaxis.label.get_color())) > 0.6
    assert ax.images[0].get_array().min(axis=2).max() < 0.2
    with pytest.raises(InputTypeError, match="axes of matplotlib"):
        darkened("a picture")
