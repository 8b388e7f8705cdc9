"""``margin picture stylize``: a picture in the style of others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

__all__ = ["command"]


@click.command("stylize", short_help="A picture in the style of others.")
@click.argument("content")
@click.argument("styles", nargs=-1, required=True)
@click.option("--out", "-o", metavar="FILE", required=True, help="Where the picture goes, a .png or .jpg file.")
@click.option("--weights", metavar="FILE", help="Weights of the network (.safetensors, or a file of torch).")
@click.option("--size", type=int, metavar="PIXELS", help="The longer side that pictures are made.")
@click.option("--every", type=int, default=20, show_default=True, help="Steps between previews in --out.")
@click.option("--set", "settings", metavar="PARAMETER=VALUE", multiple=True, help="Set a parameter, as in steps=40.")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed and threads, same picture.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but refusals.")
def command(
    content: str, styles: tuple[str, ...], out: str, weights: str | None, size: int | None, every: int,
    settings: tuple[str, ...], seed: int, quiet: bool,
) -> int | None:  # fmt: skip
    """Change the picture CONTENT into the style of STYLES, one or several.

    The file is written every so often; Ctrl-C keeps the last picture.

    \b
    margin picture stylize photo.jpg painting.jpg --out o.png --weights vgg19.pth --size 512
    """
    from margin.cli.learning import STOPPED, model_of
    from margin.deep.vision import StyleTransfer
    from margin.errors import ParameterError

    if Path(out).suffix.lower() not in (".png", ".jpg", ".jpeg"):
        raise ParameterError(f"--out {out}: the name must end in .png or .jpg.")
    if Path(out).absolute() in {Path(each).absolute() for each in (content, *styles)}:
        raise ParameterError(f"--out {out}: is another picture of this command (give it a name of its own).")
    if every < 1:
        raise ParameterError(f"--every {every}: must be a whole number of at least 1.")
    model = model_of(StyleTransfer, settings, weights=weights, random_state=seed)
    last: Any = None
    try:
        for last in model.transfer(_sized(content, size), [_sized(each, size) for each in styles]):
            if last.number % every == 0:
                _write(last.picture, out)
                if not quiet:
                    click.echo(f"size {last.scale}, step {last.number}: loss {last.loss:.4g}", err=True)
    except KeyboardInterrupt:
        if last is None:
            raise
        _write(last.picture, out)
        click.echo(f"{out}: stopped by Ctrl-C at step {last.number}", err=True)
        return STOPPED
    _write(last.picture, out)
    if not quiet:
        click.echo(
            f"{out}: {last.number} steps, style loss {last.style_loss:.4g}, content loss {last.content_loss:.4g}"
        )
    return None


def _sized(path: str, longer: int | None) -> Any:
    from margin.data.images import Images

    picture = Images.from_files([path], channels=3)
    if longer is None:
        return picture[0]
    height, width = picture[0].shape[:2]
    part = longer / max(height, width)
    return picture.framed((max(1, round(height * part)), max(1, round(width * part))))[0]


def _write(picture: Any, out: str) -> None:
    """Put in its place when it is whole."""
    from margin.lazy import package_of_extra

    package = package_of_extra("PIL.Image", "margin picture stylize")
    beside = Path(out).with_name(f".{Path(out).name}{Path(out).suffix}")
    package.fromarray(picture).save(beside)
    beside.replace(out)
