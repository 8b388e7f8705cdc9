"""What preparations have learnt: the columns they make, the cuts they put."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.base import TableEncoder
from margin.explain.learnt.describing import Given, sections_of
from margin.explain.learnt.sections import Section, table
from margin.features import PolynomialFeatures
from margin.tree import Discretizer

__all__: list[str] = []


@sections_of.register
def _(fitted: TableEncoder, given: Given) -> list[Section]:
    encoder: Any = fitted._encoder
    names, fill = encoder.names_out(), np.asarray(encoder.fill)
    rows = [
        (name, "number", float(fill[j]), float(encoder.center[j]), float(encoder.spread[j]))
        if j < len(fill) else (name, "level or word", None, None, None)
        for j, name in enumerate(names)
    ]  # fmt: skip
    how = "Numbers are filled where they are missing, shifted and divided; each level is a column of 0 and 1."
    return [table("Columns", how, ("column", "what", "filled with", "shifted by", "divided by"), rows)]


@sections_of.register
def _(fitted: Discretizer, given: Given) -> list[Section]:
    cuts = fitted.cuts_
    pairs = cuts.items() if isinstance(cuts, dict) else zip(fitted._columns.described().names, cuts)
    rows = [(str(name), len(each), ", ".join(f"{cut:.4g}" for cut in np.ravel(each).tolist())) for name, each in pairs]
    return [table("Cuts", "Where each column of numbers is cut into intervals.", ("column", "cuts", "at"), rows)]


@sections_of.register
def _(fitted: PolynomialFeatures, given: Given) -> list[Section]:
    names = [str(name) for name in fitted.get_feature_names_out()]
    return [table("Columns", "The columns and products of columns that it makes.", ("column",), [(n,) for n in names])]
