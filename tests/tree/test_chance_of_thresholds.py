"""``max_p``: a column that says nothing is split in no more than that share of the cases."""

import numpy as np
import pytest
from scipy import stats

from margin import DecisionTreeClassifier
from tests.tree.engine import columns, grow

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")


def share_split(make, n_rounds, **settings):
    """How often a tree of one noise column has a split."""
    split = 0
    for seed in range(n_rounds):
        rng = np.random.default_rng(seed)
        X, y = make(rng)
        if y.min() == y.max():
            continue
        split += grow(X, y, largest_p=0.05, max_depth=1, **settings).n_nodes > 1
    return split / n_rounds


# Of 400 rounds at most 5 % plus two standard errors.
MOST = 0.05 + 2 * np.sqrt(0.05 * 0.95 / 400)

NOISE = {
    "two even classes": lambda rng: (columns(rng.normal(size=(100, 1))), rng.integers(0, 2, 100)),
    "two classes, one rare": lambda rng: (columns(rng.normal(size=(200, 1))), (rng.random(200) < 0.05).astype(int)),
    "three classes": lambda rng: (columns(rng.normal(size=(80, 1))), rng.choice(3, 80, p=[0.1, 0.3, 0.6])),
    "few numbers": lambda rng: (columns(rng.integers(0, 4, (60, 1))), rng.integers(0, 2, 60)),
    "missing cells": lambda rng: (
        columns(np.where(rng.random((100, 1)) < 0.2, np.nan, rng.normal(size=(100, 1)))),
        rng.integers(0, 2, 100),
    ),
    "eight levels": lambda rng: (columns(codes=[rng.integers(0, 8, 100)]), rng.integers(0, 2, 100)),
    "thirty levels": lambda rng: (columns(codes=[rng.integers(0, 30, 900)]), rng.integers(0, 2, 900)),
}


@pytest.mark.parametrize("name", NOISE)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_noise_is_seldom_split(name, criterion):
    assert share_split(NOISE[name], 400, criterion=criterion) <= MOST


def test_one_level_of_many_pays_for_having_been_chosen():
    assert share_split(NOISE["eight levels"], 400, nominal="one_vs_rest") <= MOST


def test_a_cause_is_still_found():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 1))
    y = (x[:, 0] + rng.normal(size=200) > 0).astype(int)
    assert grow(columns(x), y, largest_p=0.01, max_depth=1).n_nodes == 3
    level = rng.integers(0, 30, 900)
    y = (rng.random(900) < np.where(level < 10, 0.7, 0.3)).astype(int)
    tree = grow(columns(codes=[level]), y, largest_p=0.01, max_depth=1)
    assert tree.n_nodes == 3


def test_the_p_value_of_a_threshold_worked_by_hand():
    # x = 1 ... 12, the classes part between 6 and 7: 6 and 0 against 0 and 6. Fisher: 2 / C(12, 6) = 0.002165; eleven
    # thresholds could have been chosen: 0.023810.
    x, y = np.arange(12.0)[:, None], np.repeat([0, 1], 6)
    p = 11 * stats.fisher_exact([[6, 0], [0, 6]]).pvalue
    assert p == pytest.approx(0.0238095, abs=1e-7)
    assert grow(columns(x), y, largest_p=p * 1.000001).n_nodes == 3
    assert grow(columns(x), y, largest_p=p * 0.999999).n_nodes == 1
    # With min_leaf 3 seven of them are left.
    assert grow(columns(x), y, largest_p=p * 7 / 11 * 1.000001, min_leaf=3).n_nodes == 3
    assert grow(columns(x), y, largest_p=p * 7 / 11 * 0.999999, min_leaf=3).n_nodes == 1


def test_a_model_of_noise_is_the_majority():
    split = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        model = DecisionTreeClassifier(max_p=0.05).fit(rng.normal(size=(150, 1)), rng.integers(0, 2, 150))
        split += model.tree_.n_nodes > 1
    assert split <= 9
