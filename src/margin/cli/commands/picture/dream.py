"""``margin picture dream``: a picture changed until layers of a network see more in it."""

from __future__ import annotations

from typing import Any

import click

__all__ = ["command"]

STOPPED = 130


@click.command("dream", short_help="Change a picture until layers of a network see more in it.")
@click.argument("model")
@click.argument("picture", required=False)
@click.option("--out", "-o", metavar="FILE", required=True, help="The dreamt picture, a .png.")
@click.option("--layer", "-l", "layers", metavar="NAME", multiple=True, help="A layer; again for several.")
@click.option("--unit", metavar="NAME", help="Instead: what a class, or with --layer a map, wants to see, from noise.")
@click.option("--steps", type=click.IntRange(0), default=20, show_default=True, help="Steps on every size.")
@click.option("--octaves", type=click.IntRange(1), default=3, show_default=True, help="Sizes, from small to large.")
@click.option("--rate", type=float, default=0.03, show_default=True, help="How far a step goes.")
@click.option("--network", "-n", metavar="NAME", default="vgg19", show_default=True, help="Whose weights a file has.")
@click.option("--every", metavar="STEPS", type=click.IntRange(1), help="Write the picture so often on the way.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but refusals.")
def command(
    model: str, picture: str | None, out: str, layers: tuple[str, ...], unit: str | None, steps: int, octaves: int,
    rate: float, network: str, every: int | None, seed: int, quiet: bool,
) -> int:  # fmt: skip
    """Dream of PICTURE with MODEL: a .margin file, or a file of weights of the --network.

    Ctrl-C keeps the picture as it is then, and leaves with 130.

    \b
    margin picture dream shapes.margin photo.png --layer layer2 --out dream.png
    margin picture dream shapes.margin --unit circle --out circle.png
    """
    from margin.cli.looked_at import network_from
    from margin.cli.picture_files import check_picture, read_picture, write_picture
    from margin.deep.visualize import deep_dream, maximize
    from margin.errors import ParameterError

    check_picture(out)
    if (picture is None) == (unit is None):
        raise ParameterError("dream: give a PICTURE to change, or --unit for one from noise.")
    seen = network_from(model, network)
    if unit is not None:
        if len(layers) > 1:
            raise ParameterError("dream --unit: it is a map of one --layer, or a class without any.")
        wanted: Any = _unit(unit, layers, seen)
        dreams = maximize(seen, wanted, layer=layers[0] if layers else None, steps=steps, rate=rate, random_state=seed)
        last = None
    else:
        assert picture is not None
        start = read_picture(picture, None, seen_channels(seen))
        named = list(layers) or None
        dreams = deep_dream(seen, start, named, steps=steps, rate=rate, octaves=octaves, random_state=seed)
        last = start
    first = response = None
    stopped = False
    try:
        for dream in dreams:
            last, response = dream.picture, dream.response
            first = response if first is None else first
            if every and dream.step % every == 0:
                write_picture(out, last)
    except KeyboardInterrupt:
        if last is None:
            raise
        stopped = True
    if last is None:
        raise ParameterError("dream --steps 0: of nothing nothing is made (give a step).")
    write_picture(out, last)
    if not quiet:
        told = "" if first is None or response is None else f", response {first:.4g} to {response:.4g}"
        click.echo(f"{out}{told}{', stopped by Ctrl-C' if stopped else ''}")
    return STOPPED if stopped else 0


def seen_channels(model: Any) -> int | None:
    """Colours that a network takes."""
    encoder, plan = getattr(model, "_encoder", None), getattr(model, "plan", None)
    found: int | None = encoder.channels if encoder is not None else getattr(plan, "channels", None)
    return found


def _unit(told: str, layers: tuple[str, ...], model: Any) -> Any:
    """A number for a map; for a class the label that is written so."""
    from margin.errors import ParameterError

    if layers:
        if not told.isdigit():
            raise ParameterError(f"--unit {told}: a map of a layer is a number from 0 up.")
        return int(told)
    known = getattr(model, "classes_", None)
    labels = [] if known is None else known.tolist()
    same = [label for label in labels if str(label) == told]
    return same[0] if same else int(told) if told.isdigit() else told
