"""margin.audit: what can be given as a split, a protocol or a second table."""

from __future__ import annotations

import numpy as np
import pytest

import margin
from margin.data import Table
from margin.evaluation import SealedTest, StratifiedFolds

N = 400


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def clean(rng):
    """Four columns of noise with a little signal, and two classes; the first 300 rows are for training."""
    y = np.arange(N) % 2
    return rng.normal(size=(N, 4)) + 0.5 * y[:, None], y


SPLIT = (np.arange(300), np.arange(300, N))


def graver(found):
    return [(finding.severity, finding.kind) for finding in found if finding.severity != "note"]


def only(found, kind):
    assert [finding.kind for finding in found if finding.severity != "note"] == [kind], str(found)
    return found[kind][0]


def test_every_split_of_a_protocol_is_looked_at(clean):
    X, y = clean
    X[1] = X[0]
    protocol = StratifiedFolds(10)
    apart = sum(bool((test == 0).any() ^ (test == 1).any()) for _, test in protocol.split(y))
    found = margin.audit(X, y, protocol)["duplicates_across"][0]
    assert apart == 2
    assert (found.evidence["splits"], found.evidence["of_splits"]) == (2, 10)
    assert margin.audit(X, y, StratifiedFolds(5, repeats=4)).notes == ("Of the splits the first 10 were looked at.",)


def test_a_seal_is_a_split(clean):
    X, y = clean
    sealed = SealedTest(X, y)
    found = margin.audit(X, y, sealed)
    assert (found.n_train, found.n_test) == (sealed.n_train, sealed.n_test)


def test_a_second_table_is_matched_by_name_and_counts_its_own_rows(clean):
    X, y = clean
    words = np.array(list("ab"))[np.arange(N) % 2 * (np.arange(N) % 3 == 0)]
    first = Table.from_columns({"a": X[:300, 0], "b": X[:300, 1], "w": words[:300]})
    second = Table.from_columns({"w": words[300:], "b": X[300:, 1], "a": X[300:, 0]})
    assert graver(margin.audit(first, y[:300], test=(second, y[300:]))) == []
    copied = Table.from_columns({name: np.append(second[name][:99], first[name][:1]) for name in second.names})
    found = only(margin.audit(first, y[:300], test=(copied, None)), "duplicates_across")
    assert found.rows.tolist() == [99]
    with pytest.raises(ValueError, match="'w' are in one only"):
        margin.audit(first, y[:300], test=(second.drop("w"), y[300:]))


def test_a_sparse_matrix_gives_what_its_dense_one_gives(clean):
    import scipy.sparse

    X, y = clean
    X[np.abs(X) < 0.8] = 0.0
    X[340] = X[(X != 0).sum(axis=1).argmax()] = [1.25, 0.0, -1.75, 2.5]
    X = np.column_stack([X, 4.0 * y])
    dense, sparse = margin.audit(X, y, SPLIT), margin.audit(scipy.sparse.csr_array(X), y, SPLIT)
    assert [(f.severity, f.kind, f.columns) for f in sparse] == [(f.severity, f.kind, f.columns) for f in dense]
    assert sparse["equals_target"][0].columns == ("x4",)


def test_in_a_wide_sparse_matrix_the_telling_column_is_looked_at(rng):
    import scipy.sparse

    y = np.arange(N) % 2
    X = scipy.sparse.random(N, 5000, 0.01, random_state=0, format="lil")
    X[:, 4321] = y.reshape(-1, 1)
    found = margin.audit(X.tocsr(), y, SPLIT)
    assert found["equals_target"][0].columns == ("x4321",)
    assert "of 5,000 columns" in found.notes[0]


def test_same_seed_same_findings(clean):
    X, y = clean
    X[300:, 1] += 1
    assert str(margin.audit(X, y, seed=3)) == str(margin.audit(X, y, seed=3))


def test_a_protocol_may_be_named_and_brings_its_groups_and_times(clean):
    from sklearn.model_selection import KFold

    from margin.evaluation import GroupFolds, TimeOrdered

    X, y = clean
    patient, day = np.arange(N) % 50, np.arange(N)
    table = Table.from_columns({"a": X[:, 0], "b": X[:, 1], "patient": patient, "day": day})
    assert margin.audit(table.drop("day"), y, GroupFolds("patient"))["groups_across"] == ()
    assert margin.audit(table.drop("day"), y, "5-fold", groups="patient")["groups_across"][0].evidence["splits"] == 5
    assert margin.audit(table.drop("patient"), y, TimeOrdered("day"))["time_order"] == ()
    assert margin.audit(table.drop("patient"), y, KFold(4), times="day")["time_order"][0].evidence["splits"] == 3
    pairs = [(np.arange(200), np.arange(200, 300)), (np.arange(300), np.arange(300, N))]
    assert margin.audit(X, y, pairs).n_train == 200
    assert margin.audit(X, y, (list(range(300)), list(range(300, N)))).n_train == 300
