"""Protocols beyond stratified folds: worked by hand, slow definitions, and what must hold for any data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.errors import DataError, InputError, ParameterError
from margin.evaluation import (
    PROTOCOLS,
    Bootstrap,
    Folds,
    Given,
    GroupFolds,
    GroupHoldOut,
    LeaveOneOut,
    RepeatedHoldOut,
    StratifiedFolds,
    TimeHoldOut,
    TimeOrdered,
    TrainValidationTest,
)
from margin.evaluation.protocols.named import as_protocol

LABELS = st.lists(st.integers(0, 3), min_size=4, max_size=50)
QUICK = settings(deadline=None, max_examples=60)


def parts_of(protocol, y):
    """All splits, each checked: rows in range, ascending, on one side only, neither side empty."""
    splits = list(protocol.split(y))
    for train, test in splits:
        assert len(train)
        assert len(test)
        assert not set(train.tolist()) & set(test.tolist())
        for rows in (train, test):
            assert rows.min() >= 0
            assert rows.max() < len(y)
            assert (np.diff(rows) >= 0).all()
    assert protocol.n_fits in (None, len(splits))
    return splits


# ---- Plain folds.


def test_folds_in_order_are_stretches_of_rows():
    tests = [test.tolist() for _, test in Folds(3, shuffle=False).split([0] * 8)]
    assert tests == [[0, 1, 2], [3, 4, 5], [6, 7]]


@QUICK
@given(LABELS, st.integers(2, 8), st.booleans(), st.integers(0, 3))
def test_plain_folds_are_a_partition_of_nearly_equal_parts(y, folds, shuffle, seed):
    folds = min(folds, len(y))
    splits = parts_of(Folds(folds, shuffle=shuffle, seed=seed), y)
    assert sorted(np.concatenate([test for _, test in splits]).tolist()) == list(range(len(y)))
    sizes = [len(test) for _, test in splits]
    assert max(sizes) - min(sizes) <= 1
    assert all(len(train) + len(test) == len(y) for train, test in splits)


def test_repeats_of_plain_folds_differ_and_in_order_are_refused():
    first, *_, last = [test.tolist() for _, test in Folds(2, repeats=2).split([0] * 30)]
    assert first != last
    with pytest.raises(ParameterError, match="every repeat would be the same"):
        Folds(2, repeats=2, shuffle=False)
    with pytest.raises(DataError, match="use folds=3 or fewer"):
        next(Folds(4).split([0, 1, 0]))


# ---- Hold-outs over and over.


def test_repeated_hold_outs_keep_classes_in_proportion_and_differ():
    y = np.repeat([0, 1], [60, 20])
    splits = parts_of(RepeatedHoldOut(0.25, times=5), y)
    assert all(np.bincount(y[test]).tolist() == [15, 5] for _, test in splits)
    assert len({tuple(test.tolist()) for _, test in splits}) == 5


# ---- Three parts.


@QUICK
@given(st.integers(10, 60), st.integers(1, 3), st.integers(0, 5))
def test_three_parts_are_a_partition_with_every_class_to_learn_from(n, classes, seed):
    y = np.arange(n) % classes
    parts = TrainValidationTest(0.2, 0.3, seed=seed).parts(y)
    assert sorted(np.concatenate(parts).tolist()) == list(range(n))
    train, validation, test = parts
    assert set(y[train].tolist()) == set(y.tolist())
    assert abs(len(test) - 0.3 * n) <= 1
    assert abs(len(validation) - 0.2 * n) <= 2


def test_the_test_part_is_asked_of_the_training_part_or_with_refit_of_both():
    y = [0, 1] * 20
    train, validation, test = TrainValidationTest().parts(y)
    ((learnt, asked),) = TrainValidationTest().split(y)
    assert learnt.tolist() == train.tolist()
    ((learnt, asked_again),) = TrainValidationTest(refit=True).split(y)
    assert learnt.tolist() == sorted([*train, *validation])
    assert asked.tolist() == asked_again.tolist() == test.tolist()
    with pytest.raises(ParameterError, match="must leave rows to learn from"):
        TrainValidationTest(0.5, 0.5)


# ---- Groups.


@QUICK
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), min_size=6, max_size=60), st.integers(2, 4))
def test_no_group_stands_on_both_sides(rows, folds):
    y, groups = np.array(rows).T
    n_groups = len(set(groups.tolist()))
    if n_groups < folds:
        with pytest.raises(DataError, match=r"groups do not fill so many folds"):
            next(GroupFolds(groups, folds).split(y))
        return
    splits = parts_of(GroupFolds(groups, folds), y)
    assert sorted(np.concatenate([test for _, test in splits]).tolist()) == list(range(len(y)))
    for train, test in [*splits, *parts_of(GroupHoldOut(groups, 0.3), y)]:
        assert not set(groups[train].tolist()) & set(groups[test].tolist())


def test_groups_of_one_row_are_dealt_out_as_stratified_folds_are():
    y = np.repeat([0, 1, 2], [50, 30, 23])
    sizes = [np.bincount(y[test], minlength=3) for _, test in GroupFolds(np.arange(103), 10).split(y)]
    assert np.ptp([size.sum() for size in sizes]) <= 1
    assert np.ptp(sizes, axis=0).max() <= 1


def test_classes_are_as_equal_as_whole_groups_allow():
    """Twenty patients of five visits, ill or well: every one of five folds gets two ill and two well ones."""
    patient = np.repeat(np.arange(20), 5)
    y = patient % 2
    for _, test in GroupFolds(patient, 5).split(y):
        assert np.bincount(y[test]).tolist() == [10, 10]
    ((_, test),) = GroupHoldOut(patient, 0.2).split(y)
    assert np.bincount(y[test]).tolist() == [10, 10]


def test_sizes_are_balanced_although_groups_are_not():
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), random.integers(1, 40, size=60))
    y = random.integers(2, size=len(groups))
    sizes = [len(test) for _, test in GroupFolds(groups, 5).split(y)]
    assert max(sizes) - min(sizes) <= 5
    share = [len(test) / len(y) for seed in range(5) for _, test in GroupHoldOut(groups, 0.25, seed).split(y)]
    assert all(abs(each - 0.25) < 0.05 for each in share)


def test_of_very_many_groups_the_share_is_still_met_in_every_class():
    random = np.random.default_rng(0)
    groups, y = np.arange(24_000) // 2, (random.random(24_000) < 0.05).astype(int)
    ((train, test),) = GroupHoldOut(groups, 0.3).split(y)
    assert abs(len(test) - 7200) <= 4
    assert abs(y[test].sum() - 0.3 * y.sum()) <= 3
    assert not np.isin(groups[test], groups[train]).any()


def test_other_seeds_deal_groups_otherwise():
    groups, y = np.arange(40) // 2, np.arange(40) % 2
    assert len({next(GroupFolds(groups, 4, seed=seed).split(y))[1].tobytes() for seed in range(5)}) == 5
    assert len({next(GroupHoldOut(groups, seed=seed).split(y))[1].tobytes() for seed in range(5)}) == 5


def test_groups_must_be_there_and_fit():
    with pytest.raises(ParameterError, match="give the group of each row"):
        next(GroupFolds().split([0, 1]))
    with pytest.raises(ParameterError, match="known by name only where the inputs are"):
        next(GroupFolds("patient").split([0, 1]))
    with pytest.raises(InputError, match="3 groups were given for 2 rows"):
        next(GroupHoldOut([1, 2, 3]).split([0, 1]))
    with pytest.raises(DataError, match="one group"):
        next(GroupHoldOut([1, 1]).split([0, 1]))


# ---- Time.


def slow_time_order(times, folds, gap, window):
    """By definition: the stretches are given; what is learnt is every row early enough for the stretch asked about."""
    tests = [test for _, test in TimeOrdered(times, folds).split([0] * len(times))]
    for test in tests:
        start = min(times[row] for row in test)
        early = [row for row, when in enumerate(times) if when < start - gap]
        yield [row for row in early if window is None or times[row] >= start - gap - window], test.tolist()


@QUICK
@given(
    st.lists(st.integers(0, 30), min_size=8, max_size=50),
    st.integers(1, 4),
    st.integers(0, 2),
    st.none() | st.integers(3, 20),
)
def test_only_the_past_is_learnt_from(times, folds, gap, window):
    y = np.zeros(len(times))
    if len(set(times)) < folds + 1:
        with pytest.raises(DataError, match="different times"):
            next(TimeOrdered(times, folds).split(y))
        return
    wanted = list(slow_time_order(times, folds, gap, window))
    if not all(train for train, _ in wanted):
        with pytest.raises(DataError, match="nothing is left to learn from"):
            list(TimeOrdered(times, folds, gap, window).split(y))
        return
    splits = parts_of(TimeOrdered(times, folds, gap, window), y)
    assert [(train.tolist(), test.tolist()) for train, test in splits] == wanted
    for train, test in splits:
        assert max(times[row] for row in train) < min(times[row] for row in test) - gap
    # Every row of the same time is in the same stretch, and together they are all rows but the first stretch.
    stretch = {row: number for number, (_, test) in enumerate(splits) for row in test.tolist()}
    for when in set(times):
        assert len({stretch.get(row) for row, other in enumerate(times) if other == when}) == 1


def test_stretches_of_different_times_are_of_equal_length():
    shuffled = np.random.default_rng(0).permutation(120)
    assert [len(test) for _, test in TimeOrdered(shuffled, 5).split(np.zeros(120))] == [20] * 5


def test_dates_numbers_and_text_are_the_same_times():
    import datetime

    import polars

    days = [datetime.datetime(2024, 1, 1) + datetime.timedelta(days=int(day)) for day in [3, 1, 2, 7, 5, 6, 0, 4]]
    y = [0, 1] * 4
    forms = [
        days,
        np.array(days, dtype="datetime64[s]"),
        [str(day) for day in days],
        polars.Series(days),
    ]
    week = datetime.timedelta(days=1), np.timedelta64(1, "D"), datetime.timedelta(hours=24), np.timedelta64(24, "h")
    expected = [(train.tolist(), test.tolist()) for train, test in TimeOrdered([3, 1, 2, 7, 5, 6, 0, 4], 3, 1).split(y)]
    for times, gap in zip(forms, week):
        found = [(train.tolist(), test.tolist()) for train, test in TimeOrdered(times, 3, gap).split(y)]
        assert found == expected


@pytest.mark.parametrize(
    "write",
    ["{day}.{month}.2024", "{month}/{day}/24 10:00 pm", "May {day}, 202{month}"],
    ids=["point", "slash", "name"],
)
def test_times_are_read_in_every_way_that_files_write_dates(write):
    when = [(3, 1), (1, 31), (2, 5), (7, 1), (5, 30), (6, 2), (1, 2), (4, 4)]
    y = [0, 1] * 4
    expected = [(a.tolist(), b.tolist()) for a, b in TimeOrdered([31 * m + d for m, d in when], 3).split(y)]
    words = [write.format(month=m, day=d) for m, d in when]
    assert [(a.tolist(), b.tolist()) for a, b in TimeOrdered(words, 3).split(y)] == expected
    ((train, test),) = TimeHoldOut(words, at=words[7]).split(y)
    assert (train.tolist(), test.tolist()) == ([0, 1, 2, 6], [3, 4, 5, 7])


def test_times_that_cannot_be_ordered_are_refused():
    with pytest.raises(InputError, match="1 of 3 times are missing, first in row 1"):
        next(TimeOrdered([1.0, np.nan, 2.0], 1).split([0, 1, 0]))
    with pytest.raises(InputError, match="dates that files write"):
        next(TimeOrdered(["early", "late", "later"], 1).split([0, 1, 0]))
    with pytest.raises(ParameterError, match="gap must be a length of time"):
        TimeOrdered(gap=-1)
    with pytest.raises(ParameterError, match=r"datetime\.timedelta"):
        TimeOrdered(gap="a week")
    with pytest.raises(ParameterError, match="window must be a length of time, above 0"):
        TimeOrdered(window=0)


# ---- Draws with replacement.


@QUICK
@given(LABELS, st.booleans(), st.integers(0, 3))
def test_a_draw_has_all_its_rows_and_leaves_the_others_over(y, stratified, seed):
    y = np.array(y)
    if stratified and np.bincount(y).max() == 1:
        with pytest.raises(DataError, match="single case"):
            next(Bootstrap(stratified=True).split(y))
        return
    for drawn, left in Bootstrap(5, stratified=stratified, seed=seed).split(y):
        assert len(drawn) == len(y)
        assert sorted({*drawn.tolist(), *left.tolist()}) == list(range(len(y)))
        assert not set(drawn.tolist()) & set(left.tolist())
        assert len(left)
        if stratified:
            assert np.bincount(y[drawn], minlength=4).tolist() == np.bincount(y, minlength=4).tolist()


def test_draws_are_even():
    """1000 draws of 20 rows: each row is left over (1 - 1/20)^20 = 35.8 % of the time, give or take 1.5 %."""
    left = np.zeros(20)
    drawn = np.zeros(20)
    for rows, others in Bootstrap(1000).split(np.zeros(20)):
        left[others] += 1
        drawn += np.bincount(rows, minlength=20)
    assert abs(left / 1000 - 0.358).max() < 0.06
    assert abs(drawn / 1000 - 1).max() < 0.13
    assert abs(left.mean() / 1000 - 0.358) < 0.01


# ---- Splits of others.


def test_given_splits_are_used_as_they_are():
    protocol = Given([([0, 1], [2]), (np.array([True, False, True]), np.array([False, True, False]))])
    assert [(train.tolist(), test.tolist()) for train, test in protocol.split(list("aba"))] == [
        ([0, 1], [2]),
        ([0, 2], [1]),
    ]
    assert protocol.judged_by == "cases"
    assert not protocol.caution
    assert "2 of them in split 1" in Given([([0, 1, 2], [1, 2])]).caution


@pytest.mark.parametrize(
    ("splits", "says"),
    [
        ([], "at least one split"),
        ([[1, 2, 3]], "split 1 must be a pair"),
        ([([0], [])], "test rows of split 1"),
        ([([0.5], [1])], "training rows of split 1"),
        (7, "pairs of"),
    ],
)
def test_splits_that_are_none_are_refused(splits, says):
    with pytest.raises((ParameterError, InputError), match=says):
        Given(splits)


def test_rows_that_are_not_there_are_named():
    with pytest.raises(DataError, match="split 1 speaks of row 9, but there are 3 rows"):
        next(Given([([0, 1], [9])]).split(list("aba")))


# ---- By name.


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_protocol_of_the_list_says_what_it_is(name):
    protocol = as_protocol(name, 100)
    assert protocol.describe().endswith(".")
    assert protocol.name
    assert protocol.judged_by in ("cases", "folds", "replicates")


def test_names_of_folds_work_for_any_numbers():
    assert as_protocol("7-fold", 100) == StratifiedFolds(7)
    assert as_protocol("3x4", 100) == StratifiedFolds(4, repeats=3)
    assert as_protocol("10 × 10", 100) == StratifiedFolds(10, repeats=10)
    assert as_protocol("Leave one out", 100) == LeaveOneOut()
    assert as_protocol(None, 6) == StratifiedFolds(6)
    assert as_protocol(np.int64(4), 6) == StratifiedFolds(4)


def test_what_is_no_protocol_is_refused_with_what_could_be_one():
    with pytest.raises(ParameterError, match="did you mean 'bootstrap'"):
        as_protocol("bootsrap", 100)
    with pytest.raises(ParameterError, match=r"give an instance: Folds\(\)"):
        as_protocol(Folds, 100)
    for wrong in (True, 2.5, object()):
        with pytest.raises(ParameterError, match="must be one of margin's"):
            as_protocol(wrong, 100)
    with pytest.raises(ParameterError, match="splits without groups"):
        as_protocol("10x10", 100, groups=[1] * 100)
    with pytest.raises(ParameterError, match="give them once"):
        as_protocol(GroupFolds([1, 2]), 2, groups=[1, 2])


def test_with_groups_folds_are_by_group():
    protocol = as_protocol(None, 6, groups=[1, 1, 2, 2, 3, 3])
    assert (type(protocol), protocol.folds) == (GroupFolds, 3)
    assert as_protocol("groups", 6, groups=[1, 1, 2, 2, 3, 3]).groups == [1, 1, 2, 2, 3, 3]
