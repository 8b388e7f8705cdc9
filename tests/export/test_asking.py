"""``model.to_onnx`` and ``margin model export``: the way users take."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from click.testing import CliRunner

from margin import GridSearch, KNeighborsClassifier, NaiveBayes
from margin.cli.app import cli
from margin.data import catalog
from margin.errors import ExportError, NotFittedError
from margin.export import onnx_inputs, run_onnx
from margin.persistence import save


@pytest.fixture(scope="module")
def credit():
    return catalog.load("credit").target("risk")


def test_a_model_exports_itself_and_checks_made_up_rows(credit, tmp_path):
    X, y = credit
    model = NaiveBayes().fit(X, y)
    graph = model.to_onnx(tmp_path / "credit.onnx", check=True)
    assert [value.name for value in graph.graph.input] == list(X.inputs().names)
    found = run_onnx(tmp_path / "credit.onnx", onnx_inputs(model, X))
    assert found["label"].tolist() == model.predict(X).tolist()
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(X), rtol=1e-9)


def test_a_model_that_learnt_nothing_cannot_be_exported(tmp_path):
    with pytest.raises(NotFittedError, match="to_onnx"):
        NaiveBayes().to_onnx(tmp_path / "nothing.onnx")


def test_a_saved_model_is_exported_at_the_terminal(credit, tmp_path):
    X, y = credit
    search = GridSearch(NaiveBayes(), {"alpha": [0.5, 1.0]}, cv=2, random_state=0).fit(X, y)
    save(search, tmp_path / "search.margin")
    done = CliRunner().invoke(cli, ["model", "export", str(tmp_path / "search.margin"), str(tmp_path / "out.onnx")])
    assert done.exit_code == 0, done.output
    assert "answers made-up rows as the model does" in done.output
    onnx.checker.check_model(onnx.load(tmp_path / "out.onnx"))


def test_what_has_no_form_in_onnx_is_refused_and_nothing_is_written(credit, tmp_path):
    X, y = credit
    save(KNeighborsClassifier(metric="heom").fit(X, y), tmp_path / "knn.margin")
    done = CliRunner().invoke(cli, ["model", "export", str(tmp_path / "knn.margin"), str(tmp_path / "out.onnx")])
    assert done.exit_code == 2
    assert "heom" in done.output
    assert not (tmp_path / "out.onnx").exists()
    with pytest.raises(ExportError, match="heom"):
        KNeighborsClassifier(metric="heom").fit(X, y).to_onnx()
