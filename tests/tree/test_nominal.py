"""Splits of nominal columns and the rules that choose among columns: worked by hand, the definition, properties."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.tree.nodes import Ask
from tests.tree.engine import bundled, columns, grow, grow_numbers, leaf_of, only

CRITERIA = ("gini", "entropy", "error")


def impurity(weights, criterion):
    """By the definition, of the weights of the classes."""
    weights = np.asarray(weights, dtype=float)
    shares = weights[weights > 0] / weights.sum() if weights.sum() > 0 else np.zeros(0)
    return {
        "gini": 1 - (shares**2).sum(),
        "entropy": -(shares * np.log2(shares)).sum(),
        "error": 1 - shares.max(initial=0),
    }[criterion]


def gain(groups, y, w, criterion):
    """What a division of the rows lowers the impurity by; ``groups`` are the branches, negative ones unknown."""

    def counts(rows):
        return np.bincount(y[rows], w[rows], y.max() + 1)

    known = groups >= 0
    after = sum(w[groups == g].sum() * impurity(counts(groups == g), criterion) for g in set(groups[known]))
    return (w[known].sum() * impurity(counts(known), criterion) - after) / w.sum()


def best_subset(codes, y, w, criterion, directed=True, min_leaf=1):
    """The largest gain of all divisions of the levels, missing cells on either side."""
    levels = sorted(set(codes[codes >= 0]))
    gains = []
    for size in range(len(levels) + 1):
        for subset in combinations(levels, size):
            for missing in (0, 1) if directed else (-1,):
                branch = np.where(codes < 0, missing, np.isin(codes, subset).astype(int))
                sizes = [(branch == 0).sum(), (branch == 1).sum()]
                if min(sizes) >= min_leaf:
                    gains.append(gain(branch, y, w, criterion))
    return max(gains, default=None)


@pytest.mark.golden("F4")
def test_gains_of_the_weather_table():
    X, y, names = bundled("weather_nominal", "play")
    gains = {name: grow(only(X, j), y, nominal="multiway", max_depth=1).gain[0] for j, name in enumerate(names)}
    assert [round(g, 4) for g in gains.values()] == [0.2467, 0.0292, 0.1518, 0.0481]


def test_gains_of_the_contact_lenses():
    X, y, names = bundled("contact_lenses", "contact-lenses")
    gains = [grow(only(X, j), y, nominal="multiway", max_depth=1).gain[0] for j in range(len(names))]
    assert [round(g, 4) for g in gains] == [0.0394, 0.0395, 0.377, 0.5488]


@pytest.mark.golden("F4")
@pytest.mark.parametrize(("ratio", "medium"), [(False, "Credit History"), (True, "Debt Level")])
def test_loan_risk_by_gain_and_by_gain_ratio(ratio, medium):
    X, y, names = bundled("loan_risk", "Risk Level")
    tree = grow(X, y, nominal="multiway", gain_ratio=ratio)
    assert names[tree.column[0]] == "Income Level"
    assert tree.gain[0] == pytest.approx(0.9663, abs=5e-5)
    levels = next(c for c in X.schema if c.name == "Income Level").levels
    asked = {level: int(tree.column[child]) for level, child in zip(levels, tree.children(0))}
    below = {level: names[column] if column >= 0 else "" for level, column in asked.items()}
    assert below == {"Low": "", "Medium": medium, "High": "Credit History"}
    assert all(y[i] == tree.value[leaf_of(tree, codes=[c[i] for c in X.codes])].argmax() for i in range(len(y)))


def test_levels_of_two_classes_worked_by_hand():
    # Shares of class 1: a 0/2, b 2/2, c 1/2, d 2/2: {a, c} against {b, d} leaves 1 of 4 wrong on one side.
    codes, y = [0, 0, 1, 1, 2, 2, 3, 3], [0, 0, 1, 1, 0, 1, 1, 1]
    tree = grow(columns(codes=[codes], levels=[6]), y, nominal="subset", criterion="gini", max_depth=1)
    assert tree.ask[0] == Ask.SUBSET
    assert tree.details(0).tolist() == [0, 2]
    assert tree.gain[0] == pytest.approx((1 - (9 + 25) / 64) - 0.5 * (1 - (9 + 1) / 16))
    assert tree.value[1:].tolist() == [[3, 1], [0, 4]]


def test_a_level_the_node_does_not_hold_goes_the_way_of_most_cases():
    # Class 1 only in level 0, which is the lighter side: levels 3 and 4 are nowhere and go with 1 and 2.
    codes, y = [0, 0, 1, 1, 2, 2], [1, 1, 0, 0, 0, 0]
    tree = grow(columns(codes=[codes], levels=[5]), y, nominal="subset")
    assert tree.details(0).tolist() == [0]
    assert tree.weight.tolist() == [6, 2, 4]
    # And with the classes exchanged, so that the order of the shares is the other one.
    tree = grow(columns(codes=[codes], levels=[5]), [0, 0, 1, 1, 1, 1], nominal="subset")
    assert tree.details(0).tolist() == [0]


def test_a_branch_for_every_level_even_an_empty_one():
    tree = grow(columns(codes=[[0, 0, 2, 2]], levels=[4]), [0, 1, 1, 1], nominal="multiway", criterion="gini")
    assert tree.ask[0] == Ask.LEVEL
    assert tree.cases.tolist() == [4, 2, 0, 2, 0]
    assert tree.value[2].tolist() == tree.value[0].tolist()  # nobody knows better there


def test_one_level_against_all_others():
    codes, y = [0, 0, 1, 1, 2, 2, 3], [0, 1, 1, 1, 0, 1, 0]
    tree = grow(columns(codes=[codes]), y, nominal="one_vs_rest", max_depth=1)
    gains = [gain((np.array(codes) != c).astype(int), np.array(y), np.ones(7), "entropy") for c in range(4)]
    assert tree.details(0).tolist() == [int(np.argmax(gains))]
    assert tree.gain[0] == pytest.approx(max(gains))


def test_min_leaf_in_all_branches_or_in_two():
    X, y = columns(codes=[[0, 0, 1, 1, 2]]), [0, 0, 1, 1, 1]
    assert grow(X, y, nominal="multiway", min_leaf=2).n_nodes == 1
    assert grow(X, y, nominal="multiway", min_leaf=2, two_branches=True).n_nodes == 4
    assert grow(X, y, nominal="multiway", min_leaf=3, two_branches=True).n_nodes == 1


def test_equal_levels_are_kept_together_but_taken_apart_where_nothing_else_is_left():
    # Exclusive or of two levels: no first split gains anything, and the tree is perfect all the same.
    a, b = [0, 0, 1, 1], [0, 1, 0, 1]
    tree = grow(columns(codes=[a, b]), [0, 1, 1, 0], nominal="subset")
    assert tree.n_leaves == 4
    assert grow(columns(codes=[a, b]), [0, 1, 1, 0], nominal="subset", no_useless_splits=True).n_nodes == 1


def test_the_average_rule_passes_over_a_small_gain_with_a_large_ratio():
    # Column 0 takes one row away: little gain, still less split information. Column 1 halves the rows.
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 50)
    rare = np.zeros(100, int)
    rare[99] = 1
    halves = np.where(rng.random(100) < 0.7, y, 1 - y)
    ratios = [gain(c, y, np.ones(100), "entropy") / impurity(np.bincount(c), "entropy") for c in (rare, halves)]
    assert ratios[0] > ratios[1]
    X = columns(codes=[rare, halves])
    assert grow(X, y, nominal="multiway", gain_ratio=True, max_depth=1).column[0] == 0
    assert grow(X, y, nominal="multiway", gain_ratio=True, average_gain=True, max_depth=1).column[0] == 1


rows = st.integers(2, 5).flatmap(
    lambda n_levels: st.lists(
        st.tuples(st.integers(-1, n_levels - 1), st.integers(0, 2), st.integers(1, 3)), min_size=3, max_size=25
    )
)


@settings(max_examples=150, deadline=None)
@given(
    rows,
    st.sampled_from(CRITERIA),
    st.integers(2, 3),
    st.sampled_from(["direction", "fractional"]),
    st.integers(1, 3),
)
def test_the_best_of_all_subsets(rows, criterion, n_classes, missing, min_leaf):
    codes, y, w = (np.array(part) for part in zip(*rows))
    y = y % n_classes
    y[:n_classes] = np.arange(n_classes)
    tree = grow(
        columns(codes=[codes], levels=[5]),
        y,
        weight=w,
        criterion=criterion,
        nominal="subset",
        missing=missing,
        min_leaf=min_leaf,
        max_depth=1,
    )
    expected = best_subset(codes, y, w.astype(float), criterion, missing == "direction", min_leaf)
    if expected is None or (codes == codes[0]).all():
        assert tree.n_nodes == 1
    elif min_leaf == 1:
        assert tree.gain[0] == pytest.approx(expected, abs=1e-12)
    elif tree.n_nodes > 1:  # a threshold in the order of the shares need not be best once small branches are forbidden
        assert tree.gain[0] <= expected + 1e-12


@settings(max_examples=60, deadline=None)
@given(rows, st.permutations(range(5)), st.integers(2, 3), st.sampled_from(["multiway", "subset", "one_vs_rest"]))
def test_names_of_levels_order_of_rows_and_threads_change_nothing(rows, names, n_classes, nominal):
    codes, y, w = (np.array(part) for part in zip(*rows))
    y = y % n_classes
    y[:n_classes] = np.arange(n_classes)
    renamed = np.where(codes < 0, -1, np.array(names)[codes])
    shuffled = np.random.default_rng(0).permutation(len(y))
    same = {"nominal": nominal, "exact_levels": 3}
    plain = grow(columns(codes=[codes, w], levels=[5, 4]), y, weight=w, **same)
    once_more = grow(
        columns(codes=[codes[shuffled], w[shuffled]], levels=[5, 4]), y[shuffled], weight=w[shuffled], **same
    )
    threaded = grow(columns(codes=[codes, w], levels=[5, 4]), y, weight=w, threads=3, **same)
    for other in (once_more, threaded):
        assert all(np.array_equal(a, b) for a, b in zip(plain.arrays().values(), other.arrays().values()))
    stump = {**same, "max_depth": 1}
    a = grow(columns(codes=[codes], levels=[5]), y, weight=w, **stump)
    b = grow(columns(codes=[renamed], levels=[5]), y, weight=w, **stump)
    assert a.gain[0] == b.gain[0]  # to the last bit


def test_many_levels_and_classes_find_a_division_that_is_planted():
    # 300 levels of two kinds: classes 0 and 1, or 2 and 3.
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, 300)
    codes = rng.integers(0, 300, 20_000)
    y = 2 * kind[codes] + rng.integers(0, 2, 20_000)
    tree = grow(columns(codes=[codes], levels=[300]), y, nominal="subset", max_depth=1)
    assert tree.gain[0] == pytest.approx(impurity(np.bincount(kind[codes]), "entropy"))
    assert len(set(kind[tree.details(0).astype(int)])) == 1


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_heuristic_is_at_least_as_good_as_a_single_level(criterion):
    rng = np.random.default_rng(1)
    codes, y = rng.integers(0, 12, 200), rng.integers(0, 4, 200)
    X = columns(codes=[codes])
    exact = grow(X, y, criterion=criterion, nominal="subset", exact_levels=12, max_depth=1).gain[0]
    rough = grow(X, y, criterion=criterion, nominal="subset", exact_levels=5, max_depth=1).gain[0]
    single = grow(X, y, criterion=criterion, nominal="one_vs_rest", max_depth=1).gain[0]
    assert single <= rough <= exact
    assert rough > 0.7 * exact


def test_a_subset_pays_for_having_been_chosen_among_many():
    rng = np.random.default_rng(2)
    codes, y = rng.integers(0, 6, 300), rng.integers(0, 2, 300)
    y = np.where(codes < 2, 1, y)
    free = grow(columns(codes=[codes]), y, nominal="subset", max_depth=1)
    charged = grow(columns(codes=[codes]), y, nominal="subset", max_depth=1, charge_levels=True)
    assert free.gain[0] - charged.gain[0] == pytest.approx(np.log2(2**5 - 1) / 300)  # 31 ways to divide six levels
    assert free.details(0).tolist() == charged.details(0).tolist()


@pytest.mark.parametrize("criterion", CRITERIA)
def test_noise_of_many_levels_does_not_pay(criterion):
    rng = np.random.default_rng(0)
    codes, y = rng.integers(0, 400, 2000), rng.integers(0, 2, 2000)
    X = columns(codes=[codes])
    assert grow(X, y, criterion=criterion, nominal="subset", max_depth=1).n_nodes == 3
    assert grow(X, y, criterion=criterion, nominal="subset", max_depth=1, charge_levels=True).n_nodes == 1
    assert grow_numbers(X, rng.normal(size=2000), nominal="subset", max_depth=1, charge_levels=True).n_nodes == 1


def test_two_levels_have_no_choice_to_pay_for():
    a, b = [0, 0, 1, 1], [0, 1, 0, 1]
    assert grow(columns(codes=[a, b]), [0, 1, 1, 0], nominal="subset", charge_levels=True).n_leaves == 4


numbers = st.lists(st.tuples(st.integers(-1, 4), st.integers(-5, 5), st.integers(1, 3)), min_size=3, max_size=25)


@settings(max_examples=100, deadline=None)
@given(numbers, st.permutations(range(5)))
def test_the_best_of_all_subsets_for_numbers(rows, names):
    codes, y, w = (np.array(part) for part in zip(*rows))

    def spread(rows):
        return (w[rows] * (y[rows] - np.average(y[rows], weights=w[rows])) ** 2).sum()

    def lowered(branch):
        return (spread(branch >= 0) - sum(spread(branch == b) for b in set(branch))) / w.sum()

    levels = sorted(set(codes[codes >= 0]))
    divisions = [
        np.where(codes < 0, missing, np.isin(codes, subset).astype(int))
        for size in range(len(levels) + 1)
        for subset in combinations(levels, size)
        for missing in (0, 1)
    ]
    gains = [lowered(branch) for branch in divisions if len(set(branch)) == 2]
    tree = grow_numbers(columns(codes=[codes], levels=[5]), y, weight=w, nominal="subset", max_depth=1)
    if not gains or len(set(y)) == 1:
        assert tree.n_nodes == 1
        return
    assert tree.gain[0] == pytest.approx(max(gains), abs=1e-9)
    renamed = np.where(codes < 0, -1, np.array(names)[codes])
    again = grow_numbers(columns(codes=[renamed], levels=[5]), y, weight=w, nominal="subset", max_depth=1)
    assert tree.gain[0] == again.gain[0]
