"""``margin evaluate``: how good one model is on a table, by any protocol."""

from __future__ import annotations

from typing import Any

import click

from margin.cli import read_options as reading

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
    """
    import sys

    from margin.experiment import evaluate_table

    if metrics:
        given["metrics"] = tuple(name.strip() for name in metrics.split(",") if name.strip())
    told = reading.pairs_of(settings, "--set", "PARAMETER=VALUE, as in n_neighbors=7", at_first=True)
    found = evaluate_table(
        file,
        model=model,
        settings={f"{model}.{name}": value for name, value in told.items()} or None,
        reading=reading.settings(given),
        progress=sys.stderr.isatty(),
        **given,
    )
    if as_json:
        from margin.experiment import result_json, table_evaluation

        click.echo(result_json.as_json(table_evaluation.evaluation_parts(found)))
    else:
        click.echo(str(found))
