"""Decision regions and Voronoi edges: worked by hand, then the definition, then properties."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from margin import KNeighborsClassifier, NaiveBayes, RoteClassifier, Table, decision_regions, voronoi_edges
from margin.errors import InputError, InputTypeError, ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")


def weather(n=60, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "sky": np.array(["rain", "sun", "sun"])[rng.integers(0, 3, n)],
            "warmth": rng.normal(15 + 8 * y, 3, n),
            "wind": rng.normal(20 - 5 * y, 4, n),
            "days": rng.integers(0, 5, n),
        }
    )
    return frame, np.array(["in", "out"])[y]


# Regions


@pytest.mark.golden("B9")
def test_one_neighbour_of_two_rows_splits_the_plane_in_the_middle():
    X, y = np.array([[0.0, 0.0], [4.0, 0.0]]), ["left", "right"]
    regions = decision_regions(KNeighborsClassifier(1).fit(X, y), X, y, steps=41)
    assert regions.classes.tolist() == ["left", "right"]
    assert np.array_equal(regions.winner, np.tile(regions.x.values > 2, (41, 1)))
    assert np.array_equal(regions.probability, np.tile(np.where(regions.x.values == 2, 0.5, 1.0), (41, 1)))
    assert regions.x.values[[0, -1]].tolist() == [-0.2, 4.2]
    assert regions.y.values[[0, -1]].tolist() == [-0.5, 0.5]
    assert regions.points.tolist() == X.tolist()
    assert regions.labels.tolist() == [0, 1]


def test_every_place_holds_what_the_model_says_there():
    frame, y = weather()
    X = frame[["warmth", "wind", "days"]].to_numpy(float)
    model = NaiveBayes().fit(X, y)
    regions = decision_regions(model, X, y, columns=(2, 0), steps=7, others={1: 18.0})
    assert (regions.x.name, regions.y.name, regions.held) == ("x2", "x0", {"x1": 18.0})
    for i, warmth in enumerate(regions.y.values):
        for j, days in enumerate(regions.x.values):
            answer, share = model.predict_with_proba(np.array([[warmth, 18.0, days]]))
            assert regions.classes[regions.winner[i, j]] == answer[0]
            assert regions.probability[i, j] == pytest.approx(share.max())


def test_other_columns_are_held_at_the_median_and_the_most_frequent_level():
    frame, y = weather()
    regions = decision_regions(NaiveBayes().fit(frame, y), frame, y, columns=("warmth", "wind"), steps=5)
    assert regions.held == {"sky": "sun", "days": float(frame["days"].median())}


def test_columns_that_no_model_reads_are_not_told_of():
    table = Table.from_columns({"name": ["a", "b", "c", "d"], "x": [1.0, 2, 3, 4], "y": [4.0, 1, 2, 2]})
    table = table.with_kind("name", "identifier")
    regions = decision_regions(NaiveBayes().fit(table, [0, 0, 1, 1]), table, steps=3)
    assert (regions.x.name, regions.y.name, regions.held) == ("x", "y", {})


def test_a_nominal_column_is_an_axis_of_its_levels():
    frame, y = weather()
    model = NaiveBayes().fit(frame, y)
    regions = decision_regions(model, frame, y, columns=("sky", "warmth"), steps=9)
    assert regions.x.levels == ("rain", "sun")
    assert regions.winner.shape == (9, 2)
    row = frame.iloc[[0]].assign(sky="rain", warmth=regions.y.values[3], **{"wind": frame["wind"].median()})
    row["days"] = frame["days"].median()
    assert regions.classes[regions.winner[3, 0]] == model.predict(row)[0]
    assert set(regions.points[:, 0]) == {0.0, 1.0}


@pytest.mark.parametrize("make", [lambda f: f, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "arrow"])
def test_a_pipeline_of_scikit_learn_gets_a_frame_of_the_make_it_knows(make):
    frame, y = weather()
    given = make(frame)
    names = ["warmth", "wind", "days"]
    if isinstance(given, pa.Table):
        model, expected = NaiveBayes().fit(given, y), NaiveBayes().fit(frame, y)
    else:
        model = make_pipeline(
            make_column_transformer((OneHotEncoder(), ["sky"]), remainder="passthrough"),
            LogisticRegression(max_iter=500),
        ).fit(given, y)
        expected = model
    regions = decision_regions(model, given, y, columns=("warmth", "wind"), steps=4, others={"sky": "rain", "days": 2})
    rows = pd.DataFrame(
        [("rain", a, b, 2.0) for b in regions.y.values for a in regions.x.values], columns=["sky", *names]
    )
    rows = rows if isinstance(given, pa.Table) else make(rows)
    assert np.array_equal(regions.classes[regions.winner].ravel(), expected.predict(rows))


def test_tables_sparse_rows_and_lists_are_read():
    frame, y = weather()
    X = frame[["warmth", "days"]].to_numpy(float)
    expected = decision_regions(NaiveBayes().fit(X, y), X, y, steps=5)
    table = Table.from_columns({"a": X[:, 0], "b": X[:, 1]})
    for rows in (table, sp.csr_array(X), X.tolist()):
        found = decision_regions(NaiveBayes().fit(rows, y), rows, list(y), steps=5)
        assert np.array_equal(found.winner, expected.winner)
        np.testing.assert_allclose(found.probability, expected.probability)
        assert np.array_equal(found.labels, expected.labels)


def test_a_model_that_abstains_leaves_its_places_open():
    X, y = np.array([[0.0, 0.0], [1.0, 1.0]]), ["a", "b"]
    regions = decision_regions(RoteClassifier(unmatched="abstain").fit(X, y), X, y, steps=4)
    assert (regions.winner == -1).all()
    assert np.isnan(regions.probability).all()


def test_a_model_without_probabilities_has_regions_too():
    frame, y = weather()
    X = frame[["warmth", "wind"]].to_numpy()
    regions = decision_regions(RidgeClassifier().fit(X, y), X, steps=5)
    assert set(regions.winner.ravel()) == {0, 1}
    assert np.isnan(regions.probability).all()
    assert (regions.labels == -1).all()


def test_missing_cells_have_no_place_in_the_picture():
    X, y = np.array([[0.0, 1.0], [np.nan, 2.0], [3.0, 4.0]]), [0, 0, 1]
    regions = decision_regions(NaiveBayes().fit(X, y), X, y, steps=3)
    assert np.isnan(regions.points[1, 0])
    assert np.isfinite(regions.x.values).all()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"columns": ("warmth", "wend")}, "no column 'wend'.*did you mean 'wind'"),
        ({"columns": ("wind",)}, "two names or positions"),
        ({"columns": "wind"}, "two names or positions"),
        ({"columns": ("wind", 2)}, "different ones"),
        ({"columns": (0, 9)}, "no column 9"),
        ({"steps": 1}, "at least 2"),
        ({"others": {"sky": "snow"}}, "'snow' is not in column 'sky'"),
        ({"others": {"days": "many"}}, "needs a number"),
        ({"others": {"wind": 3}}, "one of the two that vary"),
    ],
    ids=str,
)
def test_what_cannot_be_drawn_is_refused_by_name(wrong, words):
    frame, y = weather()
    settings = {"columns": ("warmth", "wind"), **wrong}
    with pytest.raises(ParameterError, match=rf"^decision_regions\(.*{words}"):
        decision_regions(NaiveBayes().fit(frame, y), frame, y, **settings)


def test_models_and_rows_that_give_no_picture_are_refused():
    X, y = [[0.0, 1.0], [2.0, 3.0]], ["a", "b"]
    model = NaiveBayes().fit(X, y)
    for wrong in (NaiveBayes, NaiveBayes(), "model"):
        with pytest.raises(InputTypeError, match="fitted classifier"):
            decision_regions(wrong, X)
    with pytest.raises(InputError, match="two columns"):
        decision_regions(model, [[0.0], [1.0]])
    with pytest.raises(InputError, match="one label per row"):
        decision_regions(model, X, ["a"])
    with pytest.raises(InputError, match="every cell of column 'x0' is missing"):
        decision_regions(model, [[np.nan, 1.0]])


# Voronoi


@pytest.mark.golden("B9")
def test_three_corners_of_a_square_by_hand():
    """Borders run along x = 1 and y = 1 wherever the class changes; the corner (2, 2) is nearer to b and c alike."""
    edges = voronoi_edges([[0, 0], [2, 0], [0, 2]], ["a", "b", "c"], bounds=((-1, 3), (-1, 3)))
    found = {tuple(map(tuple, np.round(np.sort(edge, axis=0), 9))) for edge in edges}
    assert found == {((1.0, -1.0), (1.0, 1.0)), ((-1.0, 1.0), (1.0, 1.0)), ((1.0, 1.0), (3.0, 3.0))}


@pytest.mark.parametrize(
    ("X", "y", "n"),
    [
        ([[1.0, 1.0]], ["a"], 0),
        ([[1.0, 1.0], [1.0, 1.0]], ["b", "a"], 0),
        ([[0.0, 0.0], [1.0, 1.0]], ["a", "a"], 0),
        ([[0.0, 0.0], [1.0, 1.0]], ["a", "b"], 1),
        ([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]], ["a", "b", "b", "a"], 2),
        ([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], ["a", "b", "a"], 2),
        ([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]], ["a", "b", "b"], 0),
        ([[0.0, 0.0], [0.0, -0.0], [1.0, 0.0]], ["b", "a", "a"], 0),
    ],
    ids=["one", "equal", "one class", "two", "on a line", "on a diagonal", "twice", "minus zero"],
)
def test_few_equal_and_collinear_rows_are_no_special_cases(X, y, n):
    assert voronoi_edges(X, y).shape == (n, 2, 2)


def test_a_chessboard_has_all_its_lines():
    at = np.arange(5.0)
    X = np.stack(np.meshgrid(at, at), axis=-1).reshape(-1, 2)
    y = X.sum(axis=1).astype(int) % 2
    edges = voronoi_edges(X, y, bounds=((-0.5, 4.5), (-0.5, 4.5)))
    length = np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1)
    assert length.sum() == pytest.approx(4 * 5 * 2)
    assert (np.isclose(edges % 1, 0.5) | np.isclose(edges, np.round(edges))).all()


@given(seed=st.integers(0, 10_000), n=st.integers(2, 40), whole=st.booleans(), unit=st.sampled_from([1e-6, 1.0, 1e9]))
@settings(max_examples=80, deadline=None)
def test_along_every_edge_two_classes_are_equally_near_and_no_row_is_nearer(seed, n, whole, unit):
    rng = np.random.default_rng(seed)
    X = (rng.integers(0, 5, (n, 2)).astype(float) if whole else rng.normal(size=(n, 2))) * unit
    y = rng.integers(0, 3, n)
    places = np.unique(X, axis=0)
    answers = KNeighborsClassifier(1).fit(X, y).predict(places)
    for ends in voronoi_edges(X, y):
        middle = ends.mean(axis=0)
        distance = np.linalg.norm(places - middle, axis=1)
        nearest = distance <= distance.min() + 1e-9 * unit
        assert len(set(answers[nearest])) >= 2


@given(seed=st.integers(0, 10_000), n=st.integers(2, 25), whole=st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_nearest_neighbour_changes_its_answer_only_across_an_edge(seed, n, whole):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 2)).astype(float) if whole else rng.normal(size=(n, 2))
    y = rng.integers(0, 2, n)
    edges = voronoi_edges(X, y)
    low, high = X.min(axis=0), X.max(axis=0)
    walk = rng.uniform(low, high, (2, 2))  # a random straight walk inside the picture
    at = np.linspace(0, 1, 400)[:, None]
    answers = KNeighborsClassifier(1).fit(X, y).predict(walk[0] + at * (walk[1] - walk[0]))
    changes = np.flatnonzero(answers[1:] != answers[:-1])
    crossed = sorted(_crossings(walk, edges))
    for change in changes:
        assert any(at[change, 0] - 1e-9 <= place <= at[change + 1, 0] + 1e-9 for place in crossed)


def _crossings(walk, edges):
    """Where on a walk (from 0 to 1) it crosses each edge."""
    along = walk[1] - walk[0]
    for start, end in edges:
        matrix = np.column_stack([along, start - end])
        if abs(np.linalg.det(matrix)) > 1e-12:
            place, on_edge = np.linalg.solve(matrix, start - walk[0])
            if -1e-9 <= on_edge <= 1 + 1e-9:
                yield place


def test_edges_stay_inside_the_bounds():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    for bounds in (((-0.5, 0.5), (-1, 0)), ((5, 9), (-3, 3))):
        edges = voronoi_edges(X, y, bounds=bounds)
        assert len(edges)
        for axis, (low, high) in enumerate(bounds):
            assert (edges[..., axis] >= low - 1e-12).all()
            assert (edges[..., axis] <= high + 1e-12).all()


def test_rows_that_have_no_place_in_the_plane_are_refused():
    with pytest.raises(InputError, match="two numbers"):
        voronoi_edges([[0.0, 1.0, 2.0]], ["a"])
    with pytest.raises(InputError, match="row 1"):
        voronoi_edges([[0.0, 1.0], [np.nan, 2.0]], ["a", "b"])
    for bounds in (((0, 1),), ((1, 0), (0, 1)), "all"):
        with pytest.raises(InputError, match="bounds must be"):
            voronoi_edges([[0.0, 1.0]], ["a"], bounds=bounds)
