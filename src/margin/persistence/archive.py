"""Saving and loading: the ``.margin`` file as people use it.

The header of format 2 holds ``margin`` (the version that wrote it), ``kinds`` (each kind in it with the version of
its state), ``objects`` (each behind everything that it holds, the model last), ``arrays``, and ``sections``: notes that
are no part of the model, each with whether a reader may skip it if it does not know it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import margin
from margin.errors import MarginError, PersistenceError
from margin.persistence import format1, witness
from margin.persistence.container import FORMAT, Prelude
from margin.persistence.files import written_whole
from margin.persistence.kinds import BY_CLASS, BY_NAME
from margin.persistence.limits import Malformed
from margin.persistence.packing import ObjectPacker
from margin.persistence.reading import MemorySource, Opened, open_container, opened_file
from margin.persistence.unpacking import NewerKind, ObjectUnpacker
from margin.persistence.writing import FileSink, MemorySink, write

__all__ = ["Header", "from_bytes", "header", "load", "opened", "save", "to_bytes", "verify"]

#: Sections that this version knows; an unknown one is skipped only where the file says that it may be.
SECTIONS = frozenset({"about", "witness"})


@dataclass(frozen=True)
class Header:
    """What a file says about its model before the model is read.

    ``model`` is its kind, ``about`` is free: ``margin compare`` notes the target, the protocol, the scores with their
    intervals and how the table was read.
    """

    model: str
    format: int = FORMAT
    version: str = margin.__version__
    about: dict[str, Any] = field(default_factory=dict)
    digest: str = ""


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
        notes = _checked_notes(about, packer)
        seen = None if rows is False else witness.record(model, rows, packer)
    except Malformed as wrong:
        what = type(model).__name__
        raise PersistenceError(f"save({what}): {_readable(wrong)}.") from None
    except RecursionError:
        raise PersistenceError(f"save({type(model).__name__}): it holds itself, or is nested too deeply.") from None
    sections = {"about": {"data": notes, "optional": True}}
    if seen is not None:
        sections["witness"] = {"data": seen, "optional": True}
    document = {
        "kinds": packer.versions(),
        "margin": margin.__version__,
        "objects": packer.objects,
        "sections": sections,
    }
    return document, packer.arrays


def _checked_notes(about: dict[str, Any] | None, packer: ObjectPacker) -> dict[str, Any]:
    from margin.persistence.header import canonical

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
    with opened(path, "load") as found:
        return _model(found, mapped=mmap, check=check and not mmap)


def from_bytes(content: bytes) -> Any:
    """The model that :func:`to_bytes` gave."""
    with _refusals("from_bytes"):
        return _model(_opened(MemorySource(content), "from_bytes"), mapped=False, check=True)


#: Pickles name this function; they must find it wherever it is written.
from_bytes.__module__ = "margin.persistence"


def header(path: str | os.PathLike[str]) -> Header:
    """What a file says about its model, without loading it."""
    with opened(path, "header") as found:
        return _header(found)


def verify(path: str | os.PathLike[str]) -> Header:
    """Read a whole file: digests, structure, and the answers to its witness rows; its header, if all of it holds."""
    with opened(path, "verify") as found:
        found.check_digests()
        _model(found, mapped=True, check=True)
        return _header(found)


def _header(found: Opened) -> Header:
    objects = found.header.get("objects")
    if not isinstance(objects, list) or not objects or not isinstance(objects[-1], dict):
        raise Malformed("there must be objects")
    kind, version = objects[-1].get("kind"), found.header.get("margin")
    if not isinstance(kind, str) or not isinstance(version, str):
        raise Malformed("it names no kind or no version of margin")
    about = _sections(found.header).get("about", {})
    if not isinstance(about, dict):
        raise Malformed("about must be an object")
    return Header(kind, found.format, version, about, found.digest)


def _model(found: Opened, *, mapped: bool, check: bool) -> Any:
    head = found.header
    if not isinstance(head.get("margin"), str):
        raise Malformed("it names no version of margin")
    if head.keys() != {"arrays", "kinds", "margin", "objects", "sections"}:
        raise Malformed("the header must have arrays, kinds, margin, objects and sections")
    sections = _sections(head)
    mapped = mapped and found.can_be_mapped
    arrays = found.mapped() if mapped else found.arrays()
    try:
        reader = ObjectUnpacker(BY_NAME, BY_CLASS, head["kinds"], arrays, mapped=mapped)
    except NewerKind as newer:
        raise NewerKind(f"written by margin {head['margin'][:40]}: {newer}") from None
    model = reader.root(head["objects"])
    seen = witness.Witness(sections["witness"], reader, model) if "witness" in sections else None
    reader.check_nothing_is_left()
    if seen is not None and check:
        seen.compare(model)
    return model


def _sections(head: dict[str, Any]) -> dict[str, Any]:
    sections = head.get("sections")
    if not isinstance(sections, dict):
        raise Malformed("sections must be an object")
    for name, section in sections.items():
        if not isinstance(section, dict) or section.keys() != {"data", "optional"}:
            raise Malformed(f"sections.{name} must have data, and whether it is optional")
        if name not in SECTIONS and section["optional"] is not True:
            raise NewerKind(f"it has a section {name!r} that this margin does not know and must not skip")
    return {name: section["data"] for name, section in sections.items() if name in SECTIONS}


@contextlib.contextmanager
def opened(path: str | os.PathLike[str], who: str) -> Iterator[Opened]:
    """A model file, its header checked; every way it can be wrong is one clear error."""
    who = f"{who}({str(path)!r})"
    with _refusals(who):
        try:
            with opened_file(path) as source:
                yield _opened(source, who)
        except FileNotFoundError:
            raise PersistenceError(f"{who}: there is no such file.") from None
        except IsADirectoryError:
            raise PersistenceError(f"{who}: that is a folder, not a model file.") from None
        except OSError as error:
            raise PersistenceError(f"{who}: cannot be read ({(error.strerror or str(error)).lower()}).") from None


def _opened(source: Any, who: str) -> Opened:
    if format1.begins_like_one(source):
        found = _opened(MemorySource(format1.as_format_2(source)), who)
        found.format = 1
        return found
    if not source.read(0, min(8, source.size)).startswith(b"\x8bMARGIN\n"[: max(source.size, 1)]):
        raise PersistenceError(
            f"{who}: not a margin model (model files are written by margin compare --save or margin.persistence.save)."
        )
    container = open_container(source)
    if isinstance(container, Prelude):
        raise PersistenceError(
            f"{who}: written in format {container.format}, but margin {margin.__version__} reads up to format {FORMAT} "
            "(update margin)."
        )
    return container


@contextlib.contextmanager
def _refusals(who: str) -> Iterator[None]:
    """Whatever is wrong with a file is a PersistenceError that says what to do, and no warning of NumPy's beside it."""
    try:
        with np.errstate(all="ignore"):
            yield
    except PersistenceError:
        raise
    except NewerKind as newer:
        raise PersistenceError(f"{who}: {newer} (this is margin {margin.__version__}: update it).") from None
    except Exception as error:
        reason = str(error) if isinstance(error, (Malformed, MarginError)) else f"{type(error).__name__}: {error}"
        raise PersistenceError(
            f"{who}: the file is damaged ({reason}); copy it again, or save the model anew."
        ) from None
