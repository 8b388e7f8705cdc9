"""Products of columns as further columns, so that a straight line in them is a curve in the columns."""

from __future__ import annotations

import math
from itertools import combinations, combinations_with_replacement
from typing import Any, Literal, Self

import numpy as np

from margin import params
from margin.base import Mixed, MixedData
from margin.base.estimator import TableEstimator
from margin.base.inputs.arrays import check_memory
from margin.base.representations.representation import NO_LIMIT
from margin.base.rollback import whole_or_not_at_all
from margin.base.sklearn_classes import TransformerMixin
from margin.data.schema import Column, Schema
from margin.data.table import Table
from margin.errors import InputError
from margin.params import Count, Flag
from margin.typing import TableLike, WeightsLike

__all__ = ["PolynomialFeatures", "QuadraticFeatures"]

SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
Term = tuple[int, ...]


class PolynomialFeatures(TransformerMixin, TableEstimator):
    r"""Columns of numbers, and all their products of up to ``degree`` factors.

    What no straight line can tell apart may be apart in squares and products: a circle :math:`x^2 + y^2 < r^2`, or
    exclusive or, which is the sign of :math:`x\,y`. Of d columns there are :math:`\binom{d + k}{k} - 1` for degree k.

    Rows of an array give an array. A table or a frame gives a table whose columns are called by what they are, ``age²``
    and ``age·height``, with columns of words as they were. A product with a missing cell is missing. Put it before any
    model; models with a penalty want their columns scaled.

    Parameters
    ----------
    degree
        Most factors of a product.
    interaction_only
        True leaves out powers: no column is twice in a product.
    nominal
        What becomes of columns that are no numbers: ``"pass"`` hands them on; ``"cross"`` also adds a nominal column
        for each pair of them (``red & large``) and, for each of their levels, every number where the level is there and
        0 where another one is; ``"drop"`` leaves them out.

    Examples
    --------
    >>> from margin.data import Table
    >>> table = Table.from_columns({"height": [2.0, 3.0], "width": [5.0, None], "ink": ["red", "blue"]})
    >>> made = PolynomialFeatures().fit_transform(table)
    >>> made.names
    ('height', 'width', 'ink', 'height²', 'height·width', 'width²')
    >>> made["height·width"]
    array([10., nan])
    >>> PolynomialFeatures(degree=3, interaction_only=True).fit_transform([[2.0, 3.0, 5.0]])
    array([[ 2.,  3.,  5.,  6., 10., 15., 30.]])
    """

    def __init__(
        self,
        *,
        degree: Count = 2,
        interaction_only: Flag = False,
        nominal: Literal["pass", "cross", "drop"] = "pass",
    ) -> None:
        self.degree = degree
        self.interaction_only = interaction_only
        self.nominal = nominal

    @property
    def representation(self) -> Mixed:
        return Mixed(largest=NO_LIMIT ** (1 / self._degree()))

    def _degree(self) -> int:
        return int(self.degree)

    def fit(self, X: TableLike, y: Any = None, sample_weight: WeightsLike | None = None) -> Self:
        """Learn which columns there are; nothing else is learnt."""
        with whole_or_not_at_all(self):
            params.check(self)
            who = f"{type(self).__name__}.fit"
            rows = self._open_rows(X, sample_weight, who)
            self._learn_input(rows, who)
            if self.nominal == "drop" and not any(column.is_numeric for column in self._columns.described()):
                raise InputError(f"{who}: without columns of words nothing is left, for no column holds numbers.")
        return self

    def _terms(self, n_numbers: int) -> list[Term]:
        """The products, those of fewer factors first; the columns themselves are not among them."""
        choose = combinations if self.interaction_only else combinations_with_replacement
        return [term for k in range(2, self._degree() + 1) for term in choose(range(n_numbers), k)]

    def transform(self, X: TableLike) -> Any:
        """The columns and their products: an array for rows of an array, else a table."""
        data = self._encoded(X, "transform")
        params.check(self)
        numbers, who = data.numeric, f"{type(self).__name__}.transform"
        n = numbers.shape[1]
        most = math.comb(n, self._degree()) if self.interaction_only else math.comb(n + self._degree(), self._degree())
        check_memory(max(len(data), 1), most, who, "with products of columns, X")
        terms = self._terms(n)
        products = _products(numbers, terms)
        if self._columns.schema is None:
            return np.hstack([numbers, products])
        described = list(self._columns.schema)
        cells = _in_order(described, data)
        if self.nominal == "drop":
            kept = [i for i, column in enumerate(described) if column.is_numeric]
            described, cells = [described[i] for i in kept], [cells[i] for i in kept]
        names = [column.name for column in self._columns.schema if column.is_numeric]
        described += [Column(_named(term, names), "numeric", reason="a product of columns") for term in terms]
        cells += list(products.T)
        if self.nominal == "cross":
            for column, crossed in self._crossed(data, names):
                described.append(column)
                cells.append(crossed)
        return Table(Schema(described), cells, n_rows=len(data))

    def _crossed(self, data: MixedData, names: list[str]) -> list[tuple[Column, np.ndarray]]:
        assert self._columns.schema is not None
        words = [column for column in self._columns.schema if not column.is_numeric]
        found: list[tuple[Column, np.ndarray]] = []
        for i, j in combinations(range(len(words)), 2):
            found.append(_pair(words[i], words[j], data.codes[i], data.codes[j]))
        for column, codes in zip(words, data.codes):
            for level, label in enumerate(column.levels):
                there = np.where(codes < 0, np.nan, codes == level)
                for at, name in enumerate(names):
                    product = Column(f"{name}·[{column.name} = {label}]", "numeric", reason="a number where a level is")
                    found.append((product, there * data.numeric[:, at]))
        return found

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """What the columns are called: ``age``, ``age²``, ``age·height``."""
        columns = self._fitted("get_feature_names_out")._columns
        if columns.schema is not None:
            empty = Table(columns.schema, [np.empty(0) for _ in columns.schema])
            return np.array(self.transform(empty).names, dtype=object)
        names = [column.name for column in columns.described()]
        return np.array([*names, *(_named(term, names) for term in self._terms(len(names)))], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


class QuadraticFeatures(PolynomialFeatures):
    """Columns of numbers, their squares and the products of any two: :class:`PolynomialFeatures` of degree 2.

    Examples
    --------
    >>> from margin import LogisticRegression
    >>> from margin.data.generators import circles
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = circles(200)
    >>> bool(LogisticRegression().fit(X, y).score(X, y) < 0.7)
    True
    >>> make_pipeline(QuadraticFeatures(), LogisticRegression(C=100)).fit(X, y).score(X, y)
    1.0
    """

    def __init__(self, *, interaction_only: Flag = False, nominal: Literal["pass", "cross", "drop"] = "pass") -> None:
        self.interaction_only = interaction_only
        self.nominal = nominal

    def _degree(self) -> int:
        return 2


def _products(numbers: np.ndarray, terms: list[Term]) -> np.ndarray:
    """A column for each product; one of k factors is one of k - 1 times its last factor."""
    found = np.empty((len(numbers), len(terms)), order="F")
    place = {term: at for at, term in enumerate(terms)}
    for at, term in enumerate(terms):
        before = numbers[:, term[0]] if len(term) == 2 else found[:, place[term[:-1]]]
        np.multiply(before, numbers[:, term[-1]], out=found[:, at])
    return found


def _in_order(described: list[Column], data: MixedData) -> list[np.ndarray]:
    """The cells of all columns in the order of the table."""
    numbers, codes = iter(data.numeric.T), iter(data.codes)
    return [next(numbers) if column.is_numeric else next(codes) for column in described]


def _named(term: Term, names: list[str]) -> str:
    """A product in words.

    >>> _named((0, 0, 1), ["age", "pay"])
    'age²·pay'
    """
    different = sorted(set(term))
    powers = [term.count(at) for at in different]
    return "·".join(
        names[at] + (str(power).translate(SUPERSCRIPT) if power > 1 else "") for at, power in zip(different, powers)
    )


def _pair(first: Column, second: Column, a: np.ndarray, b: np.ndarray) -> tuple[Column, np.ndarray]:
    """Two nominal columns as one, whose levels are those pairs of theirs that are there."""
    known = (a >= 0) & (b >= 0)
    both = a.astype(np.int64) * len(second.levels) + b
    there, codes = np.unique(both[known], return_inverse=True)
    levels = tuple(
        f"{first.levels[pair // len(second.levels)]} & {second.levels[pair % len(second.levels)]}"
        for pair in there.tolist()
    )
    cells = np.full(len(a), -1, dtype=np.int32)
    cells[known] = codes
    return Column(f"{first.name} & {second.name}", "nominal", levels, "two columns as one"), cells
