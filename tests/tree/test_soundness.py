"""margin.tree.node_checks: what compiled code could not follow is found out before."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import DecisionTreeClassifier
from margin.base.representations.mixed import MixedData
from margin.errors import PersistenceError
from margin.persistence import load, save
from margin.tree import predict as walking
from margin.tree.node_checks import TYPES, sound_arrays
from margin.tree.nodes import Tree
from tests.tree.random_trees import random_rows, random_tree

LEVELS = (3, 70, 5)


def arrays(seed=0):
    return random_tree(np.random.default_rng(seed), 3, LEVELS, depth=4).arrays()


@pytest.mark.parametrize("seed", range(5))
def test_trees_as_they_are_grown_are_sound(seed):
    sound_arrays(arrays(seed))


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("child", 0, 0),
        ("child", 0, 10**6),
        ("child", -1, 1),
        ("child_start", 1, -1),
        ("child_start", -1, 10**6),
        ("ask", 0, 9),
        ("ask", 0, 0),
        ("column", 0, -1),
        ("missing", 0, 99),
        ("missing", 0, -2),
        ("threshold", 0, np.nan),
        ("detail", 0, np.nan),
        ("surrogate_low", 0, 2),
        ("surrogate_column", 0, -5),
        ("surrogate_detail", 0, 0.5),
        ("surrogate_detail", 0, 1e300),
    ],
)
def test_a_damaged_array_is_refused(name, at, value):
    damaged = {key: array.copy() for key, array in arrays().items()}
    damaged[name][at] = value
    with pytest.raises(PersistenceError, match="do not fit together"):
        sound_arrays(damaged)


@pytest.mark.parametrize("name", TYPES)
def test_an_array_that_is_too_short_is_refused(name):
    damaged = arrays()
    with pytest.raises(PersistenceError, match="do not fit together"):
        sound_arrays({**damaged, name: damaged[name][:-1]})


@given(seed=st.integers(0, 10**6), changes=st.integers(1, 3))
@settings(max_examples=100, deadline=None)
def test_whatever_passes_can_be_walked(seed, changes):
    rng = np.random.default_rng(seed)
    damaged = {key: array.copy() for key, array in arrays(seed % 7).items()}
    for name in rng.choice(sorted(TYPES), changes):
        flat = damaged[name].reshape(-1)
        if len(flat):
            flat[rng.integers(len(flat))] = rng.choice([0, 1, 2, 3, 5, 40, 100])
    X = random_rows(rng, 70, 3, LEVELS)
    try:
        tree = Tree(**damaged)
        walking.shares(tree, X)
        walking.parts(tree, X)
        walking.leaves(tree, X)
    except (PersistenceError, ValueError):
        pass


def test_a_damaged_tree_is_refused_when_it_is_loaded(tmp_path):
    model = DecisionTreeClassifier().fit(np.eye(3), [0, 1, 2])
    model.tree_.child[0] = 0
    save(model, tmp_path / "damaged.margin")
    with pytest.raises(PersistenceError, match="do not fit together"):
        load(tmp_path / "damaged.margin")


def test_other_types_of_numbers_are_made_those_of_the_core():
    given = arrays()
    found = sound_arrays(
        {**given, "missing": given["missing"].astype(np.int64), "value": np.asfortranarray(given["value"])}
    )
    assert found["missing"].dtype == np.int32
    assert found["value"].flags.c_contiguous


def test_rows_must_have_the_columns_that_are_asked_about():
    model = DecisionTreeClassifier().fit(np.eye(3), [0, 1, 2])
    with pytest.raises(ValueError, match="columns"):
        walking.shares(model.tree_, MixedData(np.ones((2, 1))))
