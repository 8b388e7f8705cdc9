"""A run for several targets is stopped, kept and put on record as a run for one is."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import margin
from margin import DecisionTreeClassifier, zoo
from margin.cli.app import cli
from margin.data import Table
from margin.errors import MarginError
from margin.experiment import SeveralResult
from margin.experiment.records import keep_record, read_record
from tests.experiment.stand_ins import entries
from tests.experiment.test_stopping import Interrupted, Sleeper

QUICK = {"folds": 3, "repeats": 1}
TARGETS = ["wet", "warm"]


def days(n=90):
    x = np.arange(n) % 9
    return Table.from_columns({"x": x * 1.0, "wet": np.where(x > 3, "yes", "no"), "warm": np.where(x > 6, "a", "b")})


@pytest.fixture
def stopped():
    models = {"bayes": None, "broken off": Interrupted(), "never": DummyClassifier()}
    return margin.compare(days(), TARGETS, models=models, **QUICK)


def said(*words):
    done = CliRunner().invoke(cli, [*map(str, words)])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_ctrl_c_keeps_what_is_done_and_the_seal_closed(stopped):
    assert stopped.stopped == "Stopped by Ctrl-C after 2 of 6 models."
    assert stopped.stopped in stopped.warnings
    assert {line.name for line in stopped.leaderboard[:2]} == {"bayes", "bayes-chain"}
    assert stopped.leaderboard[2].error == "not done when the run was stopped by Ctrl-C"
    assert (stopped.test, stopped.by_target) == ({}, ())
    assert f"The seal on {stopped.n_test} rows was not opened" in stopped.remarks[0]
    assert stopped.remarks[0].endswith("margin.compare(table, ('wet', 'warm'), models=('bayes',), folds=3, repeats=1)")


def test_what_was_stopped_is_told_on_terminal_and_page(stopped):
    for told in (str(stopped).replace("\n", " "), stopped.html()):
        assert "did best so far" in told
        assert "was not opened" in told
        assert "on the sealed test" not in told
    assert "iframe" in stopped._repr_html_()


def test_a_limit_interrupts_a_long_fit():
    models = {"quick": DummyClassifier(), "slow": Sleeper()}
    result = margin.compare(days(), TARGETS, models=models, limit=3, **QUICK)
    assert result.stopped == "Stopped by the limit of 3 s after 2 of 4 models."
    with pytest.raises(MarginError, match=r"compare\(limit=0.2\): no model was done"):
        margin.compare(days(), TARGETS, models={"slow": Sleeper()}, limit=0.2, **QUICK)
    with pytest.raises(KeyboardInterrupt):
        margin.compare(days(), TARGETS, models={"broken off": Interrupted()}, **QUICK)


def test_a_yardstick_never_wins(monkeypatch):
    guess = zoo.Entry("majority", DummyClassifier, yardstick=True)
    monkeypatch.setattr(zoo, "_zoo", entries(tree=DecisionTreeClassifier) | {"majority": guess})
    rng = np.random.default_rng(0)
    noise = Table.from_columns(
        {"x": rng.normal(size=60), **{name: rng.choice(["a", "b", "b"], 60) for name in TARGETS}}
    )
    result = margin.compare(noise, TARGETS, models=["majority", "tree"], **QUICK)
    assert result.best.startswith("tree")
    assert result.leaderboard[-1].name == "majority"
    assert not result.leaderboard[-1].differs or (
        result.leaderboard[-1].scores["accuracy"].value < result.winner.scores["accuracy"].value
    )


class Failing(GaussianNB):
    """Fails whenever it is fitted, with an error that is not margin's."""

    def fit(self, X, y):
        raise RuntimeError("out of order")


def test_a_model_that_fails_in_whatever_way_stands_as_failed_and_the_others_go_on():
    result = margin.compare(days(), TARGETS, models={"broken": Failing(), "bayes": None}, **QUICK)
    assert result.best.startswith("bayes")
    failed = {line.name: line.error for line in result.leaderboard if line.error}
    assert set(failed) == {"broken", "broken-chain"}
    assert all("out of order" in error for error in failed.values())


def test_models_for_which_the_rows_are_too_many_are_left_out_with_a_hint_for_one_target_and_for_several(monkeypatch):
    short = zoo.Entry("short", DummyClassifier, limit=50)
    monkeypatch.setattr(zoo, "_zoo", entries() | {"short": short})
    for target in (TARGETS, "wet"):
        said = " ".join(margin.compare(days(), target, **QUICK).warnings)
        assert "short was left out: it is not tried on more than 50 training rows (--models short" in said


def test_standings_come_as_soon_as_they_are_there():
    seen = []
    margin.compare(days(), TARGETS, models=["bayes"], progress=seen.append, **QUICK)
    standings = [event.standing for event in seen if event.stage == "standing"]
    assert [line.name for line in standings] == ["bayes", "bayes-chain"]
    assert all(line.scores["accuracy"].value > 0.8 for line in standings)
    assert all(event.left is not None for event in seen if event.total)


def test_a_result_goes_through_json_and_back(stopped):
    whole = margin.compare(days(), TARGETS, models=["bayes"], **QUICK)
    for result in (whole, stopped):
        told = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        back = SeveralResult.from_dict(told)
        assert back.to_dict() == told
        assert str(back) == str(result)
        assert back.html() == result.html()


def test_a_run_goes_on_record_and_comes_back(tmp_path):
    path, runs = tmp_path / "days.csv", tmp_path / "runs"
    table = days()
    rows = zip(*(table.values(name) for name in table.names))
    path.write_text("x,wet,warm\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    asked = ["compare", str(path), "--target", "wet", "--target", "warm", "--models", "bayes", "--folds", "3"]
    assert "Record:" in said(*asked, "--repeats", "1", "--limit", "5m", "--record", runs)
    record = read_record(runs, "last")
    assert record.digest == margin.read(path).digest()
    assert "--limit 300s" in record.command
    for command in (["list"], ["show"], ["compare"]):
        names = [record.name] if command == ["compare"] else []
        assert "bayes" in said("runs", *command, runs, *names)
    (line,) = json.loads(said("runs", "list", runs, "--json"))
    assert line["target"] == "wet, warm"
    assert line["accuracy"] == record.result["test"]["accuracy"]["value"]
    scope = {}
    exec(record.python, scope)
    assert scope["result"].leaderboard[0].scores == record.read().leaderboard[0].scores


def test_a_stopped_run_goes_on_record_too(stopped, tmp_path):
    keep_record(stopped, tmp_path)
    assert read_record(tmp_path, "last").read().stopped == stopped.stopped


def test_a_tree_whose_settings_allow_one_target_only_is_grown_for_each(monkeypatch):
    tree = next(entry for entry in zoo._ENTRIES if entry.name == "tree")
    monkeypatch.setattr(zoo, "_zoo", {"tree": tree})
    result = margin.compare(days(), TARGETS, **QUICK)
    assert [line.error for line in result.leaderboard] == ["", ""]
