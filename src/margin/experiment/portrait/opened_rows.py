"""The rows of the opened test: which stand behind each cell of the confusion matrix, and what thresholds do to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.data import Table
from margin.evaluation import Evaluation
from margin.experiment.portrait.parts import CellRows, Cutoffs, Mistake
from margin.experiment.read_out import label_text
from margin.experiment.table_prediction import share_of_answer
from margin.report.phrases import number

__all__ = ["cells_of", "cutoffs_of", "identifier_of", "worst_mistakes"]

#: Rows named for a cell, cells of which rows are named, and mistakes that are told one by one.
ROWS_NAMED, MOST_CELLS, MOST_MISTAKES = 12, 60, 8
#: Cut-offs that are counted at: 0, 0.01, …, 1.
STEPS = 100


def identifier_of(table: Table) -> str:
    """The first column that names the rows; empty where none does."""
    return next((column.name for column in table.schema if column.kind == "identifier"), "")


def _sureness(opened: Evaluation) -> np.ndarray:
    """How probable each answer was called; the same for all where nothing is known of it."""
    if opened.probabilities is None:
        return np.full(len(opened.rows), np.nan)
    return np.asarray(share_of_answer(opened.predictions, opened.classes, opened.probabilities), dtype=np.float64)


def cells_of(opened: Evaluation, inputs: Table, numbers: np.ndarray) -> tuple[CellRows, ...]:
    """The rows behind each cell of the confusion matrix, mistakes first, the fullest cells first.

    ``numbers`` says which row of the table each row of ``inputs`` is.
    """
    names = _names(inputs)
    order = np.argsort(-np.nan_to_num(_sureness(opened)), kind="stable").tolist()
    cells: dict[tuple[str, str], list[int]] = {}
    truth, given = np.asarray(opened.truth).tolist(), np.asarray(opened.predictions).tolist()
    for place in order:
        if given[place] is not None:
            cells.setdefault((label_text(truth[place]), label_text(given[place])), []).append(int(opened.rows[place]))
    ranked = sorted(cells.items(), key=lambda cell: (cell[0][0] == cell[0][1], -len(cell[1])))
    return tuple(
        CellRows(true, said, len(rows), tuple(int(numbers[row]) + 1 for row in rows[:ROWS_NAMED]),
                 tuple(names[row] for row in rows[:ROWS_NAMED]) if names else ())
        for (true, said), rows in ranked[:MOST_CELLS]
    )  # fmt: skip


def _names(inputs: Table) -> list[str]:
    column = identifier_of(inputs)
    return ["" if value is None else str(value) for value in inputs.values(column).tolist()] if column else []


def worst_mistakes(opened: Evaluation, inputs: Table, numbers: np.ndarray, columns: list[str]) -> tuple[Mistake, ...]:
    """The wrong answers that were surest, with the cells of some columns."""
    sure, names = _sureness(opened), _names(inputs)
    truth, given = np.asarray(opened.truth).tolist(), np.asarray(opened.predictions).tolist()
    wrong = [place for place in range(len(truth)) if given[place] is not None and given[place] != truth[place]]
    wrong.sort(key=lambda place: -float(np.nan_to_num(sure[place])))
    found = []
    for place in wrong[:MOST_MISTAKES]:
        row = int(opened.rows[place])
        share = None if np.isnan(sure[place]) else float(sure[place])
        cells = {name: _shown(inputs, name, row) for name in columns}
        said = label_text(truth[place]), label_text(given[place])
        found.append(Mistake(int(numbers[row]) + 1, names[row] if names else "", *said, share, cells))
    return tuple(found)


def _shown(inputs: Table, name: str, row: int) -> str:
    value = inputs.values(name)[row]
    if value is None or value != value:
        return "missing"
    return number(float(value)) if inputs.schema[name].is_numeric else str(value)


def cutoffs_of(opened: Evaluation, positive: Any) -> Cutoffs | None:
    """What each cut-off would do; None where there are not two classes or no probabilities."""
    classes = opened.classes.tolist()
    if len(classes) != 2 or positive not in classes or opened.probabilities is None:
        return None
    place = classes.index(positive)
    chances, true = opened.probabilities[:, place], np.asarray(opened.answers.truth) == place
    steps = np.arange(STEPS + 1) / STEPS
    called = chances[:, None] >= steps
    return Cutoffs(
        label_text(positive),
        label_text(classes[1 - place]),
        int(true.sum()),
        int((~true).sum()),
        tuple((called & true[:, None]).sum(axis=0).tolist()),
        tuple((called & ~true[:, None]).sum(axis=0).tolist()),
    )
