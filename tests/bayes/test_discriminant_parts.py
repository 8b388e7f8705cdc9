"""margin.bayes: discriminants of weighted rows, and of parts that add up to the whole."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from margin import DiagonalLinearDiscriminantAnalysis, LinearDiscriminantAnalysis
from margin.errors import InputError
from tests.bayes.discriminants import data, every_model

pytestmark = pytest.mark.filterwarnings(
    "ignore::margin.errors.ConstantColumnWarning", "ignore::margin.errors.DeficientClassWarning"
)


# Weights


@every_model
def test_relative_weights_may_be_scaled_at_will(model):
    X, y, weight = data(weighted=True)
    one = clone(model).fit(X, y, weight).predict_proba(X)
    np.testing.assert_allclose(clone(model).fit(X, y, weight / 7e3).predict_proba(X), one, rtol=1e-7, atol=1e-12)


@every_model
def test_whole_weights_are_repeated_rows(model):
    X, y, _ = data()
    weight = np.random.default_rng(4).integers(1, 4, len(y))
    weighted = clone(model).fit(X, y, weight)
    repeated = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-7, atol=1e-12)


# Merging


@every_model
@given(seed=st.integers(0, 10_000), cuts=st.lists(st.integers(1, 89), min_size=1, max_size=4), weighted=st.booleans())
@settings(max_examples=15, deadline=None)
def test_models_of_parts_add_up_to_the_model_of_the_whole_in_any_order(model, seed, cuts, weighted):
    X, y, weight = data(seed=seed, weighted=weighted)
    whole = clone(model).fit(X, y, weight)
    # given priors need all classes in every part
    edges = [0, *sorted(set(cuts)), 90] if model.priors is None else [0, 40, 90]
    rng = np.random.default_rng(seed)
    parts = []
    for start, end in itertools.pairwise(edges):
        part = clone(model).partial_fit(
            X[start:end], y[start:end], [0, 1, 2], None if weight is None else weight[start:end]
        )
        parts.append(part)
    rng.shuffle(parts)
    merged = parts[0]
    for part in parts[1:]:
        merged = merged.merge(part) if rng.random() < 0.5 else part.merge(merged)
    ours, theirs = merged._statistics, whole._statistics
    if isinstance(model, DiagonalLinearDiscriminantAnalysis):
        np.testing.assert_allclose(ours.moments.mean, theirs.moments.mean, rtol=1e-12)
        np.testing.assert_allclose(ours.moments.m2, theirs.moments.m2, rtol=1e-12)
    else:
        np.testing.assert_allclose(ours.mean, theirs.mean, rtol=1e-12)
        scale = np.sqrt(np.einsum("kii->ki", theirs.within))
        np.testing.assert_array_less(
            np.abs(ours.within - theirs.within), 1e-12 * scale[:, :, None] * scale[:, None, :] + 1e-300
        )
    np.testing.assert_allclose(merged.predict_proba(X), whole.predict_proba(X), rtol=1e-7, atol=1e-11)


@every_model
def test_parts_may_lack_classes_and_levels(model):
    model = clone(model).set_params(priors=None)
    X, y, _ = data()
    table = pd.DataFrame(
        {"a": X[:, 0], "b": X[:, 1], "colour": np.array(["red", "green", "blue"])[(X[:, 2] > 101) + y % 2]}
    )
    first = np.flatnonzero((y < 2) & (table["colour"] != "blue"))
    second = np.setdiff1d(np.arange(90), first)
    assert set(table["colour"][first]) < set(table["colour"])
    labels = np.array(["x", "y", "z"])[y]
    whole = clone(model).fit(table, labels).predict_proba(table)
    one = clone(model).fit(table.iloc[first], labels[first])
    other = clone(model).fit(table.iloc[second], labels[second])
    np.testing.assert_allclose(one.merge(other).predict_proba(table), whole, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(other.merge(one).predict_proba(table), whole, rtol=1e-6, atol=1e-9)


@every_model
def test_a_column_may_change_its_magnitude_from_part_to_part(model):
    X, y, _ = data()
    X = (X - 100) * np.where(np.arange(90) < 45, 2.0**-400, 1.0)[:, None]
    one, other = (clone(model).partial_fit(X[rows], y[rows], [0, 1, 2]) for rows in (slice(45), slice(45, None)))
    whole = clone(model).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(one.merge(other).predict_proba(X), whole, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(other.merge(one).predict_proba(X), whole, rtol=1e-6, atol=1e-9)


@every_model
def test_models_of_filled_cells_are_not_added_up(model):
    X, y, _ = data()
    X[0, 0] = np.nan
    with pytest.raises(InputError, match="filled with the mean"):
        clone(model).fit(X, y).merge(clone(model).fit(X[1:], y[1:]))


def test_tables_of_other_ordinal_columns_are_not_added_up():
    sizes = pd.Categorical(["s", "m", "l", "s"], categories=["s", "m", "l"], ordered=True)
    one, other = (
        LinearDiscriminantAnalysis().fit(pd.DataFrame({"x": [1.0, 2.0, 3.0, 5.0], name: sizes}), [0, 1, 0, 1])
        for name in ("size", "weight")
    )
    with pytest.raises(InputError, match="same columns in the same order"):
        one.merge(other)


def test_ranks_that_differ_from_part_to_part_are_not_added_up():
    sizes = ["small", "middle", "large"]
    tables = [
        pd.DataFrame({"size": pd.Categorical(cells, sizes, ordered=True), "x": np.arange(4.0)})
        for cells in (["small", "large"] * 2, ["small", "middle", "large", "small"])
    ]
    one, other = (LinearDiscriminantAnalysis().fit(table, [0, 1, 1, 0]) for table in tables)
    with pytest.raises(InputError, match="'size' has other ranks"):
        one.merge(other)
