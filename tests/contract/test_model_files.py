"""Every model goes through a file, and through pickle, and answers as before."""

from __future__ import annotations

import pickle

import pytest
from sklearn.base import BaseEstimator

from margin.errors import MarginError
from margin.persistence import from_bytes, load, save, to_bytes
from margin.persistence.kinds import BY_CLASS
from tests.contract.estimators import (
    every_estimator,
    frame,
    in_turn,
    is_estimator,
    learnt,
    numbers,
    one_of_each_estimator,
)
from tests.persistence.round_trip import differences, same_answers, without_a_place

#: Rows a model learns from and, with another seed, other rows it is asked about.
TABLES = {"numbers": numbers, "frame": frame}
every_table = pytest.mark.parametrize("table", TABLES)


def fitted(estimator: BaseEstimator, table: str) -> BaseEstimator:
    try:
        return learnt(estimator, TABLES[table])
    except MarginError as refused:
        pytest.skip(f"not for such a table: {refused}")


def check_goes_on_as_before(model: BaseEstimator, found: BaseEstimator, table: str) -> None:
    (X, _), (others, _) = TABLES[table](), TABLES[table](40, seed=1)
    assert differences(model, found) == []
    assert same_answers(model, found, X)
    assert same_answers(model, found, others)


@one_of_each_estimator
def test_has_a_kind(estimator):
    assert type(estimator) in BY_CLASS


@one_of_each_estimator
def test_one_that_has_learnt_nothing_comes_back_with_its_parameters(estimator):
    content = to_bytes(estimator)
    found = from_bytes(content)
    assert differences(estimator, found) == []
    assert to_bytes(found) == content


@every_estimator
@every_table
def test_nothing_it_learns_is_forgotten(estimator, table, quiet):
    model = fitted(estimator, table)
    assert without_a_place(model) == []
    same_answers(model, model, TABLES[table]()[0])
    assert without_a_place(model) == []  # nor anything that it keeps once it was asked


@every_estimator
@every_table
def test_a_saved_model_answers_the_same_and_is_saved_the_same(estimator, table, quiet, tmp_path):
    model = fitted(estimator, table)
    first = save(model, tmp_path / "first.margin")
    found = load(first)
    check_goes_on_as_before(model, found, table)
    assert save(found, tmp_path / "again.margin").read_bytes() == first.read_bytes()


@in_turn(is_estimator, "tables", list(TABLES))
def test_a_mapped_model_answers_the_same(estimator, tables, quiet, tmp_path):
    for table in tables:
        model = fitted(estimator, table)
        check_goes_on_as_before(model, load(save(model, tmp_path / f"{table}.margin"), mmap=True), table)


@in_turn(is_estimator, "tables", list(TABLES))
def test_a_pickled_model_answers_the_same(estimator, tables, quiet):
    for table in tables:
        model = fitted(estimator, table)
        check_goes_on_as_before(model, pickle.loads(pickle.dumps(model)), table)
