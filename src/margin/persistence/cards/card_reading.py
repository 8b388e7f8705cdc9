"""The parts of a card out of a header: columns, classes, ranges, models inside, sizes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from margin.persistence.cards.plain import Plain, object_of
from margin.persistence.cards.words import MISSING, title
from margin.persistence.container.head import Head
from margin.persistence.container.limits import Malformed
from margin.persistence.opening import sections_of

__all__ = ["CardReader"]

#: Models within models that a card tells of, all in all.
MOST_MODELS = 10_000
#: Columns that a card describes; it always says how many there are.
MOST_COLUMNS = 10_000


class CardReader:
    """Reads what everyone may know of a file. It believes nothing but the header's form: numbers are looked up."""

    def __init__(self, head: Head) -> None:
        self._header = head.header
        self._buffers = head.buffers
        self._plain = Plain(head)
        self.root = len(self._header["objects"]) - 1
        sections = sections_of(self._header)
        self._fields, self._inside = _checked_outline(sections.get("outline"), len(head.buffers), self.root)
        self._witness = sections.get("witness")
        self._models = list(self._walk(self.root))

    def model(self, number: int) -> tuple[str, str, bool, dict[str, Any]]:
        """Kind, title, whether it has learnt, and the parameters of a model."""
        node = object_of(self._header, number)
        given = node.get("parameters", {})
        if not isinstance(given, dict):
            raise Malformed("parameters must be an object")
        parameters = {name: self._plain.value(item) for name, item in given.items()}
        return node["kind"], title(node["kind"]), node.get("state") is not None, parameters

    def inside(self, number: int) -> list[tuple[int, str]]:
        """The models that a model holds, with the fields they stand in."""
        return self._inside.get(number, [])

    def _walk(self, number: int) -> Iterator[int]:
        """A model and those inside it; a file in which that never ends is refused."""
        waiting, n = [number], 0
        while waiting:
            number, n = waiting.pop(), n + 1
            if n > MOST_MODELS:
                raise Malformed(f"there are more than {MOST_MODELS:,} models inside")
            yield number
            waiting.extend(inner for inner, _ in reversed(self.inside(number)))

    def _state(self, number: int) -> dict[str, Any]:
        state = object_of(self._header, number).get("state")
        return state if isinstance(state, dict) else {}

    def _held(self, number: int, field: str, *kinds: str) -> tuple[str, dict[str, Any]] | None:
        """Kind and state of the object in a field; None where there is none of these kinds."""
        held = self._state(number).get(field)
        if type(held) is not int or not 0 <= held < number:
            return None
        node = object_of(self._header, held)
        state = node.get("state")
        return (node["kind"], state) if node["kind"] in kinds and isinstance(state, dict) else None

    # Columns

    def columns(self) -> tuple[int, list[tuple[Any, ...]], bool]:
        """How many columns there are, the first of them, and whether they have names.

        Of each: name, kind, number of levels, first levels, smallest and largest number.
        """
        n, described, text = self._described()
        ranges = self._ranges(n, described, text)
        if described is None:
            first_ones = range(min(n, MOST_COLUMNS))
            return n, [(f"x{i}", "numeric", None, (), *ranges.get(i, (None, None))) for i in first_ones], False
        found = []
        for i, (name, kind, levels) in enumerate(described[:MOST_COLUMNS]):
            kind = "text" if name in text else kind
            n_levels, first = (None, []) if kind in ("numeric", "text") else self._plain.levels(levels)
            found.append((name, kind, n_levels, tuple(first), *ranges.get(i, (None, None))))
        return n, found, True

    def _described(self) -> tuple[int, list[tuple[str, str, Any]] | None, frozenset[str]]:
        """How many columns there are, name, kind and levels of each if they have names, and which are free text."""
        kind = object_of(self._header, self.root)["kind"]
        if kind == "schema":
            schema = self._state(self.root)
        elif kind == "table":
            held = self._held(self.root, "schema", "schema")
            schema = held[1] if held else {}
        else:
            held = self._held(self.root, "columns", "columns")
            if held is None or type(held[1].get("n")) is not int or not 0 <= held[1]["n"] < 2**31:
                return 0, None, frozenset()
            if held[1].get("schema") is None:
                return held[1]["n"], None, frozenset()
            node = object_of(self._header, held[1]["schema"])
            schema = node["state"] if isinstance(node.get("state"), dict) else {}
            listed = held[1].get("text", [])
            return (*self._schema(schema), frozenset(listed if isinstance(listed, list) else []))
        return (*self._schema(schema), frozenset())

    def _schema(self, schema: dict[str, Any]) -> tuple[int, list[tuple[str, str, Any]]]:
        node = schema.get("columns")
        if not isinstance(node, dict) or not isinstance(node.get("kinds"), list):
            raise Malformed("must be columns")
        n, names = self._plain.texts(node.get("names"))
        kinds = _runs(node["kinds"], n)
        pairs = node.get("levels", [])
        if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            raise Malformed("must be levels, each with the column they are of")
        levels = dict(pair for pair in pairs if type(pair[0]) is int)
        if len(names) < n:  # too long for a look
            names = [f"column {i + 1}" for i in range(n)]
        return n, [(name, kind, levels.get(i, [])) for i, (name, kind) in enumerate(zip(names, kinds))]

    def _ranges(
        self, n: int, described: list[tuple[str, str, Any]] | None, text: frozenset[str]
    ) -> dict[int, tuple[float, float]]:
        """Smallest and largest number of each column of numbers, by its place; of the first model that knows them."""
        for number in self._models:
            at = self._state(number).get("ranges")
            if not self._plain.is_array(at):
                continue
            # Where ordinal columns are ranks, they have a range among the numbers.
            ranked = self._held(number, "encoder", "numeric-encoder") is not None
            kinds = ("numeric", "ordinal") if ranked else ("numeric",)
            numbered: Sequence[int] = range(n)
            if described is not None:
                numbered = [i for i, (name, kind, _) in enumerate(described) if kind in kinds and name not in text]
            cells = self._plain.cells(at) if self._plain.shape(at) == (2, len(numbered)) else None
            if cells is None or self._buffers[at].dtype != "<f8":
                continue
            ends = zip(cells[::2], cells[1::2]) if self._buffers[at].order == "F" else _halves(cells)
            return {
                i: (low, high)
                for i, (low, high) in zip(numbered, ends)
                if math.isfinite(low) and math.isfinite(high) and (described is None or described[i][1] == "numeric")
            }
        return {}

    def missing(self) -> str:
        """What becomes of missing cells; of models that hand rows on, what the first inside does."""
        found = ""
        for number in self._models:
            held = self._held(number, "encoder", *MISSING)
            if held is not None:
                found = found if found and held[0] == "as-given-encoder" else MISSING[held[0]]
                if held[0] != "as-given-encoder":
                    break
        return found

    # Classes

    def classes(self) -> tuple[str, tuple[Any, ...] | None, tuple[tuple[Any, ...] | None, ...]]:
        """Type of the classes, the classes, or those of each output where there are several."""
        for number in self._models:
            node = self._state(number).get("classes")
            if isinstance(node, dict):
                kind, labels = self._plain.labels(node)
                return kind, None if labels is None else tuple(labels), ()
            if isinstance(node, list) and len(node) == 2 and isinstance(node[1], dict):
                kind, labels = self._plain.labels(node[1])
                return kind, None if labels is None else tuple(labels), ()
            if isinstance(node, list) and len(node) == 2 and isinstance(node[1], list) and node[1]:
                each = [self._plain.labels(one) for one in node[1]]
                return each[0][0], None, tuple(None if labels is None else tuple(labels) for _, labels in each)
        return "", None, ()

    # Sizes

    def witness_rows(self) -> int:
        """How many rows with answers the file holds."""
        rows = self._witness.get("rows") if isinstance(self._witness, dict) else None
        return self._plain.shape(rows)[0] if self._plain.is_array(rows) and self._plain.shape(rows) else 0

    def parts(self) -> list[tuple[str, int, int]]:
        """Field, bytes and number of its arrays, largest first."""
        found: dict[str, list[int]] = {}
        for buffer, field in zip(self._buffers, self._fields):
            part = found.setdefault(field, [0, 0])
            part[0] += buffer.n_bytes
            part[1] += 1
        parts = [(field, n_bytes, n_arrays) for field, (n_bytes, n_arrays) in found.items()]
        return sorted(parts, key=lambda part: (-part[1], part[0]))


def _halves(cells: list[float]) -> Iterator[tuple[float, float]]:
    return zip(cells[: len(cells) // 2], cells[len(cells) // 2 :])


def _runs(runs: list[Any], n: int) -> list[str]:
    kinds: list[str] = []
    for run in runs:
        if not isinstance(run, list) or len(run) != 2 or not isinstance(run[0], str) or type(run[1]) is not int:
            raise Malformed("must be kinds of columns, each with how often it comes")
        kinds.extend([run[0]] * max(0, min(run[1], n - len(kinds))))
    if len(kinds) != n:
        raise Malformed("there must be a kind for every column")
    return kinds


def _checked_outline(section: Any, n_arrays: int, root: int) -> tuple[list[str], dict[int, list[tuple[int, str]]]]:
    """The field of each array, and the models that each model holds; what does not fit the file is left aside."""
    section = section if isinstance(section, dict) else {}
    names, arrays, entries = (section.get(name) for name in ("fields", "arrays", "inside"))
    fields = ["arrays"] * n_arrays
    if isinstance(names, list) and isinstance(arrays, list) and len(arrays) == n_arrays:
        fields = [str(names[at]) if type(at) is int and 0 <= at < len(names) else "arrays" for at in arrays]
    inside: dict[int, list[tuple[int, str]]] = {}
    for entry in entries if isinstance(entries, list) else []:
        if not isinstance(entry, list) or len(entry) != 3 or not all(type(number) is int for number in entry[:2]):
            continue
        number, holder, field = entry
        if 0 <= number < holder <= root:
            inside.setdefault(holder, []).append((number, str(field)))
    return fields, inside
