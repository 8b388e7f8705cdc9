"""``margin picture look``: what each layer makes of a picture, and which places an answer rests on."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command("look", short_help="A page of what each layer of a network makes of a picture.")
@click.argument("model")
@click.argument("picture")
@click.option("--out", "-o", metavar="FILE", default="look.html", show_default=True, help="The page.")
@click.option("--layer", "-l", metavar="NAME", help="The convolution of Grad-CAM; the last one otherwise.")
@click.option("--network", "-n", metavar="NAME", default="vgg19", show_default=True, help="Whose weights a file has.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but refusals.")
def command(model: str, picture: str, out: str, layer: str | None, network: str, quiet: bool) -> None:
    """Look at PICTURE through MODEL: a .margin file, or a file of weights of the --network.

    The page has the maps of every layer, and maps of the places that the answer rests on.

    \b
    margin picture look shapes.margin photo.png --out page.html
    """
    from pathlib import Path

    from margin.cli.commands.picture.dream import seen_channels
    from margin.cli.looked_at import frame_of, network_from
    from margin.cli.picture_files import read_picture
    from margin.deep.visualize import activations, grad_cam, occlusion, saliency
    from margin.errors import DataError, InputError, ParameterError

    if Path(out).suffix.lower() not in (".html", ".htm"):
        raise ParameterError(f"--out {out}: must end with .html.")
    seen = network_from(model, network)
    pixels = read_picture(picture, frame_of(seen), seen_channels(seen))
    page = activations(seen, pixels)
    maps = {
        "saliency": saliency(seen, pixels[None])[0], "guided": saliency(seen, pixels[None], method="guided")[0],
        "occlusion": occlusion(seen, pixels[None])[0],
    }  # fmt: skip
    try:
        maps["Grad-CAM"] = grad_cam(seen, pixels[None], layer=layer)[0]
    except InputError:
        if layer is not None:
            raise
    try:
        page.save(out, maps)
    except OSError as error:
        raise DataError(f"--out {out}: cannot be written ({error.strerror or error}).") from None
    if not quiet:
        click.echo(f"{out}: {len(page)} layers, answer {page.answer}")
