"""Saving and loading: the ``.margin`` file as people use it.

The header of format 2 holds ``margin`` (the version that wrote it), ``kinds`` (each kind in it with the version of
its state), ``objects`` (each behind everything that it holds, the model last), ``arrays``, and ``sections``: notes that
are no part of the model, each with whether a reader may skip it if it does not know it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

import margin
from margin.errors import PersistenceError
from margin.persistence import format1, witness
from margin.persistence.container.files import written_whole
from margin.persistence.container.header import canonical
from margin.persistence.container.limits import Malformed, NewerKind
from margin.persistence.container.reading import MemorySource, Opened, open_container
from margin.persistence.container.writing import FileSink, MemorySink, write
from margin.persistence.kinds import BY_CLASS, BY_NAME
from margin.persistence.objects.packing import ObjectPacker
from margin.persistence.objects.unpacking import ObjectUnpacker
from margin.persistence.opening import Header, header_of, opened, opened_source, refusals, sections_of

__all__ = ["convert", "from_bytes", "load", "save", "to_bytes", "verify"]


def save(model: Any, path: str | os.PathLike[str], *, about: dict[str, Any] | None = None, rows: Any = None) -> Path:
    """Write a fitted model to a file, whole or not at all.

    The file holds numbers and texts only, never code, and a few rows with the model's answers to them, by which
    :func:`load` finds out whether it still answers the same. They are made up from the ranges and levels of the
    columns, so that no training row stands in the file; ``rows`` gives others. ``about`` is any JSON-like note to keep.

    >>> import tempfile
    >>> from margin.data import Column, Schema
    >>> path = save(Schema([Column("age", "numeric")]), Path(tempfile.mkdtemp()) / "schema.margin")
    >>> load(path)
    Schema(age: numeric)
    """
    document, arrays = _document(model, about, rows)
    try:
        return written_whole(path, lambda descriptor: write(FileSink(descriptor), document, arrays))
    except Malformed as wrong:
        raise PersistenceError(f"save: {wrong}.") from None


def to_bytes(model: Any, *, about: dict[str, Any] | None = None, witnessed: bool = False) -> bytes:
    """The file that :func:`save` would write, in memory; without witness rows unless they are asked for."""
    document, arrays = _document(model, about, None if witnessed else False)
    sink = MemorySink()
    try:
        write(sink, document, arrays)
    except Malformed as wrong:
        raise PersistenceError(f"save: {wrong}.") from None
    return bytes(sink.content)


def _document(model: Any, about: dict[str, Any] | None, rows: Any) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Header without the table of arrays, and the arrays; ``rows`` False is no witness rows."""
    packer = ObjectPacker(BY_CLASS, BY_NAME)
    try:
        packer.add_object(model)
        notes = _checked_notes(about)
        seen = None if rows is False else witness.record(model, rows, packer)
    except Malformed as wrong:
        what = type(model).__name__
        raise PersistenceError(f"save({what}): {_readable(wrong)}.") from None
    except RecursionError:
        raise PersistenceError(f"save({type(model).__name__}): it holds itself, or is nested too deeply.") from None
    sections = {"about": {"data": notes, "optional": True}, "outline": {"data": packer.outline(), "optional": True}}
    if seen is not None:
        sections["witness"] = {"data": seen, "optional": True}
    document = {
        "kinds": packer.versions(),
        "margin": margin.__version__,
        "objects": packer.objects,
        "sections": sections,
    }
    return document, packer.arrays


def _checked_notes(about: dict[str, Any] | None) -> dict[str, Any]:
    try:
        canonical(about or {})
    except (TypeError, ValueError, RecursionError) as error:
        raise PersistenceError(f"save(about=...): about must be plain JSON ({error}).") from None
    return dict(about or {})


def _readable(wrong: Malformed) -> str:
    return f"{wrong.where.lstrip('.')} {wrong.why}" if wrong.where else wrong.why


def load(path: str | os.PathLike[str], *, mmap: bool = False, check: bool = True) -> Any:
    """The model that :func:`save` wrote. Nothing in the file is executed; what does not fit together is refused.

    With ``mmap`` large arrays stay in the file and are shared between processes: loading takes milliseconds, whatever
    the size, and their digests are not checked (:func:`verify` does that). The file must then stay as it is while the
    model is used. ``check=False`` takes a model that answers its witness rows otherwise than where it was saved.
    """
    with opened(path, "load", open_container, format1.as_format_2) as found:
        return _model(found, mapped=mmap, check=check and not mmap)[0]


def from_bytes(content: bytes) -> Any:
    """The model that :func:`to_bytes` gave."""
    with refusals("from_bytes"):
        found = opened_source(MemorySource(content), "from_bytes", open_container, format1.as_format_2)
        return _model(found, mapped=False, check=True)[0]


#: Pickles name this function; they must find it wherever it is written.
from_bytes.__module__ = "margin.persistence"


def verify(path: str | os.PathLike[str]) -> Header:
    """Read a whole file: digests, structure, and the answers to its witness rows; its header, if all of it holds."""
    with opened(path, "verify", open_container, format1.as_format_2) as found:
        found.check_digests()
        _model(found, mapped=True, check=True)
        return header_of(found)


def convert(old: str | os.PathLike[str], new: str | os.PathLike[str]) -> Path:
    """Write the model of a file, of whichever format, as a file of the current one; its notes stay as they are.

    Witness rows that the file has are kept, and answered before they are believed; others are made up.
    """
    if os.path.realpath(old) == os.path.realpath(new):
        raise PersistenceError(f"convert({str(old)!r}): the new file must not be the old one (name another).")
    with opened(old, "convert", open_container, format1.as_format_2) as found:
        model, seen = _model(found, mapped=False, check=True)
        about = header_of(found).about
    return save(model, new, about=about, rows=None if seen is None else seen.rows)


def _model(found: Opened, *, mapped: bool, check: bool) -> tuple[Any, witness.Witness | None]:
    """The model of an open file, and its witness rows."""
    head = found.header
    if not isinstance(head.get("margin"), str):
        raise Malformed("it names no version of margin")
    if head.keys() != {"arrays", "kinds", "margin", "objects", "sections"}:
        raise Malformed("the header must have arrays, kinds, margin, objects and sections")
    sections = sections_of(head)
    mapped = mapped and found.can_be_mapped
    arrays = found.mapped() if mapped else found.arrays()
    try:
        reader = ObjectUnpacker(BY_NAME, BY_CLASS, head["kinds"], arrays, mapped=mapped)
    except NewerKind as newer:
        raise NewerKind(f"written by margin {head['margin'][:40]}: {newer}") from None
    with np.errstate(all="ignore"):  # checks may compute with whatever stands in a file, and say it in words
        model = reader.root(head["objects"])
        seen = witness.Witness(sections["witness"], reader, model) if "witness" in sections else None
        reader.check_nothing_is_left()
        same = all(version >= BY_NAME[name].answers_since for name, version in head["kinds"].items())
        if seen is not None and check and same:
            seen.compare(model)
    return model, seen
