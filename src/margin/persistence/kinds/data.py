"""Tables and what their columns are."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from margin.data.schema import KINDS as COLUMN_KINDS
from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.persistence.container.limits import Malformed
from margin.persistence.objects.arrays import Array
from margin.persistence.objects.fields import Object, Packer, Text, TupleOf, Unpacker, Whole, within
from margin.persistence.objects.kind import Kind, attributes_of
from margin.persistence.objects.packing import Legacy
from margin.persistence.objects.values import Levels, Texts

__all__ = ["KINDS"]


class ColumnsField:
    """Columns side by side: names and reasons as texts, kinds as runs, levels of those that have any."""

    def pack(self, value: Any, to: Packer) -> dict[str, Any]:
        columns = [each.attributes if isinstance(each, Legacy) else attributes_of(each) for each in value]
        levels = [(i, column["levels"]) for i, column in enumerate(columns) if len(column["levels"])]
        return {
            "kinds": [[kind, len(list(run))] for kind, run in itertools.groupby(c["kind"] for c in columns)],
            "levels": [[i, within(f"[{i}].levels", Levels().pack, each, to)] for i, each in levels],
            "names": Texts().pack([str(column["name"]) for column in columns], to),
            "reasons": Texts().pack([str(column["reason"]) for column in columns], to),
        }

    def unpack(self, node: Any, of: Unpacker) -> tuple[Column, ...]:
        if not isinstance(node, dict) or node.keys() != {"kinds", "levels", "names", "reasons"}:
            raise Malformed("must be columns")
        names, reasons = Texts().unpack(node["names"], of), Texts().unpack(node["reasons"], of)
        kinds, levels = _kinds(node["kinds"], len(names)), dict(_levels(node["levels"], len(names), of))
        if len(reasons) != len(names):
            raise Malformed("there must be a reason for every column")
        return tuple(_column(*each, levels.get(i, ())) for i, each in enumerate(zip(names, kinds, reasons)))


def _kinds(runs: Any, n: int) -> list[str]:
    pairs = runs if isinstance(runs, list) and all(isinstance(run, list) and len(run) == 2 for run in runs) else None
    if pairs is None or not all(kind in COLUMN_KINDS and type(times) is int and times > 0 for kind, times in pairs):
        raise Malformed("must be kinds of columns, each with how often it comes")
    if sum(times for _, times in pairs) != n:
        raise Malformed("there must be a kind for every column")
    return [kind for kind, times in pairs for _ in range(times)]


def _levels(pairs: Any, n: int, of: Unpacker) -> Iterator[tuple[int, tuple[Any, ...]]]:
    if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise Malformed("must be levels, each with the column they are of")
    before = -1
    for at, node in pairs:
        if type(at) is not int or not before < at < n:
            raise Malformed("must be levels of columns in their order")
        before = at
        yield at, within(f"[{at}].levels", Levels().unpack, node, of)


def _column(name: str, kind: Any, reason: str, levels: tuple[Any, ...]) -> Column:
    if kind == "numeric" and levels:
        raise Malformed(f"column {name!r} is numeric and has levels")
    if kind == "nominal" and len({type(level) for level in levels}) == 1 and list(levels) != sorted(levels):
        raise Malformed(f"the levels of column {name!r} must be sorted")
    return Column(name, kind, levels, reason)


def _table(values: dict[str, Any]) -> Table:
    # Codes are looked at before a table is made of them: levels are found by code.
    return Table(values["schema"], values["_columns"], values["name"], values["n_rows"])


def _codes_fit(table: Table) -> str | None:
    for column in table.schema:
        cells = table.cells(column.name)
        if not column.is_numeric and len(cells) and not -1 <= cells.min() <= cells.max() < len(column.levels):
            return f"column {column.name!r} holds codes that stand for no level"
    return None


KINDS = (
    Kind(
        "schema",
        Schema,
        {"_columns": ColumnsField()},
        derived=frozenset({"_positions"}),
        build=lambda values: Schema(values["_columns"]),
    ),
    Kind(
        "table",
        Table,
        {
            "schema": Object("schema"),
            "name": Text(),
            "_columns": TupleOf(Array("f8 i4", "n")),
            "n_rows": Whole(size="n"),
        },
        build=_table,
        check=_codes_fit,
    ),
)
