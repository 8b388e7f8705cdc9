"""Models around models: calibration, abstaining, searches."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base import Classifier
from margin.bayes.calibrated_classifier import LEAST, SUREST, CalibratedClassifier, CalibratedModel
from margin.bayes.threshold_classifier import ThresholdClassifier
from margin.data.labels import codes_of, label_array
from margin.errors import ExportError
from margin.export.answer import Answer, answer
from margin.export.columns import RawRows
from margin.export.graph import Graph
from margin.export.maps import shares
from margin.selection.search.search import Search
from margin.svm.reject import Reject

__all__ = ["inner_answer"]


def inner_answer(model: Any, rows: RawRows, who: str) -> Answer:
    """What a model inside another says to the same raw rows."""
    if not isinstance(model, Classifier):
        raise ExportError(
            f"to_onnx({who}): the model inside, {type(model).__name__}, is none of margin's, and only those can be "
            "said in ONNX here (export it with the tools of its own package)."
        )
    return answer(model, rows)


def _places(model: Any, inner: Any, who: str) -> np.ndarray:
    """Where the classes of the model inside stand among those of the one around it."""
    return codes_of(label_array(inner.classes_, who), model.classes_).astype(np.int64)


def _passed_on(model: Any, rows: RawRows, who: str) -> tuple[Answer, Answer]:
    """What the model inside says, and the same under the classes of the one around it."""
    graph, inner = rows.graph, model.model_
    said = inner_answer(inner, rows, who)
    if said.more_labels:
        raise ExportError(f"to_onnx({who}): the model inside answers labels that are no classes; give it a class.")
    places, n = _places(model, inner, who), len(model.classes_)
    assert said.winner is not None
    winner = said.winner if np.array_equal(places, np.arange(n)) else graph("Gather", places, said.winner)
    probabilities = said.probabilities
    if probabilities is not None:
        probabilities = graph.widened(probabilities, places, n, 0.0, rows.count())
    scores = said.scores if len(places) == n else None
    return said, Answer(winner, probabilities, scores, abstained=said.abstained)


@answer.register
def _(model: Search, rows: RawRows) -> Answer:
    if "model_" not in model.__dict__:
        raise ExportError(
            f"to_onnx({type(model).__name__}(refit=False)): there is no classifier to export (fit with refit=True)."
        )
    return _passed_on(model, rows, type(model).__name__)[1]


@answer.register
def _(model: Reject, rows: RawRows) -> Answer:
    graph = rows.graph
    said, passed = _passed_on(model, rows, "Reject")
    always = model.threshold_ == -np.inf and model.target_error is None and model.cost is None
    if always:
        abstained = graph.flat(graph.repeated(np.array([False]), rows.count()))
    else:
        sure = _confidence(graph, said, len(model.model_.classes_), model._kind(), rows)
        abstained = graph.flat(graph("Not", graph("Greater", sure, float(model.threshold_))))
    if passed.abstained is not None:
        abstained = graph("Or", abstained, passed.abstained)
    return Answer(passed.winner, passed.probabilities, passed.scores, abstained=abstained)


def _confidence(graph: Graph, said: Answer, n_classes: int, kind: str, rows: RawRows) -> str:
    """The probability of the answered class, or how far its score lies above the best of the others."""
    assert said.winner is not None
    mine = graph.as_column(said.winner)
    if kind == "probability":
        assert said.probabilities is not None
        return graph("GatherElements", said.probabilities, mine, axis=1)
    if n_classes == 1:
        return graph.repeated(np.array([np.inf]), rows.count())
    if said.scores is None:
        raise ExportError("to_onnx(Reject(confidence='margin')): the model inside has no scores in ONNX.")
    if n_classes == 2:
        return graph("Where", graph("Equal", mine, 1), said.scores, graph("Neg", said.scores))
    is_mine = graph("Equal", mine, np.arange(n_classes).reshape(1, -1))
    own = graph("GatherElements", said.scores, mine, axis=1)
    return graph("Sub", own, graph.largest(graph("Where", is_mine, -np.inf, said.scores)))


@answer.register
def _(model: ThresholdClassifier, rows: RawRows) -> Answer:
    graph, n_classes = rows.graph, len(model.classes_)
    _, passed = _passed_on(model, rows, "ThresholdClassifier")
    if model.threshold is None or n_classes == 1:
        return passed
    assert passed.probabilities is not None
    is_positive = (np.arange(n_classes) == model.place_of_positive()).reshape(1, -1)
    enough = graph("GreaterOrEqual", passed.probabilities, float(model.threshold))
    # A share of 2 beats every other; one of -1 never wins.
    told = graph("Where", enough, np.float64(2.0), np.float64(-1.0))
    shares_told = graph("Where", is_positive, told, passed.probabilities)
    return Answer(graph.winner(shares_told), passed.probabilities, passed.scores, abstained=passed.abstained)


@answer.register
def _(model: CalibratedClassifier, rows: RawRows) -> Answer:
    graph, n_classes = rows.graph, len(model.classes_)
    found = [_calibrated(each, rows, n_classes) for each in model.calibrated_]
    total = found[0]
    for more in found[1:]:
        total = graph("Add", total, more)
    if len(found) > 1:
        total = graph("Div", total, float(len(found)))
    return Answer(graph.winner(total), total)


def _calibrated(each: CalibratedModel, rows: RawRows, n_classes: int) -> str:
    graph = rows.graph
    if each.map is None:  # it knows a single class
        certain = np.zeros(n_classes)
        certain[each.places] = 1.0
        return graph.repeated(certain, rows.count())
    said = inner_answer(each.model, rows, "CalibratedClassifier")
    known = len(each.places)
    mapped = shares(each.map, graph, _scores_of(graph, each, said, known), 1 if known == 2 else known)
    return graph.widened(mapped, each.places.astype(np.int64), n_classes, 0.0, rows.count())


def _scores_of(graph: Graph, each: CalibratedModel, said: Answer, n_classes: int) -> str:
    """What the map was learnt from: scores, probabilities or their log-odds."""
    densities = getattr(each.model, "decisions_are_densities", False)
    if hasattr(each.model, "decision_function") and not densities:
        if said.scores is None:
            raise ExportError(
                f"to_onnx(CalibratedClassifier): the scores of {type(each.model).__name__} cannot be said in ONNX."
            )
        return said.scores
    assert said.probabilities is not None
    if each.method == "temperature":
        logs = graph("Log", graph("Add", said.probabilities, LEAST))
        if n_classes != 2:
            return logs
        return graph("Sub", graph.columns(logs, [1]), graph.columns(logs, [0]))
    if each.scores == "log_odds" or densities:
        found = _log_odds(graph, said, n_classes)
    else:
        found = said.probabilities
    return graph.columns(found, [1]) if n_classes == 2 else found


def _log_odds(graph: Graph, said: Answer, n_classes: int) -> str:
    """log p - log(1 - p) for each class, the latter as the sum of the others', which loses no digits near 1."""
    logs = said.log_probabilities
    if logs is None:
        assert said.probabilities is not None
        logs = graph("Log", said.probabilities)
    logs = graph("Max", logs, -2 * SUREST)
    rest = []
    for k in range(n_classes):
        others = graph.columns(logs, [i for i in range(n_classes) if i != k])
        top = graph.largest(others)
        rest.append(graph("Add", top, graph("Log", graph.sums(graph("Exp", graph("Sub", others, top))))))
    return graph("Clip", graph("Sub", logs, graph.side_by_side(rest)), -SUREST, SUREST)
