"""``margin plot``: a picture of a saved model, of what it answers to a table, or of a table."""

from __future__ import annotations

from typing import Any

import click

from margin.cli import read_options as reading

__all__ = ["command"]

#: By name: the picture, what it is of, and what is shown. ``model`` is of a model alone, ``answers`` of its answers to
#: rows whose truth is known, ``rows`` of its answers to any rows, ``table`` of a table alone.
PICTURES = {
    "tree": ("plot_tree", "model", "the upper levels of a decision tree"),
    "coefficients": ("plot_coefficients", "model", "the largest weights of a linear model"),
    "roc": ("plot_roc", "answers", "true against false positives for every threshold"),
    "precision-recall": ("plot_precision_recall", "answers", "precision against recall for every threshold"),
    "calibration": ("plot_calibration", "answers", "whether probabilities come true"),
    "confusion": ("plot_confusion", "answers", "which classes are taken for which"),
    "thresholds": ("plot_thresholds", "answers", "every metric against the threshold"),
    "risk-coverage": ("plot_risk_coverage", "answers", "the error among the surest answers"),
    "regions": ("plot_regions", "answers", "which class wins where, over two columns (--columns)"),
    "dependence": ("plot_partial_dependence", "rows", "the mean answer as one column changes (--columns)"),
    "data": ("plot_data", "table", "a table at a glance; FILE is the table"),
}


def _listed() -> str:
    return "\b\n" + "\n".join(f"{name:<17} {says}" for name, (_, _, says) in PICTURES.items())


@click.command(
    "plot",
    short_help="Draw a saved model, what it answers, or a table.",
    help=f"""Draw a picture of FILE, a model that margin compare --save wrote, and write it to a file.

    Pictures of answers are of a TABLE with the target in it, whose rows the model should not have learnt from.

    {_listed()}

    \b
    margin plot tree credit.margin --out tree.svg
    margin plot thresholds credit.margin new.csv --out thresholds.png
    margin plot dependence credit.margin new.csv --columns income --out income.png
    margin plot data adult.csv --target last --out adult.png --dark
    """,
)
@click.argument("picture", type=click.Choice(list(PICTURES)), metavar="PICTURE")
@click.argument("file")
@click.argument("table", required=False)
@click.option("--out", "-o", metavar="FILE", required=True, help="Where to write: .png, .svg or .pdf.")
@click.option("--target", "-t", metavar="COLUMN", help="The classes of a table: a name, a number from 1, or last.")
@click.option("--columns", metavar="A,B", help="The columns to draw.")
@click.option("--dark", is_flag=True, help="For dark pages.")
@click.option("--json", "as_json", is_flag=True, help="Say as JSON what was drawn and where it is.")
@reading.options
def command(
    picture: str,
    file: str,
    table: str | None,
    out: str,
    target: str | None,
    columns: str | None,
    dark: bool,
    as_json: bool,
    **given: Any,
) -> None:
    from pathlib import Path

    from margin.cli.output_paths import check_places
    from margin.errors import ParameterError

    check_places(file, ("--out", out))
    if Path(out).suffix.lower() not in (".png", ".svg", ".pdf"):
        raise ParameterError(f"--out {out}: must end in .png, .svg or .pdf.")
    named = tuple(name.strip() for name in columns.split(",") if name.strip()) if columns else ()
    kind = PICTURES[picture][1]
    if kind in ("answers", "rows") and table is None:
        raise ParameterError(f"plot {picture}: needs a table besides the model (margin plot {picture} MODEL TABLE).")
    read_as = reading.settings(given)
    _draw_off_screen()
    if kind == "table":
        axes = _of_table(file, target, named, read_as)
    else:
        axes = _of_model(picture, file, table, named, read_as)
    _write(axes, out, dark)
    if as_json:
        import json

        click.echo(json.dumps({"picture": picture, "of": file, "table": table, "file": out}))
    else:
        click.echo(f"Picture: {out}")


def _draw_off_screen() -> None:
    """Pictures go to files: no window is opened for them, whatever matplotlib is set to."""
    import contextlib

    with contextlib.suppress(ImportError):  # what draws says what is to be installed
        import matplotlib as mpl

        mpl.use("Agg")


def _of_table(file: str, target: str | None, columns: tuple[str, ...], read_as: dict[str, Any]) -> Any:
    from margin.experiment.problem import open_table, resolve_target
    from margin.plots import plot_data

    rows, known = open_table(file, read_as)
    target = target or known
    if target is None:
        return plot_data(rows.select(columns) if columns else rows)
    name = resolve_target(rows, target)
    X, y = rows.take(~rows.missing(name)).target(name)
    return plot_data(X.select(columns) if columns else X, y)


def _of_model(picture: str, file: str, table: str | None, columns: tuple[str, ...], read_as: dict[str, Any]) -> Any:
    from margin import persistence, plots

    name, kind, _ = PICTURES[picture]
    draw, model = getattr(plots, name), persistence.load(file)
    if kind == "model":
        while hasattr(model, "model_"):  # the picture is of what stands inside a search, a threshold or a calibration
            model = model.model_
        return draw(model)
    assert table is not None
    X, y = _rows(persistence.header(file).about, model, table, read_as, truth=kind == "answers")
    if picture == "dependence":
        return _dependence(model, X, columns)
    if picture == "regions" and columns:
        from margin.neighbors import decision_regions

        return draw(decision_regions(model, X, y, columns=columns))
    return draw(model, X, y)


def _dependence(model: Any, X: Any, columns: tuple[str, ...]) -> Any:
    from margin.errors import ParameterError
    from margin.explain import partial_dependence
    from margin.plots import plot_partial_dependence

    if len(columns) != 1:
        raise ParameterError("plot dependence: name one column (--columns income).")
    return plot_partial_dependence(partial_dependence(model, X, columns[0]))


def _rows(about: dict[str, Any], model: Any, table: str, read_as: dict[str, Any], truth: bool) -> tuple[Any, Any]:
    """Rows as the model reads them, and their labels, without those that have none."""
    import numpy as np

    from margin.errors import DataError
    from margin.experiment import answers, read_new_rows

    rows = read_new_rows(table, about, {name: value for name, value in read_as.items() if value not in (None, "auto")})
    target = about["target"]
    if not truth:
        return (rows.drop(target) if target in rows else rows), None
    if target not in rows:
        raise DataError(f"{table!r}: the target {target!r} must be there, for the answers are held against it.")
    labels: list[Any] = list(np.ravel(np.asarray(answers(model, rows, about).truth, dtype=object)).tolist())
    classes = np.asarray(model.classes_)
    known = np.flatnonzero([label in classes.tolist() for label in labels])
    if not len(known):
        raise DataError(f"{table!r}: no row has a class of the model for {target!r}.")
    return rows.drop(target).take(known), np.asarray([labels[row] for row in known]).astype(classes.dtype)


def _write(axes: Any, out: str, dark: bool) -> None:
    import numpy as np

    from margin.errors import PersistenceError
    from margin.plots import darkened

    if dark:
        darkened(axes)
    figure = np.ravel(np.asarray(axes, dtype=object))[0].get_figure()
    try:
        figure.savefig(out, dpi=144)
    except OSError as error:
        raise PersistenceError(f"--out {out}: cannot be written ({error.strerror}).") from None
