"""Which rows a network learns from: all, those that are not held out, or further ones that come later."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from margin.base.inputs.arrays import row_count
from margin.base.representations.representation import TrainingRows
from margin.base.targets.labels import encode_labels, named_classes
from margin.base.targets.multi_output import output_columns
from margin.base.targets.numbers import encode_targets
from margin.data.label_sets import sets_of
from margin.data.labels import codes_of
from margin.errors import InputError, LabelError, listing
from margin.random import generator
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["HeldOut", "codes_among", "codes_of_several", "read_further", "read_split", "rows_held_out"]


@dataclass(frozen=True)
class HeldOut:
    """Rows that are not learnt from, as the model sees them."""

    X: Any
    y: np.ndarray
    weight: np.ndarray


def read_split(
    model: Any, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None, who: str, validation: Any = None
) -> tuple[Any, np.ndarray, TrainingRows, HeldOut | None]:
    """Learn columns, targets and encoder; the rows to learn from, and those to judge by, if there are any.

    What the encoder knows comes from the rows that are learnt from alone.
    """
    if validation is not None:
        further = _pair(validation, who)
        learnt, targets, rows = model._read_rows(X, y, sample_weight, who)
        return learnt, targets, rows, _given(model, *further, f"{who}(validation=…)")
    if not model.early_stopping:
        return *model._read_rows(X, y, sample_weight, who), None
    rows = model._open_rows(X, sample_weight, who)
    targets = rows.of(model._read_targets(y, rows.n_given, who))
    held = rows_held_out(model, targets, who)
    keep, out = np.flatnonzero(~held), np.flatnonzero(held)
    inner = replace(
        rows,
        source=rows.source[keep],
        kept=rows.as_given(keep),
        weight=None if rows.weight is None else rows.weight[keep],
    )
    inner = model._with_targets(inner, targets[keep])
    learnt = model._learn_input(inner, who)
    model._warn_of_constant_columns(learnt.constant_columns(model._columns), len(keep), who)
    judged = HeldOut(model._encoder.encode(rows.source[out], who), targets[out], rows.weights()[out])
    return learnt.data, targets[keep], inner, judged


def _pair(validation: Any, who: str) -> tuple[Any, Any]:
    if not isinstance(validation, (tuple, list)) or len(validation) != 2:
        raise InputError(f"{who}(validation=…): validation must be a pair of rows and their targets, (X, y).")
    return validation[0], validation[1]


def _given(model: Any, X: TableLike, y: LabelsLike, who: str) -> HeldOut:
    """Further rows as the model sees them, with targets among those it has learnt."""
    source = model._columns.read(X, who, model._encoder.largest)
    n = row_count(source)
    if n == 0:
        raise InputError(f"{who}: there are no rows to judge by.")
    if not hasattr(model, "classes_"):
        targets = encode_targets(y, n, who, True)
    else:
        several = isinstance(model.classes_, list)
        targets = codes_of_several(model, y, n, who) if several else codes_among(model, y, n, who)
    return HeldOut(model._encoder.encode(source, who), targets, np.ones(n))


def rows_held_out(model: Any, y: np.ndarray, who: str) -> np.ndarray:
    """Which rows are held out: the same share of each class, and never all of one."""
    draw = generator(model.random_state, "network", "held out").random(len(y))
    strata = y if y.ndim == 1 and y.dtype.kind == "i" else np.zeros(len(y), dtype=np.int64)
    held = np.zeros(len(y), dtype=bool)
    for stratum in np.unique(strata):
        rows = np.flatnonzero(strata == stratum)
        held[rows[np.argsort(draw[rows], kind="stable")[: round(len(rows) * model.validation_fraction)]]] = True
    if held.sum() < 2 or held.all():
        raise InputError(
            f"{who}(early_stopping=True, validation_fraction={model.validation_fraction}): of {len(y)} rows "
            f"{int(held.sum())} would be held out, and there must be two at least, and others to learn from "
            "(give more rows or a larger share)."
        )
    return held


def read_further(
    model: Any, X: TableLike, y: LabelsLike, classes: Any, sample_weight: WeightsLike | None, who: str
) -> tuple[np.ndarray, np.ndarray, TrainingRows]:
    """Rows of one call of ``partial_fit``, seen through the columns and the encoder of the first call."""
    if not model.__sklearn_is_fitted__():
        rows = model._open_rows(X, sample_weight, who)
        targets = model._read_targets(y, rows.n_given, who)
        if classes is not None:
            found, model.classes_ = model.classes_, named_classes(classes, who)
            targets = _places(model.classes_, found, who)[targets]
        targets = rows.of(targets)
        rows = model._with_targets(rows, targets)
        return model._learn_input(rows, who).data, targets, rows
    source = model._columns.read(X, who, model._encoder.largest)
    if row_count(source) == 0:
        raise InputError(f"{who}: X has no rows to learn from: 0 sample(s) while a minimum of 1 is required.")
    targets = _further_targets(model, y, row_count(source), classes, who)
    rows = TrainingRows.that_count(source, sample_weight, who)
    targets = rows.of(targets)
    rows = model._with_targets(rows, targets)
    return model._encoder.encode(rows.source, who), targets, rows


def _further_targets(model: Any, y: LabelsLike, n_rows: int, classes: Any, who: str) -> np.ndarray:
    if not hasattr(model, "classes_"):
        values = encode_targets(y, n_rows, who, True)
        width = 1 if values.ndim == 1 else values.shape[1]
        if width != model.units_[-1]:
            raise InputError(f"{who}: y has {width} columns, and the first call had {model.units_[-1]}.")
        return values
    if classes is not None and named_classes(classes, who).tolist() != model.classes_.tolist():
        raise LabelError(
            f"{who}: classes={listing(named_classes(classes, who).tolist())} is not the same as on last call to "
            f"partial_fit, {listing(model.classes_.tolist())}."
        )
    return codes_among(model, y, n_rows, who)


def codes_among(model: Any, y: LabelsLike, n_rows: int, who: str) -> np.ndarray:
    """Labels as places among the classes of a fitted model."""
    found, codes = encode_labels(y, n_rows, who)
    return _places(model.classes_, found, who)[codes]


def codes_of_several(model: Any, y: LabelsLike, n_rows: int, who: str) -> np.ndarray:
    """Several columns of labels, or sets of them, as places among the classes of each target."""
    sets = sets_of(y, who)
    if sets is not None:
        known = {label: j for j, label in enumerate(model.labels_.tolist())} if "labels_" in vars(model) else {}
        strange = sorted({str(label) for each in sets for label in each if label not in known})
        if strange or len(sets) != n_rows:
            raise LabelError(f"{who}: y must be {n_rows} sets of labels that were learnt; {listing(strange)} were not.")
        codes = np.zeros((n_rows, len(known)), np.int32)
        for row, each in enumerate(sets):
            codes[row, [known[label] for label in each]] = 1
        return codes
    columns = output_columns(y, who)
    if columns is None or len(columns) != len(model.classes_):
        raise LabelError(f"{who}: y must have {len(model.classes_)} columns of labels, as at fit.")
    found = [encode_labels(column, n_rows, who) for column in columns]
    return np.column_stack(
        [_places(known, labels, who)[codes] for known, (labels, codes) in zip(model.classes_, found)]
    )


def _places(classes: np.ndarray, labels: np.ndarray, who: str) -> np.ndarray:
    """Where each of some labels stands among the classes; labels that are none of them are refused."""
    same_kind = (labels.dtype.kind == "b") == (classes.dtype.kind == "b")  # True is not the label 1
    known = set(classes.tolist()) if same_kind else set()
    strange = [label for label in labels.tolist() if label not in known]
    if strange:
        raise LabelError(
            f"{who}: label {listing(strange)} is not one of the classes {listing(classes.tolist())} "
            "(name all labels to come in classes= at the first call)."
        )
    return codes_of(labels, classes).astype(np.int32)
