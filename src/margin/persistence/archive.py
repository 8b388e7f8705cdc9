"""The ``.margin`` file: a zip of ``model.json`` (header and nodes) and one ``.npy`` per array."""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import margin
from margin.data import Schema
from margin.errors import PersistenceError
from margin.persistence.codec import BROKEN, Decoder, Encoder, class_path
from margin.persistence.files import write_whole

__all__ = ["FORMAT", "Header", "header", "load", "save", "schema_digest"]

#: Version of the file's layout. A file with a higher number was written by a newer margin.
FORMAT = 1
MARK = "margin model"


@dataclass(frozen=True)
class Header:
    """What a file says about its model before the model is read.

    ``about`` is free: ``margin compare`` notes the target, the classes' type and how the table was read.
    """

    model: str
    format: int = FORMAT
    version: str = margin.__version__
    schema: str | None = None
    about: dict[str, Any] = field(default_factory=dict)


def save(model: Any, path: str | os.PathLike[str], *, about: dict[str, Any] | None = None) -> Path:
    """Write a fitted model to a file, whole or not at all.

    The file holds numbers and texts only, never code. ``about`` is any JSON-like note to keep with it.

    >>> import tempfile
    >>> from margin.data import Column, Schema
    >>> path = save(Schema([Column("age", "numeric")]), Path(tempfile.mkdtemp()) / "schema.margin")
    >>> load(path)
    Schema(age: numeric)
    """
    encoder = Encoder()
    node = encoder.encode(model)
    head = Header(class_path(type(model)), schema=schema_digest(_schema_of(model)), about=dict(about or {}))
    try:
        document = json.dumps({"mark": MARK, **asdict(head), "state": node}, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise PersistenceError(f"save(about=...): about must be plain JSON ({error}).") from None
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive:
        _add(archive, "model.json", document.encode())
        for number, array in enumerate(encoder.arrays):
            _add(archive, f"arrays/{number}.npy", _npy(array))
    return write_whole(path, content.getvalue())


def load(path: str | os.PathLike[str]) -> Any:
    """The model that :func:`save` wrote. Nothing in the file is executed."""
    with _Archive(path) as archive:
        document, head = archive.document()
        try:
            model = Decoder(archive.arrays()).decode(document["state"])
        except PersistenceError as error:
            raise PersistenceError(f"load({str(path)!r}): {error}") from None
        except BROKEN as error:
            raise archive.damaged(error) from None
        if schema_digest(_schema_of(model)) != head.schema:
            raise archive.damaged(ValueError("the columns do not match their checksum"))
        return model


def header(path: str | os.PathLike[str]) -> Header:
    """What a file says about its model, without loading it."""
    with _Archive(path) as archive:
        return archive.document()[1]


def schema_digest(schema: Schema | None) -> str | None:
    """A short checksum of the columns a model was fitted on.

    >>> from margin.data import Column
    >>> schema_digest(Schema([Column("age", "numeric")]))
    '1970cbceb1079fc9'
    """
    if schema is None:
        return None
    text = json.dumps([[c.name, c.kind, [repr(level) for level in c.levels]] for c in schema])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _schema_of(model: Any) -> Schema | None:
    schema = getattr(model, "schema_", None)
    return schema if isinstance(schema, Schema) else None


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    # A fixed date makes equal models equal files.
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)


def _npy(array: np.ndarray) -> bytes:
    content = io.BytesIO()
    np.lib.format.write_array(content, array, allow_pickle=False)
    return content.getvalue()


def _from_npy(content: bytes) -> np.ndarray:
    """An array out of ``.npy`` bytes; the stated shape is checked against the bytes before memory is taken."""
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = read(file)
    size = int(np.prod([int(n) for n in shape], dtype=object)) * dtype.itemsize
    if dtype.hasobject or size != len(content) - file.tell():
        raise ValueError("an array does not have the size it states")
    return np.frombuffer(bytearray(content[file.tell() :]), dtype=dtype).reshape(shape, order="F" if fortran else "C")


class _Archive:
    """The opened zip, with every way it can be wrong turned into one clear error."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def __enter__(self) -> _Archive:
        try:
            self._zip = zipfile.ZipFile(self.path)
        except FileNotFoundError:
            raise PersistenceError(f"load({str(self.path)!r}): there is no such file.") from None
        except IsADirectoryError:
            raise PersistenceError(f"load({str(self.path)!r}): that is a folder, not a model file.") from None
        except (zipfile.BadZipFile, OSError, *BROKEN, NotImplementedError) as error:
            raise self._not_a_zip(error) from None
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def document(self) -> tuple[dict[str, Any], Header]:
        if "model.json" not in self._zip.namelist():
            raise self._foreign()
        try:
            document = json.loads(self._read("model.json"))
        except (ValueError, RecursionError) as error:
            raise self.damaged(error) from None
        if not isinstance(document, dict) or document.get("mark") != MARK:
            raise self._foreign()
        if not isinstance(document.get("format"), int):
            raise self.damaged(ValueError("it names no format"))
        if document["format"] > FORMAT:
            raise PersistenceError(
                f"load({str(self.path)!r}): written by margin {document.get('version')} "
                f"in format {document['format']}, "
                f"but margin {margin.__version__} reads up to format {FORMAT} (update margin)."
            )
        try:
            return document, Header(**{name: document[name] for name in Header.__dataclass_fields__})
        except KeyError as error:
            raise self.damaged(error) from None

    def arrays(self) -> list[np.ndarray]:
        numbers = sum(name.startswith("arrays/") for name in self._zip.namelist())
        return [_from_npy(self._read(f"arrays/{number}.npy")) for number in range(numbers)]

    def _read(self, name: str) -> bytes:
        try:
            return self._zip.read(name)
        except Exception as error:  # zlib, struct, zipfile, lzma: whatever a broken archive raises
            raise self.damaged(error) from None

    def damaged(self, error: BaseException) -> PersistenceError:
        return PersistenceError(
            f"load({str(self.path)!r}): the file is damaged ({type(error).__name__}: {error}); "
            f"copy it again, or save the model anew."
        )

    def _foreign(self) -> PersistenceError:
        return PersistenceError(
            f"load({str(self.path)!r}): not a margin model "
            f"(model files are written by margin compare --save or margin.persistence.save)."
        )

    def _not_a_zip(self, error: BaseException) -> PersistenceError:
        try:
            begins_like_one = self.path.open("rb").read(2) == b"PK"
        except OSError as reason:
            return PersistenceError(
                f"load({str(self.path)!r}): cannot be read ({(reason.strerror or str(reason)).lower()})."
            )
        return self.damaged(error) if begins_like_one else self._foreign()
