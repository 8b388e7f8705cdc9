"""What the file of the best model says of how it was made: everything, and of equal runs the same."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import Any

import pytest

from margin import MajorityClassifier, persistence, zoo
from margin.data import Table
from margin.experiment import Score, Spec, answers, read_new_rows, run_to_end
from margin.experiment.notes import training_notes
from tests.experiment.stand_ins import flowers, loans


@pytest.fixture(autouse=True)
def _own_models(monkeypatch):
    monkeypatch.setattr(zoo, "_zoo", {entry.name: entry for entry in zoo._ENTRIES})


def result(**parts: Any):
    return run_to_end(Spec(**{"data": flowers(), "target": "kind", "folds": 3, "models": ("majority",), **parts}))


def test_a_run_notes_data_protocol_scores_seed_and_command():
    found = result(seed=5)
    about = found.about
    assert (about["name"], about["target"], about["table"], about["rows"]) == ("majority", "kind", "flowers", 90)
    assert about["table_digest"] == flowers().digest()
    assert about["seed"] == 5
    assert about["command"] == found.command
    assert about["protocol"].startswith("Each of 3 folds")
    assert about["protocol"].endswith("The sealed test of 18 rows was opened once.")
    assert "threshold" not in about


def test_the_scores_are_those_of_the_leaderboard_and_of_the_sealed_test():
    found = result()
    for where, scores in (("validation", found.winner.scores), ("test", found.test.scores)):
        noted = found.about["scores"][where]
        assert noted == {name: [score.value, score.low, score.high] for name, score in scores.items()}
        assert "accuracy" in noted


def test_the_time_is_that_of_the_run_to_the_second():
    before = datetime.now(UTC).replace(microsecond=0)
    when = datetime.strptime(result().about["when"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    assert before <= when <= datetime.now(UTC)


def test_files_of_equal_runs_differ_in_nothing_but_the_time(tmp_path):
    files = []
    for i in range(2):
        found = result(seed=3)
        assert found.about.pop("when")
        files.append(persistence.save(found.model, tmp_path / f"{i}.margin", about=found.about).read_bytes())
    assert files[0] == files[1]


def test_scores_that_are_not_known_are_none():
    table = Table.from_columns({"x": [1.0]})
    scores = {"f1": Score(math.nan), "accuracy": Score(0.5, math.inf, 1.0)}
    noted = training_notes(table, rows=1, validation=scores, test={}, protocol="", seed=0, command="")
    assert noted["scores"]["validation"] == {"f1": [None, None, None], "accuracy": [0.5, None, 1.0]}
    json.dumps(noted, allow_nan=False)


def test_the_card_of_a_saved_run_shows_it_all(tmp_path):
    found = result(seed=2)
    card = persistence.card(persistence.save(found.model, tmp_path / "m.margin", about=found.about))
    assert (card.rows, card.seed, card.target, card.table) == (90, 2, "kind", "flowers")
    assert (card.when, card.protocol) == (found.about["when"], found.about["protocol"])
    assert card.scores["test"]["accuracy"][0] == found.test.scores["accuracy"].value
    assert card.classes == ("iris", "lily", "rose")


def test_new_rows_are_read_by_the_notes_of_old_files_as_by_those_of_new_ones(tmp_path):
    (tmp_path / "loans.csv").write_text(loans())
    found = result(data=str(tmp_path / "loans.csv"), target="risk")
    old = {
        name: found.about[name]
        for name in ("target", "label_type", "table", "columns", "header", "separator", "missing", "name")
    }
    model = found.model
    assert isinstance(model, MajorityClassifier)
    given = [answers(model, read_new_rows(tmp_path / "loans.csv", about), about) for about in (old, found.about)]
    assert given[0].labels.tolist() == given[1].labels.tolist()
    assert given[0].n_right == given[1].n_right == 40
