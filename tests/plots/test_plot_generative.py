"""margin.plots: densities, ellipses and means of classes are drawn as the model has them."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats

import margin
from margin import (
    DiagonalLinearDiscriminantAnalysis,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MultinomialNB,
    NaiveBayes,
    NearestCentroid,
    QuadraticDiscriminantAnalysis,
    plot_class_means,
    plot_densities,
    plot_ellipses,
)
from margin.data import catalog
from margin.errors import InputError, InputTypeError, NotFittedError, ParameterError
from margin.plots.style import class_colours
from tests.shared_data import shared_data

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of Agg)
from matplotlib.patches import StepPatch  # noqa: E402

IRIS, SPECIES = catalog.load("iris").target("class")
CELLS = np.column_stack([IRIS.cells(name) for name in IRIS.names])
LABELS = np.asarray(SPECIES)
NAMES = np.unique(LABELS)
NORMAL = [
    NaiveBayes(),
    GaussianNB(),
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(),
    DiagonalLinearDiscriminantAnalysis(),
]


@pytest.fixture(autouse=True)
def _closed_afterwards():
    yield
    plt.close("all")


def named(model):
    return type(model).__name__


def of_class(label):
    return CELLS[np.flatnonzero(label == LABELS)]


def curves(ax):
    return [np.asarray(line.get_xydata()) for line in ax.lines]


def area(curve):
    return np.trapezoid(curve[:, 1], curve[:, 0])


def bars(ax):
    """Edges and heights of the bars of each class."""
    return [patch.get_data() for patch in ax.patches if isinstance(patch, StepPatch) and patch.get_fill()]


# Densities


@pytest.mark.parametrize("model", [*NORMAL, NaiveBayes(distributions="kernel")], ids=named)
@pytest.mark.parametrize("priors", [False, True])
def test_a_class_has_the_area_one_or_its_prior(model, priors):
    ax = plot_densities(model.fit(CELLS, LABELS), CELLS, LABELS, column=2, priors=priors)
    drawn = curves(ax)
    assert [area(curve) for curve in drawn[:3]] == pytest.approx([1 / 3 if priors else 1.0] * 3, abs=1e-3)
    if priors:
        assert drawn[3][:, 1] == pytest.approx(sum(curve[:, 1] for curve in drawn[:3]))


@pytest.mark.parametrize(
    ("model", "squares_by", "pooled"),
    [
        (NaiveBayes(), 49, False),
        (QuadraticDiscriminantAnalysis(), 50, False),
        (QuadraticDiscriminantAnalysis(unbiased=True), 49, False),
        (LinearDiscriminantAnalysis(), 49, True),
        (DiagonalLinearDiscriminantAnalysis(), 49, True),
    ],
)
def test_normal_densities_are_those_of_the_means_and_deviations(model, squares_by, pooled):
    drawn = curves(plot_densities(model.fit(CELLS, LABELS), CELLS, LABELS, column=2))
    variances = np.array([of_class(label)[:, 2].var() * 50 / squares_by for label in NAMES])
    deviations = np.sqrt(np.full(3, variances.mean()) if pooled else variances)
    for curve, label, deviation in zip(drawn, NAMES, deviations, strict=True):
        expected = stats.norm.pdf(curve[:, 0], of_class(label)[:, 2].mean(), deviation)
        assert curve[:, 1] == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_kernel_densities_are_the_bumps_of_the_cells():
    model = NaiveBayes(distributions="kernel").fit(CELLS, LABELS)
    curve = curves(plot_densities(model, CELLS, LABELS, column=1))[0]
    own, width = of_class("Iris-setosa")[:, 1], model.distributions_["x1"].width[1, 0]
    expected = stats.norm.pdf(curve[:, 0][:, None], own, width).mean(axis=1)
    assert curve[:, 1] == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("distribution", ["poisson", "categorical"])
def test_numbers_have_probabilities_that_add_up_to_one(distribution):
    rng = np.random.default_rng(0)
    y = np.repeat(["few", "many"], 60)
    X = np.column_stack([rng.normal(size=120), rng.poisson(np.where(y == "few", 2.0, 7.0))])
    model = NaiveBayes(distributions={1: distribution}).fit(X, y)
    ax = plot_densities(model, X, y, column=1)
    assert ax.get_ylabel() == "probability within the class"
    for k, (curve, name) in enumerate(zip(curves(ax), ("few", "many"))):
        assert curve[:, 1].sum() == pytest.approx(1.0, abs=2e-3)
        if distribution == "poisson":
            rate = model.distributions_["x1"].rate[k]
            assert curve[:, 1] == pytest.approx(stats.poisson.pmf(curve[:, 0], rate))
            assert abs(rate - (2, 7)[k]) < 1
        heights, edges, _ = bars(ax)[k]
        middles = (edges[1:] + edges[:-1]) / 2
        assert dict(zip(middles.round(6)[::2], heights[::2])) == pytest.approx(
            {v: (X[y == name, 1] == v).mean() for v in np.unique(X[:, 1])}
        )


def test_bars_have_the_area_of_their_curves_and_a_narrow_class_keeps_its_peak():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], [300, 100])
    X = np.where(y == 0, rng.normal(0, 0.01, 400), rng.normal(5, 30, 400))[:, None]
    ax = plot_densities(NaiveBayes().fit(X, y), X, y, priors=True)
    assert [area(curve) for curve in curves(ax)[:2]] == pytest.approx([0.75, 0.25], abs=1e-3)
    for (heights, edges, _), prior in zip(bars(ax), (0.75, 0.25), strict=True):
        assert (heights * np.diff(edges)).sum() == pytest.approx(prior)


def test_a_rug_has_a_mark_for_each_row_in_the_lane_of_its_class():
    ax = plot_densities(NaiveBayes().fit(IRIS, SPECIES), IRIS, SPECIES, column="sepallength", data="rug")
    lanes = [np.array(marks.get_segments()) for marks in ax.collections]
    assert [len(lane) for lane in lanes] == [50, 50, 50]
    assert np.array_equal(lanes[1][:, 0, 0], of_class("Iris-versicolor")[:, 0])
    assert lanes[0][:, :, 1].min() > lanes[1][:, :, 1].max()
    assert lanes[0].max() > 0 > lanes[0][:, :, 1].max()
    assert not bars(ax)
    assert not plot_densities(NaiveBayes().fit(IRIS, SPECIES), IRIS, SPECIES, data=None).collections


def test_frames_sparse_rows_and_missing_cells_are_taken():
    frame = pd.DataFrame({"size": [1.0, 2.0, np.nan, 7.0, 9.0], "kind": ["a", "b", "a", "b", "b"]})
    ax = plot_densities(NaiveBayes().fit(frame, list("xxxyy")), frame, list("xxxyy"), column="size")
    assert [area(curve) for curve in curves(ax)] == pytest.approx([1.0, 1.0], abs=1e-3)
    assert len(bars(ax)) == 2
    rows = sparse.csr_array(np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 5.0], [0.0, 6.0]]))
    ax = plot_densities(NaiveBayes(distributions="poisson").fit(rows, [0, 0, 1, 1]), rows, [0, 0, 1, 1], column=1)
    assert [curve[:, 1].sum() for curve in curves(ax)] == pytest.approx([1.0, 1.0], abs=2e-3)


def test_a_class_that_does_not_vary_has_no_curve():
    X, y = [[1.0, 3.0], [1.0, 3.0], [2.0, 3.0], [4.0, 3.0]], ["a", "a", "b", "b"]
    with pytest.warns(margin.errors.ConstantColumnWarning):
        model = GaussianNB(var_smoothing=0).fit(X, y)
    still, moving = curves(plot_densities(model, X, y))
    assert np.isnan(still[:, 1]).all()
    assert area(moving) == pytest.approx(1.0, abs=1e-3)
    with pytest.raises(InputError, match="no class varies in column 'x1'"):
        plot_densities(model, X, y, column=1)


# Ellipses


@pytest.mark.parametrize("model", NORMAL, ids=named)
def test_ellipses_are_at_their_mahalanobis_distance_around_the_means(model):
    model = model.fit(IRIS, SPECIES)
    ax = plot_ellipses(model, IRIS, SPECIES, columns=("petalwidth", 0), steps=20)
    own = [np.cov(of_class(label)[:, [3, 0]].T) for label in NAMES]
    if isinstance(model, LinearDiscriminantAnalysis | DiagonalLinearDiscriminantAnalysis):
        own = [sum(own) / 3] * 3
    if not isinstance(model, LinearDiscriminantAnalysis | QuadraticDiscriminantAnalysis):
        own = [np.diag(np.diag(each)) for each in own]
    if isinstance(model, GaussianNB | QuadraticDiscriminantAnalysis):  # these divide by n
        own = [each * 49 / 50 + np.eye(2) * getattr(model, "epsilon_", 0.0) for each in own]
    means = [of_class(label)[:, [3, 0]].mean(axis=0) for label in NAMES]
    drawn = curves(ax)
    assert len(drawn) == 6
    for at, curve in enumerate(drawn):
        away = curve - means[at // 2]
        squares = np.einsum("ij,jk,ik->i", away, np.linalg.inv(own[at // 2]), away)
        assert np.sqrt(squares) == pytest.approx(1.0 + at % 2, rel=1e-6)
        assert np.allclose(curve[0], curve[-1])  # all around
    crosses = [marks.get_offsets()[0] for marks in ax.collections[-3:]]
    assert np.allclose(crosses, means)


@pytest.mark.parametrize("model", NORMAL, ids=named)
def test_regions_of_a_model_of_two_columns_are_its_answers(model):
    X = CELLS[:, :2]
    ax = plot_ellipses(model.fit(X, LABELS), X, LABELS, steps=60)
    assert ax.get_title(loc="left") == "ellipses at 1, 2 deviations hold 39 %, 86 % of a class"
    left, right, low, high = ax.images[0].get_extent()
    grid = [np.linspace(a, b, 61)[:-1] + (b - a) / 120 for a, b in ((left, right), (low, high))]
    places = np.stack(np.meshgrid(*grid), axis=-1).reshape(-1, 2)
    shares = model.predict_proba(places).reshape(60, 60, 3)
    shown = np.asarray(ax.images[0].get_array())
    strength = 0.12 + 0.38 * (shares.max(axis=-1) - 1 / 3) / (2 / 3)
    colours = np.array(class_colours(3))[shares.argmax(axis=-1)]
    assert np.abs(shown - (1 - strength[..., None] * (1 - colours))).max() < 1e-6


def test_without_regions_the_ground_is_white_and_other_deviations_are_told():
    model = LinearDiscriminantAnalysis().fit(IRIS, SPECIES)
    ax = plot_ellipses(model, IRIS, SPECIES, columns=(2, 3), deviations=[1], regions=False, steps=10)
    assert (np.asarray(ax.images[0].get_array()) == 1).all()
    assert len(ax.lines) == 3
    assert ax.get_title(loc="left") == "ellipses at 1 deviation hold 39 % of a class"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(NAMES)
    assert plot_ellipses(model, IRIS, SPECIES, steps=10).get_title(loc="left").endswith("by these two columns alone")


def test_all_of_the_ellipses_and_the_rows_is_within_the_picture():
    ax = plot_ellipses(NaiveBayes().fit(IRIS, SPECIES), IRIS, SPECIES, deviations=[5.0], steps=10)
    shown = np.vstack([*curves(ax), CELLS[:, :2]])
    for at, (low, high) in enumerate((ax.get_xlim(), ax.get_ylim())):
        assert low < shown[:, at].min()
        assert shown[:, at].max() < high


def test_a_class_without_variance_is_a_line_on_white_ground():
    X, y = np.array([[1.0, 0.0], [1.0, 2.0], [3.0, 1.0], [5.0, 4.0]]), [0, 0, 1, 1]
    ax = plot_ellipses(GaussianNB(var_smoothing=0).fit(X, y), X, y, steps=10)
    assert np.ptp(curves(ax)[0][:, 0]) == 0
    assert (np.asarray(ax.images[0].get_array()) == 1).all()


# Means


@pytest.mark.parametrize("model", [*NORMAL, NearestCentroid(), NearestCentroid(scale="standard")], ids=named)
def test_images_are_the_means(model):
    rng = np.random.default_rng(2)
    y = np.repeat([3, 5, 8], 30)
    X = rng.normal(size=(90, 6)) * [1, 2, 3, 4, 5, 6] + y[:, None]
    ax = plot_class_means(model.fit(X, y), shape=(2, 3))
    assert [text.get_text() for text in ax.texts] == ["3", "5", "8"]
    for image, label in zip(ax.images, (3, 5, 8), strict=True):
        assert np.asarray(image.get_array()) == pytest.approx(X[y == label].mean(axis=0).reshape(2, 3))
    assert len({image.get_clim() for image in ax.images}) == 1


def test_means_of_presence_and_of_counts_are_shares_and_rates():
    X, y = np.array([[0, 2, 1, 0], [0, 4, 0, 3], [5, 0, 1, 1], [1, 0, 0, 3]]), [0, 0, 1, 1]
    for name, expected in (("bernoulli", [0.25, 0.75, 0.5, 0.5]), ("poisson", [0.5, 2.5, 0.5, 19 / 12])):
        images = plot_class_means(NaiveBayes(distributions=name).fit(X, y)).images
        assert np.asarray(images[0].get_array()).ravel() == pytest.approx(expected)


def test_means_of_handwritten_digits_are_those_of_their_rows():
    X, y = margin.read(shared_data("optdigits.arff.gz")).target("class")
    with pytest.warns(margin.errors.ConstantColumnWarning):
        images = plot_class_means(NaiveBayes().fit(X, y)).images
    rows = np.column_stack([X.cells(name) for name in X.names])
    assert len(images) == 10
    for image, label in zip(images, sorted(set(y))):
        assert np.asarray(image.get_array()) == pytest.approx(rows[np.asarray(y) == label].mean(axis=0).reshape(8, 8))
    boxes = [image.get_extent() for image in images]
    apart = [(left, top) for left, _, _, top in boxes]
    assert len(set(apart)) == 10
    assert len({top for _, top in apart}) == 2


# What is refused


def test_models_without_densities_and_unfitted_ones_are_refused():
    other = LogisticRegression().fit(CELLS, LABELS)
    for draw in (plot_densities, plot_ellipses):
        with pytest.raises(InputTypeError, match=r"model=LogisticRegression.*NaiveBayes"):
            draw(other, CELLS, LABELS)
        with pytest.raises(NotFittedError):
            draw(NaiveBayes(), CELLS, LABELS)
    with pytest.raises(InputTypeError, match="plot_class_means"):
        plot_class_means(other)
    for model in (NearestCentroid(), GaussianNB()):
        with pytest.raises(NotFittedError):
            plot_class_means(model)


def test_what_is_asked_for_must_be_there():
    model = NaiveBayes().fit(IRIS, SPECIES)
    with pytest.raises(ParameterError, match="did you mean 'petalwidth'"):
        plot_densities(model, IRIS, SPECIES, column="petalwidht")
    with pytest.raises(ParameterError, match="data must be one of 'histogram', 'rug', None"):
        plot_densities(model, IRIS, SPECIES, data="bars")
    with pytest.raises(InputError, match=r"one label per row \(150\)"):
        plot_densities(model, IRIS, LABELS[:9])
    for columns in ("ab", (0,), (0, 0), (0, 9)):
        with pytest.raises(ParameterError, match="columns"):
            plot_ellipses(model, IRIS, SPECIES, columns=columns)
    for deviations in ((), (0,), 1, ("a",), (np.inf,)):
        with pytest.raises(ParameterError, match="deviations must be"):
            plot_ellipses(model, IRIS, SPECIES, deviations=deviations)
    with pytest.raises(ParameterError, match="steps"):
        plot_ellipses(model, IRIS, SPECIES, steps=1)
    for shape in ((2, 3), (4,), (2.0, 2.0), "22", (-2, -2)):
        with pytest.raises(ParameterError, match="4 pixels"):
            plot_class_means(model, shape=shape)
    with pytest.raises(ParameterError, match="3 columns are no square"):
        plot_class_means(NearestCentroid().fit(CELLS[:, :3], LABELS))


def test_columns_of_the_wrong_kind_are_refused():
    frame = pd.DataFrame({"kind": ["a", "b", "a", "b"], "size": [1.0, 2.0, 3.0, 5.0], "n": [1, 2, 3, 4]})
    y = ["x", "x", "y", "y"]
    model = NaiveBayes(distributions={"n": "poisson"}).fit(frame, y)
    with pytest.raises(InputError, match="column 'kind' must be numeric, but is nominal"):
        plot_densities(model, frame, y)
    with pytest.raises(InputError, match="column 'n' must be gaussian, but is poisson"):
        plot_ellipses(model, frame, y)
    for unsuited in (model, LinearDiscriminantAnalysis().fit(frame, y), NearestCentroid().fit(frame, y)):
        with pytest.raises(InputError, match="column 'kind' must be numeric"):
            plot_class_means(unsuited, shape=(1, 3))
    counts = MultinomialNB().fit([[1, 2, 0, 1], [0, 1, 3, 0]], y[1:3])
    with pytest.raises(InputError, match="multinomial"):
        plot_densities(counts, [[1, 2, 0, 1], [0, 1, 3, 0]], y[1:3])
    with pytest.raises(InputError, match="multinomial"):
        plot_class_means(counts)
    with pytest.raises(InputError, match="two numeric columns, but has 1"):
        plot_ellipses(GaussianNB().fit([[1.0], [2.0]], [0, 1]), [[1.0], [2.0]], [0, 1])
