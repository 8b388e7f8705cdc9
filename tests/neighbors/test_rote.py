"""margin.neighbors.RoteClassifier: worked by hand, then a dictionary, then properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import RoteClassifier, Table
from margin.errors import ParameterError
from margin.neighbors import equal_rows
from margin.neighbors.equal_rows import EqualRows

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")

X, Y = [[0, 0], [1, 1], [1, 2]], ["no", "yes", "yes"]


def test_a_row_without_a_match_gets_the_majority_nothing_or_the_default():
    new = [[0, 0], [9, 9]]
    assert RoteClassifier().fit(X, Y).predict(new).tolist() == ["no", "yes"]
    assert RoteClassifier(unmatched="abstain").fit(X, Y).predict(new).tolist() == ["no", None]
    assert RoteClassifier(default="no").fit(X, Y).predict([[9, 9], [1, 1]]).tolist() == ["no", "yes"]


def test_its_probabilities_are_the_shares_whatever_it_answers():
    for model in (RoteClassifier(), RoteClassifier(unmatched="abstain"), RoteClassifier(default="no")):
        assert model.fit(X, Y).predict_proba([[9, 9]])[0] == pytest.approx([1 / 3, 2 / 3])


def test_a_class_called_abstain_is_a_class_like_any_other():
    labels = ["abstain", "majority", "majority"]
    assert RoteClassifier(default="abstain").fit(X, labels).predict([[9, 9]]).tolist() == ["abstain"]
    assert RoteClassifier(unmatched="abstain").fit(X, labels).predict([[9, 9], [0, 0]]).tolist() == [None, "abstain"]


@pytest.mark.parametrize("labels", [[3, 7, 7], [True, False, False], [2.0, 1.0, 1.0], [b"a", b"b", b"b"]], ids=str)
def test_the_default_comes_back_in_the_type_of_the_labels(labels):
    answers = RoteClassifier(default=labels[0]).fit(X, labels).predict([[9, 9]])
    assert answers.tolist() == [labels[0]]
    assert type(answers.tolist()[0]) is type(labels[0])


def test_a_default_written_as_on_the_command_line_is_found():
    assert RoteClassifier(default="3").fit(X, [3, 7, 7]).predict([[9, 9]]).tolist() == [3]


def test_a_default_that_is_no_class_is_refused_with_the_nearest():
    with pytest.raises(ParameterError, match=r"default='yess'\): .*did you mean 'yes'"):
        RoteClassifier(default="yess").fit(X, Y)
    with pytest.raises(ParameterError, match="None or a label"):
        RoteClassifier(default=["yes"]).fit(X, Y)


def test_abstaining_and_a_default_are_refused_together():
    with pytest.raises(ParameterError, match="leave one of the two out"):
        RoteClassifier(unmatched="abstain", default="no").fit(X, Y)


def test_what_is_asked_may_change_after_fit():
    model = RoteClassifier().fit(X, Y)
    assert model.set_params(default="no").predict([[9, 9]]).tolist() == ["no"]
    with pytest.raises(ParameterError, match="one of the classes"):
        model.set_params(default="maybe").predict([[9, 9]])


def test_words_and_missing_cells_are_matched_as_they_are():
    table = Table.from_columns({"sky": ["sun", None, "rain"], "wind": [1.0, None, 0.0]})
    model = RoteClassifier(unmatched="abstain").fit(table, ["out", "in", "in"])
    new = Table.from_columns({"sky": [None, "rain", "sun", "snow"], "wind": [None, -0.0, 2.0, None]})
    assert model.predict(new).tolist() == ["in", "in", None, "in"]  # a level never seen is a missing cell


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 60),
    d=st.integers(1, 4),
    levels=st.sampled_from([1, 2, 4]),
)
@settings(max_examples=80, deadline=None)
def test_it_answers_as_a_dictionary_does(seed, n, d, levels):
    rng = np.random.default_rng(seed)
    cells = np.array([np.nan, 0.0, 1.0, 1e-300, -7.5])[: levels + 1]
    rows, y, weight = rng.choice(cells, (n, d)), rng.integers(0, 3, n), rng.integers(1, 4, n)
    new = rng.choice(cells, (30, d))
    remembered: dict = {}
    for row, label, w in zip(rows, y, weight):
        remembered.setdefault(str(row), np.zeros(3))[label] += w
    model = RoteClassifier().fit(rows, y, sample_weight=weight)
    found = model.predict_proba(new)
    priors = np.bincount(y, weight, 3) / weight.sum()
    for row, shares, matched in zip(new, found, model.matched(new)):
        counts = remembered.get(str(row))
        assert matched == (counts is not None)
        expected = priors if counts is None else counts / counts.sum()
        np.testing.assert_allclose(shares, expected[model.classes_])


@given(seed=st.integers(0, 10_000), n=st.integers(1, 300))
@settings(max_examples=30, deadline=None)
def test_equal_rows_get_equal_numbers_and_different_rows_different_ones(seed, n):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 4, (n, 3)).astype(float).view(np.uint64)
    learnt = EqualRows()
    number = learnt.learn(rows)
    _, expected = np.unique(rows, axis=0, return_inverse=True)
    assert len(set(zip(number.tolist(), expected.reshape(-1).tolist()))) == len(set(number.tolist()))
    assert len(set(number.tolist())) == expected.max() + 1
    assert np.array_equal(learnt.rows[number], rows)
    assert np.array_equal(learnt.find(rows), number)


def test_different_rows_with_one_hash_are_told_apart(monkeypatch):
    honest, asked = equal_rows._hashes, []

    def poor(rows, seed):
        asked.append(seed)
        return honest(rows, seed) if seed >= 2 else honest(rows, seed) % np.uint64(3)

    monkeypatch.setattr(equal_rows, "_hashes", poor)
    rows = np.arange(40, dtype=np.uint64).reshape(20, 2)
    learnt = EqualRows()
    assert sorted(learnt.learn(rows)) == list(range(20))
    assert asked == [0, 1, 2]
    assert np.array_equal(learnt.rows[learnt.find(rows)], rows)


def test_hashes_of_small_whole_numbers_hardly_ever_meet():
    """As floats they share all their low bits, which a weak hash would lose."""
    rows = np.stack(np.meshgrid(*[np.arange(60.0)] * 3), axis=-1).reshape(-1, 3).view(np.uint64)
    assert len(np.unique(equal_rows._hashes(rows, 0))) == len(rows)
    low_bits = equal_rows._hashes(rows, 0) & np.uint64(0xFF)
    assert np.bincount(low_bits.astype(int), minlength=256).max() < 1.3 * len(rows) / 256


def test_more_rows_than_a_block_are_found(monkeypatch):
    monkeypatch.setattr(equal_rows, "BLOCK_ROWS", 7)
    rows = np.arange(100.0).reshape(50, 2)
    model = RoteClassifier(unmatched="abstain").fit(np.vstack([rows, rows]), np.arange(100) % 50)
    assert model.predict(rows).tolist() == list(range(50))
