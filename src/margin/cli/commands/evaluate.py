"""``margin evaluate``: how good one model is on a table, by any protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from margin.cli import read_options as reading

if TYPE_CHECKING:
    from margin.evaluation import Evaluation

__all__ = ["command"]


@click.command("evaluate", short_help="Find out how good one model is on a table, by any protocol.")
@click.argument("file")
@click.option("--target", "-t", metavar="COLUMN", help="What to predict: a name, a number from 1, or last.")
@click.option("--model", "-m", metavar="NAME", required=True, help="Which model; margin models lists them.")
@click.option(
    "--set",
    "settings",
    metavar="PARAMETER=VALUE",
    multiple=True,
    help="Set a parameter of the model, as in n_neighbors=7 (margin models NAME lists them); can be given again.",
)
@click.option(
    "--protocol",
    "-p",
    metavar="NAME",
    help="How rows are split: 5-fold, 10x10, hold-out, loo, bootstrap, groups, time, … [default: 10-fold]",
)
@click.option("--metrics", metavar="A,B,…", help="What to measure. [default: accuracy,f1,log_loss]")
@click.option("--group", metavar="COLUMN", help="Which rows belong together; each group stands on one side.")
@click.option(
    "--time", metavar="COLUMN", help="When each row happened; the past is learnt from, the future asked about."
)
@click.option(
    "--from", "since", metavar="TIME", help="With --time: learn from rows before it, ask about those from it on."
)
@click.option(
    "--test", metavar="FILE", help="A table of its own to be asked about; FILE is then learnt from as a whole."
)
@click.option("--positive", metavar="CLASS", help=reading.POSITIVE)
@click.option("--seed", type=int, default=0, show_default=True, help="Of a model that draws at random.")
@click.option(
    "--jobs", "-j", type=int, default=1, show_default=True, help="Folds worked on at once; -1 for all processors."
)
@click.option("--image-size", type=int, default=32, show_default=True, help="Of pictures: the side they are made.")
@click.option("--weights", metavar="FILE", help="Of pictures: weights to begin with, or of frozen features.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for programs.")
@reading.options
def command(file: str, as_json: bool, model: str, settings: tuple[str, ...], metrics: str | None, **given: Any) -> None:
    """Evaluate a model on FILE, a table on disk or a name of the catalog (margin data list).

    The model is fitted anew on each training part and asked about rows it has not seen; every score comes with its
    interval and with how it was found.

    \b
    margin evaluate credit --model naive-bayes --protocol 10x10
    margin evaluate visits.csv --target ill --model knn --set n_neighbors=7 --group patient
    margin evaluate visits.csv --target ill --model logistic --time day --metrics accuracy,roc_auc,brier
    margin evaluate visits.csv --target ill --model logistic --time day --from 2024-05-31
    margin evaluate train.csv --target ill --model logistic --test test.csv
    margin evaluate photos/ --model small-net --set epochs=5 --image-size 32
    """
    import sys

    from margin.experiment import evaluate_table
    from margin.experiment.pictures import are_pictures

    if metrics:
        given["metrics"] = tuple(name.strip() for name in metrics.split(",") if name.strip())
    told = reading.pairs_of(settings, "--set", "PARAMETER=VALUE, as in n_neighbors=7", at_first=True)
    size, weights = given.pop("image_size"), given.pop("weights")
    if are_pictures(file):
        _say(_of_pictures(file, model, told, size, weights, given), as_json)
        return
    found = evaluate_table(
        file,
        model=model,
        settings={f"{model}.{name}": value for name, value in told.items()} or None,
        reading=reading.settings(given),
        progress=sys.stderr.isatty(),
        **given,
    )
    _say(found, as_json)


def _of_pictures(
    file: str, model: str, told: dict[str, str], size: int, weights: str | None, given: dict[str, Any]
) -> Evaluation:
    """What there is for folders of pictures; what is there for tables alone is refused."""
    from margin.errors import ParameterError
    from margin.experiment.pictures import evaluate_pictures

    kept = {name: given[name] for name in ("protocol", "metrics", "seed", "jobs") if given.get(name) is not None}
    context = click.get_current_context()
    known = {"file", "model", "settings", "as_json", "image_size", "weights", *kept}
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name not in known and source is click.core.ParameterSource.COMMANDLINE:
            raise ParameterError(
                f"margin evaluate {option.opts[0]}: with pictures there are --model, --set, --protocol, --metrics, "
                "--image-size, --weights, --seed, --jobs and --json."
            )
    return evaluate_pictures(file, model, settings=told, image_size=size, weights=weights, **kept)


def _say(found: Evaluation, as_json: bool) -> None:
    if as_json:
        from margin.experiment import result_json, table_evaluation

        click.echo(result_json.as_json(table_evaluation.evaluation_parts(found)))
    else:
        click.echo(str(found))
