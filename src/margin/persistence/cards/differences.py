"""What two model files differ in: kind, parameters, columns, classes, learnt values and notes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.persistence.cards.card import Card, CardColumn, CardModel, card
from margin.persistence.container.reading import Opened, open_container
from margin.persistence.objects.outline import WITNESS
from margin.persistence.opening import opened, sections_of

__all__ = ["Difference", "differences"]


@dataclass(frozen=True)
class Difference:
    """One thing in which two files differ.

    ``part`` is one of kind, parameter, column, classes, array, value and note; ``name`` says which. Where something is
    not there at all, ``old`` or ``new`` is None; of arrays they are the shapes. ``says`` tells what the two do not.
    """

    part: str
    name: str
    old: Any = None
    new: Any = None
    says: str = ""


def differences(old: str | os.PathLike[str], new: str | os.PathLike[str]) -> tuple[Difference, ...]:
    """What the models of two files, and the notes beside them, differ in; nothing where they are the same.

    How a file is written does not count: format, version of margin, witness rows. When it was made does, as a note.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from margin import MajorityClassifier, persistence
    >>> folder, X = Path(tempfile.mkdtemp()), [[1.0], [2.0], [3.0]]
    >>> one = persistence.save(MajorityClassifier().fit(X, ["no", "no", "yes"]), folder / "one.margin")
    >>> two = persistence.save(MajorityClassifier().fit(X, ["no", "yes", "yes"]), folder / "two.margin")
    >>> [(each.part, each.name, each.says) for each in differences(one, two)]
    [('array', 'majority.priors', '2 of 2 cells differ, by up to 0.3333')]
    """
    first, second = card(old), card(new)
    if first.digest == second.digest:
        return ()
    found = [*_models(first.model, second.model), *_columns(first, second), *_classes(first, second)]
    with opened(old, "diff", open_container) as a, opened(new, "diff", open_container) as b:
        found += _arrays(a, b)
        found += _values(a, b)
    found += _notes(first.about, second.about)
    return tuple(found)


def _models(old: CardModel, new: CardModel, path: str = "") -> Iterator[Difference]:
    """Kinds and parameters, of models inside too."""
    if old.kind != new.kind:
        yield Difference("kind", path or "model", old.kind, new.kind)
        return
    if old.fitted != new.fitted:
        yield Difference("kind", path or "model", says=f"only the {'first' if old.fitted else 'second'} has learnt")
    for name in _either(old.parameters, new.parameters):
        if not _same(old.parameters.get(name), new.parameters.get(name)):
            yield Difference("parameter", f"{path}{name}", old.parameters.get(name), new.parameters.get(name))
    if len(old.inside) != len(new.inside):
        yield Difference("kind", f"{path}models inside", len(old.inside), len(new.inside))
    for i, (one, other) in enumerate(zip(old.inside, new.inside)):
        yield from _models(one, other, f"{path}{one.field}[{i}].")


def _columns(old: Card, new: Card) -> Iterator[Difference]:
    if old.n_columns != new.n_columns:
        yield Difference("column", "number of columns", old.n_columns, new.n_columns)
    before, after = ({column.name: column for column in each.columns} for each in (old, new))
    for name in _either(before, after):
        one, other = before.get(name), after.get(name)
        if one is None or other is None:
            yield Difference("column", name, one and one.kind, other and other.kind)
        elif one != other:
            yield Difference("column", name, _told(one), _told(other))
    if list(before) != list(after) and before.keys() == after.keys():
        yield Difference("column", "order", says="the columns come in another order")


def _told(column: CardColumn) -> str:
    if column.low is not None:
        return f"{column.kind}, {column.low:g} to {column.high:g}"
    if column.n_levels is None:
        return column.kind
    return f"{column.kind}, {column.n_levels:,} levels: {', '.join(map(str, column.levels))}"


def _classes(old: Card, new: Card) -> Iterator[Difference]:
    for name in ("class_type", "classes", "outputs"):
        one, other = getattr(old, name), getattr(new, name)
        if one != other:
            yield Difference("classes", name.replace("_", " "), one, other)


def _arrays(old: Opened, new: Opened) -> Iterator[Difference]:
    """Field by field: other shapes, or how many cells differ and by how much."""
    before, after = _by_field(old), _by_field(new)
    for name in _either(before, after):
        one, other = before.get(name, []), after.get(name, [])
        if len(one) != len(other):
            yield Difference("array", name, len(one), len(other), says="another number of arrays")
            continue
        for i, (a, b) in enumerate(zip(one, other)):
            where = name if len(one) == 1 else f"{name}[{i}]"
            yield from _cells(where, old, a, new, b)


def _by_field(found: Opened) -> dict[str, list[int]]:
    outline = sections_of(found.header).get("outline")
    if not isinstance(outline, dict) or len(outline.get("arrays", ())) != len(found.buffers):
        return {"arrays": list(range(len(found.buffers)))}
    fields: dict[str, list[int]] = {}
    for number, at in enumerate(outline["arrays"]):
        fields.setdefault(str(outline["fields"][at]), []).append(number)
    fields.pop(WITNESS, None)
    return fields


def _cells(name: str, old: Opened, a: int, new: Opened, b: int) -> Iterator[Difference]:
    one, other = old.buffers[a], new.buffers[b]
    if (one.dtype, one.shape) != (other.dtype, other.shape):
        yield Difference("array", name, _form(one), _form(other))
        return
    if one.digests == other.digests and one.order == other.order:
        return
    first, second = old.array(a), new.array(b)
    differ = first != second
    if first.dtype.kind == "f":
        differ &= ~(np.isnan(first) & np.isnan(second))
    if not differ.any():  # the same numbers in another memory order, or 0 and -0
        return
    says = f"{int(differ.sum()):,} of {differ.size:,} cells differ"
    if first.dtype.kind in "iuf":
        with np.errstate(all="ignore"):
            gap = np.abs(first[differ].astype(np.float64) - second[differ].astype(np.float64))
        largest = float(gap.max())
        says += f", by up to {largest:.4g}" if np.isfinite(largest) else ", one of them without limit"
    yield Difference("array", name, says=says)


def _form(buffer: Any) -> str:
    return f"{' × '.join(map(str, buffer.shape)) or 'one number'} of {buffer.dtype.lstrip('<|')}"


def _values(old: Opened, new: Opened) -> Iterator[Difference]:
    """Single values of states, where both files hold the same kinds in the same order.

    Arrays and objects stand in states as bare numbers: where there are other arrays, whole numbers say nothing.
    """
    before, after = (found.header["objects"] for found in (old, new))
    if [node.get("kind") for node in before] != [node.get("kind") for node in after]:
        return
    aligned = _by_field(old) == _by_field(new)
    for one, other in zip(before, after):
        if one["kind"] in ("schema", "columns", "table"):
            continue
        first, second = dict(_leaves(one.get("state"))), dict(_leaves(other.get("state")))
        for path in _either(first, second):
            values = first.get(path), second.get(path)
            is_number = any(type(value) is int for value in values)
            if not path.startswith("classes") and values[0] != values[1] and (aligned or not is_number):
                yield Difference("value", f"{one['kind']}.{path}", *values)


def _leaves(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(node, dict):
        for key, item in node.items():
            yield from _leaves(item, f"{path}.{key}" if path else str(key))
    elif isinstance(node, list):
        for i, item in enumerate(node):
            yield from _leaves(item, f"{path}[{i}]")
    else:
        yield path, node


def _notes(old: dict[str, Any], new: dict[str, Any], path: str = "") -> Iterator[Difference]:
    for name in _either(old, new):
        one, other = old.get(name), new.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            yield from _notes(one, other, f"{path}{name}.")
        elif not _same(one, other):
            yield Difference("note", f"{path}{name}", one, other)


def _either(old: Any, new: Any) -> list[Any]:
    """The keys of both, in order."""
    return list(dict.fromkeys([*old, *new]))


def _same(one: object, other: object) -> bool:
    """Equality in which NaN is NaN, and 1 is neither True nor 1.0."""
    return repr(one) == repr(other)
