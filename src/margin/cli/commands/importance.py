"""``margin importance``: what columns are worth to a saved model, on rows that it has not learnt from."""

from __future__ import annotations

from typing import Any

import click

from margin.cli import read_options as reading

__all__ = ["command"]


@click.command("importance", short_help="What columns are worth to a saved model, on held-out rows.")
@click.argument("model")
@click.argument("file")
@click.option("--metric", "-m", metavar="NAME", help="What answers are judged by. [default: accuracy, or r2]")
@click.option(
    "--method",
    type=click.Choice(["permutation", "conditional", "drop_column"]),
    default="permutation",
    show_default=True,
    help="Shuffle a column among all rows, or among rows alike in what it goes with; or fit anew without it.",
)
@click.option("--group", metavar="NAME=A,B,…", multiple=True, help="Columns shuffled together; can be given again.")
@click.option("--correlated", is_flag=True, help="Shuffle columns that go together as one group.")
@click.option("--train", metavar="TABLE", help="The rows to fit anew on, for --method drop_column.")
@click.option("--repeats", type=click.IntRange(1), default=5, show_default=True, help="Shuffles of each column.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the shuffles.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for programs.")
@reading.options
def command(
    model: str,
    file: str,
    metric: str | None,
    method: Any,
    group: tuple[str, ...],
    correlated: bool,
    train: str | None,
    repeats: int,
    seed: int,
    as_json: bool,
    **given: Any,
) -> None:
    """Tell what the columns of FILE are worth to MODEL, a file that margin compare --save wrote.

    FILE holds the target and rows that the model has not learnt from; - is what is piped in. A column is worth by how
    much worse the answers are when its cells are shuffled; intervals are over the rows.

    \b
    margin importance credit.margin held_out.csv
    margin importance credit.margin held_out.csv --metric log_loss --method conditional
    margin importance credit.margin held_out.csv --group money=income,amount --correlated
    margin importance credit.margin held_out.csv --method drop_column --train credit.csv
    margin importance credit.margin held_out.csv --json | jq '.importances[0].name'
    """
    from margin import persistence
    from margin.cli.new_rows import inputs_of
    from margin.errors import ParameterError
    from margin.explain import importance

    if group and correlated:
        raise ParameterError("importance: --group and --correlated exclude each other.")
    about, loaded = persistence.header(model).about, persistence.load(model)
    X, y = _with_truth(loaded, about, file, *inputs_of(file, about, reading.settings(given)))
    fit_on = None if train is None else _with_truth(loaded, about, train, *inputs_of(train, about, {}))
    pairs = reading.pairs_of(group, "--group", "NAME=A,B, as in money=income,amount", at_first=True)
    groups: Any = {name: [each.strip() for each in members.split(",")] for name, members in pairs.items()}
    found = importance(
        loaded,
        X,
        y,
        metric=metric,
        method=method,
        groups="correlated" if correlated else groups or None,
        train=fit_on,
        n_repeats=repeats,
        random_state=seed,
    )
    if as_json:
        import json

        click.echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=1))
    else:
        click.echo(found.text())


def _with_truth(model: Any, about: dict[str, Any], file: str, X: Any, y: Any) -> tuple[Any, Any]:
    """The rows that have a truth, in the type of the model's answers."""
    import numpy as np

    from margin.errors import DataError, DataWarning, warn

    if y is None:
        raise DataError(f"importance({file!r}): the file must hold the target, {about['target']!r}.")
    there = np.array([label is not None and label == label for label in y.tolist()])
    if not there.all():
        warn(f"importance({file!r}): {int((~there).sum()):,} rows without a target are left out.", DataWarning)
    X, y = (X, y) if there.all() else (X.take(np.flatnonzero(there)), y[there])
    classes = getattr(model, "classes_", None)
    if classes is None:
        return X, y
    by_text = {str(label): label for label in classes.tolist()}
    known = set(classes.tolist())
    labels = [label if label in known else by_text.get(str(label), label) for label in y.tolist()]
    return X, np.array(labels, dtype=object if len({type(label) for label in labels}) > 1 else None)
