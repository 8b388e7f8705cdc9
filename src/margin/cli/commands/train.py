"""``margin train``: a network on a folder of pictures, or on texts and series of a file, kept as a file."""

from __future__ import annotations

from typing import Any

import click

from margin.cli import read_options as reading

__all__ = ["command"]

#: What a program leaves with that was stopped by Ctrl-C, whatever it could still write.
STOPPED = 130


@click.command("train", short_help="Train a network on pictures or texts and keep it.")
@click.argument("path")
@click.option("--save", metavar="FILE", required=True, help="Where the model goes, a .margin file.")
@click.option(
    "--network",
    "-n",
    metavar="NAME",
    help="margin net list tells them; of texts rnn, lstm or gru. [default: small, gru]",
)
@click.option("--image-size", metavar="PIXELS", type=int, help="The side that all pictures are made.")
@click.option("--weights", metavar="FILE", help="Weights to begin with (.safetensors, or a file of torch).")
@click.option(
    "--set",
    "settings",
    metavar="PARAMETER=VALUE",
    multiple=True,
    help="Set a parameter, as in epochs=5 or freeze=features; can be given again.",
)
@click.option("--text", metavar="COLUMN", help="Of a table: the column of texts. [default: the only one of free text]")
@click.option("--target", "-t", metavar="COLUMN", help="Of a table: the column of classes. [default: the other one]")
@click.option("--part", metavar="FOLDER", help="Which of the folders train, val and test above the classes.")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed and threads, same network.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but refusals.")
def command(
    path: str, save: str, network: str | None, settings: tuple[str, ...], seed: int, quiet: bool, **given: Any
) -> int:  # fmt: skip
    """Train a network on PATH: a folder or .zip with a folder for each class, a table with a column of texts, or a
    .ts file of series.

    Ctrl-C keeps the epochs that are finished, saves them, and leaves with 130.

    \b
    margin train photos/ --save photos.margin --image-size 64 --set early_stopping=true
    margin train names.tsv --network lstm --save names.margin
    margin predict photos.margin new/
    """
    from margin import persistence
    from margin.cli.output_paths import check_places
    from margin.experiment.pictures import are_pictures

    check_places(path, ("--save", save))
    told = reading.pairs_of(settings, "--set", "PARAMETER=VALUE, as in epochs=5", at_first=True)
    if are_pictures(path):
        _refuse(given, ("text", "target"), "pictures")
        model, cases, what = _pictures(path, network or "small", told, seed, **given)
    else:
        _refuse(given, ("image_size", "weights", "part"), "texts and series")
        model, cases, what = _sequences(path, network or "gru", told, seed, **given)
    stopped = _trained(model, cases, quiet)
    about = {what: len(cases), "from": str(path), "classes": cases.classes}
    persistence.save(model, save, about=about)
    if not quiet:
        told_of = f"{model.n_iter_} epochs{', stopped by Ctrl-C' if stopped else ''}"
        name = network or ("small" if what == "pictures" else "gru")
        click.echo(f"{save}: {name}, {told_of}, {len(cases)} {what} of {len(cases.classes)} classes")
    return STOPPED if stopped else 0


def _refuse(given: dict[str, Any], names: tuple[str, ...], what: str) -> None:
    """Options that were given and would be forgotten without a word."""
    from margin.errors import ParameterError

    for name in names:
        if given.pop(name) is not None:
            raise ParameterError(f"margin train --{name.replace('_', '-')}: is not for {what}.")


def _pictures(
    path: str, network: str, told: dict[str, str], seed: int, image_size: int | None, weights: str | None,
    part: str | None,
) -> tuple[Any, Any, str]:  # fmt: skip
    from margin import params
    from margin.data.images import Images
    from margin.deep import ImageClassifier

    given: dict[str, Any] = {"image_size": image_size, "weights": weights, "random_state": seed}
    model = ImageClassifier(network, **{**given, **params.from_text(ImageClassifier, told)})
    params.check(model)
    return model, Images.read(path, part=part, image_size=image_size), "pictures"


def _sequences(
    path: str, cell: str, told: dict[str, str], seed: int, text: str | None, target: str | None
) -> tuple[Any, Any, str]:
    from margin import params
    from margin.data.sequences import Sequences
    from margin.deep import SequenceClassifier

    model = SequenceClassifier(**{"cell": cell, "random_state": seed, **params.from_text(SequenceClassifier, told)})
    params.check(model)
    return model, Sequences.read(path, text=text, target=target), "sequences"


def _trained(model: Any, cases: Any, quiet: bool) -> bool:
    """Train with a line an epoch; whether Ctrl-C ended it. Without a finished epoch it is passed on."""
    try:
        for epoch in model.training(cases):
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
        return True
    return False
