"""margin.evaluation.protocols.stratified:
parts that never overlap nor stay empty, classes spread evenly, seeds that hold.
"""

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.errors import DataError, LabelError, ParameterError
from margin.evaluation import HoldOut, LeaveOneOut, StratifiedFolds, TrainingData
from margin.parallel import threads
from tests.shared_data import shared_data

PROTOCOLS = [TrainingData(), HoldOut(), StratifiedFolds(), StratifiedFolds(3, repeats=2, seed=7), LeaveOneOut()]

LABELS = st.lists(st.integers(0, 5), min_size=2, max_size=60)


@settings(deadline=None, max_examples=100)
@given(LABELS, st.integers(2, 12), st.integers(0, 3))
def test_folds_are_a_partition_with_classes_as_even_as_can_be(y, folds, seed):
    y = np.array(y)
    folds = min(folds, len(y))
    tests = []
    for train, test in StratifiedFolds(folds, seed=seed).split(y):
        assert sorted([*train, *test]) == list(range(len(y)))
        assert len(train)
        assert len(test)
        tests.append(test)
    assert sorted(np.concatenate(tests)) == list(range(len(y)))
    sizes = [len(test) for test in tests]
    assert max(sizes) - min(sizes) <= 1
    for label in set(y.tolist()):
        cases = [int((y[test] == label).sum()) for test in tests]
        assert max(cases) - min(cases) <= 1


@settings(deadline=None, max_examples=100)
@given(LABELS, st.floats(0.01, 0.99), st.integers(0, 3))
def test_a_hold_out_leaves_a_case_of_every_class_to_learn_from(y, share, seed):
    y = np.array(y)
    if len(set(y.tolist())) == len(y):
        with pytest.raises(LabelError, match="single case"):
            next(HoldOut(share, seed).split(y))
        return
    ((train, test),) = HoldOut(share, seed).split(y)
    assert sorted([*train, *test]) == list(range(len(y)))
    assert len(test)
    assert set(y[train].tolist()) == set(y.tolist())
    possible = len(y) - len(set(y.tolist()))
    assert len(test) == min(max(round(share * len(y)), 1), len(y) - 1, possible)
    # In proportion to within a case, unless a class had to keep its last one.
    if len(test) < possible:
        for label in set(y.tolist()):
            members = int((y == label).sum())
            wanted = len(test) * members / len(y)
            assert (y[test] == label).sum() <= wanted + len(set(y.tolist()))
            assert (y[test] == label).sum() >= min(np.floor(wanted), members - 1)


def shuffled_by_group(y, *seeds):
    """All rows, group after group in order of first appearance, in random order within each."""
    order = list(dict.fromkeys(y.tolist()))
    groups = np.array([order.index(label) for label in y.tolist()])
    shuffled = np.random.default_rng(seeds).permutation(len(y))
    return shuffled[np.argsort(groups[shuffled], kind="stable")], groups


@settings(deadline=None, max_examples=60)
@given(LABELS, st.sampled_from([2, 3, 7, 300]), st.integers(0, 3))
def test_folds_are_dealt_as_the_definition_says(y, folds, seed):
    y = np.array(y * 6 if folds > 256 else y)
    folds = min(folds, len(y))
    for repeat in range(2):
        fold_of = np.empty(len(y), dtype=int)
        fold_of[shuffled_by_group(y, seed, repeat)[0]] = np.arange(len(y)) % folds
        splits = list(StratifiedFolds(folds, repeats=2, seed=seed).split(y))[repeat * folds : (repeat + 1) * folds]
        for fold, (train, test) in enumerate(splits):
            assert test.tolist() == np.flatnonzero(fold_of == fold).tolist()
            assert train.tolist() == np.flatnonzero(fold_of != fold).tolist()


@settings(deadline=None, max_examples=60)
@given(LABELS.filter(lambda y: len(set(y)) < len(y)), st.floats(0.01, 0.99), st.integers(0, 3))
def test_a_hold_out_takes_the_first_rows_of_each_shuffled_group(y, share, seed):
    y = np.array(y)
    order, groups = shuffled_by_group(y, seed)
    ((_, test),) = HoldOut(share, seed).split(y)
    for group in range(groups.max() + 1):
        members = order[groups[order] == group]
        held = int((groups[test] == group).sum())
        assert sorted(members[:held].tolist()) == test[groups[test] == group].tolist()


def test_many_rows_split_alike_on_any_number_of_threads():
    y = np.random.default_rng(2).integers(-3, 3, size=400_000)
    found = []
    for count in (1, 3):
        with threads(count):
            found.append([part.tobytes() for pair in StratifiedFolds(3).split(y) for part in pair])
    assert found[0] == found[1]
    fold_of = np.empty(len(y), dtype=int)
    fold_of[shuffled_by_group(y, 0, 0)[0]] = np.arange(len(y)) % 3
    for fold, (_, test) in enumerate(StratifiedFolds(3).split(y)):
        assert np.array_equal(test, np.flatnonzero(fold_of == fold))


def test_more_classes_than_a_byte_can_number_are_split_too():
    y = np.random.default_rng(3).integers(1000, size=5000)
    for _, test in StratifiedFolds(5).split(y):
        counts = np.bincount(y[test], minlength=1000)
        assert (np.abs(counts - np.bincount(y) / 5) < 1).all()
    ((train, _),) = HoldOut(0.5).split(y)
    assert len(np.unique(y[train])) == len(np.unique(y))


def test_a_class_of_one_case_stays_in_training():
    y = ["common"] * 30 + ["single"]
    for seed in range(20):
        ((train, test),) = HoldOut(0.5, seed).split(y)
        assert 30 in train
        assert 30 not in test


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_the_same_seed_splits_alike_whatever_the_labels_are_called(protocol):
    codes = np.random.default_rng(0).integers(12, size=80)
    names = np.array([f"class {code}" for code in codes])  # "class 10" sorts before "class 2"
    for (train, test), (train_by_name, test_by_name) in zip(protocol.split(codes), protocol.split(names)):
        assert train.tolist() == train_by_name.tolist()
        assert test.tolist() == test_by_name.tolist()


def test_other_seeds_and_repeats_split_differently():
    y = np.tile([0, 1], 50)
    first, *rest = [test.tolist() for _, test in StratifiedFolds(2, repeats=2).split(y)]
    assert first not in rest
    assert next(HoldOut(seed=0).split(y))[1].tolist() != next(HoldOut(seed=1).split(y))[1].tolist()


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_every_protocol_says_in_a_sentence_what_it_does_and_how_often_it_fits(protocol):
    y = np.tile([0, 1], 15)
    assert len(list(protocol.split(y))) == (len(y) if protocol.n_fits is None else protocol.n_fits)
    assert protocol.describe().endswith(".")
    assert protocol.judged_by in ("cases", "folds")
    assert bool(protocol.caution) == isinstance(protocol, TrainingData)
    assert eval(repr(protocol)) == protocol


def test_leave_one_out_asks_about_every_row_once():
    splits = list(LeaveOneOut().split([1, 1, 2]))
    assert [test.tolist() for _, test in splits] == [[0], [1], [2]]
    assert [train.tolist() for train, _ in splits] == [[1, 2], [0, 2], [0, 1]]


@pytest.mark.parametrize("protocol", [HoldOut(), StratifiedFolds(2), LeaveOneOut()])
def test_too_few_rows_are_refused_with_what_to_do(protocol):
    with pytest.raises(DataError, match="1 row is too few"):
        next(protocol.split(["a"]))
    with pytest.raises(DataError, match="0 rows"):
        next(protocol.split([]))
    with pytest.raises(DataError, match="use folds=7 or fewer"):
        next(StratifiedFolds(10).split([0] * 7))


def test_missing_labels_are_refused():
    with pytest.raises(LabelError, match="1 of 3 labels are missing"):
        next(StratifiedFolds(2).split(["a", None, "b"]))


@pytest.mark.parametrize(
    "call",
    [
        lambda: HoldOut(0),
        lambda: HoldOut(1.5),
        lambda: HoldOut(seed=-1),
        lambda: StratifiedFolds(1),
        lambda: StratifiedFolds(2.5),
        lambda: StratifiedFolds(repeats=0),
        lambda: StratifiedFolds(seed="x"),
    ],
)
def test_impossible_settings_are_refused(call):
    with pytest.raises(ParameterError):
        call()


@pytest.mark.parametrize("name", ["audiology", "soybean", "primary-tumor"])
def test_real_data_with_very_rare_classes_split_without_trouble(name):
    with gzip.open(shared_data(f"{name}.arff.gz"), "rt", encoding="latin-1") as file:
        lines = [line.strip() for line in file]
    start = next(at for at, line in enumerate(lines) if line.lower() == "@data")
    y = np.array([line.rsplit(",", 1)[-1] for line in lines[start + 1 :] if line and not line.startswith("%")])
    assert len(y) > 200
    for protocol in (StratifiedFolds(10), StratifiedFolds(50), HoldOut(0.1), HoldOut(0.5)):
        for train, test in protocol.split(y):
            assert len(test)
            assert len(train) + len(test) == len(y)
    ((train, _),) = HoldOut(0.5).split(y)
    assert set(y[train]) == set(y)
