"""New rows, read the way the training table was, and the answers for them."""

from __future__ import annotations

import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from margin.data import Schema, Table
from margin.data.frames.object_cells import codes_of_values
from margin.data.predictions import Predictions
from margin.data.readers import read_asked, request_of
from margin.data.readers.libsvm import LIBSVM_REASON
from margin.data.readers.parts import parts_of
from margin.data.readers.witness import ReadWhole, Witness
from margin.errors import DataError, DataWarning, PersistenceError, closest, listing
from margin.evaluation.predictions.from_model import predict_all

__all__ = [
    "Answers",
    "about_model",
    "answers",
    "new_rows_in_parts",
    "read_new_rows",
    "several_answers",
    "share_of_answer",
    "targets_of",
    "told_of_unseen",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class Answers(Predictions):
    """A class for each row, with the probabilities of all classes where the model gives them.

    ``identifiers`` are the columns that name rows; ``truth`` is there where the new rows held the target too;
    ``new_categories`` counts, column by column, the cells of each category that was not there at fit.
    """

    classes: tuple[Any, ...]
    identifiers: dict[str, np.ndarray]
    truth: np.ndarray | None
    new_categories: dict[str, Counter[Any]] = field(default_factory=dict)

    @property
    def unseen(self) -> tuple[str, ...]:
        """A sentence for each column that holds categories which were not there at fit: how many cells, and which."""
        return told_of_unseen(self.new_categories)

    @property
    def _known(self) -> np.ndarray:
        """Which rows have a truth that the model could have answered."""
        truth = [] if self.truth is None else self.truth.tolist()
        return np.array([label in self.classes for label in truth], dtype=bool)

    @property
    def n_known(self) -> int:
        return int(self._known.sum())

    @property
    def n_right(self) -> int:
        """How many answers are what the new rows say themselves."""
        known = self._known
        truth = [] if self.truth is None else self.truth[known].tolist()
        return sum(given == true for given, true in zip(self.labels[known].tolist(), truth))

    @property
    def strange(self) -> tuple[Any, ...]:
        """Values of the target in the new rows that are no class of the model, each once."""
        truth = [] if self.truth is None else self.truth.tolist()
        present = [label for label in truth if label is not None and label == label]
        return tuple(label for label in dict.fromkeys(present) if label not in self.classes)


def share_of_answer(labels: np.ndarray, classes: Iterable[Any], probabilities: np.ndarray) -> np.ndarray:
    """The probability of each answer, which need not be the largest; the largest where nothing was answered.

    >>> share_of_answer(np.array(["a", "b"]), ("a", "b"), np.array([[0.2, 0.8], [0.4, 0.6]]))
    array([0.2, 0.6])
    """
    place = {label: code for code, label in enumerate(classes)}
    shares = np.column_stack([probabilities, probabilities.max(axis=1)]) if len(probabilities) else probabilities
    return shares[np.arange(len(shares)), [place.get(label, -1) for label in labels.tolist()]]


def about_model(table: Table, target: str, labels: np.ndarray, reading: dict[str, Any]) -> dict[str, Any]:
    """What a saved model must know to read new rows: the target, the columns with their kinds, and how to read.

    Whether the file had a header is kept as found: in a file of one row it could not be guessed.
    """
    nameless = all(re.fullmatch(r"column\d+", name) for name in table.names)
    header = reading.get("header", "auto")
    missing = reading.get("missing")
    return {
        "target": target,
        "label_type": type(labels.tolist()[0]).__name__,
        "table": table.name,
        "columns": [[column.name, column.kind] for column in table.schema],
        "header": header if header != "auto" else not nameless,
        "separator": reading.get("separator", "auto"),
        "missing": None if missing is None else list(missing),
        "skip": reading.get("skip") or 0,
        "sheet": reading.get("sheet"),
        "coerce": bool(reading.get("coerce", False)),
        "dropped": list(reading.get("drop") or ()),
        "chosen": bool(reading.get("only")),
    }


def read_new_rows(
    path: str | os.PathLike[str], about: dict[str, Any], told: dict[str, Any] | None = None, extra: str = "refuse"
) -> Table:
    """A file read like the training table: same header, marks and kinds; the target may be absent.

    ``told`` are options of :func:`margin.data.read` that differ for this file. Columns that the model does not know
    are refused unless ``extra`` is ``"ignore"``.
    """
    options, kinds = _options(about, told)
    witness = Witness(dict(about["columns"]), in_parts=False)

    def reader(**asked: Any) -> Table:
        request = replace(request_of(**asked), witness=witness)
        return read_asked(path, request, asked.get("drop"), asked.get("only"))

    table = _read_like(reader, options, kinds, about, extra)
    witness.warn_of_coerced()
    return table


def new_rows_in_parts(
    path: str | os.PathLike[str], about: dict[str, Any], told: dict[str, Any] | None = None, extra: str = "refuse"
) -> Iterator[tuple[Table, float]]:
    """The same rows, some at a time, with how much of the file is done; ReadWhole where they might differ."""
    options, kinds = _options(about, told)
    by_name = bool(options["header"])
    if kinds:
        raise ReadWhole("kinds of columns are told anew.")
    witness = Witness(dict(about["columns"]) if by_name else {}, others=None if by_name else "nominal")
    names: tuple[str, ...] = ()
    for part in parts_of(path, options, witness):
        table = _read_like(part.read, options, {}, about, extra)
        names = names or table.names
        if table.names != names:
            raise ReadWhole("a column is there only in some parts.")
        yield table, part.share
    witness.warn_of_coerced()


def _options(about: dict[str, Any], told: dict[str, Any] | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """How a file is read, as the training table was or as is told; and the kinds that are told."""
    if "columns" not in about:
        raise PersistenceError(
            "the model does not say how its table was read (it must come from margin compare --save)."
        )
    options: dict[str, Any] = {name: about.get(name) for name in ("header", "separator", "missing")}
    options |= {name: about[name] for name in ("skip", "coerce") if about.get(name)}
    options |= {name: value for name, value in (told or {}).items() if value not in (None, False, 0, "auto")}
    if (told or {}).get("header") is False:
        options["header"] = False
    if told is not None and told.get("skip") is not None:
        options["skip"] = told["skip"]
    return options, dict(options.pop("kinds", None) or {})


def _read_like(
    reader: Callable[..., Table], options: dict[str, Any], kinds: dict[str, Any], about: dict[str, Any], extra: str
) -> Table:
    """What a reader of new rows gives for the options of the training table, in the kinds of its columns."""
    about = about | {"header": options["header"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # what the columns are is known from training
        table = _named(_read_wide_enough(reader, options, about), about)
        learnt = {name: kind for name, kind in about["columns"] if name in table.schema}
        numeric = {name for name, kind in learnt.items() if (kind == "numeric") != table.schema[name].is_numeric}
        if about["header"] and (numeric or kinds):
            table = reader(**options, kinds={name: learnt[name] for name in numeric} | kinds)
    return _known_columns(table, about, extra)


def _known_columns(table: Table, about: dict[str, Any], extra: str) -> Table:
    """The table without columns that were dropped before training, or that the caller wants ignored."""
    known = [name for name, _ in about["columns"]]
    strange = [name for name in table.names if name not in known]
    if extra != "ignore" and not about.get("chosen"):
        strange = [name for name in strange if name in about.get("dropped", ())]
    if strange and len(strange) < len(table.names):
        table = table.drop(*strange)
    _check_columns(table, about)
    return table


def _read_wide_enough(reader: Callable[..., Table], options: dict[str, Any], about: dict[str, Any]) -> Table:
    """The file as it is or, where its format leaves columns of zeros out (LIBSVM), with the columns of the model."""
    table = reader(**options)
    targets = targets_of(about)
    absent = {name: kind for name, kind in about["columns"] if name not in table.schema and name not in targets}
    if absent and all(column.reason == LIBSVM_REASON for column in table.schema if column.is_numeric):
        table = reader(kinds=absent, **options)
    return table


def _named(table: Table, about: dict[str, Any]) -> Table:
    """Columns without names take those of the training table, by position, with or without the target."""
    if about["header"]:
        return table
    wanted = [(name, kind) for name, kind in about["columns"]]
    targets = targets_of(about)
    if len(table.names) == len(wanted) - len(targets):
        wanted = [(name, kind) for name, kind in wanted if name not in targets]
    if len(table.names) != len(wanted):
        raise DataError(
            f"{table.name}: there must be {len(about['columns']) - 1} columns, or one more with the target, "
            f"as in the training table, but there are {len(table.names)}."
        )
    columns = [replace(column, name=name) for column, (name, _) in zip(table.schema, wanted)]
    renamed = Table(Schema(columns), [table.cells(column.name) for column in table.schema], table.name)
    for name, kind in wanted:
        if renamed.schema[name].kind != kind:
            renamed = renamed.with_kind(name, kind)
    return renamed


def _check_columns(table: Table, about: dict[str, Any]) -> None:
    known = [name for name, _ in about["columns"]]
    extra = [name for name in table.names if name not in known]
    absent = [name for name, kind in about["columns"] if name not in table.schema and name not in targets_of(about)]
    absent = [name for name in absent if dict(about["columns"])[name] not in ("identifier", "text")]
    if absent:
        near = closest(absent[0], extra)
        raise DataError(f"{table.name}: column {listing(absent)} is missing; the model was fitted with it{near}.")
    if extra:
        raise DataError(
            f"{table.name}: column {listing(extra)} was not there at fit; columns are {listing(known)} "
            "(extra='ignore' or --extra ignore leaves it out)."
        )


def targets_of(about: dict[str, Any]) -> list[str]:
    """The columns that a saved model answers."""
    return about.get("targets") or [about["target"]]


def several_answers(model: Any, table: Table, about: dict[str, Any]) -> tuple[dict[str, list[Any]], dict[str, int]]:
    """The answers of a model of several targets as columns, and how many of each agree with the rows, if these tell."""
    targets = targets_of(about)
    inputs = table.drop(*(name for name in targets if name in table.names))
    said = np.asarray(model.predict(inputs), dtype=object)
    columns: dict[str, list[Any]] = {"row": list(range(1, len(said) + 1))}
    names_rows = {name for name, kind in about["columns"] if kind == "identifier"}
    columns |= {c.name: table.values(c.name).tolist() for c in inputs.schema if c.name in names_rows}
    columns |= {name: said[:, j].tolist() for j, name in enumerate(targets)}
    right = {
        name: sum(a == b for a, b in zip(columns[name], table.values(name).tolist()))
        for name in targets
        if name in table.names
    }
    return columns, right


def answers(model: Any, table: Table, about: dict[str, Any]) -> Answers:
    """The model's answers for the rows of a table."""
    target = about["target"]
    truth = table.values(target) if target in table.schema else None
    inputs = table.drop(target) if target in table.schema else table
    predicted = predict_all(model, inputs)
    names_rows = {name for name, kind in about.get("columns", ()) if kind == "identifier"}
    identifiers = {
        c.name: table.values(c.name) for c in inputs.schema if c.kind == "identifier" or c.name in names_rows
    }
    return Answers(
        predicted.labels,
        predicted.probabilities,
        predicted.scores,
        predicted.seconds,
        classes=tuple(model.classes_.tolist()),
        identifiers=identifiers,
        truth=truth,
        new_categories=unseen_categories(model, inputs),
    )


def unseen_categories(model: Any, table: Table) -> dict[str, Counter[Any]]:
    """How many cells of each column hold a category that was not there at fit, by category."""
    found = {}
    for column in getattr(model, "schema_", None) or ():
        if column.name not in table.schema:
            continue
        given = table.schema[column.name]
        if column.is_numeric or given.is_numeric or not column.levels or given.levels == column.levels:
            continue
        known = codes_of_values(column.levels, given.levels)
        cells = table.cells(column.name)
        strange = cells[(cells >= 0) & (known[cells] < 0)]
        if len(strange):
            codes, times = np.unique(strange, return_counts=True)
            found[column.name] = Counter({given.levels[code]: int(n) for code, n in zip(codes, times)})
    return found


def told_of_unseen(found: dict[str, Counter[Any]]) -> tuple[str, ...]:
    """A sentence for each column, with its categories in order."""
    told = []
    for name, cells in found.items():
        n = cells.total()
        told.append(
            f"{name}: {n:,} cell{'s' * (n > 1)} ({listing(sorted(cells))}) hold{'s' * (n == 1)} a category that was "
            "not there at fit, and count as missing."
        )
    return tuple(told)
