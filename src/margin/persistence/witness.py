"""A few rows and the model's answers to them, kept in the file: whoever loads it sees whether they are still the same.

The rows are made up: each column takes values between its smallest and largest at fit, or its levels, by a fixed rule,
and the last row has missing cells. So no training row stands in a file unless it is given.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from margin.base.inputs.columns import Columns
from margin.data.table import Table
from margin.errors import MarginError, PersistenceError
from margin.persistence.container.limits import Malformed
from margin.persistence.objects.fields import Packer, Unpacker
from margin.persistence.objects.values import Labels

__all__ = ["Witness", "made_up_rows", "record", "rows_for"]

N_ROWS = 5
#: More rows than this are no witnesses, and more columns than this are too many to keep rows of.
MOST_ROWS, MOST_COLUMNS = 10, 20_000
#: Sums may differ in their last digits from one instruction set to another.
TOLERANCE = 1e-9
#: One part in each column's range: multiples of the golden section never come near each other.
GOLDEN = 0.6180339887498949


def record(model: Any, rows: Any, to: Packer) -> dict[str, Any] | None:
    """The section of a model; None where it has learnt nothing or no rows can be made up for it."""
    columns = getattr(model, "_columns", None)
    if not isinstance(columns, Columns) or columns.n == 0 or not hasattr(model, "predict"):
        return None
    cells = _given_rows(model, rows) if rows is not None else made_up_rows(model)
    if cells is None:
        return None
    try:
        answers = _answers(model, _opened(columns, cells))
    except MarginError as error:
        if rows is not None:
            raise Malformed(f"rows: {error}") from None
        return None  # a model that takes other rows than tables, such as texts or kernel values
    packed: dict[str, Any] = {"rows": to.add_array(cells)}
    if answers["labels"] is not None:
        packed["labels"] = Labels().pack(answers["labels"], to)
    if answers["numbers"] is not None:
        packed["numbers"] = to.add_array(answers["numbers"])
    return packed


def made_up_rows(model: Any) -> np.ndarray | None:
    """Rows within the ranges and levels of the columns, codes for levels and NaN for missing cells."""
    columns = model._columns
    if columns.n > MOST_COLUMNS:
        return None
    low, high = _ranges(model)
    row, column = np.arange(1, N_ROWS + 1)[:, None], np.arange(columns.n)[None, :]
    share = (row * GOLDEN + column * GOLDEN * GOLDEN) % 1.0
    cells = low + share * (high - low)
    if columns.schema is not None:
        for i, described in enumerate(columns.schema):
            n = len(described.levels)
            if not described.is_numeric:
                cells[:, i] = np.floor(share[:, i] * n) if n and described.name not in columns.text else np.nan
    cells[-1, ::3] = np.nan
    return np.ascontiguousarray(cells)


def rows_for(model: Any) -> Any:
    """Made-up rows as something the model can be asked about: a table, or an array."""
    cells = made_up_rows(model)
    return None if cells is None else _opened(model._columns, cells)


def _ranges(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest number of every column; of one that was empty, and where nothing is known, 0 and 1."""
    columns = model._columns
    low, high = np.zeros(columns.n), np.ones(columns.n)
    numbered = list(range(columns.n))
    if columns.schema is not None:
        kinds = ("numeric", "ordinal") if _has_ranks(model) else ("numeric",)
        numbered = [
            i for i, column in enumerate(columns.schema) if column.kind in kinds and column.name not in columns.text
        ]
    for inner in (model, *_inner_models(model)):
        found = getattr(inner, "_ranges", None)
        if found is not None and found.shape == (2, len(numbered)):
            with np.errstate(over="ignore", invalid="ignore"):
                there = np.isfinite(found).all(axis=0) & np.isfinite(found[1] - found[0]) & (found[0] <= found[1])
            at = np.asarray(numbered, dtype=np.int64)[there]
            low[at], high[at] = found[0][there], found[1][there]
            break
    return low, high


def _has_ranks(model: Any) -> bool:
    """Whether ordinal columns are numbers to the model: then they have a range among the others."""
    inner = next((each for each in (model, *_inner_models(model)) if hasattr(each, "_ranges")), model)
    return hasattr(inner._encoder, "numbered")


def _inner_models(model: Any) -> list[Any]:
    """The models that a model made of models asks."""
    found = [getattr(model, "model_", None), *(each.model for each in getattr(model, "calibrated_", ()))]
    inner = [each for each in found if hasattr(each, "_columns") and each._columns.n == model._columns.n]
    return inner + [deeper for each in inner for deeper in _inner_models(each)]


def _given_rows(model: Any, rows: Any) -> np.ndarray:
    """Rows of the user's as cells: numbers, or codes of the levels that were learnt."""
    source = model._columns.read(rows, f"save({type(model).__name__}, rows=…)")
    if isinstance(source, Table):
        coded = [(column.is_numeric, source.cells(column.name)) for column in model._columns.schema]
        source = np.column_stack(
            [cells if is_number else np.where(cells < 0, np.nan, cells) for is_number, cells in coded]
        )
    elif not isinstance(source, np.ndarray):
        source = source.toarray()
    if not 1 <= len(source) <= MOST_ROWS:
        raise Malformed(f"rows: there must be 1 to {MOST_ROWS}, not {len(source)}")
    return np.ascontiguousarray(source, dtype=np.float64)


def _opened(columns: Any, cells: np.ndarray) -> Any:
    """Cells as something a model can be asked about."""
    if columns.schema is None:
        return cells
    arrays = [
        cells[:, i] if column.is_numeric else np.where(np.isnan(cells[:, i]), -1, cells[:, i]).astype(np.int32)
        for i, column in enumerate(columns.schema)
    ]
    return Table(columns.schema, arrays)


def _answers(model: Any, rows: Any) -> dict[str, Any]:
    """Labels, and the numbers behind them: probabilities, scores, or the values of a regression."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        said, numbers = _asked(model, rows)
    said = np.asarray(said)
    if isinstance(numbers, list):  # several outputs: one matrix each
        numbers = np.column_stack(numbers)
    if not hasattr(model, "classes_"):
        return {"labels": None, "numbers": np.asarray(said, dtype=np.float64)}
    sets = said.dtype == object and said.size > 0 and isinstance(said.flat[0], frozenset)  # told by their numbers
    labels = None if said.ndim != 1 or sets else said
    return {"labels": labels, "numbers": None if numbers is None else np.ascontiguousarray(numbers, dtype=np.float64)}


def _asked(model: Any, rows: Any) -> tuple[Any, Any]:
    """Labels or values, and the numbers behind labels; from one search or walk where the model can do both at once."""
    if hasattr(model, "predict_proba"):
        if hasattr(model, "predict_with_proba"):
            labels, numbers = model.predict_with_proba(rows)
            return labels, numbers
        return model.predict(rows), model.predict_proba(rows)
    return model.predict(rows), model.decision_function(rows) if hasattr(model, "decision_function") else None


class Witness:
    """The section of a file, checked; ``compare`` asks the model again."""

    def __init__(self, node: Any, of: Unpacker, model: Any) -> None:
        columns = getattr(model, "_columns", None)
        if (
            columns is None
            or not isinstance(node, dict)
            or not {"rows"} <= node.keys() <= {"rows", "labels", "numbers"}
        ):
            raise Malformed("witness must have rows, and labels or numbers")
        self.cells = of.array(node["rows"])
        self.labels = Labels().unpack(node["labels"], of) if "labels" in node else None
        self.numbers = of.array(node["numbers"]) if "numbers" in node else None
        self._check(columns)
        self.rows = _opened(columns, self.cells)

    def _check(self, columns: Any) -> None:
        cells = self.cells
        if cells.dtype != np.float64 or cells.ndim != 2 or cells.shape[1] != columns.n or len(cells) > MOST_ROWS:
            raise Malformed("witness rows do not fit the columns")
        for answers in (self.labels, self.numbers):
            if answers is not None and len(answers) != len(cells):
                raise Malformed("there must be an answer for every witness row")
        if columns.schema is not None:
            coded = [i for i, column in enumerate(columns.schema) if not column.is_numeric]
            n_levels = np.array([len(columns.schema[i].levels) for i in coded])
            codes = cells[:, coded]
            known = ~np.isnan(codes)
            if not ((codes >= 0) & (codes < n_levels) & (codes % 1 == 0))[known].all():
                raise Malformed("witness rows hold codes that stand for no level of their column")

    def compare(self, model: Any) -> None:
        """Ask the model for its answers; others than those in the file are an error."""
        try:
            found = _answers(model, self.rows)
        except MarginError as error:
            raise Malformed(f"the model does not answer its witness rows ({error})") from None
        if self.numbers is not None and not _equal(found["numbers"], self.numbers):
            raise _other_answers()
        if self.labels is not None and not _same_labels(found["labels"], self.labels, self.numbers):
            raise _other_answers()


def _other_answers() -> PersistenceError:
    return PersistenceError(
        "load: the model answers its witness rows otherwise than where it was saved: the file was changed, or this "
        "machine computes differently (save the model anew; load(path, check=False) takes it as it is)."
    )


def _equal(found: Any, expected: np.ndarray) -> bool:
    if found is None or found.shape != expected.shape:
        return False
    with np.errstate(invalid="ignore"):
        near = np.abs(found - expected) <= TOLERANCE * np.maximum(1.0, np.abs(expected))
    return bool((near | (found == expected) | (np.isnan(found) & np.isnan(expected))).all())


def _same_labels(found: Any, expected: np.ndarray, numbers: np.ndarray | None) -> bool:
    """Whether labels are equal, rows aside in which two classes are as good as tied."""
    if found is None or found.shape != expected.shape:
        return False
    differ = np.array([a != b for a, b in zip(found.tolist(), expected.tolist())], dtype=bool)
    if numbers is None or not differ.any():
        return not differ.any()
    if numbers.ndim == 2 and numbers.shape[1] > 1:
        best = np.sort(numbers, axis=1)
        gap = best[:, -1] - best[:, -2]
    else:
        gap = np.abs(numbers.reshape(len(numbers), -1)[:, 0])
    return bool((gap[differ] <= TOLERANCE).all())
