"""Which index is chosen, and what is said about it."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from margin import KNeighborsClassifier
from margin.errors import ParameterError


def index_of(X, **settings):
    return KNeighborsClassifier(**settings).fit(X, np.arange(X.shape[0]) % 2).index_


def rows(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def test_few_rows_are_looked_at_one_by_one():
    assert str(index_of(rows(100, 2))) == "brute force: 100 rows of 2 columns; too few rows for a tree to pay"


def test_few_columns_get_a_tree():
    assert index_of(rows(2000, 3)).name == "kd-tree"
    assert index_of(rows(2000, 3), metric="cosine").name == "kd-tree"


def test_in_between_a_tree_has_to_show_that_it_looks_at_few_rows():
    spread_out, on_a_line = rows(3000, 20), rows(3000, 1) * np.arange(1, 21)
    assert index_of(on_a_line).name == "kd-tree"
    assert "of the rows" in index_of(on_a_line).reason
    assert index_of(spread_out).name == "brute force"
    assert "too many to pay" in index_of(spread_out).reason


def test_many_columns_are_scanned_and_metrics_without_boxes_get_balls():
    assert index_of(rows(600, 60)).name == "brute force"
    assert index_of(rows(600, 3), metric="canberra").name == "ball tree"
    assert index_of(rows(20, 3), metric=lambda a, b: np.abs(a - b).sum()).name == "ball tree"


def test_sparse_rows_stay_sparse_unless_a_tree_is_asked_for():
    X = csr_array(np.where(rows(600, 8) > 1, 1.0, 0.0))
    assert index_of(X).name == "sparse rows"
    assert index_of(X, algorithm="kd_tree").name == "kd-tree"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"algorithm": "kd_tree", "metric": "canberra"}, "a kd-tree cannot serve the metric, 'canberra'"),
        ({"algorithm": "ball_tree", "p": 0.5}, "p must be at least 1"),
        ({"metric": "haversine"}, "two columns, latitude and longitude in radians, but has 3"),
        ({"metric": "heom", "scale": "standard"}, "leave scale out"),
        ({"metric": "gower", "algorithm": "kd_tree"}, "no tree serves this metric"),
        ({"metric": "canberra", "feature_weights": [1, 2, 3]}, "cannot weigh columns"),
        ({"feature_weights": [1, 2]}, "one number per column is needed"),
        ({"feature_weights": {"x9": 2}}, "no such column"),
    ],
)
def test_what_cannot_be_combined_is_refused(settings, words):
    with pytest.raises(ParameterError, match=words):
        index_of(rows(50, 3), **settings)
