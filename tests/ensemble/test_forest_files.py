"""Arrays of a forest that do not fit together are found out before rows walk down them."""

from dataclasses import replace

import numpy as np
import pytest

from margin import RandomForestClassifier, RandomForestRegressor
from margin.errors import PersistenceError


def trees(model=RandomForestClassifier):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return model(n_estimators=3, random_state=0, max_depth=3).fit(X, (X[:, 0] > 0).astype(int)).trees_


def with_word(found, leaf, column, change):
    nodes = found.nodes.copy()
    at = int(np.flatnonzero(found.is_leaf == leaf)[0])
    nodes[at, column] = change(int(nodes[at, column]))
    return replace(found, nodes=nodes)


def bits(number):
    return int(np.float64(number).view(np.uint64))


@pytest.mark.parametrize(
    ("leaf", "column", "change"),
    [
        (False, 1, lambda w: w & ~0xFFFFFFFF),  # back to the root
        (False, 1, lambda w: w | 0xFFFFFFFF),  # nowhere
        (False, 1, lambda w: w | 0x7FFFFFF << 32),  # a column that is not there
        (False, 1, lambda w: w | 1 << 61),  # surrogates
        (False, 1, lambda w: w | 2 << 59),  # a branch for each level
        (False, 0, lambda w: bits(np.nan)),
        (True, 1, lambda w: w + 1),  # a leaf that leads on
        (True, 1, lambda w: w | 0x7FFFFFF << 32),  # a leaf with a column
        (True, 0, lambda w: bits(-1.0)),
        (True, 0, lambda w: bits(1e9)),
        (True, 0, lambda w: bits(0.5)),
        (True, 0, lambda w: bits(np.inf)),
    ],
    ids=range(12),
)
def test_a_node_that_leads_astray_is_refused(leaf, column, change):
    found = trees()
    assert found.walker is not None
    with pytest.raises(PersistenceError, match="do not fit together"):
        _ = with_word(found, leaf, column, change).walker


def test_trees_that_are_not_the_nodes_are_refused():
    found = trees()
    for start in ([0], [0, 1], found.start[::-1], found.start + 1, found.start[[0, 2, 1, 3]]):
        with pytest.raises(PersistenceError, match="do not fit together"):
            _ = replace(found, start=np.array(start, dtype=np.int64)).walker
    with pytest.raises(PersistenceError, match="a share is none"):
        _ = replace(found, shares=2 * found.shares + 0.5).walker


def test_a_leaf_of_numbers_answers_a_number():
    found = trees(RandomForestRegressor)
    with pytest.raises(PersistenceError, match="no number"):
        _ = with_word(found, True, 0, lambda w: bits(np.nan)).walker
