"""Networks: the weights of all layers as one array, and what the optimiser remembers of them.

Letters: ``w`` weights and intercepts of all layers; ``e`` epochs; ``o`` outputs.
"""

from __future__ import annotations

from typing import Any

from margin.deep.mlp.classifier import MLPClassifier
from margin.deep.mlp.regressor import MLPRegressor
from margin.deep.mlp.weights import n_weights
from margin.persistence.kinds.base import NUMERIC, classifier, model
from margin.persistence.objects.arrays import Array, at_least, finite, positive
from margin.persistence.objects.fields import Field, Flag, Maybe, TupleOf, Whole
from margin.persistence.objects.kind import Kind

__all__ = ["KINDS"]

DERIVED = frozenset({"_network"})
COUNT = Whole(0, 2**53)
LAYERS: dict[str, Field] = {
    "units_": TupleOf(Whole(0, 2**31)),
    "_flat": Array("f8 f4", "w", finite),
    "_first": Maybe(Array("f8 f4", "w", finite)),
    "_second": Maybe(Array("f8 f4", "w", at_least(0), finite)),
    "_steps": COUNT,
    "loss_curve_": Array("f8", "e", finite),
    "learning_rates_": Array("f8", "e", at_least(0), finite),
    "gradient_norms_": Array("f8", "e", at_least(0)),
    "validation_scores_": Maybe(Array("f8", "e")),
    "best_epoch_": COUNT,
    "n_iter_": COUNT,
    "t_": COUNT,
}


def _fits(made: Any, n_outputs: int) -> str | None:
    units = made.units_
    if len(units) < 2 or min(units[1:]) < 1 or units[0] != NUMERIC.where["d"](made._encoder):
        return "its layers are those of other columns, or have no units"
    if units[-1] != n_outputs:
        return "its outputs are those of other targets"
    if n_weights(units) != len(made._flat):
        return "it has more or fewer weights than its layers"
    if (made._first is None) != (made._second is None):
        return "it remembers half of what its optimiser needs"
    if made.n_iter_ != len(made.loss_curve_) or made.best_epoch_ > made.n_iter_:
        return "it counts other epochs than there were"
    return None


def _ready(made: Any) -> None:
    made._network = made._answering_of(made._flat)


def _classes_fit(made: Any) -> str | None:
    return _fits(made, len(made.classes_) if len(made.classes_) > 2 else 1)


def _numbers_fit(made: Any) -> str | None:
    if not made._several and len(made._target_center) != 1:
        return "it answers one number and has several outputs"
    return _fits(made, len(made._target_center))


KINDS: tuple[Kind, ...] = (
    classifier(
        "mlp-classifier", MLPClassifier, LAYERS, sees=NUMERIC, check=_classes_fit, derived=DERIVED, finish=_ready
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
