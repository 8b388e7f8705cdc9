"""What goes into a graph: names, types, missing cells and words that were not there at fit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from margin import DecisionTreeClassifier, Discretizer, LogisticRegression, NaiveBayes, TableEncoder
from margin.data import Table
from margin.data.schema import Column
from margin.errors import ExportError, InputError
from margin.export import onnx_inputs, run_onnx, to_onnx
from margin.export.running import missing_mark
from tests.contract.estimators import frame, numbers

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.MarginWarning")


def inputs(proto) -> dict[str, str]:
    """The inputs of a graph with their types."""
    kinds = {onnx.TensorProto.DOUBLE: "double", onnx.TensorProto.STRING: "string"}
    return {value.name: kinds[value.type.tensor_type.elem_type] for value in proto.graph.input}


def outputs(proto) -> list[str]:
    return [value.name for value in proto.graph.output]


def test_a_table_has_an_input_for_every_column_under_its_own_name():
    proto = to_onnx(NaiveBayes().fit(*frame()))
    assert inputs(proto) == {
        "age": "double", "job": "string", "member": "double", "size": "string", "count": "double",
    }  # fmt: skip
    assert outputs(proto) == ["label", "probabilities"]
    assert [d.dim_value or d.dim_param for d in proto.graph.input[0].type.tensor_type.shape.dim] == ["n", 1]


def test_an_array_is_one_input():
    X, y = numbers(d=4)
    proto = to_onnx(LogisticRegression().fit(X, y))
    assert inputs(proto) == {"X": "double"}
    assert proto.graph.input[0].type.tensor_type.shape.dim[1].dim_value == 4


def test_feeds_are_columns_of_doubles_and_strings():
    X, y = frame()
    feeds = onnx_inputs(NaiveBayes().fit(X, y), X)
    assert feeds["age"].dtype == np.float64
    assert feeds["age"].shape == (len(X), 1)
    assert np.isnan(feeds["age"][0, 0])
    assert feeds["job"][0, 0] == ""  # missing
    assert feeds["job"][1, 0] == X.job[1]
    assert set(feeds["member"].ravel()) == {0.0, 1.0}


def test_columns_are_matched_by_name_and_others_refused():
    X, y = frame()
    model = NaiveBayes().fit(X, y)
    turned = onnx_inputs(model, X[X.columns[::-1]])
    straight = onnx_inputs(model, X)
    assert list(turned) == list(straight)
    assert all(np.array_equal(turned[k], straight[k], equal_nan=straight[k].dtype.kind == "f") for k in turned)
    with pytest.raises(InputError, match="'job' is missing"):
        onnx_inputs(model, X.drop(columns="job"))


def test_unseen_words_go_in_as_they_are():
    X, y = frame()
    model = NaiveBayes().fit(X, y)
    X.loc[2, "job"] = "pilot"
    assert onnx_inputs(model, X)["job"][2, 0] == "pilot"
    to_onnx(model, check=X)


def test_levels_that_are_numbers_are_matched_by_value():
    X = pd.DataFrame({"floor": pd.Categorical([1, 2, 7, 1, 2, 7]), "old": [True, False, True, False, True, False]})
    model = DecisionTreeClassifier(nominal="multiway").fit(X, list("aabbab"))
    proto = to_onnx(model, check=X)
    assert inputs(proto) == {"floor": "double", "old": "double"}
    found = run_onnx(proto, {"floor": np.array([[7.0], [5.0], [np.nan]]), "old": np.array([[1.0], [0.0], [np.nan]])})
    asked = pd.DataFrame({"floor": pd.Categorical([7, 5, None]), "old": [True, False, None]})
    assert np.array_equal(found["probabilities"], model.predict_proba(asked))


def test_an_empty_word_may_be_a_level():
    X = Table.from_columns({"note": ["", "x", "", "x", "", "x"], "n": [1.0, 2, 3, 4, 5, 6]})
    model = NaiveBayes().fit(X, list("abaaab"))
    assert model.schema_["note"].levels == ("", "x")
    assert missing_mark(Column("note", "nominal", ("", "x"))) == "missing"
    assert missing_mark(Column("note", "nominal", ("", "missing"))) == "missing?"
    gone = Table(X.schema, [np.full(6, -1, dtype=np.int32), X.cells("n")], n_rows=6)
    assert onnx_inputs(model, gone)["note"].ravel().tolist() == ["missing"] * 6
    to_onnx(model, check=gone)
    to_onnx(model, check=X)


def test_columns_may_have_the_names_of_outputs_and_nodes():
    X, y = frame()
    X.columns = ["label", "probabilities", "X", "constant.3", "gather.10"]
    proto = to_onnx(NaiveBayes().fit(X, y), check=X)
    assert outputs(proto) == ["label_", "probabilities_"]


def test_labels_are_whole_numbers_or_words():
    X, y = numbers()
    for labels, kind in ((y - 7, "i"), (y == 1, "i"), (y * 1.0, "i"), (np.array(["x", "y", "z"])[y], "O")):
        model = DecisionTreeClassifier().fit(X, labels)
        found = run_onnx(to_onnx(model, check=X), {"X": X})["label"]
        assert found.dtype.kind == kind
        assert found.tolist() == model.predict(X).tolist()


def test_bytes_are_refused():
    X, y = numbers()
    with pytest.raises(ExportError, match=r"labels are bytes.*decode"):
        to_onnx(DecisionTreeClassifier().fit(X, np.array([b"x", b"y", b"z"])[y]))
    words = pd.DataFrame({"w": np.array([b"u", b"v", b"w"], dtype=object)[y]})
    with pytest.raises(ExportError, match=r"column 'w' holds bytes.*decode"):
        to_onnx(NaiveBayes().fit(words, y))


@pytest.mark.parametrize("encoder", [TableEncoder(), TableEncoder(scale="standard"), TableEncoder(scale="range")])
def test_the_encoding_alone_is_the_same_in_every_bit(encoder):
    for X, _ in (frame(), numbers()):
        asked = X.copy()
        if isinstance(asked, pd.DataFrame):
            asked.loc[3, "job"] = "pilot"
        else:
            asked[::3, 0] = np.nan
        found = run_onnx(to_onnx(encoder.fit(X), check=asked), onnx_inputs(encoder, asked))
        assert np.array_equal(found["matrix"], encoder.transform(asked))


@pytest.mark.parametrize("method", ["equal_width", "equal_count", "mdl"])
def test_intervals_are_the_same_on_and_beside_their_cuts(method):
    X, y = numbers(100)
    model = Discretizer(method=method).fit(X, y)
    on = np.array([cuts[0] if len(cuts) else 0.0 for cuts in model.cuts_])
    asked = np.vstack([X, on, np.nextafter(on, np.inf), np.full(4, np.nan)])
    assert np.array_equal(run_onnx(to_onnx(model), {"X": asked})["codes"], model.transform(asked))
    X, y = frame(100)
    to_onnx(Discretizer(method=method).fit(X, y), check=X)


def test_no_rows_give_no_answers():
    X, y = frame()
    for model in (NaiveBayes(), DecisionTreeClassifier(), LogisticRegression()):
        model.fit(X, y)
        found = run_onnx(to_onnx(model), onnx_inputs(model, X.iloc[:0]))
        assert found["label"].shape == (0,)
        assert found["probabilities"].shape == (0, 2)
