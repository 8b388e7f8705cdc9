"""``margin picture forge``: a network that makes pictures, taught by a folder or taken from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from margin.cli import read_options as reading

__all__ = ["command"]

STOPPED = 130


@click.command("forge", short_help="Make pictures like those of a folder.")
@click.argument("source")
@click.option("--out", "-o", metavar="FILE", required=True, help="The sheet of made pictures, a .png.")
@click.option("--save", metavar="FILE", help="Where the model goes, a .margin file.")
@click.option("--n", type=click.IntRange(1), default=64, show_default=True, help="Pictures of the sheet.")
@click.option("--image-size", metavar="PIXELS", type=int, help="The side that all pictures are made.")
@click.option(
    "--set", "settings", metavar="PARAMETER=VALUE", multiple=True, help="Set a parameter, as in steps=500; again."
)
@click.option("--every", metavar="STEPS", type=click.IntRange(1), help="Write the sheet so often while learning.")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed and threads, same pictures.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but refusals.")
def command(
    source: str, out: str, save: str | None, n: int, image_size: int | None, settings: tuple[str, ...],
    every: int | None, seed: int, quiet: bool,
) -> int:  # fmt: skip
    """Make pictures with SOURCE: a folder of pictures, from which a DCGAN learns, or the .margin file of one.

    Ctrl-C keeps the steps that are done: the last sheet and the model are written, and it leaves with 130.

    \b
    margin picture forge digits/ --image-size 16 --out sheet.png --save digits.margin
    margin picture forge digits.margin --n 100 --out sheet.png
    """
    from margin import params, persistence
    from margin.cli.picture_files import check_picture, write_sheet
    from margin.deep.generative import DCGAN, GAN
    from margin.errors import ParameterError

    check_picture(out)
    if source.endswith(".margin"):
        if settings or save or image_size is not None:
            raise ParameterError(f"forge {source}: --set, --save and --image-size are for learning from a folder.")
        found = persistence.load(source)
        if not isinstance(found, DCGAN | GAN) or not found._pictures:
            raise ParameterError(f"forge {source}: the model is a {type(found).__name__}, which makes no pictures.")
        write_sheet(out, found.sample(n, random_state=seed))
        if not quiet:
            click.echo(f"{out}: {n} pictures")
        return 0
    told = reading.pairs_of(settings, "--set", "PARAMETER=VALUE, as in steps=500", at_first=True)
    given: dict[str, Any] = {"image_size": image_size, "random_state": seed}
    model = DCGAN(**{**given, **params.from_text(DCGAN, told)})
    params.check(model)
    stopped = _learn(model, source, quiet, every, out, n)
    if save:
        persistence.save(model, save, about={"from": str(Path(source)), "steps": model.n_iter_})
    write_sheet(out, model.sample(n, random_state=seed))
    if not quiet:
        click.echo(f"{out}: {n} pictures, {model.n_iter_} steps{', stopped by Ctrl-C' if stopped else ''}")
    return STOPPED if stopped else 0


def _learn(model: Any, source: str, quiet: bool, every: int | None, out: str, n: int) -> bool:
    """Whether it was stopped after some steps."""
    from margin.cli.picture_files import followed, write_sheet
    from margin.experiment.pictures import pictures_to_answer

    images = pictures_to_answer(source)
    try:
        for step in followed(model.training(images), model.steps, quiet):
            if every and step.step % every == 0:
                write_sheet(out, model.glimpse(n))
    except KeyboardInterrupt:
        if not model.__sklearn_is_fitted__():
            raise
        return True
    return False
