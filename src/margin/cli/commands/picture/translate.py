"""``margin picture translate``: pictures of one kind made into those of another."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from margin.cli import read_options as reading

__all__ = ["command"]

STOPPED = 130


@click.command("translate", short_help="Make pictures of one kind into those of another.")
@click.argument("source")
@click.argument("pictures")
@click.option("--out", "-o", metavar="FOLDER", help="Where translated pictures go, under their names, as .png.")
@click.option("--to", type=click.Choice(["a", "b"]), default="b", show_default=True, help="Which kind they become.")
@click.option("--save", metavar="FILE", help="Learn: where the model goes, a .margin file.")
@click.option("--image-size", metavar="PIXELS", type=int, help="Learn: the side that all pictures are made.")
@click.option(
    "--set", "settings", metavar="PARAMETER=VALUE", multiple=True, help="Learn: set a parameter, as in steps=500."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Learn: same seed and threads, same network.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but refusals.")
def command(
    source: str, pictures: str, out: str | None, to: Literal["a", "b"], save: str | None, image_size: int | None,
    settings: tuple[str, ...], seed: int, quiet: bool,
) -> int:  # fmt: skip
    """Translate PICTURES with SOURCE, the .margin file of a CycleGAN.

    Where SOURCE is a folder, a CycleGAN learns from its pictures (kind a) and from PICTURES (kind b), not in pairs, and
    goes to --save. Ctrl-C keeps the steps that are done, and leaves with 130.

    \b
    margin picture translate horses/ zebras/ --save zebra.margin --image-size 64
    margin picture translate zebra.margin horses/ --to b --out striped/
    """
    from margin import persistence
    from margin.deep.generative import CycleGAN
    from margin.errors import ParameterError

    if not source.endswith(".margin"):
        if not save:
            raise ParameterError("translate: two folders are learnt from; say where the model goes (--save FILE).")
        return _learn(source, pictures, save, image_size, settings, seed, quiet)
    if not out:
        raise ParameterError("translate: say where the pictures go (--out FOLDER).")
    if settings or save or image_size is not None:
        raise ParameterError(f"translate {source}: --set, --save and --image-size are for learning from folders.")
    model = persistence.load(source)
    if not isinstance(model, CycleGAN):
        raise ParameterError(f"translate {source}: the model is a {type(model).__name__}, which translates nothing.")
    n = _translate(model, pictures, Path(out), to)
    if not quiet:
        click.echo(f"{out}: {n} pictures")
    return 0


def _translate(model: Any, pictures: str, folder: Path, to: Literal["a", "b"]) -> int:
    from margin.cli.picture_files import write_picture
    from margin.errors import DataError
    from margin.experiment.pictures import pictures_to_answer

    encoder = model._encoders["a" if to == "b" else "b"]
    images = pictures_to_answer(pictures).framed(encoder.size, encoder.channels)
    made = model.translate(images, to=to)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"--out {folder}: cannot be made ({error.strerror or error}).") from None
    names = [Path(name).stem for name in images.names or map(str, range(len(images)))]
    if len(set(names)) < len(names):  # pictures of several folders
        names = [f"{i}_{name}" for i, name in enumerate(names)]
    for name, each in zip(names, made, strict=True):
        write_picture(folder / f"{name}.png", each)
    return len(made)


def _learn(a: str, b: str, save: str, image_size: int | None, settings: tuple[str, ...], seed: int, quiet: bool) -> int:
    from margin import params, persistence
    from margin.cli.picture_files import followed
    from margin.deep.generative import CycleGAN
    from margin.experiment.pictures import pictures_to_answer

    told = reading.pairs_of(settings, "--set", "PARAMETER=VALUE, as in steps=500", at_first=True)
    given: dict[str, Any] = {"image_size": image_size, "random_state": seed}
    model = CycleGAN(**{**given, **params.from_text(CycleGAN, told)})
    params.check(model)
    images, stopped = [pictures_to_answer(each) for each in (a, b)], False
    try:
        for _ in followed(model.training(*images), model.steps, quiet):
            pass
    except KeyboardInterrupt:
        if not model.__sklearn_is_fitted__():
            raise
        stopped = True
    persistence.save(model, save, about={"a": a, "b": b, "steps": model.n_iter_})
    if not quiet:
        click.echo(f"{save}: {model.n_iter_} steps{', stopped by Ctrl-C' if stopped else ''}")
    return STOPPED if stopped else 0
