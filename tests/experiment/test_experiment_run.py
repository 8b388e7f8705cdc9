"""margin.experiment.run: the order of things, honest numbers, and models that fail."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from margin import zoo
from margin.data import Table
from margin.errors import DataWarning, MarginError, ParameterError
from margin.evaluation import SealedTest, StratifiedFolds, evaluate
from margin.experiment import Progress, Spec, run, run_to_end
from tests.experiment.stand_ins import Broken, entries, flowers


def spec(**parts: Any) -> Spec:
    return Spec(**{"data": flowers(), "target": "kind", "folds": 3, "repeats": 1, **parts})


@pytest.fixture(scope="module")
def result():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zoo, "_zoo", entries())
        return run_to_end(spec())


def test_the_test_part_is_sealed_first_and_opened_after_the_choice():
    *events, last = run(spec())
    assert all(isinstance(event, Progress) for event in events)
    stages = [event.stage for event in events]
    assert stages == ["read", "seal", *[*["validate"] * 3, "standing"] * 2, "refit", "test", "final"]
    assert [step.name.split()[0] for step in last.steps] == [
        "Read", "Sealed", "Looked", "Validated", "Validated", "Fitted", "Opened", "Explained", "Fitted",
    ]  # fmt: skip


def test_progress_counts_the_folds_of_each_model_and_of_all():
    events = [event for event in run(spec()) if isinstance(event, Progress) and event.stage == "validate"]
    assert [(event.model, event.fold, event.folds) for event in events[:4]] == [
        ("guess", 1, 3), ("guess", 2, 3), ("guess", 3, 3), ("bayes", 1, 3),
    ]  # fmt: skip
    assert [event.done for event in events] == [1, 2, 3, 4, 5, 6]
    assert {event.total for event in events} == {6}
    assert all(0 <= event.score <= 1 for event in events)
    assert [event.seconds for event in events] == sorted(event.seconds for event in events)


def test_the_better_model_stands_first_and_the_guess_is_behind(result):
    assert [standing.name for standing in result.leaderboard] == ["bayes", "guess"]
    first, last = result.leaderboard
    assert first.p_value is None
    assert last.differs
    assert last.p_value < 0.05
    assert first.scores["accuracy"].low < first.scores["accuracy"].value < first.scores["accuracy"].high


def test_cross_validation_sees_the_training_part_only_as_evaluate_alone_would(result):
    inputs, labels = flowers().target("kind")
    X, y = SealedTest(inputs, labels, 0.2, 0).train
    alone = evaluate(zoo.on_tables(GaussianNB()), X, y, StratifiedFolds(3, 1, 0), metrics=("accuracy",))
    assert result.winner.scores["accuracy"].value == alone.scores["accuracy"].value


def test_nothing_in_the_sealed_rows_moves_the_leaderboard(result):
    """The cells of the test part are spoilt; whatever leaks from there would change the scores."""
    table = flowers()
    inputs, labels = table.target("kind")
    sealed = np.setdiff1d(np.arange(table.n_rows), SealedTest(inputs, labels, 0.2, 0).train_rows)
    size = table.cells("size").copy()
    size[sealed] = 1e9
    spoilt = Table(table.schema, [size, table.cells("colour"), table.cells("kind")], "flowers")
    again = run_to_end(spec(data=spoilt))
    for before, after in zip(result.leaderboard, again.leaderboard):
        assert before.fold_scores == after.fold_scores
    assert again.test.scores["accuracy"].value < result.test.scores["accuracy"].value


def test_the_sealed_test_is_what_the_best_model_scores_on_it(result):
    inputs, labels = flowers().target("kind")
    sealed = SealedTest(inputs, labels, 0.2, 0)
    model = zoo.on_tables(GaussianNB()).fit(*sealed.train)
    found = sealed.open(model, metrics=("accuracy",))
    assert result.test.scores["accuracy"].value == found.scores["accuracy"].value
    assert result.test.confusion == tuple(map(tuple, found.confusion.counts.tolist()))
    assert sum(map(sum, result.test.confusion)) == result.test.n_rows == result.n_test == 18
    assert result.test.baseline == pytest.approx(1 / 3)


@pytest.mark.golden("H7")
def test_the_final_model_has_learnt_from_all_rows(result):
    assert result.model[-1].class_count_.sum() == 90
    assert result.n_train + result.n_test == 90


def test_equal_seeds_give_equal_results_and_another_seed_another_split(result):
    def numbers(one):
        plain = one.to_dict()
        for line in plain["leaderboard"]:
            line["fit_seconds"] = line["predict_seconds"] = None
        return plain["leaderboard"], plain["test"], plain["columns"]

    assert numbers(run_to_end(spec())) == numbers(result)
    assert run_to_end(spec(seed=5)).winner.fold_scores != result.winner.fold_scores


def test_two_threads_give_the_same_scores(result):
    assert run_to_end(spec(jobs=2)).winner.fold_scores == result.winner.fold_scores


def test_a_result_is_plain_data(result):
    plain = json.loads(json.dumps(result.to_dict()))
    assert plain["best"] == "bayes"
    assert plain["columns"][0]["name"] == "size"


def test_a_model_that_fails_stands_last_with_its_error_and_the_others_go_on():
    zoo.add("broken", Broken)
    found = run_to_end(spec())
    assert [standing.name for standing in found.leaderboard] == ["bayes", "guess", "broken"]
    assert found.leaderboard[-1].error == "RuntimeError: out of order"


def test_a_long_error_is_shortened():
    def made():
        raise TypeError("many words " * 500)

    zoo.add("wordy", made)
    error = run_to_end(spec()).leaderboard[-1].error
    assert error.startswith("TypeError: many words")
    assert len(error) < 220


def test_where_every_model_fails_the_run_says_why():
    zoo.add("broken", Broken)
    with pytest.raises(MarginError, match="no model could be fitted; broken: RuntimeError: out of order"):
        run_to_end(spec(models=("broken",)))


def test_a_model_that_cannot_be_made_is_a_failure_too():
    zoo.add("absent", lambda: __import__("no_such_package"))
    assert "No module named" in run_to_end(spec()).leaderboard[-1].error


def test_a_model_without_probabilities_cannot_be_ranked_by_log_loss():
    zoo.add("perceptron", Perceptron)
    found = run_to_end(spec(metrics=("log_loss", "accuracy"), sort="log_loss"))
    assert found.best == "bayes"
    assert found.leaderboard[-1].error == "gives no probabilities, which log_loss needs."


def test_an_unknown_metric_is_refused_before_anything_is_read():
    with pytest.raises(ParameterError, match="did you mean 'accuracy'"):
        run_to_end(spec(data="no-such-file.csv", metrics=("acuracy",), sort="acuracy"))


def test_a_table_too_long_for_a_model_leaves_it_out_unless_it_is_named():
    zoo.add("slow", GaussianNB, limit=50)
    found = run_to_end(spec())
    assert [standing.name for standing in found.leaderboard] == ["bayes", "guess"]
    assert any("slow was left out" in warning for warning in found.warnings)
    assert run_to_end(spec(models=("slow",))).best == "slow"


def test_fewer_rows_than_folds_make_fewer_folds_with_a_warning():
    found = run_to_end(spec(data=flowers(9), folds=10))
    assert len(found.winner.fold_scores) == found.n_train < 10
    assert any("do not fill 10 folds" in warning for warning in found.warnings)


def test_warnings_of_models_are_collected_once_and_never_printed():
    class Chatty(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            warnings.warn("Chatty.fit: the columns are strange.", DataWarning, stacklevel=2)
            return super().fit(X, y, sample_weight)

    zoo.add("one", Chatty)
    zoo.add("two", Chatty)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = run_to_end(spec())
    assert not seen
    assert found.warnings == ("one, two: the columns are strange.",)


def test_an_open_random_state_is_set_to_the_seed():
    zoo.add("tree", lambda: DecisionTreeClassifier(splitter="random"))
    assert run_to_end(spec(models=("tree",), seed=3)).model[-1].random_state == 3


def test_stopping_the_run_leaves_nothing_behind():
    events = run(spec())
    next(events)
    next(events)
    events.close()
    with pytest.raises(StopIteration):
        next(events)


@pytest.mark.parametrize("name", ["weather_nominal", "iris", "contact_lenses"])
def test_tables_of_the_catalog_go_through(name):
    found = run_to_end(Spec(name, folds=3, repeats=1))
    assert found.title == name
    assert found.n_rows == sum(found.class_counts.values())


def test_a_result_shows_itself_briefly_in_a_session_and_whole_in_a_notebook(result):
    assert repr(result).startswith(f"<Result of comparing {len(result.leaderboard)} models on {result.title}: best ")
    assert len(repr(result)) < 200
    assert str(result).splitlines()[0].endswith("to the best")
    assert result.html().startswith("<!doctype html>")
    assert result._repr_html_().startswith("<iframe srcdoc=")
    assert "<h1>" not in result._repr_html_()
