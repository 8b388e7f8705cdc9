"""Nothing in a graph is rounded to float32: neither as it is written, nor as onnxruntime rewrites it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from margin import ErrorCorrectingCodes
from margin.export import to_onnx
from margin.export.graph import Graph
from tests.contract.estimators import frame, numbers
from tests.export.test_every_model import REFUSED_ON_WORDS, every_model, votes_with_probabilities

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.MarginWarning")


def single_numbers(graph) -> list[str]:
    """Whatever in a graph is float32: tensors, inputs, outputs, casts, and numbers that rounding has changed."""
    single = {onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16}
    found = [t.name for t in graph.initializer if t.data_type in single]
    found += [
        v.name for v in [*graph.input, *graph.output, *graph.value_info] if v.type.tensor_type.elem_type in single
    ]
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.TENSOR and attribute.t.data_type in single:
                found.append(f"{node.op_type}.{attribute.name}")
            if attribute.type == onnx.AttributeProto.FLOAT and attribute.f not in (0.0, 1.0):
                found.append(f"{node.op_type}.{attribute.name}={attribute.f}")
            if attribute.type == onnx.AttributeProto.FLOATS and len(attribute.floats):
                found.append(f"{node.op_type}.{attribute.name}")
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i in single:
                found.append("Cast")
    return found


def rewritten(proto, path):
    """The graph after all that onnxruntime does to it by default."""
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(path)
    options.log_severity_level = 3
    onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return onnx.load(str(path))


@every_model
def test_every_number_is_a_double(model, tmp_path):
    if isinstance(model, ErrorCorrectingCodes) and hasattr(model, "predict_proba"):
        pytest.skip("its probabilities have no graph, which the test of every model looks at")
    if votes_with_probabilities(model):
        pytest.skip("its members' votes have no graph, which the test of every model looks at")
    protos = [to_onnx(clone(model).fit(*numbers()))]
    if repr(model) not in REFUSED_ON_WORDS:
        protos.append(to_onnx(clone(model).fit(*frame())))
    for proto in protos:
        assert single_numbers(proto.graph) == []
        assert single_numbers(rewritten(proto, tmp_path / "rewritten.onnx").graph) == []
        onnx.checker.check_model(proto)


def test_a_product_of_rounded_numbers_would_be_found(tmp_path):
    graph = Graph()
    rows = graph.input("X", "DOUBLE", 2)
    weights = np.array([[1.0], [2.0]])
    graph.output("scores", graph("Mul", graph("MatMul", rows, weights), 0.1), "DOUBLE", 1)
    proto = graph.model("product", {}, "0")
    assert single_numbers(proto.graph) == []
    assert single_numbers(rewritten(proto, tmp_path / "a.onnx").graph) != []


def test_a_constant_of_float32_is_refused():
    with pytest.raises(TypeError, match="float32 is none of double"):
        Graph().constant(np.float32(0.1))
