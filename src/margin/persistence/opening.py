"""Opening a file: what it says of itself before its model is read, and one clear error for all that can be wrong."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import margin
from margin.errors import MarginError, PersistenceError
from margin.persistence.container.bytes import FORMAT, MAGIC, Prelude
from margin.persistence.container.head import Head, open_head
from margin.persistence.container.limits import Malformed, NewerKind
from margin.persistence.container.sources import MemorySource, Source, opened_file

__all__ = ["Header", "header", "header_of", "opened", "opened_source", "refusals", "sections_of"]

#: Sections that this version knows; an unknown one is skipped only where the file says that it may be.
SECTIONS = frozenset({"about", "outline", "witness"})

_Opened = TypeVar("_Opened", bound=Head)


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


def header(path: str | os.PathLike[str]) -> Header:
    """What a file says about its model, without loading it."""
    with opened(path, "header", open_head) as found:
        return header_of(found)


def header_of(found: Head) -> Header:
    """What an open file says about its model."""
    objects = found.header.get("objects")
    if not isinstance(objects, list) or not objects or not isinstance(objects[-1], dict):
        raise Malformed("there must be objects")
    kind, version = objects[-1].get("kind"), found.header.get("margin")
    if not isinstance(kind, str) or not isinstance(version, str):
        raise Malformed("it names no kind or no version of margin")
    about = sections_of(found.header).get("about", {})
    if not isinstance(about, dict):
        raise Malformed("about must be an object")
    return Header(kind, found.format, version, about, found.digest)


def sections_of(head: dict[str, Any]) -> dict[str, Any]:
    """The sections of a header that this version knows, by name."""
    sections = head.get("sections")
    if not isinstance(sections, dict):
        raise Malformed("sections must be an object")
    for name, section in sections.items():
        if not isinstance(section, dict) or section.keys() != {"data", "optional"}:
            raise Malformed(f"sections.{name} must have data, and whether it is optional")
        if name not in SECTIONS and section["optional"] is not True:
            raise NewerKind(f"it has a section {name!r} that this margin does not know and must not skip")
    return {name: section["data"] for name, section in sections.items() if name in SECTIONS}


def _older(source: Source) -> bytes:
    """A file of format 1 as one of this format; its reader knows all kinds and is loaded only for such a file."""
    from margin.persistence import format1

    return format1.as_format_2(source)


@contextlib.contextmanager
def opened(
    path: str | os.PathLike[str],
    who: str,
    read: Callable[[Source], _Opened | Prelude],
    older: Callable[[Source], bytes] = _older,
) -> Iterator[_Opened]:
    """A model file, its header checked; every way it can be wrong is one clear error.

    ``read`` is :func:`open_head` for the header alone, or ``open_container`` where arrays are wanted too; ``older``
    makes a file of this format out of one of format 1.
    """
    who = f"{who}({str(path)!r})"
    with refusals(who):
        try:
            with opened_file(path) as source:
                yield opened_source(source, who, read, older)
        except FileNotFoundError:
            raise PersistenceError(f"{who}: there is no such file.") from None
        except IsADirectoryError:
            raise PersistenceError(f"{who}: that is a folder, not a model file.") from None
        except OSError as error:
            raise PersistenceError(f"{who}: cannot be read ({(error.strerror or str(error)).lower()}).") from None


def opened_source(
    source: Source,
    who: str,
    read: Callable[[Source], _Opened | Prelude],
    older: Callable[[Source], bytes] = _older,
) -> _Opened:
    """The bytes of a model file, of whichever format."""
    if source.read(0, min(2, source.size)) == b"PK":  # a zip, as files of format 1 are
        found = opened_source(MemorySource(older(source)), who, read)
        found.format, found.n_bytes = 1, source.size
        return found
    if not source.read(0, min(8, source.size)).startswith(MAGIC[: max(source.size, 1)]):
        raise PersistenceError(
            f"{who}: not a margin model (model files are written by margin compare --save or margin.persistence.save)."
        )
    container = read(source)
    if isinstance(container, Prelude):
        raise PersistenceError(
            f"{who}: written in format {container.format}, but margin {margin.__version__} reads up to format {FORMAT} "
            "(update margin)."
        )
    return container


@contextlib.contextmanager
def refusals(who: str) -> Iterator[None]:
    """Whatever is wrong with a file is a PersistenceError that says what to do."""
    try:
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
