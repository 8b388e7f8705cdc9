"""margin.bayes.joint: worked by hand, then the definition row by row, then properties."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import JointBayes, NaiveBayes, Table
from margin.bayes.joint_counts import row_keys
from margin.errors import ConstantColumnWarning, InputError, ParameterError, SparseTableWarning
from margin.persistence import load, save

constant = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")
sparse = pytest.mark.filterwarnings("ignore::margin.errors.SparseTableWarning")


def slow_joint(columns, y, asked, alpha, classes):
    """log P(k) + log P(cells that are there | k), summed over every way to fill the cells that are not."""
    levels = [sorted({v for v in column if v is not None}) for column in columns]
    rows = list(zip(*columns))
    found = np.empty((len(asked), len(classes)))
    for r, row in enumerate(asked):
        ways = [[v] if v in known else known for v, known in zip(row, levels)]
        for k, label in enumerate(classes):
            whole = [cells for cells, own in zip(rows, y) if own == label and None not in cells]
            entries = alpha * math.prod(map(len, levels))
            share = sum((whole.count(way) + alpha) / (len(whole) + entries) for way in itertools.product(*ways))
            prior = list(y).count(label) / len(y)
            found[r, k] = math.log(prior * share) if share else -math.inf
    return found


def random_rows(seed, n, missing=0.15):
    rng = np.random.default_rng(seed)

    def some(values):
        cells = [None if rng.random() < missing else v for v in rng.choice(values, n).tolist()]
        cells[: len(values)] = values
        return cells

    y = rng.choice(["a", "b", "c"], n)
    y[:6] = ["a", "b", "c"] * 2
    return {"word": some(["x", "y", "z"]), "number": some([0.5, 2.0]), "flag": some(["no", "yes"])}, y


def test_a_small_table_by_hand():
    X = Table.from_columns({"sky": ["grey", "grey", "blue", "blue"], "wind": ["strong", "weak", "weak", "weak"]})
    model = JointBayes().fit(X, ["stay", "go", "go", "go"])
    go, stay = np.exp(model.joint_log_likelihood(X.take([0, 2])).T)
    assert go == pytest.approx([3 / 4 * 1 / 7, 3 / 4 * 3 / 7])  # no grey strong day, two blue weak ones, 4 virtual
    assert stay == pytest.approx([1 / 4 * 2 / 5, 1 / 4 * 1 / 5])


@given(seed=st.integers(0, 10_000), n=st.integers(8, 40), alpha=st.sampled_from([0.0, 0.5, 1.0, 3.0]))
@settings(max_examples=40, deadline=None)
@sparse
def test_agrees_with_the_definition(seed, n, alpha):
    columns, y = random_rows(seed, n)
    complete = [None not in row for row in zip(*columns.values())]
    if alpha == 0 and {label for label, whole in zip(y, complete) if whole} != {"a", "b", "c"}:
        return
    table = Table.from_columns(columns)
    asked = [*zip(*columns.values()), ("never", 7.0, "yes"), (None, None, None)]
    given_rows = Table.from_columns(dict(zip(columns, map(list, zip(*asked)))))
    found = JointBayes(alpha=alpha).fit(table, y).joint_log_likelihood(given_rows)
    np.testing.assert_allclose(found, slow_joint(list(columns.values()), y, asked, alpha, "abc"), rtol=1e-9)


def test_numbers_and_words_of_the_same_table_are_answered_alike():
    rng = np.random.default_rng(0)
    numbers, y = rng.integers(0, 2, (60, 3)), rng.integers(0, 2, 60)
    words = Table.from_columns({f"c{j}": np.array(["f", "t"])[numbers[:, j]].tolist() for j in range(3)})
    expected = JointBayes().fit(words, y).predict_proba(words)
    np.testing.assert_array_equal(JointBayes().fit(numbers, y).predict_proba(numbers), expected)


@sparse
def test_a_number_not_seen_at_fit_counts_as_missing():
    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [-0.0, 1.0]]), [0, 0, 1, 0]
    model = JointBayes().fit(X, y)
    assert np.array_equal(model.predict_proba([[0.5, 1.0]]), model.predict_proba([[np.nan, 1.0]]))
    assert np.array_equal(model.predict_proba([[-0.0, 1.0]]), model.predict_proba([[0.0, 1.0]]))


@sparse
def test_rows_with_missing_cells_count_for_the_priors_alone():
    X = Table.from_columns({"a": ["x", "y", "x", None, None], "b": ["u", "v", "u", "u", "v"]})
    y = ["yes", "no", "no", "no", "no"]
    model = JointBayes(priors=[0.5, 0.5], alpha=0.5).fit(X, y)
    without = JointBayes(priors=[0.5, 0.5], alpha=0.5).fit(X.take([0, 1, 2]), y[:3])
    np.testing.assert_allclose(model.predict_proba(X), without.predict_proba(X), rtol=1e-12)
    assert JointBayes().fit(X, y).priors_.tolist() == [0.8, 0.2]


def test_a_row_that_no_class_can_have_gets_the_priors():
    X = Table.from_columns({"a": ["x", "x", "y", "y"], "b": ["u", "u", "v", "v"]})
    model = JointBayes(alpha=0, priors=[0.25, 0.75]).fit(X, ["no", "no", "yes", "yes"])
    impossible = Table.from_columns({"a": ["x"], "b": ["v"]})
    assert np.isneginf(model.joint_log_likelihood(impossible)).all()
    assert model.predict_proba(impossible)[0] == pytest.approx([0.25, 0.75])
    assert model.predict(impossible).tolist() == ["yes"]


@sparse
@pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")
def test_without_virtual_cases_a_class_of_no_complete_row_takes_the_shares_of_all():
    X = Table.from_columns({"a": ["x", "x", "y", None], "b": ["u", "u", "v", "u"]})
    model = JointBayes(alpha=0).fit(X, ["p", "p", "q", "r"])
    rows = Table.from_columns({"a": ["x", "y"], "b": ["u", "v"]})
    assert np.exp(model.joint_log_likelihood(rows)[:, 2]) == pytest.approx([1 / 4 * 2 / 3, 1 / 4 * 1 / 3])
    nothing = JointBayes(alpha=0).fit(X.take([3, 3]), ["p", "q"])
    assert nothing.predict_proba(X) == pytest.approx(np.full((4, 2), 0.5))


def test_parameters_are_counted_whatever_their_number():
    columns = 2000
    X = np.random.default_rng(0).integers(0, 2, (10, columns))
    X[:2] = [[0] * columns, [1] * columns]
    with pytest.warns(SparseTableWarning, match=r"10 complete rows .* about 10\^602 combinations, .* Bayes has 4,000"):
        model = JointBayes().fit(X, [0, 1] * 5)
    assert model.n_parameters_ == 2 * (2**columns - 1)
    assert model.n_parameters_naive_ == 2 * columns
    assert np.array_equal(model.predict(X), [0, 1] * 5)
    assert np.isfinite(model.joint_log_likelihood(1 - X)).all()


def test_a_table_with_a_row_for_every_combination_is_not_sparse():
    X, y = np.array(list(itertools.product([0, 1], [0, 1, 2]))), [0, 1] * 3
    JointBayes().fit(X, y)
    with pytest.warns(SparseTableWarning, match="5 complete rows do not fill a table of 6 combinations, with 10 free"):
        JointBayes().fit(X[1:], y[1:])


@sparse
def test_wide_rows_are_told_apart_where_their_number_outgrows_64_bits():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 50, (400, 15)).astype(float)
    X[200:] = X[:200]
    X[::7, 3] = np.nan
    y = np.arange(400) % 200 % 3
    columns = [[None if np.isnan(v) else v for v in column] for column in X.T]
    model = JointBayes(alpha=1e-20).fit(X, y)
    assert (model.predict(X)[~np.isnan(X[:, 3])] == y[~np.isnan(X[:, 3])]).all()
    share = (np.exp(model.joint_log_likelihood(X[1:2])) / model.priors_)[0, y[1]]
    whole = [row for row, label in zip(zip(*columns), y) if label == y[1] and None not in row]
    entries = 1e-20 * math.prod(len(set(column) - {None}) for column in columns)
    assert share == pytest.approx((whole.count(tuple(X[1])) + 1e-20) / (len(whole) + entries))


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 5), min_size=1, max_size=30), st.integers(2, 40))
def test_keys_order_rows_as_their_cells_do(rows, bits):
    codes = np.array(rows)
    keys = row_keys(list(codes.T), [2**bits] * 5, len(rows))
    assert [rows[i] for i in np.argsort(keys, kind="stable")] == sorted(rows)
    assert len(set(keys.tolist())) == len(set(rows))


def same_model(one, other, rows):
    assert one.classes_.tolist() == other.classes_.tolist()
    assert one.n_parameters_ == other.n_parameters_
    assert np.array_equal(one.joint_log_likelihood(rows), other.joint_log_likelihood(rows))


@given(seed=st.integers(0, 10_000), cuts=st.tuples(st.integers(1, 29), st.integers(1, 29)), swap=st.booleans())
@settings(max_examples=30, deadline=None)
@sparse
@constant
def test_models_of_parts_add_up_to_the_model_of_the_whole(seed, cuts, swap):
    columns, y = random_rows(seed, 30)
    table = Table.from_columns(columns)
    whole = JointBayes().fit(table, y)
    edges = sorted({0, *cuts, 30})
    parts = [JointBayes().fit(table[a:b], y[a:b]) for a, b in itertools.pairwise(edges)]
    if swap:
        parts.reverse()
    merged = parts[0]
    for part in parts[1:]:
        merged = merged.merge(part)
    same_model(merged, whole, table)


@sparse
@constant
def test_rows_may_come_in_parts_with_numbers_levels_and_classes_of_their_own():
    table = Table.from_columns({"a": [1.0, 1.0, 2.0, None, 3.0, 1.0], "b": ["u", "u", "v", "u", "w", "w"]})
    y = np.array(["p", "p", "q", "q", "r", "p"])
    model = JointBayes(class_weight="balanced")
    for rows in ([0, 1], [2, 3], [4], [5]):
        model.partial_fit(table[rows], y[rows])
    same_model(model, JointBayes(class_weight="balanced").fit(table, y), table)


@sparse
def test_a_column_that_one_part_lacks_makes_that_parts_rows_incomplete():
    full = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, np.nan], [0.0, np.nan]])
    y = [0, 1, 0, 1]
    with pytest.warns(ConstantColumnWarning):
        half = JointBayes().fit(full[2:], y[2:])
    assert half.n_parameters_ == 2
    same_model(JointBayes().fit(full[:2], y[:2]).merge(half), JointBayes().fit(full, y), full)


@sparse
@pytest.mark.parametrize("class_weight", ["balanced", {"b": 2.5}, {"a": 3, "c": 2}], ids=str)
def test_class_weights_are_weights_of_all_rows_of_a_class(class_weight):
    columns, y = random_rows(4, 40)
    table = Table.from_columns(columns)
    counts = {label: (y == label).sum() for label in "abc"}
    factors = (
        {label: 40 / 3 / counts[label] for label in "abc"}
        if class_weight == "balanced"
        else {label: class_weight.get(label, 1) for label in "abc"}
    )
    weighted = JointBayes().fit(table, y, [factors[label] for label in y])
    found = JointBayes(class_weight=class_weight).fit(table, y)
    np.testing.assert_allclose(found.joint_log_likelihood(table), weighted.joint_log_likelihood(table), rtol=1e-9)


@sparse
def test_weights_that_are_not_counts_may_be_scaled_at_will():
    columns, y = random_rows(5, 40)
    table, weight = Table.from_columns(columns), np.random.default_rng(5).random(40)
    one = JointBayes().fit(table, y, weight).predict_proba(table)
    np.testing.assert_allclose(JointBayes().fit(table, y, weight * 1e3).predict_proba(table), one, rtol=1e-9)


def test_drawn_records_have_the_shares_of_the_model():
    rng = np.random.default_rng(0)
    X = Table.from_columns({"word": rng.choice(["x", "y"], 30).tolist(), "number": rng.integers(0, 3, 30).tolist()})
    y = rng.choice(["a", "b"], 30)
    model = JointBayes(alpha=2.0).fit(X, y)
    drawn, labels = model.sample(20_000, random_state=1)
    assert drawn.schema == model.schema_
    every = Table.from_columns({"word": ["x", "y"] * 3, "number": [0.0, 0, 1, 1, 2, 2]})
    expected = np.exp(model.joint_log_likelihood(every))
    for word, number, shares in zip(every["word"], every["number"], expected):
        same = (drawn["word"] == word) & (drawn["number"] == number)
        for label, share in zip("ab", shares):
            assert (same & (labels == label)).mean() == pytest.approx(share, abs=4 * math.sqrt(share / 20_000))


def test_a_seed_draws_the_same_records_again_and_none_are_drawn_too():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    model = JointBayes(alpha=0).fit(X, y)
    one, other = model.sample(20, random_state=3), model.sample(20, random_state=3)
    assert isinstance(one[0], np.ndarray)
    assert np.array_equal(one[0], other[0])
    assert np.array_equal(one[1], other[1])
    assert np.array_equal(one[0][:, 0] != one[0][:, 1], one[1])
    assert model.sample(0)[0].shape == (0, 2)
    with pytest.raises(ParameterError, match=r"sample\(n=-1\): n must be"):
        model.sample(-1)


@constant
def test_a_column_without_cells_is_drawn_without_cells():
    X = np.array([[0.0, np.nan], [1.0, np.nan]])
    drawn, _ = JointBayes().fit(X, [0, 1]).sample(5, random_state=0)
    assert np.isnan(drawn[:, 1]).all()
    assert np.isfinite(drawn[:, 0]).all()


def test_naive_bayes_is_the_joint_table_of_each_column_alone():
    rng = np.random.default_rng(2)
    X = Table.from_columns({"a": rng.choice(["x", "y"], 30).tolist(), "b": rng.choice(["u", "v", "w"], 30).tolist()})
    y = rng.integers(0, 2, 30)
    priors = np.log(np.bincount(y) / len(y))
    alone = [JointBayes().fit(X[[name]], y).joint_log_likelihood(X[[name]]) - priors for name in X.names]
    np.testing.assert_allclose(NaiveBayes().fit(X, y).joint_log_likelihood(X), sum(alone) + priors, rtol=1e-9)


def test_priors_must_fit_the_classes():
    with pytest.raises(ParameterError, match="there are 2 classes"):
        JointBayes(priors=[0.2, 0.3, 0.5]).fit([[0], [1]], [0, 1])


@sparse
def test_models_of_other_columns_are_not_merged():
    with pytest.raises(InputError):
        JointBayes().fit([[0], [1]], [0, 1]).merge(JointBayes().fit([[0, 1], [1, 0]], [0, 1]))


@sparse
def test_a_saved_model_answers_and_draws_as_before(tmp_path):
    columns, y = random_rows(6, 30)
    table = Table.from_columns(columns)
    model = JointBayes().fit(table, y)
    again = load(save(model, tmp_path / "joint.margin"))
    same_model(again, model, table)
    assert again.sample(9, random_state=1)[0] == model.sample(9, random_state=1)[0]


@sparse
def test_logarithms_of_probabilities_stay_finite_where_probabilities_vanish():
    X = np.arange(2000.0)[:, None] // 1000
    model = JointBayes(alpha=1e-320).fit(X, X[:, 0])
    logs = model.predict_log_proba([[0.0]])
    assert np.isfinite(logs).all()
    assert logs[0, 1] < -700
