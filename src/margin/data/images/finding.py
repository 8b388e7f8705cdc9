"""Which pictures there are under a path, and what each shows: folders, archives, IDX files, lists."""

from __future__ import annotations

import csv
import gzip
import os
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np

from margin.data.images.decoding import ENDINGS
from margin.data.images.sources import ArchiveFiles, Files
from margin.errors import DataError, DataWarning, closest, listing, warn

__all__ = ["Found", "idx_array", "in_archive", "in_folder", "in_list", "labels_beside"]

#: Folders above the classes that say what pictures are for.
PARTS = ("train", "training", "val", "valid", "validation", "test", "testing")


@dataclass(frozen=True)
class Found:
    """Files with a label each."""

    files: Files | ArchiveFiles
    labels: list[str]


def in_folder(root: Path, part: str | None, who: str) -> Found:
    """``root/class/**/picture``, classes and files sorted."""
    names = []
    for folder, inner, files in os.walk(root):
        inner[:] = sorted(each for each in inner if not each.startswith("."))
        names += [(Path(folder) / each).relative_to(root).as_posix() for each in files]
    folders = [each.name for each in root.iterdir() if each.is_dir() and not each.name.startswith(".")]
    chosen, labels = _by_class(names, folders, part, who)
    return Found(Files(root, chosen), labels)


def in_archive(path: Path, part: str | None, who: str) -> Found:
    """The same in a zip archive; a folder around all of it is looked through."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [each.filename for each in archive.infolist() if not each.is_dir()]
    except (zipfile.BadZipFile, OSError) as error:
        raise DataError(f"{who}: the archive cannot be read ({error}).") from None
    pictures = [name for name in names if _is_picture(name)]
    prefix = os.path.commonpath(pictures) + "/" if len(pictures) > 1 and os.path.commonpath(pictures) else ""
    if prefix and all(name.removeprefix(prefix).count("/") == 0 for name in pictures):
        prefix = os.path.dirname(prefix.rstrip("/"))  # one class: its folder is its name
        prefix += "/" if prefix else ""
    inside = [name.removeprefix(prefix) for name in names if name.startswith(prefix)]
    inside = [name for name in inside if not name.startswith((".", "__MACOSX"))]
    folders = list({name.split("/")[0] for name in inside if "/" in name})
    chosen, labels = _by_class(inside, folders, part, who)
    return Found(ArchiveFiles(path, [prefix + name for name in chosen]), labels)


def _is_picture(name: str) -> bool:
    path = PurePosixPath(name)
    return path.suffix.lower() in ENDINGS and not any(each.startswith((".", "__MACOSX")) for each in path.parts)


def _by_class(names: Iterable[str], folders: list[str], part: str | None, who: str) -> tuple[list[str], list[str]]:
    """Pictures and the classes they show, sorted by both."""
    names, prefix = list(names), ""
    parts = sorted(each for each in folders if each.lower() in PARTS)
    if parts and len(parts) == len(folders):
        if part not in parts:
            raise DataError(f"{who}(part={part!r}): part must be one of {listing(parts)}{closest(part or '', parts)}.")
        prefix = f"{part}/"
        names = [name.removeprefix(prefix) for name in names if name.startswith(prefix)]
        folders = list({name.split("/")[0] for name in names if "/" in name})
    elif part is not None:
        raise DataError(
            f"{who}(part={part!r}): there are no folders train, val or test; folders are {listing(sorted(folders))}."
        )
    found = sorted((name.split("/")[0], name) for name in names if "/" in name and _is_picture(name))
    if not found:
        raise DataError(
            f"{who}: there are no pictures in folders by class (class/picture.png; endings are {', '.join(ENDINGS)})."
        )
    empty = sorted(set(folders) - {label for label, _ in found})
    if empty:
        warn(f"{who}: folders without pictures are no classes: {listing(empty)}.", DataWarning)
    return [prefix + name for _, name in found], [label for label, _ in found]


def in_list(path: Path, target: str | None, who: str) -> Found:
    """A CSV or TSV file with a column of paths, which start at its folder, and one of labels."""
    text = path.read_text(encoding="utf-8-sig")
    rows = list(csv.reader(text.splitlines(), delimiter="\t" if path.suffix.lower() == ".tsv" else ","))
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    if len(rows) < 2 or len({len(row) for row in rows}) != 1:
        raise DataError(f"{who}: a list of pictures needs a line of names, and as many cells in every line.")
    header, cells = rows[0], list(zip(*rows[1:], strict=True))
    paths = [i for i in range(len(header)) if all(_is_picture(cell) for cell in cells[i])]
    others = [i for i in range(len(header)) if i not in paths]
    if target is not None and target not in header:
        raise DataError(f"{who}(target={target!r}): columns are {listing(header)}{closest(target, header)}.")
    label = others if target is None else [header.index(target)]
    if len(paths) != 1 or len(label) != 1:
        raise DataError(
            f"{who}: there must be one column of paths of pictures and one of labels (target= says which); "
            f"columns are {listing(header)}, of paths {listing([header[i] for i in paths])}."
        )
    lost = [name for name in cells[paths[0]] if not (path.parent / name).is_file()]
    if lost:
        raise DataError(f"{who}: {len(lost)} files are not there: {listing(lost)}.")
    return Found(Files(path.parent, cells[paths[0]]), list(cells[label[0]]))


def idx_array(path: Path, who: str) -> np.ndarray:
    """The array of an IDX file of bytes, packed or not."""
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{who}: the file cannot be read ({error}).") from None
    if len(data) < 4 or data[:3] != b"\0\0\x08" or not 1 <= data[3] <= 4:
        raise DataError(f"{who}: this is no IDX file of bytes.")
    start = 4 + 4 * data[3]
    if len(data) < start:
        raise DataError(f"{who}: the file ends before its head does.")
    shape = tuple(int(n) for n in np.frombuffer(data[4:start], ">u4"))
    if len(data) - start != int(np.prod(shape, dtype=object)):
        raise DataError(
            f"{who}: an IDX file of shape {shape} must hold {np.prod(shape, dtype=object)} bytes after its head."
        )
    return np.frombuffer(data, np.uint8, offset=start).reshape(shape)


def labels_beside(path: Path) -> Path | None:
    """The file of labels beside an IDX file of pictures, as MNIST and its relatives are named."""
    beside = path.with_name(path.name.replace("images", "labels").replace("idx3", "idx1").replace("idx4", "idx1"))
    return beside if beside != path and beside.is_file() else None
