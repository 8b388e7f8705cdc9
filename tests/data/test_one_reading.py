"""One reading of data, whatever it comes in: files, frames of every make, dicts, records, arrays."""

import gzip
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import margin
from margin import persistence
from margin.data import Table, read
from margin.errors import DataWarning, InputError, InputTypeError, ParameterError
from tests.shared_data import shared_data

#: A mark of a missing cell is counted in a warning wherever a model reads a frame; here that is told elsewhere.
marks_are_told = pytest.mark.filterwarnings("ignore:.*are read as missing")


@pytest.fixture
def passengers(tmp_path):
    """A table with what a frame says in another way: names and numbers of rows, marks, units, truth values."""
    rng = np.random.default_rng(0)
    rows = ["PassengerId,Survived,Name,Sex,Age,Ticket,Fare,Alone,Port"]
    for i in range(120):
        sex, age = rng.choice(["male", "female"]), "" if i % 7 == 0 else rng.integers(80)
        ticket = f"{rng.choice(['A/5 ', ''])}{rng.integers(40)}"
        alive = int(rng.random() < (0.8 if sex == "female" else 0.2))
        port = rng.choice(["S", "Q", "?"])
        fare = f"${rng.random() * 100:.2f}"
        rows.append(f'{i + 1},{alive},"Smith, Mr. {i}",{sex},{age},{ticket},{fare},{i % 5 == 0},{port}')
    file = tmp_path / "passengers.csv"
    file.write_text("\n".join(rows) + "\n")
    return file


MODELS = [margin.NaiveBayes, margin.LogisticRegression, margin.DecisionTreeClassifier, margin.KNeighborsClassifier]


@marks_are_told
@pytest.mark.parametrize("model", MODELS)
def test_a_file_and_its_frame_give_the_same_model_to_the_last_bit(passengers, model):
    X, y = read(passengers).target("Survived")
    frame = pd.read_csv(passengers)
    inputs = frame.drop(columns="Survived")
    from_file = model().fit(X, y)
    with pytest.warns(
        DataWarning, match=r"columns 'PassengerId' \(a running number.*'Name' \(120 different words.*left out"
    ):
        from_frame = model().fit(inputs, frame["Survived"])
    assert persistence.to_bytes(from_frame) == persistence.to_bytes(from_file)
    assert from_frame.classes_.tolist() == [0, 1]
    assert from_frame.predict(inputs).tolist() == from_file.predict(X).tolist()
    assert "Name" not in from_frame.feature_names_in_


@marks_are_told
def test_columns_that_were_left_out_may_be_there_or_not(passengers):
    X, y = read(passengers).target("Survived")
    model = margin.NaiveBayes().fit(X, y)
    few = pd.read_csv(passengers).drop(columns="Survived").head(3)  # too few rows to tell names of rows by themselves
    expected = model.predict(X)[:3].tolist()
    for given in (
        few,
        few.drop(columns=["Name", "PassengerId"]),
        read(few),
        few.to_dict("list"),
        few.to_dict("records"),
    ):
        assert model.predict(given).tolist() == expected
    with pytest.raises(InputError, match="column 'Nmae' was not there at fit"):
        model.predict(few.assign(Nmae=1))
    again = persistence.from_bytes(persistence.to_bytes(model))
    assert again.predict(few).tolist() == expected


def test_data_of_every_make_give_the_same_table(passengers):
    expected = read(passengers)
    frame = pd.read_csv(passengers)
    makes = {
        "pandas": frame,
        "pandas, objects": frame.astype(object),
        "polars": pl.read_csv(passengers),
        "pyarrow": pa.Table.from_pandas(frame),
        "dict of columns": frame.to_dict("list"),
        "records": frame.to_dict("records"),
        "strings": pl.read_csv(passengers, infer_schema=False),
        "table": expected,
    }
    for make, given in makes.items():
        assert read(given) == expected, make
        assert Table(given).digest() == expected.digest(), make
    frame.to_parquet(passengers.with_suffix(".parquet"))
    frame.to_json(passengers.with_suffix(".jsonl"), orient="records", lines=True)
    assert read(passengers.with_suffix(".parquet")) == read(passengers.with_suffix(".jsonl")) == expected


@marks_are_told
def test_what_the_columns_are_is_decided_once_for_all_folds(passengers):
    frame = pd.read_csv(passengers)
    X, y = frame.drop(columns="Survived"), frame["Survived"].to_numpy()
    with pytest.warns(DataWarning, match="'Name'.*left out"):
        on_frame = margin.evaluate(margin.NaiveBayes(), X, y)
    on_table = margin.evaluate(margin.NaiveBayes(), read(X), y)
    assert on_frame.scores["accuracy"].value == on_table.scores["accuracy"].value


def test_words_of_very_many_levels_are_named():
    X = pd.DataFrame({"town": [f"t{i % 150}" for i in range(300)], "x": np.arange(300) % 7.5})
    with pytest.warns(DataWarning, match=r"column 'town' \(150\) is read as words with very many levels"):
        margin.NaiveBayes().fit(X, np.arange(300) % 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)  # whoever made it categorical, or a table, has been told
        margin.NaiveBayes().fit(X.astype({"town": "category"}), np.arange(300) % 2)
        margin.NaiveBayes().fit(read(X), np.arange(300) % 2)


def test_a_frame_of_identifiers_alone_is_refused():
    X = pd.DataFrame({"name": [f"n{i}" for i in range(60)]})
    with pytest.raises(InputError, match=r"no columns to learn from \('name' is an identifier or free text\)"):
        margin.NaiveBayes().fit(X, np.arange(60) % 2)


def test_numbers_keep_their_order_and_their_type_as_classes():
    table = read({"y": ["10", "2", "2", "10"], "x": [1, 2, 3, 4]}, kinds={"y": "nominal"})
    X, y = table.target("y")
    assert margin.NaiveBayes().fit(X, y).classes_.tolist() == [2, 10]
    X, y = Table.from_columns({"x": [1.0, 2.0], "y": [0.0, 1.0]}).target("y")
    assert margin.NaiveBayes().fit(X, y).predict(X).dtype == np.int64


def test_words_with_units_are_numbers_in_frames_too():
    X = pd.DataFrame({"price": ["$1,250.50", "$99.00"] * 20, "share": ["12 %", "7 %"] * 20})
    y = np.arange(40) % 2
    model = margin.NaiveBayes().fit(X, y)
    assert [c.kind for c in model.schema_] == ["numeric", "numeric"]
    assert model.predict(X[:2]).tolist() == [0, 1]
    assert model.predict(pd.DataFrame({"price": ["$1,251"], "share": [12]})).tolist() == [0]


def test_cells_that_are_no_numbers_can_be_taken_for_missing():
    cells = {"age": [str(i) for i in range(40)] + ["old"], "x": range(41)}
    with pytest.warns(
        DataWarning, match=r"'age': 1 of 41 cells are no numbers and are read as missing.*'old' in row 40"
    ):
        table = read(cells, coerce=True)
    assert table.schema["age"].kind == "numeric"
    assert np.isnan(table["age"][40])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (5, "data of type int are no table"),
        ([1, 2], "data of type list are no table"),
        ({"a": 1}, "column 'a' must be a list of cells"),
        ({1: [2]}, "columns must be named by words"),
        ({"a": [[1, 2], [3, 4]]}, "one value in a cell"),
        ({"a": [{}, {}]}, "must be a string or a real number"),
    ],
    ids=["number", "list", "record", "number as a name", "nested", "records in cells"],
)
def test_what_is_no_table_is_refused(data, message):
    with pytest.raises(InputError, match=message):
        read(data)


def test_columns_of_unequal_length_and_options_of_files_are_refused():
    with pytest.raises(margin.errors.DataError, match="equally long"):
        read({"a": [1], "b": [1, 2]})
    with pytest.raises(ParameterError, match="header and separator are for files"):
        read({"a": [1]}, header=False)
    with pytest.raises(InputTypeError, match="collect"):
        read(pl.LazyFrame({"a": [1]}))


#: Files with a header, as pandas reads them, and their targets; ARFF files are written as CSV first.
TABLES = {
    "penguins.csv.gz": "species", "telco-churn.csv.gz": "Churn", "letter.csv.gz": "letter",
    "credit-g.arff.gz": "class", "vote.arff.gz": "Class", "breast-w.arff.gz": "Class", "heart-c.arff.gz": "num",
    "soybean.arff.gz": "class", "diabetes.arff.gz": "class", "glass.arff.gz": "Type", "zoo.arff.gz": "type",
    "primary-tumor.arff.gz": "class", "tic-tac-toe.arff.gz": "Class", "balance-scale.arff.gz": "class",
    "vowel.arff.gz": "Class", "wine.arff.gz": "class",
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_real_files_and_their_frames_give_the_same_model(name, tmp_path):
    path, target = shared_data(name), TABLES[name]
    if ".arff" in name:
        table = read(path)
        target = next(c for c in table.names if c.lower() == target.lower())
        path = tmp_path / "table.csv"
        table.to_polars().write_csv(path)
    frame = pd.read_csv(path)
    X, y = read(path).target(target)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from_file = margin.NaiveBayes().fit(X, y)
        from_frame = margin.NaiveBayes().fit(frame.drop(columns=target), frame[target])
    assert persistence.to_bytes(from_frame) == persistence.to_bytes(from_file)
    with gzip.open(tmp_path / "again.csv.gz", "wt") as again:
        frame.to_csv(again, index=False)
    assert read(frame).digest() == read(path).digest()
