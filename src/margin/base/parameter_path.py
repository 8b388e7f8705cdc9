"""Answers for several values of a parameter, where a model can share work between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from margin.data.predictions import Predictions
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["PathFunction", "PathTask"]


@dataclass(frozen=True, eq=False)
class PathTask:
    """Rows to learn from, the values of the parameter, and sets of rows to answer for each of them."""

    values: Sequence[Any]
    X: TableLike
    y: LabelsLike
    queries: Sequence[Any]
    sample_weight: WeightsLike | None = None


#: For each value, in the order asked, what an unfitted model would have predicted for each set of rows if fitted with
#: it; None where it can only be fitted anew.
PathFunction = Callable[[Any, PathTask], list[list[Predictions]] | None]
