"""What a file says of itself: its card, read from the header without loading the model or knowing its kind."""

from __future__ import annotations

import dataclasses
import math
import os
from dataclasses import dataclass, field
from typing import Any

from margin.persistence.cards.card_reading import CardReader
from margin.persistence.cards.words import UNSEEN
from margin.persistence.container.head import open_head
from margin.persistence.opening import header_of, opened

__all__ = ["Card", "CardColumn", "CardModel", "CardPart", "card"]


@dataclass(frozen=True)
class CardModel:
    """A model of the file: the one it holds, or one inside it (``field`` says where).

    Parameters that have no plain value, such as arrays and other models, are texts that say what they are.
    """

    kind: str
    title: str
    fitted: bool
    parameters: dict[str, Any]
    field: str = ""
    inside: tuple[CardModel, ...] = ()


@dataclass(frozen=True)
class CardColumn:
    """A column as it was at fit: the number of its levels and the first of them, or the range of its numbers."""

    name: str
    kind: str
    n_levels: int | None = None
    levels: tuple[Any, ...] = ()
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class CardPart:
    """What the arrays of one field take in the file."""

    part: str
    n_bytes: int
    n_arrays: int


@dataclass(frozen=True)
class Card:
    """What a file says of itself, as plain data.

    ``digest`` is the SHA-256 of the header, in which the digests of all arrays stand: equal digests are equal files.
    ``classes`` are typed, ``class_type`` names their type; of a model of several outputs they stand in ``outputs``.
    ``columns`` are the first ten thousand of ``n_columns``; those of a model that was fitted on a plain array are
    called x0, x1, … and ``named`` is false.

    What was noted when the model was saved (``margin compare`` notes all of it) is None or empty where nothing was:
    ``when`` (UTC), ``table``, ``rows`` and ``table_digest`` of the training table, ``target``, ``protocol``, ``scores``
    (of validation and test, each metric with its value and the ends of its interval), ``threshold``, ``seed``,
    ``command``; ``about`` is the whole note.
    """

    file: str
    digest: str
    format: int
    margin: str
    n_bytes: int
    header_bytes: int
    model: CardModel
    n_columns: int = 0
    columns: tuple[CardColumn, ...] = ()
    named: bool = True
    classes: tuple[Any, ...] | None = None
    class_type: str = ""
    outputs: tuple[tuple[Any, ...] | None, ...] = ()
    missing: str = ""
    unseen: str = ""
    name: str | None = None
    target: str | None = None
    table: str | None = None
    rows: int | None = None
    table_digest: str | None = None
    when: str | None = None
    seed: int | None = None
    command: str | None = None
    protocol: str | None = None
    scores: dict[str, dict[str, list[float | None]]] = field(default_factory=dict)
    threshold: Any = None
    witness_rows: int = 0
    parts: tuple[CardPart, ...] = ()
    about: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The card as dictionaries, lists, numbers and texts that JSON can hold.

        Numbers that JSON has no way to write are the texts ``inf``, ``-inf`` and ``nan``; bytes are texts too.
        """
        return _plain(self)


def card(path: str | os.PathLike[str]) -> Card:
    """What a model file says of itself, in milliseconds and without loading the model.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from margin import MajorityClassifier, persistence
    >>> model = MajorityClassifier().fit([[1.0], [3.0]], ["no", "yes"])
    >>> found = card(persistence.save(model, Path(tempfile.mkdtemp()) / "model.margin"))
    >>> found.model.title, found.classes, found.columns[0].low, found.columns[0].high
    ('Majority class', ('no', 'yes'), 1.0, 3.0)
    """
    with opened(path, "card", open_head) as found:
        head, reader = header_of(found), CardReader(found)
        model = _model(reader, reader.root)
        class_type, classes, outputs = reader.classes()
        n_columns, columns, named = reader.columns()
        return Card(
            file=os.path.basename(path),
            digest=head.digest,
            format=head.format,
            margin=head.version,
            n_bytes=found.n_bytes,
            header_bytes=len(found.header_bytes),
            model=model,
            n_columns=n_columns,
            columns=tuple(CardColumn(*each) for each in columns),
            named=named,
            classes=classes,
            class_type=class_type,
            outputs=outputs,
            missing=reader.missing(),
            unseen=UNSEEN if reader.missing() else "",
            witness_rows=reader.witness_rows(),
            parts=tuple(CardPart(*each) for each in reader.parts()),
            about=head.about,
            **_noted(head.about, model.parameters.get("random_state")),
        )


def _model(reader: CardReader, number: int, field: str = "") -> CardModel:
    kind, title, fitted, parameters = reader.model(number)
    inside = tuple(_model(reader, inner, where) for inner, where in reader.inside(number))
    return CardModel(kind, title, fitted, parameters, field, inside)


def _noted(about: dict[str, Any], random_state: object) -> dict[str, Any]:
    """The notes that cards have a place for; a note of another type is left where it is."""
    found: dict[str, Any] = {}
    for name in ("name", "target", "table", "table_digest", "when", "command", "protocol"):
        if isinstance(about.get(name), str) and about[name]:
            found[name] = about[name]
    for name, given in (("rows", about.get("rows")), ("seed", about.get("seed", random_state))):
        if type(given) is int:
            found[name] = given
    if "threshold" in about:
        found["threshold"] = about["threshold"]
    found["scores"] = _scores(about.get("scores"))
    return found


def _scores(noted: Any) -> dict[str, dict[str, list[float | None]]]:
    if not isinstance(noted, dict):
        return {}
    return {
        where: {name: score for name, score in scores.items() if _is_score(score)}
        for where, scores in noted.items()
        if isinstance(scores, dict)
    }


def _is_score(score: object) -> bool:
    return isinstance(score, list) and len(score) == 3 and all(x is None or type(x) in (int, float) for x in score)


def _plain(value: object) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {part.name: _plain(getattr(value, part.name)) for part in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value.decode(errors="replace") if isinstance(value, bytes) else value
