"""Results as text and back, and runs on record."""

import json

import pytest

import margin
from margin.errors import DataError, ParameterError
from margin.experiment import Result
from margin.experiment.records import keep_record, read_record, read_records
from tests.experiment.stand_ins import flowers, loans

QUICK = {"folds": 3, "repeats": 1, "models": ["guess", "bayes"]}


@pytest.fixture
def result():
    return margin.compare(flowers(), "kind", **QUICK)


def test_a_result_goes_through_json_and_back(result):
    told = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    back = Result.from_dict(told)
    assert back.to_dict() == told
    assert (back.leaderboard, back.test, back.columns, back.pairs) == (
        result.leaderboard, result.test, result.columns, result.pairs
    )  # fmt: skip
    assert str(back) == str(result)
    assert result.winner.title in back.html()


def test_what_is_no_result_is_refused():
    with pytest.raises(DataError, match=r"Result.from_dict"):
        Result.from_dict({"title": "x"})


def test_a_run_on_record_says_what_it_was_of_which_data_and_how_to_do_it_again(tmp_path):
    (tmp_path / "loans.csv").write_text(loans())
    result = margin.compare(tmp_path / "loans.csv", "risk", seed=4, **QUICK)
    path = keep_record(result, tmp_path / "runs" / "deep")
    (record,) = read_records(tmp_path / "runs" / "deep")
    assert record.digest == margin.read(tmp_path / "loans.csv").digest()
    assert record.command == result.command
    assert path.stem == record.name
    assert record.read().leaderboard == result.leaderboard
    scope = {}
    exec(record.python, scope)
    again = scope["result"]
    assert {line.name: line.scores for line in again.leaderboard} == {
        line.name: line.scores for line in result.leaderboard
    }


def test_runs_are_found_by_the_beginning_of_their_names(tmp_path, result):
    names = [keep_record(result, tmp_path).stem for _ in range(2)]
    (tmp_path / "other.json").write_text("{}")
    assert len(set(names)) == len(read_records(tmp_path)) == 2
    assert read_record(tmp_path, "last").name == max(names)
    with pytest.raises(ParameterError, match="must be one of"):
        read_record(tmp_path, "2")
    with pytest.raises(DataError, match="no such folder"):
        read_records(tmp_path / "nowhere")
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(DataError, match="cannot be read"):
        read_records(tmp_path)
