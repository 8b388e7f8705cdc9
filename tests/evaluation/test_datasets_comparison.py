"""Several data sets: Demšar's examples, then slow definitions, then properties."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from margin.errors import InputError, ParameterError
from margin.evaluation import HoldOut, compare_on, evaluate, friedman, sign_test, wilcoxon
from margin.evaluation.comparing.wilcoxon import mid_ranks

# Areas under ROC curves of C4.5 with its parameters m and cf tuned or not, on 14 data sets (Demšar 2006, table 6).
NAMES = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
AREAS = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],  # ranked 2 and 3 in the table, which shows three places
        [0.957, 0.978, 0.946, 0.970],
    ]
)


@pytest.mark.golden("H4")
def test_the_signed_ranks_of_demsars_example():
    found = wilcoxon(AREAS[:, 1], AREAS[:, 0])
    assert found.statistic == 12  # R+ = 93, R- = 12; at most 21 is significant for 14 data sets
    assert found.p < 0.05
    assert found.effect.value > 0


@pytest.mark.golden("H4")
def test_friedmans_test_of_demsars_example():
    found = friedman(AREAS, names=NAMES)
    assert found.names == ("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5")
    np.testing.assert_allclose(found.mean_ranks, [1.964, 2.000, 2.893, 3.143], atol=5e-4)
    # His χ² of 9.28 makes no allowance for ties, which take 6.5 of 70 off the spread of the ranks.
    without_ties = 12 * 14 / 20 * ((found.mean_ranks**2).sum() - 4 * 25 / 4)
    assert without_ties == pytest.approx(9.28, abs=0.005)
    assert found.statistic == pytest.approx(without_ties * 70 / 63.5)
    assert found.critical_difference == pytest.approx(1.25, abs=0.005)
    assert friedman(AREAS, confidence=0.9).critical_difference == pytest.approx(1.12, abs=0.005)
    assert found.p < 0.05


@pytest.mark.golden("H4")
def test_demsars_comparison_with_a_control():
    # Against C4.5: z = 2.416, 2.342 and 0.512 with p of 0.016, 0.019 and 0.607.
    found = {test.name: test for test in friedman(AREAS, names=NAMES).against("C4.5")}
    assert found["C4.5+m"].p == pytest.approx(0.019, abs=5e-4)
    assert found["C4.5+m+cf"].p == pytest.approx(0.016, abs=5e-4)
    assert found["C4.5+cf"].p == pytest.approx(0.607, abs=2e-3)
    assert found["C4.5+m+cf"].corrected == pytest.approx(3 * found["C4.5+m+cf"].p)
    assert found["C4.5+m+cf"].difference < 0, "lower ranks are better"
    with pytest.raises(ParameterError, match=r"did you mean 'C4\.5"):
        friedman(AREAS, names=NAMES).against("C4.6")


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9), st.sampled_from(["split", "drop"]))
def test_the_exact_p_of_signed_ranks_counts_all_signs(values, zeros):
    kept = [v for v in values if v or zeros == "split"]
    ranks = mid_ranks(np.abs(np.array(kept, dtype=float)))
    moved = [(rank, value) for rank, value in zip(ranks, kept) if value]
    seen = abs(sum(rank * np.sign(value) for rank, value in moved))
    sums = [abs(sum(s * rank for s, (rank, _) in zip(signs, moved))) for signs in product((1, -1), repeat=len(moved))]
    assert wilcoxon(values, zeros=zeros).p == pytest.approx(np.mean(np.array(sums) >= seen - 1e-9))


def test_many_differences_are_normal_and_close_to_exact():
    values = np.random.default_rng(0).normal(0.2, 1, 101)
    normal, exact = wilcoxon(values), wilcoxon(values[:100])
    assert "normal" in normal.method
    assert "exact" in exact.method
    assert normal.p == pytest.approx(exact.p, rel=0.3)


def test_the_interval_of_the_median_difference_covers_what_the_test_does_not_reject():
    values = np.random.default_rng(4).normal(0.5, 1, 15)
    found = wilcoxon(values)
    inside, outside = 1e-6, -1e-6
    for end, way in ((found.effect.interval.low, 1), (found.effect.interval.high, -1)):
        assert wilcoxon(values - (end + way * inside)).p > 0.05
        assert wilcoxon(values - (end + way * outside)).p <= 0.05
    assert wilcoxon(values[:5]).effect.interval is None


def test_the_sign_test_splits_ties():
    found = sign_test([1, 1, 1, 1, -1, 0, 0, 0])  # 4 + 1 against 1 + 1, one tie ignored
    assert found.p == pytest.approx(2 * (1 + 7 + 21) / 2**7)
    assert sign_test([1, 1, 1, 1, -1, 0, 0, 0], zeros="drop").p == pytest.approx(2 * (1 + 5) / 2**5)
    assert sign_test([0, 0]).effect.value == 0.5
    assert sign_test([0.0], zeros="drop").p == 1.0


@settings(deadline=None, max_examples=25)
@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=4))
def test_the_exact_p_of_friedman_counts_all_ways_to_rank(rows):
    table = np.array(rows, dtype=float)
    ranks = mid_ranks(-table)

    def apart(each):
        return ((np.sum(each, axis=0) - 2 * len(table)) ** 2).sum()

    ways = [apart(chosen) for chosen in product(*(list(permutations(row)) for row in ranks.tolist()))]
    assert friedman(table).p_exact == pytest.approx(np.mean(np.array(ways) >= apart(ranks) - 1e-9))


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000), st.integers(2, 8), st.integers(2, 12))
def test_groups_hold_what_is_less_than_the_critical_difference_apart(seed, k, n):
    random = np.random.default_rng(seed)
    found = friedman(random.normal(size=(n, k)) + np.linspace(0, 2, k))
    rank = dict(zip(found.names, found.mean_ranks))
    together = {(a, b) for group in found.groups for a in group for b in group}
    for a, b in permutations(found.names, 2):
        assert ((a, b) in together) == (abs(rank[a] - rank[b]) < found.critical_difference - 1e-12)
    assert not any(set(g) < set(h) for g in found.groups for h in found.groups)
    told = found.p_values < 0.05
    apart = np.abs(found.mean_ranks[:, None] - found.mean_ranks) >= found.critical_difference
    np.testing.assert_array_equal(told, apart)


def test_losses_rank_the_other_way():
    up, down = friedman(AREAS, names=NAMES), friedman(1 - AREAS, names=NAMES, greater_is_better=False)
    assert up.names == down.names
    assert up.p == pytest.approx(down.p)
    assert "critical difference 1.25" in str(up)
    assert "<table>" in up._repr_html_()


def test_evaluations_on_several_data_sets_become_a_table():
    found = {}
    for name, load in (("iris", load_iris), ("wine", load_wine)):
        X, y = load(return_X_y=True)
        models = {"bayes": GaussianNB(), "guess": DummyClassifier()}
        found[name] = {each: evaluate(model, X, y, HoldOut(0.3), metrics=["error"]) for each, model in models.items()}
    result = compare_on(found, "error")
    assert result.names == ("bayes", "guess"), "of errors the least is best"
    assert result.datasets == ("iris", "wine")
    assert result.table[0, 0] == found["iris"]["bayes"].scores["error"].value
    with pytest.raises(InputError, match="same models"):
        compare_on({"iris": {"a": 1.0, "b": 2.0}, "wine": {"a": 1.0}})
    with pytest.raises(ParameterError, match="bayes on iris"):
        compare_on(found, "accuracy")


def test_tables_that_cannot_be_ranked_are_refused():
    for wrong in ([[1.0]], [[1.0, np.nan]], [1.0, 2.0], [["a", "b"]], {"a": [1.0], "b": [1.0, 2.0]}):
        with pytest.raises(InputError, match="friedman"):
            friedman(wrong)
    with pytest.raises(InputError, match="names"):
        friedman([[1.0, 2.0]], names=["a"])
    with pytest.raises(InputError, match="at least one data set"):
        wilcoxon([])
    assert friedman(np.ones((3, 3))).p == pytest.approx(1.0)
