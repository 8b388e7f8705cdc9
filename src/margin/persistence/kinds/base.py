"""What every model holds: its columns, and the encoder that shows it their rows.

Letters that mean the same in all kinds: ``k`` classes; ``d`` columns of the matrix that a model sees (numbers of mixed
columns); ``c`` coded columns beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from margin.base.inputs.columns import Columns
from margin.base.inputs.date_parts import PARTS, DateParts
from margin.base.representations.hashed_text import BITS, HashedText
from margin.base.representations.mixed import MixedEncoder
from margin.base.representations.moments import Moments
from margin.base.representations.numeric import Numeric, NumericEncoder
from margin.base.representations.representation import AsGivenEncoder
from margin.base.table_encoder import TableEncoder
from margin.baseline import MajorityClassifier
from margin.features import PolynomialFeatures, QuadraticFeatures
from margin.persistence.objects.arrays import Array, Rule, at_least, finite, positive
from margin.persistence.objects.fields import (
    Absent,
    Either,
    Field,
    Flag,
    ListOf,
    Maybe,
    Number,
    Object,
    SetOf,
    Text,
    TupleOf,
    Whole,
)
from margin.persistence.objects.kind import Kind
from margin.persistence.objects.values import Labels, Texts

__all__ = ["AS_GIVEN", "KINDS", "MIXED", "NUMERIC", "OUTPUTS", "classifier", "model", "n_given", "shares"]

#: Shares of classes and the like.
shares = Rule("cells are shares from 0 to 1", lambda a, _: ((a >= 0) & (a <= 1 + 1e-9)).all())
#: Labels of one column, or of several.
OUTPUTS = Either(Labels("k", distinct=True), ListOf(Labels(distinct=True)))


def _width(encoder: NumericEncoder) -> int:
    words = sum(len(each.buckets) for each in encoder.texts)
    return len(encoder.fill) + sum(len(column.levels) for column in encoder.one_hot) + words


def _numbers(encoder: MixedEncoder) -> int:
    return encoder.columns.n if encoder.columns.schema is None else len(encoder.numeric_names)


NUMERIC = Object("numeric-encoder", where={"d": _width})
MIXED = Object("mixed-encoder", where={"d": _numbers, "c": lambda encoder: len(encoder.coded_names)})
AS_GIVEN = Object("as-given-encoder")


def model(
    name: str,
    cls: type,
    fields: Mapping[str, Field],
    *,
    sees: Object,
    check: Callable[[Any], str | None] | None = None,
    derived: frozenset[str] = frozenset(),
    finish: Callable[[Any], None] | None = None,
    **more: Any,
) -> Kind:
    """The kind of a model; ``sees`` is the encoder of its representation."""
    common: dict[str, Field] = {
        "_columns": Object("columns"),
        "_encoder": sees,
        "_ranges": Absent(Array("f8", 2, None)),
        "_origin": Absent(Text()),
        "labels_": Absent(Labels(distinct=True)),
        "target_names_": Absent(ListOf(Text())),
    }

    def whole(made: Any) -> str | None:
        if made._encoder.columns is not made._columns:
            return "its encoder knows other columns"
        if made._columns.are_none() and sees is not AS_GIVEN:
            return "it has learnt from no column"
        if (wrong := _unlike_targets(made)) is not None:
            return wrong
        return check(made) if check is not None else None

    def finished(made: Any) -> None:
        made._remember(made._columns)
        if finish is not None:
            finish(made)

    by_columns = frozenset({"n_features_in_", "feature_names_in_"})
    return Kind(name, cls, {**common, **fields}, check=whole, derived=derived | by_columns, finish=finished, **more)


def _unlike_targets(made: Any) -> str | None:
    """Label sets are several targets of False and True, and names are those of several targets."""
    labels, names = vars(made).get("labels_"), vars(made).get("target_names_")
    classes = vars(made).get("classes_")
    if labels is None and names is None:
        return None
    if not isinstance(classes, list) or any(len(each) != len(classes) for each in (labels, names) if each is not None):
        return "it has names of other targets"
    if labels is not None and any(each.dtype != bool or each.tolist() != [False, True] for each in classes):
        return "its label sets are targets of other classes"
    return None


def classifier(name: str, cls: type, fields: Mapping[str, Field], **more: Any) -> Kind:
    """The kind of a model of ``k`` classes."""
    return model(name, cls, {"classes_": Labels("k", distinct=True), **fields}, **more)


def n_given(model: Any) -> int:
    """How many columns a model was given: those it left out, and dates as one, count as well."""
    if getattr(model, "takes_cases", False):
        return 0  # pictures and the like have no columns
    columns = vars(model).get("_columns")
    if columns is None or columns.schema is None:
        return int(model.n_features_in_)
    return len(columns.given()) + len(columns.left_out)


def _columns(columns: Columns) -> str | None:
    if columns.schema is None:
        return "there is text without names" if columns.text or columns.left_out or columns.dates else None
    if columns.left_out & set(columns.schema.names):
        return "a column is left out and is not"
    if len(columns.schema) != columns.n or not columns.text <= set(columns.schema.names):
        return "the number of columns is another one than that of their names"
    if any(columns.schema[name].is_numeric for name in columns.text):
        return "a column of numbers is no text"
    if any(name not in columns.schema.names for each in columns.dates for name in each.names):
        return "what is made of dates is not there"
    return None


def _date_parts(dates: DateParts) -> str | None:
    if not dates.parts or len(set(dates.parts)) < len(dates.parts):
        return "nothing is made of a column of dates, or something twice"
    return None


def _numeric_encoder(values: dict[str, Any]) -> NumericEncoder:
    made = NumericEncoder(values["form"], values["columns"], values["model"])
    for name in ("moments", "filled", "fill", "center", "spread", "texts"):
        if name in values:
            setattr(made, name, values[name])
    return made


def _numeric_fits(encoder: NumericEncoder) -> str | None:
    columns = encoder.columns
    width = columns.n if columns.schema is None else len(encoder.numbered)
    if len(encoder.fill) != width:
        return "it fills another number of columns than there are"
    if (np.abs(encoder.fill) > encoder.largest).any():
        return "it fills with numbers that are too large"
    if "moments" in vars(encoder) and encoder.moments.weight.shape != (1, width):
        return "its moments are those of other columns"
    if [each.column for each in encoder.texts] != encoder.text_names:
        return "it knows words of other columns"
    return None


def _hashed_text(text: HashedText) -> str | None:
    if len(text.grams) != len(text.buckets) or (np.diff(text.buckets) <= 0).any():
        return "its buckets must ascend, each with a name"
    return "there are no such buckets" if (text.buckets >> BITS).any() else None


KINDS = (
    Kind(
        "columns",
        Columns,
        {
            "n": Whole(0, 2**31 - 1),
            "schema": Maybe(Object("schema")),
            "text": SetOf(Text()),
            "left_out": Absent(SetOf(Text())),
            "dates": Absent(TupleOf(Object("date-parts"))),
        },
        check=_columns,
    ),
    Kind(
        "date-parts",
        DateParts,
        {
            "column": Text(),
            "origin": Number(),
            "parts": TupleOf(Text(*PARTS)),
            "day_first": Maybe(Flag()),
        },
        check=_date_parts,
    ),
    Kind(
        "moments",
        Moments,
        {
            "weight": Array("f8", "k", "d", at_least(0)),
            "weight2": Array("f8", "k", "d", at_least(0)),
            "mean": Array("f8", "k", "d"),
            "rest": Array("f8", "k", "d"),
            "m2": Array("f8", "k", "d"),
            "unit": Array("f8", "d", positive),
            "low": Array("f8", "d"),
            "high": Array("f8", "d"),
        },
    ),
    Kind(
        "hashed-text",
        HashedText,
        {
            "column": Text(),
            "buckets": Array("i4", "h", at_least(0)),
            "weights": Array("f8", "h", at_least(0), finite),
            "grams": Texts(),
        },
        build=lambda each: HashedText(each["column"], each["buckets"], each["weights"], tuple(each["grams"])),
        check=_hashed_text,
    ),
    Kind(
        "numeric",
        Numeric,
        {
            "scale": Maybe(Text("standard", "range")),
            "sparse": Flag(),
            "keep_float32": Flag(),
            "largest": Number(0),
            "codes": Absent(Flag(), lambda: False),
        },
    ),
    Kind(
        "numeric-encoder",
        NumericEncoder,
        {
            "form": Object("numeric"),
            "columns": Object("columns"),
            "model": Text(),
            "moments": Absent(Object("moments")),
            "filled": Absent(Flag()),
            "fill": Array("f8", "w"),
            "center": Array("f8", "w", finite),
            "spread": Array("f8", "w", positive, finite),
            "texts": Absent(TupleOf(Object("hashed-text"))),
        },
        derived=frozenset({"largest", "keeps_float32", "numbered", "one_hot", "text_names"}),
        build=_numeric_encoder,
        check=_numeric_fits,
    ),
    Kind(
        "mixed-encoder",
        MixedEncoder,
        {"columns": Object("columns"), "largest": Number(0), "as_given": Flag()},
        derived=frozenset({"keeps_float32", "numeric_names", "text_names", "coded_names", "numbers"}),
        build=lambda values: MixedEncoder(values["columns"], values["largest"], values["as_given"]),
    ),
    Kind("as-given-encoder", AsGivenEncoder, {"columns": Object("columns")}),
    model("table-encoder", TableEncoder, {}, sees=NUMERIC),
    model("polynomial-features", PolynomialFeatures, {}, sees=MIXED),
    model("quadratic-features", QuadraticFeatures, {}, sees=MIXED),
    classifier("majority", MajorityClassifier, {"priors_": Array("f8", "k", shares)}, sees=MIXED),
)
