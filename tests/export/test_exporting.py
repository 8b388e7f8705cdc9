"""Writing, checking and refusing: files, differences, packages that are absent."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Other

from margin import (
    SVC,
    CalibratedClassifier,
    DecisionTreeClassifier,
    GridSearch,
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    MajorityClassifier,
    MultinomialNB,
    NaiveBayes,
    RadiusNeighborsClassifier,
    SpectrumKernel,
)
from margin.errors import ExportError, InputTypeError, NotFittedError
from margin.export import onnx_inputs, run_onnx, to_onnx
from margin.export.checking import check_answers
from tests.contract.estimators import frame, numbers

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.MarginWarning")


def test_a_file_holds_the_graph_and_nothing_else_is_left(tmp_path):
    X, y = numbers()
    model = DecisionTreeClassifier().fit(X, y)
    proto = to_onnx(model, tmp_path / "tree.onnx")
    assert [path.name for path in tmp_path.iterdir()] == ["tree.onnx"]
    assert onnx.load(str(tmp_path / "tree.onnx")) == proto
    assert run_onnx(tmp_path / "tree.onnx", {"X": X})["label"].tolist() == model.predict(X).tolist()
    assert run_onnx(str(tmp_path / "tree.onnx"), {"X": X})["label"].tolist() == model.predict(X).tolist()


def test_a_folder_that_is_not_there_is_said_so(tmp_path):
    model = MajorityClassifier().fit([[1.0]], ["a"])
    with pytest.raises(ExportError, match=r"cannot write .*no such file or directory"):
        to_onnx(model, tmp_path / "nowhere" / "a.onnx")


def test_a_graph_that_differs_is_not_written(tmp_path, monkeypatch):
    X, y = numbers()
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    (tmp_path / "a.onnx").write_bytes(b"as it was")
    monkeypatch.setattr(type(model), "predict", lambda self, X: np.zeros(len(X), dtype=int))
    with pytest.raises(ExportError, match="labels are not the model's own, first in row"):
        to_onnx(model, tmp_path / "a.onnx", check=X)
    assert (tmp_path / "a.onnx").read_bytes() == b"as it was"


def test_a_check_finds_labels_and_probabilities_that_differ():
    X, y = numbers()
    model = LinearDiscriminantAnalysis().fit(X, y)
    proto = to_onnx(model, check=X)
    other = LinearDiscriminantAnalysis().fit(X, (y + 1) % 3)
    with pytest.raises(ExportError, match="labels are not the model's own"):
        check_answers(other, proto, X)
    near = LinearDiscriminantAnalysis().fit(X, y)
    near._base = near._base + np.array([1e-7, 0.0, 0.0])
    with pytest.raises(ExportError, match="probabilities of the graph are not the model's own"):
        check_answers(near, proto, X)


def test_a_graph_knows_where_it_comes_from():
    proto = to_onnx(DecisionTreeClassifier(max_depth=3).fit(*numbers()))
    assert proto.producer_name == "margin"
    about = {entry.key: entry.value for entry in proto.metadata_props}
    assert about == {"model": "DecisionTreeClassifier(max_depth=3)", "classes": "[0, 1, 2]"}
    assert {(each.domain, each.version) for each in proto.opset_import} == {("", 21), ("ai.onnx.ml", 5)}


def test_only_fitted_models_of_margin_are_exported():
    with pytest.raises(NotFittedError, match="fit"):
        to_onnx(NaiveBayes())
    with pytest.raises(InputTypeError, match=r"to_onnx\(LogisticRegression\)"):
        to_onnx(Other())
    with pytest.raises(InputTypeError, match=r"to_onnx\(NaiveBayes\)"):
        to_onnx(NaiveBayes)


def _refused():
    X, y = numbers()
    table, of_table = frame()
    many = np.random.default_rng(0).normal(size=(30_000, 80))
    both = np.column_stack([y, y])
    return {
        "is free text": (MultinomialNB(), table, of_table),
        "answers several targets": (KNeighborsClassifier(), X, both),
        "the metric is a function": (KNeighborsClassifier(metric=lambda a, b: abs(a - b).sum()), X, y),
        "the votes are a function": (KNeighborsClassifier(weights=lambda d: d + 1), X, y),
        "no graph for this metric": (KNeighborsClassifier(metric="heom"), table, of_table),
        "more than 2,000,000 cells": (KNeighborsClassifier(), many, many[:, 0] > 0),
        "refuses rows without neighbours": (RadiusNeighborsClassifier(outlier_label=None), X, y),
        "the kernel is a function": (SVC(kernel=lambda a, b: a @ b.T), X, y),
        "kernel values and not the rows": (SVC(kernel="precomputed"), X @ X.T, y),
        "cuts strings to pieces": (SVC(kernel=SpectrumKernel(2)), ["abab", "baba", "cccc", "ccdc"], [0, 0, 1, 1]),
        "none of margin's": (CalibratedClassifier(Other()), X, y),
        "no classifier to export": (GridSearch(cv=2, refit=False), X, y),
    }


@pytest.mark.parametrize("reason", _refused())
def test_what_has_no_form_in_onnx_is_refused_with_the_reason(reason):
    model, X, y = _refused()[reason]
    with pytest.raises(ExportError, match=reason):
        to_onnx(model.fit(X, y))


@pytest.mark.parametrize("package", ["onnx", "onnxruntime"])
def test_a_package_that_is_absent_is_named_with_how_to_get_it(monkeypatch, package):
    model = MajorityClassifier().fit([[1.0]], ["a"])
    proto = to_onnx(model)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ExportError, match=rf'{package} is not installed.*pip install "margin\[onnx\]"'):
        to_onnx(model) if package == "onnx" else run_onnx(proto, onnx_inputs(model, [[1.0]]))


def test_importing_the_part_loads_nothing_of_onnx():
    code = "import json, sys, margin.export\nprint(json.dumps(sorted(n for n in sys.modules if n.startswith('onnx'))))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert json.loads(done.stdout) == []
