"""margin.plots: a margin is drawn where it is, with its rows in their categories."""

import numpy as np
import pandas as pd
import pytest

from margin import SVC, LinearSVC, LogisticRegression, NaiveBayes, plot_margin
from margin.data import catalog
from margin.errors import InputError, InputTypeError, LabelError, ParameterError

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of Agg)
from matplotlib.collections import LineCollection  # noqa: E402
from matplotlib.contour import ContourSet  # noqa: E402

SQUARE, SIDES = [[0, 0], [0, 1], [4, 0], [4, 1], [9, 0.5]], ["left", "left", "right", "right", "right"]


@pytest.fixture(autouse=True)
def _closed_afterwards():
    yield
    plt.close("all")


def clouds(n=80, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 2)) + 1.3 * np.column_stack([y, -y]), y


def levels(ax):
    """Where the lines of the boundary and its edges run, by their decision."""
    drawn = [each for each in ax.collections if isinstance(each, ContourSet) and not each.filled]
    return {each.levels[0]: np.vstack([path.vertices for path in each.get_paths()]) for each in drawn}


def slack_lines(ax):
    return [np.asarray(line) for each in ax.collections if type(each) is LineCollection for line in each.get_segments()]


def test_the_widest_margin_by_hand():
    ax = plot_margin(SVC(kernel="linear", C=10).fit(SQUARE, SIDES), SQUARE, SIDES)
    lines = levels(ax)
    for level, place in ((-1.0, 0.0), (0.0, 2.0), (1.0, 4.0)):
        assert lines[level][:, 0] == pytest.approx(place, abs=0.01)
    assert ax.get_title(loc="left") == "1 outside the margin, 4 on its edge, 0 inside; width 4"
    assert slack_lines(ax) == []
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names[:4] == ["left", "right", "boundary", "edges of the margin"]


@pytest.mark.parametrize(
    "model", [SVC(kernel="linear"), SVC(C=3), LinearSVC(loss="hinge"), LogisticRegression()], ids=repr
)
def test_lines_run_where_decisions_are_minus_one_none_and_one(model):
    X, y = clouds()
    ax = plot_margin(model.fit(X, y), X, y)
    for level, places in levels(ax).items():
        assert model.decision_function(places) == pytest.approx(level, abs=0.05)


@pytest.mark.parametrize("model", [SVC(kernel="linear"), SVC(C=3)], ids=repr)
def test_a_slack_line_leads_from_each_row_inside_to_its_edge(model):
    X, y = clouds()
    lines = slack_lines(plot_margin(model.fit(X, y), X, y))
    inside = X[model.category_ == "inside"]
    assert 0.8 * len(inside) <= len(lines) <= len(inside) + 3
    for start, end in lines:
        row = int(np.abs(X - start).sum(axis=1).argmin())
        assert X[row] == pytest.approx(start)
        assert model.decision_function([end])[0] == pytest.approx(2 * y[row] - 1, abs=0.011)
    assert slack_lines(plot_margin(model, X, y, slack=False)) == []


def test_rows_are_counted_as_the_model_counts_them():
    X, y = clouds()
    model = SVC().fit(X, y)
    seen = model.certificate_
    title = plot_margin(model, X, y).get_title(loc="left")
    assert title == f"{seen.n_outside} outside the margin, {seen.n_on} on its edge, {seen.n_inside} inside"
    other, labels = clouds(seed=1)  # rows that were not learnt from lie where their decisions are
    margins = (2 * labels - 1) * model.decision_function(other)
    title = plot_margin(model, other, labels).get_title(loc="left")
    assert title.startswith(f"{(margins > 1.01).sum()} outside")


def test_several_classes_are_drawn_pair_by_pair_or_against_the_rest():
    X, y = catalog.load("iris").target("class")
    X = X.select(["petallength", "petalwidth"])
    model = SVC().fit(X, y)
    ax = plot_margin(model, X, y, of=("Iris-virginica", "Iris-versicolor"))
    assert ax.get_xlabel() == "petallength"
    assert [text.get_text() for text in ax.get_legend().get_texts()][:2] == ["Iris-versicolor", "Iris-virginica"]
    part = model.certificate_.parts[2]
    assert (
        ax.get_title(loc="left")
        == f"{part.n_outside} outside the margin, {part.n_on} on its edge, {part.n_inside} inside"
    )
    rest = plot_margin(LinearSVC().fit(X, y), X, y, of="Iris-virginica")
    assert [text.get_text() for text in rest.get_legend().get_texts()][:2] == ["the rest", "Iris-virginica"]
    plot_margin(SVC(multiclass="one_vs_rest").fit(X, y), X, y, of="Iris-setosa")
    for of in (None, "Iris-setosa", ("Iris-setosa", "Iris-setosa")):
        with pytest.raises(ParameterError, match=r"a pair of labels|must differ"):
            plot_margin(model, X, y, of=of)
    with pytest.raises(LabelError, match="did you mean 'Iris-setosa'"):
        plot_margin(model, X, y, of=("Iris-setsa", "Iris-virginica"))


def test_a_frame_gives_the_names_of_the_axes():
    X, y = clouds()
    frame = pd.DataFrame(X, columns=["width", "height"])
    ax = plot_margin(SVC(scale="standard").fit(frame, y), frame, y)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("width", "height")


def test_what_cannot_be_drawn_is_refused():
    X, y = clouds()
    with pytest.raises(InputTypeError, match="decision_function"):
        plot_margin(NaiveBayes().fit(X, y), X, y)
    wide = np.column_stack([X, X])
    with pytest.raises(InputError, match="two numeric columns"):
        plot_margin(SVC().fit(wide, y), wide, y)
    with pytest.raises(InputError, match="one label per row"):
        plot_margin(SVC().fit(X, y), X, y[1:])
    with pytest.raises(InputError, match="must know two classes"):
        plot_margin(SVC().fit(X, np.zeros(80)), X, np.zeros(80))
