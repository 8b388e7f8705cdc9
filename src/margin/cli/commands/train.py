"""``margin train``: a network on a folder of pictures, kept as a file."""

from __future__ import annotations

from typing import Any

import click

from margin.cli import read_options as reading

__all__ = ["command"]

#: What a program leaves with that was stopped by Ctrl-C, whatever it could still write.
STOPPED = 130


@click.command("train", short_help="Train a network on a folder of pictures and keep it.")
@click.argument("path")
@click.option("--save", metavar="FILE", required=True, help="Where the model goes, a .margin file.")
@click.option("--network", "-n", metavar="NAME", default="small", show_default=True, help="margin net list tells them.")
@click.option("--image-size", metavar="PIXELS", type=int, help="The side that all pictures are made.")
@click.option("--weights", metavar="FILE", help="Weights to begin with (.safetensors, or a file of torch).")
@click.option(
    "--set",
    "settings",
    metavar="PARAMETER=VALUE",
    multiple=True,
    help="Set a parameter, as in epochs=5 or freeze=features; can be given again.",
)
@click.option("--part", metavar="FOLDER", help="Which of the folders train, val and test above the classes.")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed and threads, same network.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but refusals.")
def command(
    path: str, save: str, network: str, image_size: int | None, weights: str | None, settings: tuple[str, ...],
    part: str | None, seed: int, quiet: bool,
) -> int:  # fmt: skip
    """Train a network on PATH: a folder or .zip with a folder for each class.

    Ctrl-C keeps the epochs that are finished, saves them, and leaves with 130.

    \b
    margin train photos/ --save photos.margin --image-size 64 --set early_stopping=true
    margin predict photos.margin new/
    """
    from margin import params, persistence
    from margin.data.images import Images
    from margin.deep import ImageClassifier

    told = reading.pairs_of(settings, "--set", "PARAMETER=VALUE, as in epochs=5", at_first=True)
    given: dict[str, Any] = {"image_size": image_size, "weights": weights, "random_state": seed}
    model = ImageClassifier(network, **{**given, **params.from_text(ImageClassifier, told)})
    params.check(model)
    images = Images.read(path, part=part, image_size=image_size)
    stopped = False
    try:
        for epoch in model.training(images):
            if not quiet:
                judged = "" if epoch.validation_score is None else f", held out {epoch.validation_score:.3f}"
                left = (model.epochs - epoch.number) * epoch.seconds
                click.echo(
                    f"epoch {epoch.number} of {model.epochs}: loss {epoch.loss:.4f}{judged}"
                    f" ({epoch.seconds:.1f} s, about {left:.0f} s to go)",
                    err=True,
                )
    except KeyboardInterrupt:
        if not model.__sklearn_is_fitted__():
            raise
        stopped = True
    persistence.save(model, save, about={"pictures": len(images), "from": str(path), "classes": images.classes})
    if not quiet:
        told_of = f"{model.n_iter_} epochs{', stopped by Ctrl-C' if stopped else ''}"
        click.echo(f"{save}: {network}, {told_of}, {len(images)} pictures of {len(images.classes)} classes")
    return STOPPED if stopped else 0
