"""Made pictures as folders of files, with all that is true of them beside."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from margin.data.generated.domains import TwoDomains
from margin.data.generated.scenes import Question, Scenes
from margin.errors import DataError
from margin.lazy import package_of_extra

__all__ = ["ReadScenes", "read_scenes", "save_domains", "save_pictures", "save_scenes"]

Path_ = str | os.PathLike[str]


def save_pictures(pictures: np.ndarray, folder: Path_, names: Sequence[str] | None = None) -> list[str]:
    """Pictures as PNG files of a new or empty folder; their names."""
    package = package_of_extra("PIL.Image", "save_pictures")
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    if any(place.iterdir()):
        raise DataError(f"{os.fspath(folder)!r} is not empty (give a folder that is not there yet).")
    names = [f"{i:05d}.png" for i in range(len(pictures))] if names is None else names
    for name, pixels in zip(names, pictures, strict=True):
        as_bytes = pixels if pixels.dtype == np.uint8 else np.rint(255 * np.asarray(pixels, float)).astype(np.uint8)
        package.fromarray(as_bytes).save(place / name)
    return list(names)


def save_scenes(made: Scenes, folder: Path_) -> None:
    """Scenes as ``pictures``, ``masks`` of classes, ``objects`` (a mask each), and tables of what is true of them.

    Tables are ``classes.csv``, ``boxes.csv``, ``captions.csv`` and ``questions.csv``; :func:`read_scenes` reads it all.
    """
    place = Path(folder)
    names = save_pictures(made.pictures, place / "pictures")
    save_pictures(made.class_masks, place / "masks")
    each = [(name, k, mask) for name, masks in zip(names, made.object_masks) for k, mask in enumerate(masks)]
    save_pictures(
        np.array([mask for *_, mask in each], np.uint8) * np.uint8(255), place / "objects",
        [f"{Path(name).stem}_{k}.png" for name, k, _ in each],
    )  # fmt: skip
    _table(place / "classes.csv", ("code", "name"), enumerate(made.classes))
    boxes = (
        (name, k, made.classes[label], *box)
        for name, labels, several in zip(names, made.labels, made.boxes, strict=True)
        for k, (label, box) in enumerate(zip(labels.tolist(), several.tolist(), strict=True))
    )
    columns = ("picture", "object", "class", "first_row", "first_column", "end_row", "end_column")
    _table(place / "boxes.csv", columns, boxes)
    _table(place / "captions.csv", ("picture", "caption"), zip(names, made.captions, strict=True))
    asked = ((names[each.picture], each.question, each.answer) for each in made.questions)
    _table(place / "questions.csv", ("picture", "question", "answer"), asked)


def save_domains(made: TwoDomains, folder: Path_) -> None:
    """Two looks as ``a`` and ``b``, and in ``judge`` what the true translation of each picture is."""
    place = Path(folder)
    for name in ("a", "b"):
        save_pictures(getattr(made, name), place / name)
    for name in ("a_as_b", "b_as_a"):
        save_pictures(getattr(made, name), place / "judge" / name)


class ReadScenes:
    """What lies in a folder laid out like that of :func:`save_scenes`; each part is read when it is asked for."""

    def __init__(self, folder: Path_) -> None:
        self.folder = Path(folder)
        if not (self.folder / "pictures").is_dir():
            raise DataError(f"{os.fspath(folder)!r} has no folder 'pictures'.")
        self.names = sorted(each.name for each in (self.folder / "pictures").iterdir() if each.suffix == ".png")

    @property
    def paths(self) -> list[str]:
        """The files of the pictures, sorted."""
        return [os.fspath(self.folder / "pictures" / name) for name in self.names]

    @property
    def captions(self) -> list[list[str]]:
        """The captions of each picture."""
        found: dict[str, list[str]] = {name: [] for name in self.names}
        for row in self._rows("captions.csv", ("picture", "caption")):
            found[self._known(row["picture"], "captions.csv")].append(row["caption"])
        return list(found.values())

    @property
    def questions(self) -> list[Question]:
        """Questions with the place of their picture and their answer."""
        place = {name: i for i, name in enumerate(self.names)}
        rows = self._rows("questions.csv", ("picture", "question", "answer"))
        return [
            Question(place[self._known(row["picture"], "questions.csv")], row["question"], row["answer"])
            for row in rows
        ]

    @property
    def object_masks(self) -> list[np.ndarray]:
        """For each picture the masks (objects, height, width) of its objects."""
        package = package_of_extra("PIL.Image", "read_scenes")
        found = []
        for name in self.names:
            files = sorted(
                (self.folder / "objects").glob(f"{Path(name).stem}_*.png"), key=lambda f: int(f.stem.split("_")[-1])
            )
            found.append(np.array([np.asarray(package.open(file)) > 127 for file in files]))
        return found

    def _known(self, name: str, file: str) -> str:
        if name not in self.names:
            raise DataError(f"{file}: there is no picture {name!r} in {os.fspath(self.folder / 'pictures')!r}.")
        return name

    def _rows(self, file: str, columns: Sequence[str]) -> list[dict[str, Any]]:
        try:
            with open(self.folder / file, newline="", encoding="utf-8-sig") as lines:
                reader = csv.DictReader(lines)
                rows = list(reader)
                named = list(reader.fieldnames or ())
        except OSError as error:
            raise DataError(f"{os.fspath(self.folder / file)!r} cannot be opened ({error.strerror}).") from None
        lost = [each for each in columns if each not in named]
        if lost:
            raise DataError(f"{os.fspath(self.folder / file)!r} has no column {lost[0]!r}.")
        return rows


def read_scenes(folder: Path_) -> ReadScenes:
    """A folder of pictures with captions, questions and masks of objects, as ``margin data make scenes`` writes it."""
    return ReadScenes(folder)


def _table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as lines:
        writer = csv.writer(lines)
        writer.writerow(columns)
        writer.writerows(rows)
