"""Searches that go step by step (draws, halving, doubling), by hand on a classifier whose best setting is known."""

import pytest
from scipy.stats import loguniform

from margin import HalvingSearch, KNeighborsClassifier, LogSearch, NaiveBayes, RandomSearch
from tests.selection.rigged import Curve, blobs, rigged


def test_a_random_search_draws_different_settings_and_the_same_ones_again():
    X, y = blobs(80)
    given = {"alpha": loguniform(0.01, 100), "priors": lambda random: [share := random.random(), 1 - share, 0.0]}
    one, two, three = (RandomSearch(NaiveBayes(), given, n=5, cv=2, random_state=s).fit(X, y) for s in (1, 1, 2))
    assert one.results_.settings == two.results_.settings != three.results_.settings
    assert len({repr(setting) for setting in one.results_.settings}) == 5
    few = RandomSearch(KNeighborsClassifier(), {"n_neighbors": [1, 2, 3]}, n=50, cv=2).fit(X, y)
    assert [setting["n_neighbors"] for setting in few.results_.settings] == [1, 2, 3]


def test_halving_gives_more_rows_to_fewer_settings():
    X, y = rigged(270)
    search = HalvingSearch(Curve(), {"p": [2.0**i for i in range(9)]}, cv=3).fit(X, y)
    assert search.rounds_ == ((9, 20), (3, 60), (1, 180))
    assert search.best_params_ == {"p": 8.0}
    assert search.results_.resource.max() == 180
    assert search.results_.dropped.sum() == 8


def test_halving_on_a_parameter_gives_the_last_round_all_of_it():
    from sklearn.ensemble import RandomForestClassifier

    X, y = blobs(80)
    model = RandomForestClassifier(n_estimators=9, random_state=0)
    search = HalvingSearch(model, {"max_depth": [1, 2, 4]}, resource="n_estimators", cv=2).fit(X, y)
    assert search.rounds_ == ((3, 3), (1, 9))
    assert search.best_params_["n_estimators"] == 9
    assert len(search.model_.estimators_) == 9
    given = HalvingSearch(model, {"max_depth": [1, 2, 4]}, resource="n_estimators", least=1, most=2, factor=2, cv=2)
    assert given.fit(X, y).rounds_ == ((3, 1), (2, 2))


def test_halving_may_try_some_of_the_settings():
    X, y = rigged(60)
    search = HalvingSearch(Curve(), {"p": [1.0, 2.0, 4.0, 8.0]}, n=2, cv=2).fit(X, y)
    assert len(search.results_) == 2
    several = HalvingSearch(Curve(), [{"p": [1.0, 2.0]}, {"q": [1.0, 2.0]}], n=3, cv=2).fit(X, y)
    assert len(several.results_) == 3


def test_a_log_search_doubles_or_halves_to_the_top():
    X, y = rigged(1000)
    up = LogSearch(Curve(), {"p": 1.0}, patience=0, refine=0).fit(X, y)
    assert [(step.move, step.value, step.taken) for step in up.path_] == [
        ("start", 1.0, False), ("double", 2.0, True), ("double", 4.0, True), ("double", 8.0, True),
        ("double", 16.0, False),
    ]  # fmt: skip
    down = LogSearch(Curve(), {"p": 32.0}, patience=0, refine=0).fit(X, y)
    assert [(step.move, step.value) for step in down.path_] == [
        ("start", 32.0), ("double", 64.0), ("halve", 16.0), ("halve", 8.0), ("halve", 4.0),
    ]  # fmt: skip
    assert up.best_params_ == down.best_params_ == {"p": 8.0}


def test_a_log_search_refines_between_the_doublings():
    X, y = rigged(2000)
    search = LogSearch(Curve(top=11.3), {"p": 1.0}, refine=2).fit(X, y)
    assert search.best_params_["p"] == pytest.approx(8 * 2**0.5)
    assert {step.move for step in search.path_} == {"start", "double", "between"}


def test_several_parameters_are_searched_in_turn():
    X, y = rigged(1000)
    search = LogSearch(Curve(), {"p": 2.0, "q": 16.0}, patience=0, refine=0, cv=3).fit(X, y)
    assert search.best_params_ == {"p": 8.0, "q": 4.0}
    assert {step.parameter for step in search.path_} == {"p", "q"}


def test_whole_numbers_stay_whole_and_bounds_are_kept():
    X, y = blobs(100)
    search = LogSearch(KNeighborsClassifier(), {"n_neighbors": 3}, bounds={"n_neighbors": (2, 10)}, patience=5)
    search.fit(X, y)
    tried = {setting["n_neighbors"] for setting in search.results_.settings}
    assert all(isinstance(k, int) and 2 <= k <= 10 for k in tried)
    assert {3, 6, 10} <= tried
    assert search.n_fits_ < 5 * len(tried)  # several k from one search


def test_noise_is_not_gone_on_from():
    X, y = rigged(1000)
    bold = LogSearch(Curve(), {"p": 1.0}, patience=0, refine=0).fit(X, y)
    timid = LogSearch(Curve(), {"p": 1.0}, noise=100.0, patience=0, refine=0).fit(X, y)
    assert len(timid.path_) == 3
    assert len(bold.path_) > 3
