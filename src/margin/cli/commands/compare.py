"""``margin compare``: which model is best on a table, and how good it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from margin.cli import read_options as reading
from margin.cli.page_options import page_options, page_settings

if TYPE_CHECKING:
    from margin.experiment import Result, Spec
    from margin.experiment.pictures import PictureComparison

__all__ = ["command"]

#: What a program leaves with that was stopped by Ctrl-C, whatever it could still write.
STOPPED = 130


@click.command("compare", short_help="Find out which model is best on a table, and how good it is.")
@click.argument("file")
@click.option(
    "--target",
    "-t",
    metavar="COLUMN",
    multiple=True,
    help="What to predict: a name, a number from 1, or last; given again, several columns are learnt together.",
)
@click.option("--out", "-o", metavar="HTML", help="Write a report to this file.")
@page_options
@click.option("--save", metavar="FILE", help="Save the best model, fitted on all the data, to this file.")
@click.option("--models", metavar="A,B,…", help="Which models to try; margin models lists them. [default: all]")
@click.option(
    "--set",
    "settings",
    metavar="MODEL.PARAMETER=VALUE",
    multiple=True,
    help="Set a parameter, as in knn.n_neighbors=7 (margin models knn lists them); can be given again.",
)
@click.option("--test-share", type=float, default=0.2, show_default=True, help="Part of the rows sealed until the end.")
@click.option("--folds", type=int, default=10, show_default=True, help="Parts of the cross-validation.")
@click.option(
    "--repeats",
    default="auto",
    metavar="N",
    help="How often the folds are drawn. [default: 3 for small tables, else 1]",
)
@click.option("--metrics", metavar="A,B,…", help="What to measure. [default: accuracy,balanced_accuracy,f1]")
@click.option(
    "--sort",
    metavar="METRIC",
    help="Which of them decides. [default: the first; for a rare class its average precision]",
)
@click.option("--positive", metavar="CLASS", default="", help=reading.POSITIVE)
@click.option("--cost", type=float, help="What a missed case of the positive class costs, if a false alarm costs 1.")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same result.")
@click.option("--group", metavar="COLUMN", help="Which rows belong together; each group stands on one side.")
@click.option(
    "--time",
    metavar="COLUMN",
    help="When each row happened: models of the past are asked about the future. (A limit of time is --limit.)",
)
@click.option(
    "--test", metavar="FILE", help="A table of its own that is the sealed test; FILE is then all learnt from."
)
@click.option(
    "--limit",
    metavar="TIME",
    help="Stop after 90s, 5m or 1h, keep the models that are done and the seal closed, as Ctrl-C does. "
    "(--time is a column.)",
)
@reading.options
@click.option(
    "--jobs", "-j", type=int, default=1, show_default=True, help="Folds worked on at once; -1 for all processors."
)
@click.option("--image-size", type=int, default=32, show_default=True, help="Of pictures: the side they are made.")
@click.option("--weights", metavar="FILE", help="Of pictures: weights of a ResNet-18 for frozen features.")
@click.option("--record", metavar="FOLDER", help="Write the run down there, for margin runs.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, for programs.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but refusals.")
def command(
    file: str, out: str | None, save: str | None, record: str | None, as_json: bool, quiet: bool,
    image_size: int, weights: str | None, **given: Any,
) -> int:  # fmt: skip
    """Compare models on FILE, a table on disk or a name of the catalog (margin data list), or a folder of pictures.

    A test part is sealed first. Each model is cross-validated on the rest; the best is measured once
    on the test part and then fitted on all the data.

    \b
    margin compare credit --out report.html
    margin compare adult.csv --target last --models naive-bayes,knn --save adult.margin
    margin compare visits.csv --target ill --group patient --limit 5m
    margin compare train.csv --target ill --test test.csv
    margin compare photos/ --folds 5 --image-size 32
    margin compare flags.arff --target red --target green --models naive-bayes,tree
    """
    from margin.cli.output_paths import check_places
    from margin.cli.progress import followed
    from margin.experiment import run
    from margin.experiment.pictures import are_pictures

    if are_pictures(file):
        _refuse_for_pictures(("--record", record))
        check_places(file, ("--out", out), ("--save", save))
        found = _compare_pictures(file, given, image_size, weights, as_json, quiet)
        _keep_pictures(found, out, save, as_json or quiet)
        return 0
    check_places(file, ("--out", out), ("--save", save))
    page = page_settings(given)
    spec = _spec(file, **given)
    result = followed(run(spec), live=not quiet)
    places = _written(result, out, save, record, page)
    if as_json:
        from margin.experiment import result_json

        click.echo(result_json.as_json(result.to_dict()))
    elif not quiet:
        _say(result, places, out, save)
    stopped = getattr(result, "stopped", "")
    return STOPPED if "Ctrl-C" in stopped else 0


def _refuse_for_pictures(*places: tuple[str, str | None]) -> None:
    """Options of tables that were given, and would be forgotten without a word."""
    from margin.errors import ParameterError

    context = click.get_current_context()
    known = {"file", "models", "folds", "seed", "as_json", "quiet", "image_size", "weights", "out", "save", "record"}
    told = [flag for flag, place in places if place is not None]
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name not in known and source is click.core.ParameterSource.COMMANDLINE:
            told.append(option.opts[0])
    if told:
        raise ParameterError(
            f"margin compare {told[0]}: with pictures there are --models, --folds, --seed, --image-size, --weights, "
            "--out, --save, --json and --quiet."
        )


def _compare_pictures(
    file: str, given: dict[str, Any], image_size: int, weights: str | None, as_json: bool, quiet: bool
) -> PictureComparison:
    """Models on pixels, a small network and the majority guess, on the same folds."""
    import json

    from margin.experiment.pictures import PictureComparison, compare_pictures

    models = tuple(name.strip() for name in (given["models"] or "").split(",") if name.strip())
    steps = compare_pictures(
        file, models=models, folds=given["folds"], seed=given["seed"], image_size=image_size, weights=weights
    )
    for name, found in steps:
        if isinstance(found, PictureComparison):
            done = found
            if as_json:
                click.echo(json.dumps(found.to_dict(), default=str))
            elif not quiet:
                click.echo(str(found))
        elif not quiet and not as_json:
            click.echo(f"{name}: accuracy {found.scores['accuracy'].value:.3f}", err=True)
    return done


def _keep_pictures(found: PictureComparison, out: str | None, save: str | None, quiet: bool) -> None:
    """The best model, fitted on all pictures, and the page."""
    from margin import persistence
    from margin.report.of_pictures import page_of_pictures

    places = []
    if save:
        name, model = found.best()
        about = {"pictures": len(found.images), "from": found.path, "classes": found.images.classes}
        place = persistence.save(model, save, about=about)
        places.append(f"Model:  {name}, {place}   (margin predict {place} new/)")
    if out:
        places.append(
            f"Report: {persistence.write_whole(out, page_of_pictures(found.path, found.images, found.results))}"
        )
    for line in places if not quiet else ():
        click.echo(line)


def _spec(file: str, models: str | None, metrics: str | None, sort: str | None, repeats: str, **given: Any) -> Spec:
    from margin.experiment.spec import METRICS, Spec

    read_as = reading.settings(given)
    if metrics or sort:
        chosen = _names(metrics) if metrics else METRICS
        given["metrics"] = chosen if not sort or sort in chosen else (*chosen, sort)
    if models is not None:
        given["models"] = _names(models)
    form = "MODEL.PARAMETER=VALUE, as in knn.p=1"
    given["settings"] = reading.pairs_of(given["settings"], "--set", form, at_first=True) or None
    return Spec(file, sort=sort or "", repeats=int(repeats) if repeats.isdecimal() else repeats, **read_as, **given)  # type: ignore[arg-type]


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _written(result: Result, out: str | None, save: str | None, record: str | None, head: dict[str, str]) -> list[str]:
    """Write what was asked for. The model goes first: where it is refused, nothing is written."""
    from margin import persistence

    page, places = result.html(**head) if out else "", []
    if save:
        place = persistence.save(result.model, save, about=result.about)
        places.append(f"Model:  {place}   (margin predict {place} new-rows.csv)")
    if out:
        places.append(f"Report: {persistence.write_whole(out, page)}")
    if record:
        from margin.experiment.records import keep_record

        place = keep_record(result, record)
        places.append(f"Record: {place}   (margin runs show {record})")
    return places


def _say(result: Result, places: list[str], out: str | None, save: str | None) -> None:
    from rich.console import Console

    from margin.report import several, terminal

    console = Console(highlight=False)
    (several if hasattr(result, "targets") else terminal).show(result, console)
    console.print()
    for line in places:
        console.print(line, markup=False, soft_wrap=True)
    for flag, place, what in (("--out report.html", out, "a report"), ("--save model.margin", save, "the model")):
        if not place:
            console.print(f"{flag} keeps {what}.", style="dim", markup=False)
