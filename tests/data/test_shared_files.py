"""Real files as their publishers wrote them: rows, columns and missing cells as their own table of contents says."""

import re
from collections import Counter

import pytest

from margin.data import read


@pytest.fixture(scope="session")
def contents(shared):
    """The rows of the table of contents, by the name of the set."""
    sets = {}
    for line in (shared / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        files = re.findall(r"`([^`]+)` \(", cells[1]) if len(cells) == 11 else []
        if files:
            sets[cells[0].strip("| ")] = {
                "files": files, "rows": cells[2], "numeric": cells[3], "nominal": cells[4],
                "classes": cells[6], "missing": cells[7], "notes": cells[10],
            }  # fmt: skip
    return sets


def missing_cells(table):
    return sum(int(table.missing(name).sum()) for name in table.names)


def single_arff_sets(contents):
    return {k: v for k, v in contents.items() if v["files"][0].endswith((".arff", ".arff.gz")) and len(v["files"]) == 1}


def test_every_arff_file_has_the_rows_columns_and_gaps_of_its_description(shared, contents):
    sets = single_arff_sets(contents)
    assert len(sets) > 30
    for name, about in sets.items():
        table = read(shared / about["files"][0])
        kinds = Counter(column.kind for column in table.schema)
        is_regression = about["classes"] == "numeric target"
        named = kinds["nominal"] + kinds["identifier"]  # the animals of zoo name its rows
        found = (table.n_rows, kinds["numeric"] - is_regression, named - (not is_regression))
        assert found == (int(about["rows"]), int(about["numeric"]), int(about["nominal"])), name
        assert missing_cells(table) == int(about["missing"]), name


def test_class_counts_are_those_of_the_description(shared, contents):
    for name, about in single_arff_sets(contents).items():
        if about["classes"] == "numeric target":
            continue
        expected = re.findall(r"(?:^|, )([^,:]+): (\d+)", about["classes"].split(", ...")[0])
        table = read(shared / about["files"][0])
        counts = [Counter(table[c.name]) for c in table.schema if c.kind == "nominal"]
        assert any(all(count[label] == int(n) for label, n in expected) for count in counts), name


@pytest.mark.parametrize(
    ("name", "numeric", "labels"),
    [("yeast (multilabel)", 103, 14), ("emotions (multilabel)", 72, 6), ("flags (multilabel)", 10, 16)],
)
def test_multilabel_files_have_a_column_for_each_label(shared, contents, name, numeric, labels):
    about = contents[name]
    for rows, file in zip(about["rows"].split(" + "), about["files"]):
        table = read(shared / file)
        assert table.n_rows == int(rows)
        assert Counter(c.kind for c in table.schema) == {"numeric": numeric, "nominal": labels}


def test_a_quoted_question_mark_is_a_value_in_anneal(shared):
    assert "?" in read(shared / "anneal.arff.gz").schema["steel"].levels
    assert missing_cells(read(shared / "anneal.orig.arff.gz")) == 22175


def test_adult_has_no_header_and_blanks_after_its_commas(shared):
    train, test = read(shared / "adult.data.gz"), read(shared / "adult.test.gz")
    assert train.shape == (32561, 15)
    assert test.shape == (16281, 15)
    assert missing_cells(train) + missing_cells(test) == 6465
    assert Counter(c.kind for c in train.schema) == {"numeric": 6, "nominal": 9}
    assert Counter(train["column15"]) == {"<=50K": 24720, ">50K": 7841}
    assert train.names[0] == "column1"


def test_penguins_telco_and_letter_have_headers(shared):
    penguins = read(shared / "penguins.csv.gz")
    assert Counter(penguins["species"]) == {"Adelie": 152, "Gentoo": 124, "Chinstrap": 68}
    assert missing_cells(penguins) == 19
    telco = read(shared / "telco-churn.csv.gz")
    assert telco.schema["customerID"].kind == "identifier"
    assert telco.schema["TotalCharges"].kind == "numeric"
    assert missing_cells(telco) == 11
    letter = read(shared / "letter.csv.gz")
    assert letter.shape == (20000, 17)
    assert Counter(letter[letter.names[0]])["U"] == 813


def test_messages_are_text_and_their_quotes_are_kept(shared):
    table = read(shared / "SMSSpamCollection.tsv.gz")
    assert [c.kind for c in table.schema] == ["nominal", "text"]
    assert Counter(table["column1"]) == {"ham": 4827, "spam": 747}
    assert any('"' in message for message in table["column2"])


@pytest.mark.parametrize("number", [1, 2, 3])
def test_monks_files_have_three_header_lines(shared, contents, number):
    about = contents[f"monks-{number}"]
    for rows, file in zip(about["rows"].split(" + "), about["files"]):
        table = read(shared / file)
        assert table.n_rows == int(rows)
        assert [c.kind for c in table.schema] == ["nominal"] * 7 + ["identifier"]
        assert table.schema["e"].levels == ("1", "2", "3", "4")


def test_libsvm_files_keep_their_labels(shared):
    a9a = read(shared / "a9a.libsvm.gz")
    assert a9a.shape == (32561, 124)
    assert Counter(a9a["label"]) == {"-1": 24720, "+1": 7841}
    guide = read(shared / "svmguide1.libsvm.gz")
    assert guide.shape == (3089, 5)
    assert guide["feature1"][0] == pytest.approx(26.173)
