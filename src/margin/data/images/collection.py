"""Pictures with labels."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self, overload

import numpy as np

from margin.data.images.arrays import pictures_of
from margin.data.images.decoding import Fit, Frame, Head, decoded, head_of
from margin.data.images.finding import Found, idx_array, in_archive, in_folder, in_list, labels_beside
from margin.data.images.reframing import reframed
from margin.data.images.sources import ArrayOfPictures, Cache, DecodedFiles, Files, PictureSource
from margin.errors import DataError, DataWarning, InputError, ParameterError, listing, warn

__all__ = ["Images"]


class Images:
    """Pictures, decoded when they are asked for, with a label each if there are any.

    ``images[3]`` is a picture, an array of (height, width, channels); ``images[2:5]`` and :meth:`take` are further
    ``Images``, which share what is decoded. :meth:`pixels` gives many pictures of one size as one array.

    Attributes
    ----------
    labels
        What each picture shows, or None.
    skipped
        Files that could not be used, with the reason.

    Examples
    --------
    >>> images = Images.from_array(np.zeros((4, 8, 6), np.uint8), labels=["cat", "dog", "dog", "cat"])
    >>> images
    <Images: 4 pictures, 8 x 6, grey, 2 classes>
    >>> images.take([1, 2]).labels.tolist(), images[1:3].pixels().shape
    (['dog', 'dog'], (2, 8, 6, 1))
    """

    #: Rows are cases of their own and have no columns; models made of models hand them on as they are.
    holds_cases = True

    def __init__(
        self,
        source: PictureSource,
        labels: np.ndarray | None = None,
        rows: np.ndarray | None = None,
        skipped: Sequence[tuple[str, str]] = (),
    ) -> None:
        self._source = source
        self._rows = np.arange(len(source.sizes)) if rows is None else rows
        self.labels = labels
        self.skipped = tuple(skipped)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        part: str | None = None,
        image_size: int | tuple[int, int] | None = None,
        channels: int | None = None,
        fit: Fit = "stretch",
        target: str | None = None,
        check: bool = False,
        cache: int = 2**30,
    ) -> Self:
        """Pictures from files.

        Parameters
        ----------
        path
            A folder or a ``.zip`` with a folder for each class; a ``.csv`` or ``.tsv`` with a column of paths and one
            of labels; or an IDX file of pictures (``train-images-idx3-ubyte.gz``), whose labels lie beside it.
        part
            Which of the folders train, val and test, where these stand above the classes.
        image_size
            Pixels of a side, or height and width, that all pictures are made.
        channels
            1 for grey, 3 for RGB; as the pictures are otherwise: grey if all of them are.
        fit
            What becomes of other proportions: "stretch", "crop" in the middle, "pad" with black.
        target
            The column of labels in a list that has several.
        check
            Whether every picture is decoded once, so that broken ones are left out now. Otherwise only the head and the
            end of each file are looked at.
        cache
            Bytes of decoded pictures that are kept; what is over is decoded each time.
        """
        given, who = Path(path), f"Images.read({os.fspath(path)!r})"
        frame_size = _size(image_size, who)
        if channels not in (None, 1, 3):
            raise ParameterError(f"{who}(channels={channels!r}): channels must be 1 (grey) or 3 (RGB).")
        if fit not in ("stretch", "crop", "pad"):
            raise ParameterError(f"{who}(fit={fit!r}): fit must be 'stretch', 'crop' or 'pad'.")
        if not given.exists():
            raise DataError(f"{who}: there is no such file or folder.")
        if given.is_dir():
            found = in_folder(given, part, who)
        elif given.suffix.lower() == ".zip":
            found = in_archive(given, part, who)
        elif given.suffix.lower() in (".csv", ".tsv"):
            found = in_list(given, target, who)
        else:
            return cls._of_idx(given, frame_size, who)
        return cls._of_files(found, Frame(frame_size, channels or 0, fit), check, cache, who)

    @classmethod
    def from_files(
        cls,
        paths: Sequence[str | os.PathLike[str]],
        labels: Any = None,
        *,
        image_size: int | tuple[int, int] | None = None,
        channels: int | None = None,
        fit: Fit = "stretch",
    ) -> Self:
        """Pictures from single files, in their order; one that cannot be used is an error."""
        who = "Images.from_files"
        names = [os.fspath(path) for path in paths]
        if not names:
            raise DataError(f"{who}: there are no files.")
        files, heads = Files(Path(), names), []
        for i, name in enumerate(names):
            try:
                heads.append(head_of(files.data(i)))
            except (ValueError, OSError) as error:
                raise DataError(f"{who}: {name}: {getattr(error, 'strerror', None) or error}.") from None
        channels = channels or (1 if all(head.grey for head in heads) else 3)
        source = DecodedFiles(files, heads, Frame(_size(image_size, who), channels, fit), Cache(2**30))
        return cls(source, None if labels is None else _labels(labels, len(names), who))

    @classmethod
    def _of_idx(cls, path: Path, size: tuple[int, int] | None, who: str) -> Self:
        pixels = pictures_of(idx_array(path, who), None, who)
        if size not in (None, pixels.shape[1:3]):
            raise ParameterError(
                f"{who}(image_size={size}): pictures of an IDX file keep their size, {pixels.shape[1:3]}."
            )
        beside = labels_beside(path)
        return cls(
            ArrayOfPictures(pixels), None if beside is None else _labels(idx_array(beside, who), len(pixels), who)
        )

    @classmethod
    def _of_files(cls, found: Found, frame: Frame, check: bool, cache: int, who: str) -> Self:
        heads: list[Head] = []
        kept, skipped = [], []
        for i, name in enumerate(found.files.names):
            try:
                data = found.files.data(i)
                head = head_of(data)
                if check:
                    decoded(data, Frame(frame.size, frame.channels or 3, frame.fit))
            except (ValueError, OSError) as error:
                skipped.append((name, str(error)))
            else:
                kept.append(i)
                heads.append(head)
        if skipped:
            told = [f"{name}: {why}" for name, why in skipped]
            warn(f"{who}: {len(skipped)} of {len(found.labels)} files are left out: {listing(told)}.", DataWarning)
        if not kept:
            raise DataError(f"{who}: none of {len(skipped)} files is a picture that can be read.")
        moving = [found.files.names[i] for i, head in zip(kept, heads, strict=True) if head.n_frames > 1]
        if moving:
            warn(
                f"{who}: {len(moving)} files hold several pictures; the first of each is taken: {listing(moving)}.",
                DataWarning,
            )
        frame = Frame(frame.size, frame.channels or (1 if all(head.grey for head in heads) else 3), frame.fit)
        source = DecodedFiles(found.files.kept(kept), heads, frame, Cache(cache))
        return cls(source, np.array([found.labels[i] for i in kept]), skipped=skipped)

    @classmethod
    def from_array(cls, X: Any, labels: Any = None, *, image_shape: Sequence[int] | None = None) -> Self:
        """Pictures that are in memory: (n, height, width), with channels last or first, or flat with ``image_shape``.

        Pixels are bytes, or floats between 0 and 1. The array is not copied where it need not be.
        """
        pixels = pictures_of(X, image_shape, "Images.from_array")
        return cls(
            ArrayOfPictures(pixels), None if labels is None else _labels(labels, len(pixels), "Images.from_array")
        )

    # What there is

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def names(self) -> list[str] | None:
        """The file of each picture; None for arrays."""
        known = self._source.names
        return None if known is None else [known[int(i)] for i in self._rows]

    @property
    def classes(self) -> list[Any]:
        """The different labels, sorted."""
        return [] if self.labels is None else np.unique(self.labels).tolist()

    @property
    def channels(self) -> int:
        return self._source.channels

    @property
    def sizes(self) -> np.ndarray:
        """Height and width of each picture."""
        return self._source.sizes[self._rows]

    @property
    def image_size(self) -> tuple[int, int] | None:
        """Height and width of all pictures; None where they differ, or there are none."""
        if isinstance(self._source, ArrayOfPictures) and len(self._rows):
            return self._source.pixels.shape[1:3]
        sizes = self.sizes
        same = len(sizes) and (sizes == sizes[0]).all()
        return (int(sizes[0, 0]), int(sizes[0, 1])) if same else None

    @property
    def shape(self) -> tuple[int, ...]:
        """(n, height, width, channels) where all pictures have one size, else (n,)."""
        size = self.image_size
        return (len(self),) if size is None else (len(self), *size, self.channels)

    def __repr__(self) -> str:
        size = self.image_size
        told = "of several sizes" if size is None else f"{size[0]} x {size[1]}"
        colours = {1: "grey", 3: "RGB"}.get(self.channels, f"{self.channels} channels")
        classes = "" if self.labels is None else f", {len(self.classes)} classes"
        return f"<Images: {len(self)} pictures, {told}, {colours}{classes}>"

    # Pictures

    @overload
    def __getitem__(self, which: int) -> np.ndarray: ...
    @overload
    def __getitem__(self, which: slice | np.ndarray | list[int]) -> Self: ...
    def __getitem__(self, which: int | slice | np.ndarray | list[int]) -> np.ndarray | Self:
        if isinstance(which, slice):
            return self.take(np.arange(len(self))[which])
        if isinstance(which, np.ndarray | list) and np.ndim(which):
            return self.take(which)
        return self._source.picture(int(self._rows[which]))

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self._source.picture(int(i)) for i in self._rows)

    def take(self, rows: Any) -> Self:
        """Some of the pictures, by position or by truth value; nothing is decoded or copied."""
        chosen = np.asarray(rows)
        if chosen.dtype == bool and chosen.shape != (len(self),):
            raise InputError(f"Images.take: {len(chosen)} truth values were given for {len(self)} pictures.")
        chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen.astype(np.int64)
        if len(chosen) and not (-len(self) <= chosen.min() and chosen.max() < len(self)):
            raise InputError(f"Images.take: positions must lie below {len(self)}.")
        labels = None if self.labels is None else self.labels[chosen]
        return type(self)(self._source, labels, self._rows[chosen], self.skipped)

    def framed(
        self, image_size: int | tuple[int, int] | None = None, channels: int | None = None, *, fit: Fit = "stretch"
    ) -> Self:
        """The same pictures in another size, antialiased, or in other colours; files are decoded anew when asked for.

        >>> Images.from_array(np.zeros((4, 8, 6), np.uint8)).framed(4, channels=3)
        <Images: 4 pictures, 4 x 4, RGB>
        """
        who = "Images.framed"
        frame = Frame(_size(image_size, who), self.channels if channels is None else channels, fit)
        if isinstance(self._source, DecodedFiles):
            size = self._source.frame.size if frame.size is None else frame.size
            source: PictureSource = self._source.framed(Frame(size, frame.channels, fit))
            return type(self)(source, self.labels, self._rows, self.skipped)
        if frame.size in (None, self.image_size) and frame.channels == self.channels:
            return self
        return type(self)(ArrayOfPictures(reframed(self, frame, who)), self.labels, None, self.skipped)

    def pixels(self) -> np.ndarray:
        """All pictures as one array (n, height, width, channels): of bytes, or of float32 where such were given."""
        if isinstance(self._source, ArrayOfPictures):
            whole = len(self) == len(self._source.pixels) and bool((self._rows == np.arange(len(self))).all())
            return self._source.pixels if whole else self._source.pixels[self._rows]
        if not len(self):
            return np.empty((0, 0, 0, self.channels), np.uint8)
        if self.image_size is None:
            low, high = self.sizes.min(axis=0), self.sizes.max(axis=0)
            raise InputError(
                f"Images.pixels: pictures have several sizes, from {low[0]} x {low[1]} to {high[0]} x {high[1]} "
                "(read them with image_size=)."
            )
        return np.stack(list(self))

    def matrix(self) -> np.ndarray:
        """A row of all its pixels for each picture, for models of tables."""
        return self.pixels().reshape(len(self), -1)


def _size(given: Any, who: str) -> tuple[int, int] | None:
    sides = (given, given) if isinstance(given, int) else given
    if sides is None:
        return None
    whole = [isinstance(side, int | np.integer) and not isinstance(side, bool) and side >= 1 for side in sides]
    if len(whole) != 2 or not all(whole):
        raise ParameterError(
            f"{who}(image_size={given!r}): image_size must be a number of pixels, or height and width."
        )
    return int(sides[0]), int(sides[1])


def _labels(labels: Any, n: int, who: str) -> np.ndarray:
    made = np.asarray(labels)
    if made.shape != (n,):
        raise InputError(f"{who}: {made.shape[0] if made.ndim else 1} labels were given for {n} pictures.")
    return made
