"""``margin model``: what a model file says of itself, and what can be done with it as a file."""

from __future__ import annotations

from typing import Any

import click

__all__ = ["command"]


@click.group("model", short_help="Look into model files, compare, check, convert and export them.")
def command() -> None:
    """Look into model files, compare, check and convert them.

    \b
    margin model show credit.margin            what it is, learnt from what, how good
    margin model diff old.margin new.margin    what two models differ in
    margin model verify credit.margin          whether every byte and every answer is as it was
    margin model convert old.margin new.margin write it in the current format
    margin model export credit.margin c.onnx   write it as an ONNX graph, for where margin is not
    """


@command.command("show", short_help="What a model is, what it learnt from, how good it is.")
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Everything, as JSON.")
@click.option("--text", is_flag=True, help="Load the model too, and say what it learnt.")
def show(file: str, as_json: bool, text: bool) -> None:
    """Show what FILE says of itself. The model is not loaded, whatever its size, unless --text asks what it learnt.

    The JSON is one object. Names are never renamed and never change their meaning; new ones may come. What is not
    known is null or empty.

    \b
    file, digest          name of the file; SHA-256 of its header, in which all digests stand
    format, margin        of the file; the version that wrote it
    n_bytes, header_bytes of the file; of its header
    model                 kind, title, fitted, parameters, field, inside (models again)
    n_columns, columns    name, kind, n_levels, levels (the first), low, high of each
    named                 whether the columns had names
    classes, class_type   the classes, in their type, and its name
    outputs               the classes of each output, where there are several
    missing, unseen       what becomes of such cells
    name, target          what compare called the model; what it answers
    table, rows           the training table and its rows
    table_digest          SHA-256 of its names, kinds, levels and cells
    when, seed, command   when it was made (UTC), and how to make it again
    protocol, scores      how it was measured; place, metric: [value, low, high]
    threshold             the cut-off that was chosen
    witness_rows          rows with answers by which loading is checked
    parts                 part, n_bytes, n_arrays of each field, largest first
    about                 everything that was noted
    learnt                with --text, what it learnt, in words

    \b
    margin model show credit.margin
    margin model show credit.margin --json | jq .scores.test.accuracy
    """
    from margin.persistence import card

    found = card(file)
    learnt = _learnt(file) if text else None
    if as_json:
        import json

        more = {} if learnt is None else {"learnt": learnt}
        click.echo(json.dumps({**found.to_dict(), **more}, ensure_ascii=False, indent=1))
        return
    from margin.cli.card_text import card_lines
    from margin.cli.layout import terminal_width

    lines = card_lines(found, terminal_width())
    click.echo("\n".join(lines if learnt is None else [*lines, "", learnt]))


def _learnt(file: str) -> str:
    """What a model learnt, in its own words: its text, or how it comes to one of its answers."""
    from margin import persistence
    from margin.errors import MarginError
    from margin.explain import explain
    from margin.persistence.witness import rows_for

    model: Any = persistence.load(file)
    while hasattr(model, "model_"):  # a search, or a model around another
        model = model.model_
    if hasattr(model, "text"):
        return model.text()
    try:
        row = rows_for(model) if getattr(model, "_columns", None) is not None else None
        if row is not None and hasattr(model, "classes_"):
            return f"How it answers a made-up row:\n{explain(model, row[:1])}"
    except MarginError as error:
        return f"It has no text of its own ({error})"
    return "It has no text of its own."


@command.command("diff", short_help="What two models differ in.")
@click.argument("old")
@click.argument("new")
def diff(old: str, new: str) -> None:
    """Say what the models of the files OLD and NEW differ in: kind, settings, columns, classes, learnt arrays, notes.

    Leaves with 0 where they are the same model with the same notes, and with 1 where they are not. How they are written
    does not count: format, version of margin, witness rows; nor does when they were made, which is told all the same.

    \b
    margin model diff monday.margin tuesday.margin
    """
    from margin.cli.card_text import difference_lines
    from margin.cli.layout import dim, terminal_width
    from margin.persistence.cards.differences import differences

    found = differences(old, new)
    counts = [each for each in found if (each.part, each.name) != ("note", "when")]
    if not counts:
        click.echo("The same model, with the same notes.")
    for line in difference_lines(found, terminal_width()):
        click.echo(line if counts else dim(line))
    if counts:
        raise SystemExit(1)


@command.command("verify", short_help="Whether a file is whole, sound, and answers as it did.")
@click.argument("file")
def verify(file: str) -> None:
    """Check FILE to its last byte: digests, structure, and that its witness rows are answered as when it was saved.

    Leaves with 0 if all of it holds, and with 2 and the reason if not.
    """
    from margin import persistence
    from margin.cli.card_text import size

    persistence.verify(file)
    found = persistence.card(file)
    n = sum(part.n_arrays for part in found.parts)
    rows = f"{found.witness_rows} witness rows are answered as they were" if found.witness_rows else "no witness rows"
    arrays = f"{n:,} array{'s' * (n != 1)} match{'es' * (n == 1)} {'their digests' if n != 1 else 'its digest'}"
    click.echo(f"{file} is sound: {size(found.n_bytes)}, {arrays}, the structure holds, {rows}.")


@command.command("convert", short_help="Write a model in the current format.")
@click.argument("old")
@click.argument("new")
def convert(old: str, new: str) -> None:
    """Write the model of the file OLD, of whichever format, as the file NEW in the current one; notes are kept.

    \b
    margin model convert credit-2024.margin credit.margin
    """
    from margin import persistence
    from margin.cli.output_paths import check_places

    check_places(old, ("NEW", new))
    before = persistence.header(old)
    place = persistence.convert(old, new)
    click.echo(
        f"{place}: format {persistence.FORMAT} (was {before.format}), by margin {persistence.header(place).version}"
    )


@command.command("export", short_help="Write a model as an ONNX graph.")
@click.argument("file")
@click.argument("out")
@click.option("--check/--no-check", default=True, show_default=True, help="Answer made-up rows in onnxruntime too.")
def export(file: str, out: str, check: bool) -> None:
    """Write the model of FILE as the ONNX graph OUT: raw columns in, label and probabilities out, everything in double.

    Rows made up within the ranges and levels of the columns are answered by both; a difference is refused and nothing
    is written. Needs pip install "margin[onnx]".

    \b
    margin model export credit.margin credit.onnx
    """
    from margin import persistence
    from margin.cli.output_paths import check_places
    from margin.errors import ParameterError

    check_places(file, ("OUT", out))
    model: Any = persistence.load(file)
    if not hasattr(model, "to_onnx"):
        raise ParameterError(f"export({file!r}): it holds a {persistence.header(file).model}, which answers nothing.")
    graph = model.to_onnx(out, check=check)
    inputs = ", ".join(value.name for value in graph.graph.input[:5]) + (", …" if len(graph.graph.input) > 5 else "")
    outputs = ", ".join(value.name for value in graph.graph.output)
    click.echo(f"{out}: {inputs} in, {outputs} out{', answers made-up rows as the model does' if check else ''}")
