"""Networks: the weights of all layers as one array, and what the optimiser remembers of them.

Letters: ``w`` weights and intercepts of all layers, the vectors of codes before them; ``r`` those of training, with
factors of batch norm; ``e`` epochs; ``o`` outputs.
"""

from __future__ import annotations

from typing import Any

from margin.deep.mlp.classifier import MLPClassifier
from margin.deep.mlp.regressor import MLPRegressor
from margin.deep.mlp.several_targets import group_widths
from margin.deep.mlp.weights import n_weights
from margin.persistence.kinds.base import NUMERIC, OUTPUTS, model
from margin.persistence.objects.arrays import Array, at_least, finite, positive
from margin.persistence.objects.fields import Absent, Field, Flag, Maybe, TupleOf, Whole
from margin.persistence.objects.kind import Kind
from margin.persistence.objects.values import Labels

__all__ = ["KINDS"]

DERIVED = frozenset({"_network"})
COUNT = Whole(0, 2**53)
LAYERS: dict[str, Field] = {
    "units_": TupleOf(Whole(0, 2**31)),
    "_flat": Array("f8 f4", "w", finite),
    "_first": Maybe(Array("f8 f4", "r", finite)),
    "_second": Maybe(Array("f8 f4", "r", at_least(0), finite)),
    "_steps": COUNT,
    "_raw": Absent(Array("f8 f4", "r", finite)),
    "_average": Absent(Maybe(Array("f8 f4", "r", finite))),
    "_norms": Absent(Maybe(Array("f8 f4", None, finite))),
    "_vector_widths": Absent(TupleOf(Whole(0, 2**16))),
    "loss_curve_": Array("f8", "e", finite),
    "learning_rates_": Array("f8", "e", at_least(0), finite),
    "gradient_norms_": Array("f8", "e", at_least(0)),
    "validation_scores_": Maybe(Array("f8", "e")),
    "best_epoch_": COUNT,
    "n_iter_": COUNT,
    "t_": COUNT,
    "stopped_": Absent(Flag(), lambda: False),
}


class _Classes:
    """Labels of one target or of several; files of networks that knew one target alone hold its labels as they are."""

    def pack(self, value: object, to: Any) -> Any:
        return OUTPUTS.pack(value, to)

    def unpack(self, node: Any, of: Any) -> Any:
        return (OUTPUTS if isinstance(node, list) else Labels("k", distinct=True)).unpack(node, of)


def _n_inputs(made: Any) -> int:
    encoder = made._encoder
    if not encoder.form.codes:
        return int(NUMERIC.where["d"](encoder))
    return len(encoder.fill) + sum(made._vector_widths)


def _fits(made: Any, n_outputs: int) -> str | None:
    units = made.units_
    if made._encoder.form.codes != ("_vector_widths" in vars(made)):
        return "its encoder gives codes, and it has no vectors for them, or the other way round"
    if len(vars(made).get("_vector_widths", ())) != len(made._encoder.one_hot) * made._encoder.form.codes:
        return "it has vectors for other columns"
    if len(units) < 2 or min(units[1:]) < 1 or units[0] != _n_inputs(made):
        return "its layers are those of other columns, or have no units"
    if units[-1] != n_outputs:
        return "its outputs are those of other targets"
    n = n_weights(units) + sum((levels + 1) * width for levels, width in made._vectors)
    if n != len(made._flat):
        return "it has more or fewer weights than its layers"
    return _history_fits(made, n)


def _history_fits(made: Any, n: int) -> str | None:
    """What the optimiser remembers, and the curves."""
    n_trained = n + sum(made.units_[1:-1]) * made.batch_norm
    remembered = made._first, made._second, *(vars(made).get(name) for name in ("_raw", "_average"))
    if any(each is not None and len(each) != n_trained for each in remembered):
        return "it remembers more or fewer weights than its layers"
    if (made._first is None) != (made._second is None):
        return "it remembers half of what its optimiser needs"
    if "_raw" in vars(made) and (made._norms is not None) != made.batch_norm:
        return "it has running means without batch norm, or the other way round"
    if made.n_iter_ != len(made.loss_curve_) or made.best_epoch_ > made.n_iter_:
        return "it counts other epochs than there were"
    return None


def _ready(made: Any) -> None:
    made._network = made._answering_of(made._flat)


def _classes_fit(made: Any) -> str | None:
    if isinstance(made.classes_, list):
        return _fits(made, sum(group_widths(made.classes_)))
    return _fits(made, len(made.classes_) if len(made.classes_) > 2 else 1)


def _numbers_fit(made: Any) -> str | None:
    if not made._several and len(made._target_center) != 1:
        return "it answers one number and has several outputs"
    return _fits(made, len(made._target_center))


KINDS: tuple[Kind, ...] = (
    model(
        "mlp-classifier",
        MLPClassifier,
        {"classes_": _Classes(), "outputs_2d_": Absent(Flag(), lambda: False), **LAYERS},
        sees=NUMERIC,
        check=_classes_fit,
        derived=DERIVED,
        finish=_ready,
    ),
    model(
        "mlp-regressor",
        MLPRegressor,
        {
            **LAYERS,
            "_several": Flag(),
            "_target_center": Array("f8", "o", finite),
            "_target_spread": Array("f8", "o", positive, finite),
        },
        sees=NUMERIC,
        check=_numbers_fit,
        derived=DERIVED,
        finish=_ready,
    ),
)
