"""``margin data``, ``margin models`` and ``margin predict``, with margin's own models where one is saved."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner

from margin import persistence, zoo
from margin.cli.app import cli
from tests.experiment.stand_ins import loans


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("loans.csv").write_text(loans())
    monkeypatch.setattr(zoo, "_zoo", {entry.name: entry for entry in zoo._ENTRIES})


def margin(*words: str):
    done = CliRunner().invoke(cli, [*words])
    assert "Traceback" not in done.output
    return done


def saved(*more: str) -> None:
    words = ("--models", "naive-bayes", "--folds", "3", "--repeats", "1", "--save", "m.margin", "-q")
    done = margin("compare", *(more or ("loans.csv", "-t", "risk")), *words)
    assert done.exit_code == 0, done.output


def test_data_show_says_what_each_column_was_taken_for_and_why():
    done = margin("data", "show", "loans.csv")
    assert done.exit_code == 0
    assert "60 rows, 4 columns" in done.stdout
    assert "identifier" in done.stdout
    assert "left out of models" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_data_show_reads_as_told():
    assert "nominal" in margin("data", "show", "loans.csv", "--kind", "income=nominal").stdout.split("income")[1]
    assert margin("data", "show", "none.csv").exit_code == 2


def test_data_list_names_the_catalog():
    done = margin("data", "list")
    assert "weather_nominal" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_models_are_listed_with_what_they_are():
    done = margin("models")
    assert done.exit_code == 0
    assert all(name in done.stdout for name in zoo.names())
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_a_saved_model_knows_its_target_its_labels_and_how_its_table_was_read():
    saved("loans.csv", "-t", "risk", "--missing", "?")
    about = persistence.header("m.margin").about
    assert (about["name"], about["target"], about["label_type"]) == ("naive-bayes", "risk", "str")
    assert (about["header"], about["separator"], about["missing"]) == (True, "auto", ["?"])
    assert about["columns"] == [
        ["customer", "identifier"], ["income", "numeric"], ["housing", "nominal"], ["risk", "nominal"],
    ]  # fmt: skip


def test_new_rows_get_the_answers_the_model_gives():
    saved()
    rows = loans().splitlines()
    Path("new.csv").write_text("\n".join(row.rpartition(",")[0] for row in rows[:4]) + "\n")
    done = margin("predict", "m.margin", "new.csv", "--out", "answers.csv")
    assert "Answers for 3 rows: answers.csv" in done.stdout
    with open("answers.csv") as file:
        answers = list(csv.DictReader(file))
    assert [row["customer"] for row in answers] == ["c0000", "c0001", "c0002"]
    assert [row["risk"] for row in answers] == ["bad", "good", "good"]
    assert all(0.5 <= float(row["probability"]) <= 1 for row in answers)


def test_probabilities_of_all_classes_add_up_to_one():
    saved()
    margin("predict", "m.margin", "loans.csv", "--probabilities", "--out", "answers.csv")
    with open("answers.csv") as file:
        answers = list(csv.DictReader(file))
    assert len(answers) == 60
    assert all(float(row["P(bad)"]) + float(row["P(good)"]) == pytest.approx(1) for row in answers)


def test_without_a_place_the_first_rows_are_shown_and_the_truth_is_compared():
    saved()
    done = margin("predict", "m.margin", "loans.csv")
    assert "… 40 more rows" in done.stdout
    assert "60 of 60 rows that have a value for risk agree with it (100.0 %)." in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_columns_are_matched_by_name_in_any_order():
    saved()
    Path("turned.csv").write_text("housing,income,customer\nown,1900,x1\nown,1000,x2\n")
    assert "good" in margin("predict", "m.margin", "turned.csv").stdout.splitlines()[1]
    assert "bad" in margin("predict", "m.margin", "turned.csv").stdout.splitlines()[2]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("customer,incme,housing\nx1,1900,own\n", "the model was fitted with it (did you mean 'incme'?)"),
        ("customer,income,housing,age\nx1,1900,own,30\n", "column 'age' was not there at fit"),
        ("", "the file is empty"),
    ],
)  # fmt: skip
def test_columns_that_do_not_fit_are_named(content, said):
    saved()
    Path("new.csv").write_text(content)
    done = margin("predict", "m.margin", "new.csv", "--out", "answers.csv")
    assert done.exit_code == 2
    assert said in done.stderr
    assert not Path("answers.csv").exists()


def test_a_row_read_alone_is_read_as_the_training_table_was():
    """One row of digits would be taken for numbers, and one name for an identifier, if the kinds were guessed anew."""
    lines = ["zip,shop,y"] + [f"{10115 + i % 3},shop{i % 2},{'ab'[i % 3 == 0]}" for i in range(40)]
    Path("zips.csv").write_text("\n".join(lines) + "\n")
    saved("zips.csv", "-t", "y", "--kind", "zip=nominal")
    Path("one.csv").write_text("shop,zip\nshop1,10115\n")
    done = margin("predict", "m.margin", "one.csv", "-p")
    assert done.exit_code == 0, done.output
    assert done.stdout.split()[5] == "b"


@pytest.mark.parametrize("with_target", [False, True])
def test_a_table_without_a_header_is_matched_by_position(with_target):
    rows = [row.split(",")[1:] for row in loans().splitlines()[1:]]
    Path("bare.csv").write_text("\n".join(",".join([row[2], *row[:2]]) for row in rows) + "\n")
    saved("bare.csv", "-t", "1", "--no-header")
    new = ["bad,1000,own", "good,1900,own"] if with_target else ["1000,own", "1900,own"]
    Path("new.csv").write_text("\n".join(new) + "\n")
    margin("predict", "m.margin", "new.csv", "--out", "answers.csv")
    with open("answers.csv") as file:
        assert [row["column1"] for row in csv.DictReader(file)] == ["bad", "good"]


def test_a_file_that_is_no_model_is_refused():
    done = margin("predict", "loans.csv", "loans.csv")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "not a margin model" in done.stderr


@pytest.mark.parametrize("name", ["majority", "rote", "naive-bayes", "knn"])
def test_every_model_of_the_zoo_answers_the_same_after_a_round_trip_bit_for_bit(name):
    from margin.data import catalog

    inputs, labels = catalog.load("credit").target("risk")
    model = zoo.models([name])[0].model().fit(inputs, labels)
    again = persistence.load(persistence.save(model, "m.margin"))
    assert again.predict_proba(inputs).tobytes() == model.predict_proba(inputs).tobytes()
    assert again.predict(inputs).tolist() == model.predict(inputs).tolist()
    assert [column.name for column in persistence.card("m.margin").columns] == list(inputs.inputs().names)


def test_labels_the_model_does_not_know_are_named_and_not_counted():
    saved()
    text = Path("loans.csv").read_text()
    Path("dotted.csv").write_text(text.replace(",good\n", ",good.\n"))
    done = margin("predict", "m.margin", "dotted.csv")
    assert done.exit_code == 0
    assert "rows that have a value for risk agree" in done.stdout
    assert f" of {text.count(',bad')} rows" in done.stdout
    assert done.stderr == (
        "! risk: 'good.' in the file is not among the classes of the model, 'bad', 'good'; such rows are not counted.\n"
    )


def test_answers_are_never_written_over_the_model_or_the_rows():
    saved()
    for place in ("m.margin", "loans.csv"):
        before = Path(place).read_bytes()
        done = margin("predict", "m.margin", "loans.csv", "--out", place)
        assert done.exit_code == 2
        assert "is another file of this command" in done.stderr
        assert Path(place).read_bytes() == before


def test_header_lines_of_orange_are_no_new_rows():
    rows = "".join(f"{'no' if i % 3 else 'yes'}\t{i % 3}.5\tr{i}\n" for i in range(60))
    Path("t.tab").write_text("y\tx\tname\nno yes\tcontinuous\tstring\nclass\t\tmeta\n" + rows)
    saved("t.tab", "-t", "y")
    done = margin("predict", "m.margin", "t.tab")
    assert done.exit_code == 0
    assert "60 of 60 rows" in done.stdout
    assert done.stderr == ""


def test_libsvm_rows_may_leave_out_columns_of_the_model():
    Path("t.libsvm").write_text("".join(f"{'+1' if i % 2 else '-1'} 1:{i % 2} 3:{i % 5}\n" for i in range(60)))
    saved("t.libsvm", "-t", "label")
    Path("new.libsvm").write_text("+1 1:1\n-1 2:0\n")
    done = margin("predict", "m.margin", "new.libsvm")
    assert done.exit_code == 0
    assert "2 of 2 rows" in done.stdout
    Path("wider.libsvm").write_text("+1 1:1 4:2\n")
    assert "column 'feature4' was not there at fit" in margin("predict", "m.margin", "wider.libsvm").stderr
