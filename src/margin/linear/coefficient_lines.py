"""The coefficients of a linear model as they are told: line by line, with intervals where these are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.errors import InputError

__all__ = ["CoefficientLines", "coefficient_lines"]


@dataclass(frozen=True, eq=False)
class CoefficientLines:
    """``values`` has a row for each score of the model and a column for each of ``names``.

    ``low`` and ``high`` are the ends of 95 % intervals, NaN where nothing is known. ``against`` says of each column of
    words what its words are compared with; without an entry that is a missing cell.
    """

    names: list[str]
    values: np.ndarray
    low: np.ndarray
    high: np.ndarray
    against: dict[str, str]


def coefficient_lines(model: Any) -> CoefficientLines:
    """Of two classes of logistic regression the lines of its summary, of all others the coefficients as they are.

    >>> from margin import LogisticRegression
    >>> from margin.data import catalog
    >>> X, y = catalog.load("weather_nominal").target("play")
    >>> coefficient_lines(LogisticRegression().fit(X, y)).against
    {'outlook': "'rainy'", 'temperature': "'mild'", 'humidity': "'high'", 'windy': "'FALSE'"}
    """
    coef = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
    try:
        summary = model.summary() if len(coef) == 1 else None
    except (AttributeError, InputError):  # no summary, or one that wants the training rows again
        summary = None
    if summary is None:
        unknown = np.full(coef.shape, np.nan)
        return CoefficientLines(list(model._encoder.names_out()), coef, unknown, unknown, {})
    table = summary.table
    told = table["column"] != "(intercept)"
    with np.errstate(divide="ignore", over="ignore"):
        ends = [np.log(np.asarray(table[end][told], dtype=np.float64))[None] for end in ("low", "high")]
    known = np.isfinite(ends[0]) & np.isfinite(ends[1])
    low, high = (np.where(known, end, np.nan) for end in ends)
    return CoefficientLines(
        table["column"][told].tolist(), table["coefficient"][told][None], low, high, summary.against
    )
