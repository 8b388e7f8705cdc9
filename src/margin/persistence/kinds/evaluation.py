"""Scores with their intervals, and what searches are told: protocols, and metrics with options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from margin.evaluation.intervals.interval import Interval, Score
from margin.evaluation.metrics.definitions import METRICS
from margin.evaluation.metrics.metric import CaseMetric, CountMetric, Metric, StatisticMetric
from margin.evaluation.protocols.bootstrap import Bootstrap
from margin.evaluation.protocols.given import Given
from margin.evaluation.protocols.groups import GroupFolds, GroupHoldOut
from margin.evaluation.protocols.stratified import HoldOut, LeaveOneOut, StratifiedFolds, TrainingData
from margin.evaluation.protocols.time_order import TimeHoldOut, TimeOrdered
from margin.evaluation.protocols.unstratified import Folds, RepeatedHoldOut, TrainValidationTest
from margin.persistence.container.limits import Malformed
from margin.persistence.objects.fields import (
    ANY_NUMBER,
    Field,
    Fixed,
    Flag,
    Maybe,
    Number,
    Object,
    Packer,
    Text,
    TupleOf,
    Unpacker,
    Whole,
)
from margin.persistence.objects.kind import Kind
from margin.persistence.objects.values import Value

__all__ = ["KINDS", "SHARE"]

SHARE, SEED, COUNT = Number(0, 1), Whole(0), Whole(1)


class MetricName:
    """The name of one of margin's metrics; another one is a function, and files hold no code."""

    def pack(self, value: object, to: Packer) -> str:
        if value not in METRICS:
            raise Malformed(f"is no metric of margin ({value!r}), and files hold no code (name one that margin has)")
        return str(value)

    def unpack(self, node: Any, of: Unpacker) -> str:
        return Text(known=lambda: METRICS).unpack(node, of)


def _metric(cls: type) -> Callable[[dict[str, Any]], Metric]:
    def build(values: dict[str, Any]) -> Metric:
        found = METRICS[values["base"]]
        options = dict(values["options"])
        if type(found) is not cls or len(options) < len(values["options"]):
            raise Malformed(f"{values['base']!r} is another kind of metric, or has an option twice")
        chosen = found.with_options(**options)
        try:
            hash(chosen.options)
        except TypeError:
            raise Malformed(f"an option of {values['base']!r} holds what cannot be compared") from None
        return chosen

    return build


def _metric_kind(name: str, cls: type[Metric]) -> Kind:
    fields: dict[str, Field] = {"base": MetricName(), "options": TupleOf(Fixed(Text(), Value(objects=False)))}
    by_name = frozenset(cls.__dataclass_fields__) - fields.keys()
    return Kind(name, cls, fields, derived=by_name, build=_metric(cls))


def _protocol(name: str, cls: type, fields: Mapping[str, Field]) -> Kind:
    # Made as people make it, so that its own checks are run.
    return Kind(name, cls, fields, build=lambda values: cls(**values))


KINDS: tuple[Kind, ...] = (
    Kind(
        "interval",
        Interval,
        {"low": ANY_NUMBER, "high": ANY_NUMBER, "confidence": SHARE, "method": Text()},
    ),
    Kind("score", Score, {"value": ANY_NUMBER, "interval": Maybe(Object("interval")), "how": Text()}),
    _metric_kind("count-metric", CountMetric),
    _metric_kind("case-metric", CaseMetric),
    _metric_kind("statistic-metric", StatisticMetric),
    _protocol("training-data", TrainingData, {}),
    _protocol("hold-out", HoldOut, {"test_share": SHARE, "seed": SEED}),
    _protocol("stratified-folds", StratifiedFolds, {"folds": COUNT, "repeats": COUNT, "seed": SEED}),
    _protocol("leave-one-out", LeaveOneOut, {}),
    _protocol("folds", Folds, {"folds": COUNT, "repeats": COUNT, "shuffle": Flag(), "seed": SEED}),
    _protocol("repeated-hold-out", RepeatedHoldOut, {"test_share": SHARE, "times": COUNT, "seed": SEED}),
    _protocol(
        "train-validation-test",
        TrainValidationTest,
        {"validation_share": SHARE, "test_share": SHARE, "refit": Flag(), "seed": SEED},
    ),
    _protocol("group-folds", GroupFolds, {"groups": Value(), "folds": COUNT, "repeats": COUNT, "seed": SEED}),
    _protocol("group-hold-out", GroupHoldOut, {"groups": Value(), "test_share": SHARE, "seed": SEED}),
    _protocol("time-ordered", TimeOrdered, {"times": Value(), "folds": COUNT, "gap": Value(), "window": Value()}),
    _protocol("time-hold-out", TimeHoldOut, {"times": Value(), "at": Value(), "test_share": SHARE, "gap": Value()}),
    _protocol("given-splits", Given, {"splits": Value(objects=False)}),
    _protocol("bootstrap", Bootstrap, {"times": COUNT, "estimate": Text(), "stratified": Flag(), "seed": SEED}),
)
