"""The card of a model file, and what two files differ in, as lines for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from margin.cli.layout import NO_BREAK, dim, labelled, printable, table
from margin.report import phrases as words

if TYPE_CHECKING:
    from margin.persistence import Card
    from margin.persistence.cards.card import CardColumn, CardModel
    from margin.persistence.cards.differences import Difference

__all__ = ["card_lines", "difference_lines", "size"]

INDENT = 10
#: Columns, classes and parts of the file that are shown; --json gives all.
COLUMNS_SHOWN, CLASSES_SHOWN, PARTS_SHOWN = 20, 12, 4
#: Signs of the settings of a model inside.
SETTINGS_SHOWN = 150
SCORED = {"validation": "cross-validation", "test": "sealed test"}


def card_lines(card: Card, width: int) -> list[str]:
    """A card in as few lines as it takes."""
    name = f" ({printable(card.name)})" if card.name and card.name != card.model.kind else ""
    lines = [click.style(f"{printable(card.model.title)}{name}", bold=True)]
    lines += _labelled(_facts(card), width)
    if card.scores:
        lines += ["", *_scores(card.scores, card.about.get("units"), card.about.get("positive"), width)]
        lines += [dim(line) for line in textwrap.wrap(printable(card.protocol or ""), width)]
    if card.columns:
        lines += ["", *_columns(card, width)]
    return [*lines, "", *_labelled([("file", _file(card)), ("digest", card.digest)], width)]


def _labelled(facts: list[tuple[str, str]], width: int) -> list[str]:
    return [line for label, text in facts if text for line in labelled(label, text, width, INDENT)]


def _facts(card: Card) -> list[tuple[str, str]]:
    return [
        ("answers", _answers(card)),
        ("learnt", _learnt(card)),
        ("made", _made(card)),
        ("cut-off", _cut_off(card.threshold)),
        ("settings", _settings(card.model)),
        ("inside", "; ".join(_inside(card.model.inside))),
        ("missing", card.missing),
        ("unseen", card.unseen),
    ]


def _cut_off(noted: Any) -> str:
    if isinstance(noted, dict) and {"class", "probability", "why"} <= set(noted):
        at, why = words.number(noted["probability"]), printable(noted["why"])
        return f"“{printable(noted['class'])}” from a probability of {at} on (chosen in the folds for {why})"
    return "" if noted is None else printable(noted)


def _answers(card: Card) -> str:
    target = printable(card.target) if card.target else ""
    if card.outputs:
        each = "; ".join(_listed(classes or (), card.class_type) for classes in card.outputs[:4])
        return f"{len(card.outputs)} outputs: {each}{'; …' if len(card.outputs) > 4 else ''}"
    if card.classes is None and not card.class_type:
        return target
    found = "more classes than are shown" if card.classes is None else _listed(card.classes, card.class_type)
    return f"{target}: {found}" if target else found


def _listed(classes: Sequence[Any], kind: str) -> str:
    shown = ", ".join(
        printable(repr(label) if isinstance(label, bytes) else label) for label in classes[:CLASSES_SHOWN]
    )
    rest = f", … {len(classes):,} classes" if len(classes) > CLASSES_SHOWN else ""
    return f"{shown}{rest}" + (f" ({kind})" if kind not in ("str", "objects") else "")


def _learnt(card: Card) -> str:
    parts = []
    if card.table:
        parts.append(f"from {printable(card.table)}")
    if card.rows is not None:
        parts.append(f"{card.rows:,} rows")
    if card.table_digest:
        parts.append(f"digest {printable(card.table_digest)[:16]}…")
    if not card.model.fitted:
        parts.append("nothing yet")
    return ", ".join(parts)


def _made(card: Card) -> str:
    when = printable(card.when or "").replace("T", " ").replace("Z", " UTC")
    seed = "" if card.seed is None else f"seed {card.seed}"
    return ", ".join(part for part in (when, seed, printable(card.command or "")) if part)


def _settings(model: CardModel) -> str:
    return ", ".join(f"{name}={_value(value)}" for name, value in model.parameters.items())


def _value(value: object) -> str:
    return words.shortened(printable(repr(value)), 60)


def _inside(models: Iterable[CardModel]) -> list[str]:
    """Models inside, equal ones counted together, each with those inside it."""
    found: dict[str, int] = {}
    for model in models:
        deeper = _inside(model.inside)
        told = {name: value for name, value in model.parameters.items() if value is not None and value is not False}
        settings = words.shortened(", ".join(f"{name}={_value(value)}" for name, value in told.items()), SETTINGS_SHOWN)
        text = printable(model.title) + (f" ({settings})" if settings else "")
        text += f", in it {'; '.join(deeper)}" if deeper else ""
        found[text] = found.get(text, 0) + 1
    return [text if n == 1 else f"{n} × {text}" for text, n in found.items()]


def _file(card: Card) -> str:
    largest = [f"{printable(part.part)}{NO_BREAK}{_size(part.n_bytes)}" for part in card.parts[:PARTS_SHOWN]]
    more = f",{NO_BREAK}…" if len(card.parts) > PARTS_SHOWN else ""
    arrays = f"; {', '.join(largest)}{more}" if largest else ""
    rows = f"{card.witness_rows} witness rows" if card.witness_rows else "no witness rows"
    return (
        f"{_size(card.n_bytes)}, format {card.format}, by margin {printable(card.margin)}, {rows}; "
        f"header {_size(card.header_bytes)}{arrays}"
    )


def _size(n_bytes: int) -> str:
    return size(n_bytes).replace(" ", NO_BREAK)


def size(n_bytes: int) -> str:
    """A number of bytes as people read it.

    >>> size(64), size(12_345), size(3_200_000_000)
    ('64 B', '12.3 kB', '3.2 GB')
    """
    if n_bytes < 1000:
        return f"{n_bytes} B"
    in_unit = float(n_bytes)
    for unit in ("kB", "MB", "GB", "TB"):
        in_unit /= 1000
        if in_unit < 999.95 or unit == "TB":
            break
    return f"{in_unit:.1f} {unit}"


def _scores(scores: dict[str, dict[str, list[float | None]]], units: Any, positive: Any, width: int) -> list[str]:
    """A line for each metric, with the class it is about, and with its interval wherever it was measured.

    Units and classes are noted in the file, so that nobody need load the metrics; in older files they are not.
    """
    noted = isinstance(positive, dict)
    units, positive = (each if isinstance(each, dict) else {} for each in (units, positive))
    places = sorted((where for where in scores if scores[where]), key=lambda where: [*SCORED, where].index(where))
    names = list(dict.fromkeys(name for where in places for name in scores[where]))
    shares = {name: units[name] == "%" if name in units else words.is_share(name) for name in names}
    rows = [
        [_about(name, positive, noted), *(_score(scores[where].get(name), shares[name]) for where in places)]
        for name in names
    ]
    return table(["score", *(SCORED.get(where, printable(where)) for where in places)], rows, width)


#: Metrics of one class, which without one are the mean over the classes.
_BY_CLASS = frozenset({"precision", "recall", "f1"})


def _about(name: str, positive: dict[str, Any], noted: bool) -> str:
    of = ", mean of classes" if noted and name in _BY_CLASS else ""
    if name in positive:
        of = f" of {printable(str(positive[name]))}"
    return printable(name).replace("_", " ") + of


def _score(score: list[float | None] | None, share: bool) -> str:
    if score is None or score[0] is None:
        return "–"
    value, low, high = score
    reach = "" if low is None or high is None else f" ({_plain(low, share)}–{_plain(high, share)})"
    return words.score(value, share=share).replace(words.THIN, " ") + reach


def _plain(value: float, share: bool) -> str:
    return words.score(value, unit=False, share=share)


def _columns(card: Card, width: int) -> list[str]:
    rows = [
        [printable(column.name), printable(column.kind), _at_fit(column)] for column in card.columns[:COLUMNS_SHOWN]
    ]
    lines = table(["column", "kind", "at fit"], rows, width)
    if card.n_columns > len(rows):
        lines.append(dim(f"… {card.n_columns - len(rows):,} more columns; --json gives them all."))
    return lines


def _at_fit(column: CardColumn) -> str:
    if column.low is not None:
        return f"{words.number(column.low)} to {words.number(column.high)}"
    if column.n_levels is None:
        return ""
    shown = ", ".join(printable(level) for level in column.levels)
    return f"{column.n_levels:,} levels: {shown}, …" if column.n_levels > len(column.levels) else shown


def difference_lines(found: Sequence[Difference], width: int) -> list[str]:
    """A line or two for each difference, under what it is a difference of."""
    lines, before = [], ""
    for each in found:
        label = each.part if each.part != before else ""
        before = each.part
        told = f"{printable(each.name)}: {_change(each)}"
        lines += labelled(label, told, width, INDENT + 1)
    return lines


def _change(each: Difference) -> str:
    if each.old is None and each.new is None:
        return printable(each.says)
    ends = ["–" if end is None else words.shortened(printable(_brief(end)), 120) for end in (each.old, each.new)]
    return " → ".join(ends) + (f" ({printable(each.says)})" if each.says else "")


def _brief(value: object) -> str:
    """A value with numbers of few digits."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_brief, value))}]"
    return str(value)
