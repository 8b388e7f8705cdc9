"""margin.zoo: what is compared, found by name, and how foreign models come to take tables."""

from __future__ import annotations

from functools import partial

import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Perceptron
from sklearn.naive_bayes import BernoulliNB, GaussianNB

from margin import KNeighborsClassifier, zoo
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
    assert [name for name, _ in zoo.models(["bayes"])[0].model().steps] == ["tableencoder", "gaussiannb"]


def test_identifiers_and_text_are_not_learnt_from():
    table = flowers().with_kind("colour", "identifier")
    inputs, labels = table.target("kind")
    assert zoo.on_tables(GaussianNB()).fit(inputs, labels)[-1].n_features_in_ == 1


def test_probabilities_are_there_where_the_model_has_them_and_only_there():
    inputs, labels = flowers().target("kind")
    assert zoo.on_tables(GaussianNB()).fit(inputs, labels).predict_proba(inputs).shape == (90, 3)
    assert not hasattr(zoo.on_tables(Perceptron()).fit(inputs, labels), "predict_proba")


@pytest.fixture
def with_knn():
    zoo.add("knn", partial(KNeighborsClassifier, 15, scale="standard"), note="Asks its neighbours.")


def test_parameters_written_as_words_reach_the_model(with_knn):
    entry = zoo.models(["knn"], {"knn.n_neighbors": "7", "knn.weights": "distance", "knn.scale": "none"})[0]
    made = entry.make()
    assert (made.n_neighbors, made.weights, made.scale) == (7, "distance", None)
    assert "n_neighbors=7" in entry.note
    assert zoo.models(["bayes"], {"bayes.var_smoothing": "0.5"})[0].make().var_smoothing == 0.5


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"knn.n_neighbours": "7"}, "did you mean 'n_neighbors'"),
        ({"knn.n_neighbors": "many"}, "n_neighbors must be a whole number of at least 1"),
        ({"kn.n_neighbors": "7"}, r"must read MODEL.PARAMETER=VALUE.*did you mean 'knn'"),
        ({"n_neighbors": "7"}, "must read MODEL.PARAMETER=VALUE"),
        ({"bayes.var": "1"}, "is not a parameter"),
    ],
)
def test_settings_that_fit_no_model_are_refused(settings, said, with_knn):
    with pytest.raises(ParameterError, match=said):
        zoo.models(["knn", "bayes"], settings)
