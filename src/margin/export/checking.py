"""Whether a graph answers as its model does."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.errors import ExportError
from margin.export.running import onnx_inputs, run_onnx

__all__ = ["check_answers"]

#: How far probabilities, scores and values may be from the model's own, in parts of the largest of a row.
TOLERANCE = 1e-9


def check_answers(model: Any, graph: Any, X: Any) -> None:
    """Refuse a graph that answers other than its model to any of the rows X."""
    who = f"to_onnx({type(model).__name__})"
    found = run_onnx(graph, onnx_inputs(model, X))
    by_name = {name.rstrip("_"): values for name, values in found.items()}
    said = model.predict(X)
    if "value" in by_name:
        _compare(by_name["value"], said, "values", who)
        return
    passed = np.array([label is None for label in said], dtype=bool)
    if "abstained" in by_name and not np.array_equal(by_name["abstained"], passed):
        raise ExportError(f"{who}: the graph abstains on other rows than the model.")
    other = ~passed & (by_name["label"] != said)
    if other.any():
        row = int(other.argmax())
        raise ExportError(
            f"{who}: {int(other.sum())} of {len(said)} labels are not the model's own, first in row {row}: "
            f"{by_name['label'][row]!r} for {said[row]!r}."
        )
    if "probabilities" in by_name:
        _compare(by_name["probabilities"], model.predict_proba(X), "probabilities", who)
    elif "scores" in by_name:
        _compare(by_name["scores"], model.decision_function(X), "scores", who)


def _compare(found: np.ndarray, said: np.ndarray, what: str, who: str) -> None:
    said = np.asarray(said, dtype=np.float64).reshape(found.shape)
    if not said.size:
        return
    size = np.abs(said).max(axis=-1, keepdims=True) if said.ndim == 2 else np.abs(said)
    with np.errstate(invalid="ignore"):
        near = np.abs(found - said) <= TOLERANCE * np.maximum(size, 1e-300)
    off = ~(near | (found == said) | (np.isnan(found) & np.isnan(said)))
    if off.any():
        row = int(off.reshape(len(said), -1).any(axis=1).argmax())
        raise ExportError(
            f"{who}: {what} of the graph are not the model's own, first in row {row}: {found[row]} for {said[row]}."
        )
