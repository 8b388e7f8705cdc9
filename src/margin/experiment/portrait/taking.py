"""All that is told of the best model and of the sealed rows, once these were opened."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from margin.data import Table
from margin.data.schema import INPUT_KINDS
from margin.evaluation import Evaluation
from margin.experiment.portrait.columns import column_effects, column_worths
from margin.experiment.portrait.learnt import inner_of, tree_branches, weights_of
from margin.experiment.portrait.opened_rows import cells_of, cutoffs_of, worst_mistakes
from margin.experiment.portrait.parts import Portrait
from margin.experiment.read_out import label_text
from margin.experiment.result import TestScore

__all__ = ["portrait_of", "with_rows"]

#: Columns whose effect is drawn, and whose cells stand beside a mistake.
MOST_EFFECTS, MOST_CELLS = 3, 4


def portrait_of(
    model: Any, inputs: Table, opened: Evaluation, texts: frozenset[str], positive: Any, seed: int
) -> Portrait:
    """What a model goes by, seen on the sealed rows; ``texts`` are the columns of free text that it may read."""
    rows = inputs.take(opened.rows)
    columns = [column.name for column in inputs.schema if column.kind in INPUT_KINDS or column.name in texts]
    worths, asked, of = column_worths(model, rows, np.asarray(opened.truth).tolist(), columns, seed)
    drawable = [one.name for one in worths if inputs.schema[one.name].kind in ("numeric", "nominal", "ordinal")]
    needed = [name for name in drawable if next(one.value for one in worths if one.name == name) > 0]
    inner = inner_of(model)
    weights, n_weights, unit = weights_of(inner, positive)
    return Portrait(
        tuple(map(label_text, np.asarray(inner.classes_).tolist())) if hasattr(inner, "classes_") else (),
        asked,
        of,
        worths,
        column_effects(model, rows, needed[:MOST_EFFECTS], positive, seed) if needed else (),
        tree_branches(inner),
        weights,
        n_weights,
        unit,
        odds=hasattr(inner, "summary") and len({one.label for one in weights}) == 1,
    )


def with_rows(
    test: TestScore, opened: Evaluation, inputs: Table, numbers: np.ndarray, positive: Any, portrait: Portrait
) -> TestScore:
    """The sealed test with the rows behind its figures: cells, mistakes, and what every threshold would do."""
    return replace(
        test,
        cells=cells_of(opened, inputs, numbers),
        mistakes=worst_mistakes(opened, inputs, numbers, [one.name for one in portrait.worths[:MOST_CELLS]]),
        cutoffs=cutoffs_of(opened, positive),
    )
