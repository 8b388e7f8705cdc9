"""margin.zoo: what is compared, found by name, and how foreign models come to take tables."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Perceptron
from sklearn.naive_bayes import BernoulliNB, GaussianNB

from margin import zoo
from margin.data import Table
from margin.errors import ParameterError
from tests.experiment.stand_ins import flowers


def test_names_give_entries_in_the_order_asked_and_each_once():
    assert [entry.name for entry in zoo.models(["bayes", "guess", "bayes"])] == ["bayes", "guess"]


def test_no_names_give_all():
    assert [entry.name for entry in zoo.models()] == list(zoo.names()) == ["guess", "bayes"]


def test_an_unknown_name_hears_the_nearest_known_one():
    with pytest.raises(ParameterError, match=r"'bays'.*'guess', 'bayes' \(did you mean 'bayes'\?\)"):
        zoo.models(["bays"])


def test_an_empty_choice_is_refused():
    with pytest.raises(ParameterError, match="at least one"):
        zoo.models([])


def test_a_model_of_the_users_can_be_added_and_removed():
    zoo.add("mine", BernoulliNB, note="for zeros and ones")
    assert zoo.models(["mine"])[0].title == "mine"
    zoo.remove("mine")
    assert "mine" not in zoo.names()


@pytest.mark.parametrize(
    ("name", "make", "said"),
    [
        ("bayes", GaussianNB, "already"),
        ("two words", GaussianNB, "letters"),
        ("new", GaussianNB(), "class or function"),
    ],
)
def test_what_cannot_be_added_is_refused(name, make, said):
    with pytest.raises(ParameterError, match=said):
        zoo.add(name, make)


def test_a_model_that_takes_tables_is_left_as_it_is():
    class Native(DummyClassifier):
        accepts_tables = True

    assert type(zoo.add("native", Native).model()) is Native
    assert isinstance(zoo.models(["bayes"])[0].model(), zoo.OnTables)


def test_numbers_are_filled_with_the_training_mean_and_levels_become_zeros_and_ones():
    training = Table.from_columns({"x": [1.0, 3.0, None], "c": ["a", "b", None]})
    wrapped = zoo.OnTables(DummyClassifier()).fit(training, [0, 1, 1])
    new = Table.from_columns({"c": ["b", "z", None], "x": [None, 9.0, 4.0]})
    np.testing.assert_array_equal(wrapped._matrix(training), [[1, 1, 0], [3, 0, 1], [2, 0, 0]])
    np.testing.assert_array_equal(wrapped._matrix(new), [[2, 0, 1], [9, 0, 0], [4, 0, 0]])


def test_a_level_that_only_the_test_rows_hold_gets_no_column():
    table = Table.from_columns({"c": ["a", "b", "only in the test"]})
    wrapped = zoo.OnTables(DummyClassifier()).fit(table.take([0, 1]), [0, 1])
    assert wrapped._matrix(table).shape == (3, 2)


def test_identifiers_and_text_are_not_learnt_from():
    table = flowers().with_kind("colour", "identifier")
    inputs, labels = table.target("kind")
    assert zoo.OnTables(GaussianNB()).fit(inputs, labels).estimator_.n_features_in_ == 1


def test_probabilities_are_there_where_the_model_has_them_and_only_there():
    inputs, labels = flowers().target("kind")
    assert zoo.OnTables(GaussianNB()).fit(inputs, labels).predict_proba(inputs).shape == (90, 3)
    assert not hasattr(zoo.OnTables(Perceptron()).fit(inputs, labels), "predict_proba")
