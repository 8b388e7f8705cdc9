"""Several targets in one comparison: what is measured, told, saved and answered."""

import numpy as np
import pytest
from click.testing import CliRunner

from margin.cli.app import cli
from margin.data import Table
from margin.errors import LabelError, ParameterError
from margin.experiment import Spec, run, run_to_end
from margin.persistence import load

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 2))
KIND = np.array(["a", "b", "c"])[np.clip(np.round(X[:, 0]) + 1, 0, 2).astype(int)]
TABLE = Table.from_columns(
    {
        "x": X[:, 0],
        "z": X[:, 1],
        "up": (X[:, 1] > 0).astype(int),
        "kind": np.where(np.arange(150) == 7, None, KIND),
    },
    name="made",
)
MODELS = ("majority", "naive-bayes", "knn")


@pytest.fixture(scope="module")
def result():
    return run_to_end(Spec(TABLE, target=["up", "kind"], models=MODELS, folds=3, repeats=1))


def test_every_model_is_tried_for_each_target_alone_and_in_a_chain(result):
    names = {standing.name for standing in result.leaderboard}
    assert names == {"majority", "naive-bayes", "naive-bayes-chain", "knn", "knn-chain"}
    assert all(set(standing.scores) == {"accuracy", "subset_accuracy"} for standing in result.leaderboard)
    assert result.leaderboard[0].name == result.best
    values = [standing.scores["accuracy"].value for standing in result.leaderboard]
    assert values == sorted(values, reverse=True)


def test_scores_are_over_all_targets_and_of_whole_rows(result):
    assert result.n_rows == 149  # a row without a value for one target is no row to judge by
    assert result.n_test == round(0.2 * 149)
    assert result.test["subset_accuracy"].value <= result.test["accuracy"].value
    assert [line.name for line in result.by_target] == ["up", "kind"]
    mean = np.mean([line.accuracy.value for line in result.by_target])
    assert result.test["accuracy"].value == pytest.approx(mean)
    assert result.test["accuracy"].value > result.baseline["accuracy"]
    assert "1 row without a value for every target" in " ".join(result.warnings)


def test_the_same_seed_gives_the_same_result(result):
    again = run_to_end(Spec(TABLE, target=["up", "kind"], models=MODELS, folds=3, repeats=1))
    assert [s.scores for s in again.leaderboard] == [s.scores for s in result.leaderboard]
    assert again.test == result.test


def test_stages_are_those_of_one_target():
    spec = Spec(TABLE, target=["up", "kind"], models=("naive-bayes",), folds=2, repeats=1)
    stages = [event.stage for event in run(spec) if hasattr(event, "stage")]
    assert stages == ["read", "seal", *["validate", "validate", "standing"] * 2, "refit", "test", "final"]


def test_the_report_and_the_terminal_say_the_same(result):
    page, text = result.html(), str(result)
    for words in ("up", "kind", result.winner.title, "of the rows"):
        assert words in page
        assert words in text


def test_one_target_in_a_list_is_one_target():
    assert Spec(TABLE, target=["up"]).target == "up"
    command = Spec("flags.arff", target=["red", "green"]).command()
    assert command == "margin compare flags.arff --target red --target green"
    assert Spec.from_json(Spec("flags.arff", target=["red", "green"]).to_json()).target == ("red", "green")


def test_what_cannot_be_is_refused():
    with pytest.raises(ParameterError, match="named once"):
        run_to_end(Spec(TABLE, target=["up", "up"], models=MODELS))
    with pytest.raises(ParameterError, match="only 'accuracy', 'subset_accuracy'"):
        run_to_end(Spec(TABLE, target=["up", "kind"], metrics=("log_loss",)))
    with pytest.raises(LabelError, match="looks like a quantity"):
        run_to_end(Spec(TABLE, target=["up", "x"], models=MODELS))


def test_the_command_saves_a_model_that_answers_every_target(tmp_path):
    place = tmp_path / "made.csv"
    place.write_text("\n".join(["x,z,up,kind", *(f"{a},{b},{int(b > 0)},{k}" for (a, b), k in zip(X, KIND))]))
    saved, page, out = (str(tmp_path / name) for name in ("made.margin", "made.html", "answers.csv"))
    arguments = ["compare", str(place), "-t", "up", "-t", "kind", "--models", "naive-bayes", "--folds", "3"]
    done = CliRunner().invoke(cli, [*arguments, "--sort", "subset_accuracy", "--save", saved, "--out", page])
    assert done.exit_code == 0, done.output
    assert "subset" in done.output
    assert load(saved).target_names_ == ["up", "kind"]
    answered = CliRunner().invoke(cli, ["predict", saved, str(place), "--out", out])
    assert answered.exit_code == 0, answered.output
    assert "kind: " in answered.output
    lines = (tmp_path / "answers.csv").read_text().splitlines()
    assert lines[0] == "row,up,kind"
    assert len(lines) == 151
