"""One picture: from the bytes of a file to an array of bytes."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from margin.lazy import package_of_extra

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["ENDINGS", "Fit", "Frame", "Head", "decoded", "head_of", "resized"]

ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff", ".ppm", ".pgm", ".pbm")
#: More pixels than any camera has: such a file is made to fill the memory.
TOO_MANY_PIXELS = 200_000_000
#: How whole files end.
_ENDS = {b"\x89PNG": b"IEND\xaeB`\x82", b"\xff\xd8": b"\xff\xd9"}

Fit = Literal["stretch", "crop", "pad"]


@dataclass(frozen=True)
class Head:
    """What the head of a file says: height and width as the picture is seen, whether it is grey, and its frames."""

    size: tuple[int, int]
    grey: bool
    n_frames: int


@dataclass(frozen=True)
class Frame:
    """What all pictures are made: height and width or None, 1 colour or 3, and what is done to other proportions."""

    size: tuple[int, int] | None
    channels: int
    fit: Fit = "stretch"


def _opened(data: bytes) -> Image.Image:
    """A picture whose pixels are not read yet; ValueError says what is wrong with it."""
    package = package_of_extra("PIL.Image", "Images")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its warnings of large pictures; too large ones are refused below
        try:
            picture: Image.Image = package.open(io.BytesIO(data))
        except package.DecompressionBombError:
            raise ValueError("it has too many pixels") from None
        except Exception:
            raise ValueError("it is no picture") from None
    if picture.width * picture.height > TOO_MANY_PIXELS:
        raise ValueError("it has too many pixels")
    if picture.mode == "F":
        raise ValueError("its pixels are real numbers without a scale")
    return picture


def head_of(data: bytes) -> Head:
    """The head of a file, and whether its end is there."""
    for start, end in _ENDS.items():
        if data.startswith(start) and end not in data[-64:]:
            raise ValueError("it is cut off")
    picture = _opened(data)
    turned = _orientation(picture) in (5, 6, 7, 8)
    size = (picture.width, picture.height) if turned else (picture.height, picture.width)
    grey = picture.mode in ("1", "L", "I", "LA") or picture.mode.startswith("I;16")
    return Head(size, grey, int(getattr(picture, "n_frames", 1)))


def _orientation(picture: Image.Image) -> int:
    """How the camera was held, as far as the head of the file says so: a PNG would be decoded to look further."""
    if picture.format == "PNG" and "exif" not in picture.info:
        return 1
    return int(picture.getexif().get(0x0112, 1))


def decoded(data: bytes, frame: Frame) -> np.ndarray:
    """A picture as (height, width, channels) of bytes: turned as the camera was held, any mode made grey or RGB.

    What is transparent lies on white; of several pictures in one file the first is taken.
    """
    picture = _opened(data)
    transposing = package_of_extra("PIL.ImageOps", "Images")
    try:
        turned = _orientation(picture) != 1
        picture.load()
        picture = transposing.exif_transpose(picture) if turned else picture
        plain = resized(_plain(picture, frame.channels), frame)
    except (OSError, SyntaxError, ValueError, IndexError, MemoryError) as error:
        raise ValueError(f"its pixels cannot be read ({error})") from None
    pixels = np.asarray(plain, dtype=np.uint8)
    return pixels.reshape(*pixels.shape[:2], frame.channels)


def _plain(picture: Image.Image, channels: int) -> Image.Image:
    package = package_of_extra("PIL.Image", "Images")
    if picture.mode.startswith("I"):  # 16 bits, of which the upper ones are kept
        wide = np.asarray(picture).astype(np.int64)
        picture = package.fromarray((wide.clip(0, 65535) // 257).astype(np.uint8))
    if picture.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in picture.info:
        above = picture.convert("RGBA")
        picture = package.alpha_composite(package.new("RGBA", above.size, "white"), above)
    made: Image.Image = picture.convert("L" if channels == 1 else "RGB")
    return made


def resized(picture: Image.Image, frame: Frame) -> Image.Image:
    """The picture in the size asked for, antialiased: stretched, cropped in the middle, or on a black ground."""
    if frame.size is None or (picture.height, picture.width) == frame.size:
        return picture
    package: Any = package_of_extra("PIL.ImageOps", "Images")
    size, method = (frame.size[1], frame.size[0]), package_of_extra("PIL.Image", "Images").Resampling.BILINEAR
    if frame.fit == "crop":
        return package.fit(picture, size, method)
    if frame.fit == "pad":
        return package.pad(picture, size, method)
    return picture.resize(size, method)
