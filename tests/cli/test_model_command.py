"""``margin model``: files shown, compared, checked and converted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from margin import MajorityClassifier, Table, TableEncoder, persistence
from margin.cli.app import cli
from margin.cli.card_text import size
from margin.cli.layout import printable, table
from margin.persistence.cards.differences import Difference, differences

GOLDEN = Path(__file__).parents[1] / "persistence" / "golden" / "0.1.0-format1" / "MajorityClassifier-table.margin"
NOTES = {
    "target": "risk", "table": "loans", "rows": 60, "seed": 3, "when": "2026-01-02T03:04:05Z",
    "table_digest": "ab" * 32,
    "scores": {"test": {"accuracy": [0.675, 0.6, 0.74]}, "validation": {"accuracy": [0.7, 0.65, 0.75]}},
}  # fmt: skip


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def margin(*words: str, **more):
    done = CliRunner().invoke(cli, ["model", *words], **more)
    assert "Traceback" not in done.output
    return done


def loans(n: int = 6) -> Table:
    return Table.from_columns(
        {"income": [1000.0 + i for i in range(n)], "housing": [["own", "rent"][i % 2] for i in range(n)]}
    )


def saved(name: str, labels=("good", "bad", "good") * 2, about=NOTES, table=None) -> str:
    model = MajorityClassifier().fit(loans() if table is None else table, list(labels))
    return str(persistence.save(model, name, about=about))


def test_show_says_what_the_model_is_what_it_learnt_from_and_how_good_it_is():
    done = margin("show", saved("m.margin"))
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "Majority class"
    assert "answers   risk: bad, good" in lines
    assert "learnt    from loans, 60 rows, digest abababababababab…" in lines
    assert "made      2026-01-02 03:04:05 UTC, seed 3" in lines
    assert "score     cross-validation    sealed test" in lines
    assert "accuracy  70.0 % (65.0–75.0)  67.5 % (60.0–74.0)" in lines
    assert "income   numeric  1,000 to 1,005" in lines
    assert "housing  nominal  own, rent" in lines


@pytest.mark.parametrize("width", [50, 80, 200])
def test_no_line_of_show_is_wider_than_the_terminal(width):
    wide = Table.from_columns({f"a column with quite a long name, the {i}th": [float(i), i + 1.0] for i in range(30)})
    path = saved("m.margin", labels=["x" * 70, "y" * 300], table=wide)
    done = margin("show", path, env={"COLUMNS": str(width)})
    assert max(map(len, done.stdout.splitlines())) <= min(width, 110)
    assert "… 10 more columns; --json gives them all." in done.stdout


def test_show_as_json_is_the_card():
    path = saved("m.margin")
    found = json.loads(margin("show", path, "--json").stdout)
    assert found == persistence.card(path).to_dict()
    assert found["scores"]["test"]["accuracy"] == [0.675, 0.6, 0.74]


def test_the_help_of_show_names_every_part_of_the_json():
    told = set(margin("show", "--help").stdout.replace(",", " ").split())
    assert set(persistence.card(saved("m.margin")).to_dict()) <= told


def test_show_with_text_says_what_was_learnt():
    done = margin("show", saved("m.margin"), "--text")
    assert "The most frequent class of the training rows" in done.stdout
    learnt = json.loads(margin("show", "m.margin", "--text", "--json").stdout)["learnt"]
    assert "good  66.7% of the training rows" in learnt


def test_show_with_text_of_what_has_no_words_says_so():
    path = str(persistence.save(TableEncoder().fit(loans()), "e.margin"))
    assert margin("show", path, "--text").stdout.endswith("It has no text of its own.\n")


def test_show_loads_nothing_heavy():
    code = (
        "import sys; sys.argv = ['margin', 'model', 'show', sys.argv[1]]\n"
        "from margin.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'numpy', 'scipy', 'sklearn', 'polars', 'rich'}))"
    )
    path = os.path.abspath(saved("m.margin"))
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.splitlines()[-1] == "[]"
    assert "Majority class" in done.stdout


def test_signs_that_would_steer_the_terminal_are_written_out():
    path = saved("m.margin", about={**NOTES, "target": "a\x1b[31mb", "table": "x\ny"})
    done = margin("show", path)
    assert "\x1b" not in done.stdout
    assert "a\\x1b[31mb" in done.stdout
    assert printable("plain ü") == "plain ü"


def test_wide_signs_keep_their_columns():
    lines = table(["name", "kind"], [["年齢", "numeric"], ["age", "nominal"]], 40)
    assert lines[1:] == ["年齢  numeric", "age   nominal"]


def test_models_and_notes_that_are_equal_leave_with_0():
    done = margin("diff", saved("a.margin"), saved("b.margin"))
    assert (done.exit_code, done.stdout) == (0, "The same model, with the same notes.\n")


def test_when_a_file_was_made_is_told_but_is_no_difference():
    done = margin("diff", saved("a.margin"), saved("b.margin", about={**NOTES, "when": "2027-01-01T00:00:00Z"}))
    assert done.exit_code == 0
    assert "when: 2026-01-02T03:04:05Z → 2027-01-01T00:00:00Z" in done.stdout


def test_what_differs_is_told_part_by_part_and_leaves_with_1():
    other = loans().with_kind("housing", "ordinal", ["rent", "own"])
    labels = ("good", "bad", "bad") * 2
    done = margin("diff", saved("a.margin"), saved("b.margin", labels, {**NOTES, "seed": 4}, other))
    assert done.exit_code == 1
    assert "housing: nominal, 2 levels: own, rent → ordinal, 2 levels: rent, own" in done.stdout
    assert "majority.priors: 2 of 2 cells differ, by up to 0.3333" in done.stdout
    assert "seed: 3 → 4" in done.stdout


def test_another_kind_other_parameters_and_other_classes_are_differences():
    standard = persistence.save(TableEncoder(scale="standard").fit(loans()), "s.margin")
    ranged = persistence.save(TableEncoder(scale="range").fit(loans()), "r.margin")
    found = {(each.part, each.name): (each.old, each.new) for each in differences(standard, ranged)}
    assert found["parameter", "scale"] == ("standard", "range")
    assert found["value", "numeric.scale"] == ("standard", "range")
    one, two = saved("a.margin", about=None), saved("b.margin", ["good", "evil", "good"] * 2, about=None)
    assert Difference("classes", "classes", ("bad", "good"), ("evil", "good")) in differences(one, two)
    assert differences(one, standard)[0] == Difference("kind", "model", "majority", "table-encoder")


def test_other_columns_are_named():
    other = Table.from_columns({"income": [1.0, 2.0], "age": [1.0, 2.0]})
    found = differences(saved("a.margin"), saved("b.margin", ["good", "bad"], table=other))
    assert Difference("column", "housing", "nominal", None) in found
    assert Difference("column", "age", None, "numeric") in found
    assert Difference("column", "income", "numeric, 1000 to 1005", "numeric, 1 to 2") in found


def test_verify_says_what_was_looked_at():
    done = margin("verify", saved("m.margin"))
    assert done.exit_code == 0
    assert "m.margin is sound" in done.stdout
    assert "4 arrays match their digests" in done.stdout
    assert "5 witness rows are answered as they were" in done.stdout


def test_verify_refuses_a_file_with_one_wrong_bit():
    path = Path(saved("m.margin"))
    content = bytearray(path.read_bytes())
    content[-64] ^= 1
    path.write_bytes(content)
    done = margin("verify", "m.margin")
    assert done.exit_code == 2
    assert "damaged" in done.stderr


def test_convert_writes_the_current_format_and_keeps_the_notes():
    done = margin("convert", str(GOLDEN), "new.margin")
    assert (done.exit_code, done.stdout) == (0, "new.margin: format 2 (was 1), by margin 0.1.0\n")
    assert persistence.header("new.margin").about == persistence.header(GOLDEN).about
    assert margin("diff", str(GOLDEN), "new.margin").exit_code == 0
    assert persistence.card("new.margin").witness_rows == 5


def test_convert_keeps_the_witness_rows_of_a_file():
    model = MajorityClassifier().fit(loans(), ["good", "bad"] * 3)
    persistence.save(model, "old.margin", rows=loans(2))
    margin("convert", "old.margin", "new.margin")
    assert Path("new.margin").read_bytes() == Path("old.margin").read_bytes()


@pytest.mark.parametrize("new", ["m.margin", "./m.margin", "link.margin"])
def test_convert_never_writes_over_what_it_reads(new):
    before = Path(saved("m.margin")).read_bytes()
    Path("link.margin").symlink_to("m.margin")
    done = margin("convert", "m.margin", new)
    assert done.exit_code == 2
    assert Path("m.margin").read_bytes() == before


@pytest.mark.parametrize(
    "words", [("show", "none"), ("verify", "none"), ("diff", "none", "none"), ("convert", "none", "x")]
)
def test_a_file_that_is_not_there_is_refused_in_one_line(words):
    done = margin(*words)
    assert done.exit_code == 2
    assert "there is no such file" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_sizes_are_told_as_people_read_them():
    assert [size(n) for n in (0, 999, 1000, 999_949, 999_951, 2_500_000)] == [
        "0 B", "999 B", "1.0 kB", "999.9 kB", "1.0 MB", "2.5 MB",
    ]  # fmt: skip


def test_a_figure_that_is_a_mean_of_classes_says_so_where_classes_were_noted():
    from margin.cli.card_text import _scores

    scores = {"test": {"accuracy": [0.9, 0.8, 0.95], "f1": [0.7, None, None]}}
    assert "f1, mean of classes" in "\n".join(_scores(scores, {}, {}, 80))
    assert "f1 of bad" in "\n".join(_scores(scores, {}, {"f1": "bad"}, 80))
    assert "mean" not in "\n".join(_scores(scores, {}, None, 80)), "files of old do not say whose F1 it is"
