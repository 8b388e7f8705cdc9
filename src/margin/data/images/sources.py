"""Where pictures come from: files, archives, arrays. A source gives the bytes of one picture, or the picture."""

from __future__ import annotations

import threading
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from margin.data.images.decoding import Frame, Head, decoded
from margin.errors import DataError

__all__ = ["ArchiveFiles", "ArrayOfPictures", "Cache", "DecodedFiles", "Files", "PictureSource"]


class PictureSource(Protocol):
    """Pictures by number."""

    @property
    def sizes(self) -> np.ndarray:
        """Height and width of each."""
        ...

    @property
    def channels(self) -> int: ...

    @property
    def names(self) -> Sequence[str] | None: ...

    def picture(self, i: int) -> np.ndarray:
        """(height, width, channels), of bytes or of floats between 0 and 1."""
        ...


class Files:
    """Files of a folder, by path."""

    def __init__(self, root: Path, names: Sequence[str]) -> None:
        self.root, self.names = root, list(names)

    def data(self, i: int) -> bytes:
        return (self.root / self.names[i]).read_bytes()

    def kept(self, rows: Sequence[int]) -> Files:
        return Files(self.root, [self.names[i] for i in rows])


class ArchiveFiles:
    """Files in a zip archive; it is opened when it is read from, so that a copy in another process can."""

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        self.path, self.names = path, list(names)
        self._open: zipfile.ZipFile | None = None
        self._lock = threading.Lock()

    def data(self, i: int) -> bytes:
        with self._lock:
            if self._open is None:
                self._open = zipfile.ZipFile(self.path)
            return self._open.read(self.names[i])

    def kept(self, rows: Sequence[int]) -> ArchiveFiles:
        return ArchiveFiles(self.path, [self.names[i] for i in rows])

    def __getstate__(self) -> dict[str, object]:
        return {"path": self.path, "names": self.names}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__init__(state["path"], state["names"])  # type: ignore[misc]


class Cache:
    """Decoded pictures by number, as long as they fit into a number of bytes."""

    def __init__(self, budget: int) -> None:
        self.budget, self.used = budget, 0
        self._kept: dict[int, np.ndarray] = {}
        self._lock = threading.Lock()

    def get(self, i: int) -> np.ndarray | None:
        return self._kept.get(i)

    def put(self, i: int, picture: np.ndarray) -> None:
        with self._lock:
            if i not in self._kept and self.used + picture.nbytes <= self.budget:
                self._kept[i] = picture
                self.used += picture.nbytes

    def __getstate__(self) -> dict[str, object]:
        return {"budget": self.budget}  # a copy in another process decodes for itself

    def __setstate__(self, state: dict[str, int]) -> None:
        self.__init__(state["budget"])  # type: ignore[misc]


class DecodedFiles:
    """Pictures of files, decoded when they are asked for and kept while there is room."""

    def __init__(self, files: Files | ArchiveFiles, heads: Sequence[Head], frame: Frame, cache: Cache) -> None:
        self.files, self.heads, self.frame, self.cache = files, heads, frame, cache
        self.sizes = np.array([each.size if frame.size is None else frame.size for each in heads], dtype=np.int64)
        self.channels = frame.channels

    def framed(self, frame: Frame) -> DecodedFiles:
        """The same files made otherwise; what is decoded already is not shared."""
        return self if frame == self.frame else DecodedFiles(self.files, self.heads, frame, Cache(self.cache.budget))

    @property
    def names(self) -> Sequence[str]:
        return self.files.names

    def picture(self, i: int) -> np.ndarray:
        kept = self.cache.get(i)
        if kept is None:
            try:
                kept = decoded(self.files.data(i), self.frame)
            except (ValueError, OSError, zipfile.BadZipFile) as error:
                raise DataError(
                    f"Images: picture {i}, {self.names[i]!r}: {error} (check=True leaves such files out)."
                ) from None
            kept.flags.writeable = False
            self.cache.put(i, kept)
        return kept


class ArrayOfPictures:
    """Pictures that are in memory already, as (n, height, width, channels)."""

    names = None

    def __init__(self, pixels: np.ndarray) -> None:
        self.pixels = pixels
        self.channels = int(pixels.shape[3])

    @property
    def sizes(self) -> np.ndarray:
        return np.broadcast_to(np.array(self.pixels.shape[1:3], dtype=np.int64), (len(self.pixels), 2))

    def picture(self, i: int) -> np.ndarray:
        return self.pixels[i]
