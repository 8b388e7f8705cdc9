"""What a scikit-learn model sees: each column of its matrix, and how it comes out of the table that users have."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from margin.base.inputs.columns import Columns
from margin.base.representations.numeric import Scale
from margin.data.schema import Column, Kind, Schema
from margin.errors import ConversionError

__all__ = ["Affine", "Feature", "Preparation", "plain_preparation"]

NUMBER = "a column of numbers in scikit-learn"
WORDS: dict[Kind, str] = {
    "nominal": "one-hot in scikit-learn",
    "ordinal": "in the order of scikit-learn's OrdinalEncoder",
    "numeric": NUMBER,
}
LEFT_OUT = "left out by scikit-learn's ColumnTransformer"


@dataclass(frozen=True)
class Affine:
    """One scaler on one column: ``"standard"`` is (x - a) / b, ``"range"`` x a + b, in scikit-learn's arithmetic."""

    kind: Scale
    a: float
    b: float

    def of(self, x: Any) -> Any:
        """The scaled numbers, to the last bit as scikit-learn has them."""
        return (x - self.a) / self.b if self.kind == "standard" else x * self.a + self.b

    @property
    def center(self) -> float:
        return self.a if self.kind == "standard" else -self.b / self.a

    @property
    def spread(self) -> float:
        return self.b if self.kind == "standard" else 1 / self.a


@dataclass(frozen=True)
class Feature:
    """One column of the matrix.

    Attributes
    ----------
    column
        The column of the table it comes from.
    levels
        The categories of that column, where it is no number.
    level
        Which of them it tells from all others, as 0 and 1; None where it is the number or rank itself.
    fill
        What a missing or unseen cell counts as, before scaling; NaN where scikit-learn refuses it.
    mean
        The mean of the training rows, where a scaler knows it.
    chain
        The scalers it went through.
    """

    column: int
    levels: tuple[Any, ...] | None = None
    level: int | None = None
    fill: float = np.nan
    mean: float = np.nan
    chain: tuple[Affine, ...] = ()

    @property
    def kind(self) -> Kind:
        if self.levels is None:
            return "numeric"
        return "ordinal" if self.level is None else "nominal"

    @property
    def is_untouched(self) -> bool:
        """Whether it is still the cell as it came."""
        return self.levels is None and not self.chain and np.isnan(self.fill)

    def scaled(self, x: Any) -> Any:
        """Numbers, ranks or 0 and 1 after all scalers."""
        for step in self.chain:
            x = step.of(x)
        return x

    @property
    def center(self) -> float:
        return self._both[0]

    @property
    def spread(self) -> float:
        return self._both[1]

    @property
    def _both(self) -> tuple[float, float]:
        """All scalers as one, (x - center) / spread."""
        center, spread = 0.0, 1.0
        for step in self.chain:
            center, spread = center + spread * step.center, spread * step.spread
        return center, spread

    def unscaled(self, value: float) -> float:
        """What has this value after all scalers."""
        return value * self.spread + self.center if self.chain else value

    def then(self, step: Affine) -> Feature:
        return replace(self, chain=(*self.chain, step))


@dataclass(frozen=True)
class Preparation:
    """The columns of a table and the features that a model sees of them; ``names`` are None for arrays."""

    n: int
    names: tuple[str, ...] | None
    features: tuple[Feature, ...]

    @cached_property
    def by_column(self) -> dict[int, Feature]:
        """A feature of each column that is used."""
        return {feature.column: feature for feature in reversed(self.features)}

    @property
    def is_plain(self) -> bool:
        """Whether the model sees the columns as they are."""
        return [f.column for f in self.features] == list(range(self.n)) and all(f.is_untouched for f in self.features)

    @property
    def scale(self) -> Scale | None:
        """How margin calls the scaling of the numbers."""
        kinds: set[Literal["standard", "range"]] = {
            step.kind for f in self.features if f.level is None for step in f.chain
        }
        return "standard" if "standard" in kinds else "range" if kinds else None

    @cached_property
    def columns(self) -> Columns:
        """The columns as margin describes them."""
        numbers_alone = len(self.by_column) == self.n and all(f.kind == "numeric" for f in self.features)
        if self.names is None and numbers_alone:
            return Columns(self.n)
        names = self.names or tuple(f"x{i}" for i in range(self.n))
        return Columns(self.n, Schema(self._column(i, name) for i, name in enumerate(names)))

    def _column(self, i: int, name: str) -> Column:
        feature = self.by_column.get(i)
        if feature is None:  # whatever its cells are, they are none of no levels, and say nothing
            return Column(name, "nominal", (), LEFT_OUT)
        return Column(name, feature.kind, feature.levels or (), WORDS[feature.kind])

    def refuse_twice(self, who: str) -> None:
        """Refuse a column that the model sees in several ways."""
        uses = Counter((f.column, f.level) for f in self.features)
        as_they_are = {column for column, level in uses if level is None}
        by_level = {column for column, level in uses if level is not None}
        twice = sorted({column for (column, _), n in uses.items() if n > 1} | (as_they_are & by_level))
        if twice:
            name = self.columns.described()[twice[0]].name
            raise ConversionError(f"{who}: a column must be used once, but {name!r} is prepared in more than one way.")

    def refuse_any(self, who: str, why: str) -> None:
        """Refuse all preparation, for a model that wants the columns as they are."""
        if not self.is_plain:
            raise ConversionError(
                f"{who}: no preparation may stand before it, {why} (take the model alone, pipeline[-1], and give it "
                "prepared rows, or fit margin's own, which takes tables as they are)."
            )


def plain_preparation(n: int, names: Any = None) -> Preparation:
    """All columns as they are."""
    given = None if names is None else tuple(str(name) for name in names)
    return Preparation(n, given, tuple(Feature(i) for i in range(n)))
