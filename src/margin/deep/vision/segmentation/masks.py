"""Masks as people have them: arrays of labels, pictures whose pixels are labels, a folder beside the pictures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from margin.deep.vision.given import files_of
from margin.errors import DataError, InputError, LabelError, listing
from margin.lazy import package_of_extra

__all__ = ["codes_of_masks", "given_masks", "label_picture"]


def given_masks(y: Any, sizes: Sequence[tuple[int, int]], names: Sequence[str] | None, who: str) -> list[np.ndarray]:
    """A mask (height, width) of labels for each picture, of its size."""
    if y is None:
        raise InputError(f"{who}: there are no masks (give y, a label for each pixel of each picture).")
    if isinstance(y, str | os.PathLike):
        y = _beside(Path(y), names, who)
    if isinstance(y, list | tuple) and y and all(isinstance(each, str | os.PathLike) for each in y):
        y = [label_picture(Path(each), who) for each in y]
    try:
        found = [_labels(np.asarray(each), i, who) for i, each in enumerate(y)]
    except TypeError:
        raise InputError(f"{who}: masks of type {type(y).__name__} cannot be read (give arrays of labels).") from None
    if len(found) != len(sizes):
        raise InputError(f"{who}: {len(found)} masks were given for {len(sizes)} pictures.")
    for i, (mask, size) in enumerate(zip(found, sizes, strict=True)):
        if mask.shape != tuple(size):
            theirs = " x ".join(map(str, mask.shape))
            raise InputError(f"{who}: mask {i} is {theirs} pixels, and its picture {size[0]} x {size[1]}.")
    return found


def _labels(mask: np.ndarray, i: int, who: str) -> np.ndarray:
    if mask.ndim == 3 and mask.shape[2] == 1:
        mask = mask[..., 0]
    if mask.ndim != 2:
        raise InputError(f"{who}: mask {i} has the shape {mask.shape}; it must have a label for each pixel.")
    if mask.dtype.kind == "b":
        return mask
    if mask.dtype.kind == "f":
        bad = ~np.isfinite(mask) | (mask != np.rint(mask))
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise LabelError(
                f"{who}: mask {i} holds {mask[row, column]:g} in row {row}, column {column}; labels of pixels are "
                "whole numbers (of shares of classes, give the largest: argmax)."
            )
        return mask.astype(np.int64)
    if mask.dtype.kind not in "iu":
        raise LabelError(f"{who}: mask {i} holds {mask.dtype}; labels of pixels are whole numbers.")
    return mask.astype(np.int64)


def _beside(folder: Path, names: Sequence[str] | None, who: str) -> list[np.ndarray]:
    """The masks of a folder, each of the picture that has its name."""
    files = files_of(folder, who)
    if names is None:
        return [label_picture(each, who) for each in files]
    by_name = {each.stem: each for each in files}
    wanted = [Path(name).stem for name in names]
    lost = [name for name in wanted if name not in by_name]
    if lost:
        raise DataError(f"{who}: there are no masks of {listing(lost)} in {os.fspath(folder)!r}.")
    return [label_picture(by_name[name], who) for name in wanted]


def label_picture(path: Path, who: str) -> np.ndarray:
    """A file whose pixels are labels: grey, or with a palette, whose places are then the labels."""
    package = package_of_extra("PIL.Image", who)
    try:
        with package.open(path) as picture:
            if picture.mode not in ("1", "L", "P", "I", "I;16"):
                raise DataError(
                    f"{who}: {path.name} is a picture of colours ({picture.mode}); masks are grey, a number a class, or"
                    " have a palette."
                )
            return np.asarray(picture).astype(np.int64)
    except DataError:
        raise
    except Exception as error:
        raise DataError(f"{who}: the mask {path.name} cannot be read ({error}).") from None


def codes_of_masks(masks: Sequence[np.ndarray], classes: np.ndarray, ignore: int | None, who: str) -> list[np.ndarray]:
    """Places of labels among the classes; -1 for what is to be ignored."""
    made = []
    for i, mask in enumerate(masks):
        codes = np.searchsorted(classes, mask).clip(0, len(classes) - 1)
        strange = classes[codes] != mask
        if ignore is not None:
            strange &= mask != ignore
        if strange.any():
            found = np.unique(mask[strange]).tolist()
            raise LabelError(
                f"{who}: mask {i} holds {listing(found)}, which is not among the classes {listing(classes.tolist())}."
            )
        if ignore is not None:
            codes = np.where(mask == ignore, -1, codes)
        made.append(codes.astype(np.int64))
    return made
