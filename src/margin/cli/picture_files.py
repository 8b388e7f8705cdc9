"""Pictures as commands read and write them, and the line that says how far a run is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from margin.cli.progress import with_share
from margin.errors import DataError, ParameterError
from margin.lazy import package_of_extra

__all__ = ["check_picture", "followed", "read_picture", "write_picture", "write_sheet"]

ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".webp")
#: Pixels of a picture on a sheet, at least.
SHOWN = 48


def check_picture(path: str) -> None:
    """Refuse, before any work, a file that cannot become a picture."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise ParameterError(f"--out {path}: must end with {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}.")
    if not Path(path).absolute().parent.is_dir():
        raise ParameterError(f"--out {path}: there is no such folder.")


def read_picture(path: str, size: tuple[int, int] | None = None, channels: int | None = None) -> np.ndarray:
    """One picture as (height, width, channels)."""
    from margin.data.images import Images

    return Images.from_files([path], image_size=size, channels=channels)[0]


def write_picture(path: str | Path, pixels: np.ndarray) -> None:
    """Numbers between 0 and 1, or bytes."""
    package_of_extra("PIL", "margin picture")
    from PIL import Image

    made = pixels if pixels.dtype == np.uint8 else np.rint(255 * pixels.clip(0, 1)).astype(np.uint8)
    try:
        Image.fromarray(made[..., 0] if made.ndim == 3 and made.shape[-1] == 1 else made).save(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror or error}).") from None


def write_sheet(path: str, pictures: np.ndarray) -> None:
    """Many pictures side by side."""
    n, height, width, channels = pictures.shape
    across = int(np.ceil(np.sqrt(n)))
    down, factor = -(-n // across), max(1, SHOWN // max(height, width))
    sheet = np.ones((down * across, height, width, channels), np.float32)
    sheet[:n] = pictures
    rows = sheet.reshape(down, across, height, width, channels).transpose(0, 2, 1, 3, 4)
    whole = rows.reshape(down * height, across * width, channels)
    write_picture(path, whole.repeat(factor, axis=0).repeat(factor, axis=1))


def followed(rounds: Iterator[Any], steps: int, quiet: bool) -> Iterator[Any]:
    """The rounds of a game with a bar, or a line a tenth of them where there is no terminal to draw a bar on."""
    import click

    def shares() -> Iterator[tuple[Any, float]]:
        for each in rounds:
            yield each, each.step / steps
            if not quiet and each.step % max(1, steps // 10) == 0:
                click.echo(
                    f"step {each.step:,} of {steps:,}: value {each.value:.3f}, generator {each.generator_loss:.3f}",
                    err=True,
                )

    yield from shares_shown(shares(), quiet)


def shares_shown(parts: Iterator[tuple[Any, float]], quiet: bool) -> Iterator[Any]:
    if quiet:
        for part, _ in parts:
            yield part
    else:
        yield from with_share(parts, "learning")
