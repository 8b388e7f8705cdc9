"""Fields that are arrays: their types, their shapes in letters, and what must hold of their cells."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

import margin._core as _core
from margin import parallel
from margin.persistence.container.limits import Malformed
from margin.persistence.objects.fields import Packer, Unpacker, within

__all__ = [
    "Array",
    "Csr",
    "Parts",
    "Rule",
    "Sizes",
    "all_within",
    "ascending",
    "at_least",
    "below",
    "finite",
    "known",
    "permutation",
    "positive",
    "starts",
    "strictly_ascending",
]

_LENGTH = re.compile(r"([a-z_]\w*)\s*(?:([+-])\s*(\d+))?")
#: In a mapped file only rules that keep kernels on their way are tried on larger arrays.
LARGE_ARRAY = 2**20


class Sizes:
    """The lengths of one object by letter: ``k`` classes, ``d`` columns; each means one number everywhere."""

    def __init__(self, mapped: bool = False) -> None:
        self.mapped = mapped
        #: The field that is being read, for messages.
        self.field = ""
        self._known: dict[str, int] = {}
        self._stated: list[tuple[str, int, str]] = []
        self._rules: list[tuple[Rule, np.ndarray, str]] = []

    def state(self, length: str, value: int) -> None:
        """Say that a length, ``"k"`` or ``"k+1"``, is so much."""
        if length.isidentifier() and self._known.setdefault(length, value) != value:
            raise Malformed(f"has {value} where {length} is {self._known[length]} elsewhere")
        self._stated.append((length, value, self.field))

    def later(self, rule: Rule, array: np.ndarray) -> None:
        """Try a rule on an array once all lengths are known."""
        self._rules.append((rule, array, self.field))

    def __getitem__(self, length: str) -> int:
        stated = _LENGTH.fullmatch(length)
        assert stated is not None, length  # kinds state lengths, files do not
        letter, sign, number = stated.groups()
        if letter not in self._known:
            raise Malformed(f"nothing says how much {letter} is")
        return self._known[letter] + (int(f"{sign}{number}") if number else 0)

    def settle(self) -> None:
        """Everything that was stated must agree, and every rule hold."""
        for length, value, field in self._stated:
            if self[length] != value:
                raise Malformed(f"has a length of {value} where {length} = {self[length]} is due", field)
        for rule, array, field in self._rules:
            if not rule.holds(array, self):
                raise Malformed(f"{rule.words}: that does not hold", field)


class Rule:
    """What must hold of the cells of an array.

    ``keeps_safe`` is for those on which compiled code relies for its way through memory: they are tried even where a
    file is mapped and reading all of it is what was not wanted.
    """

    def __init__(self, words: str, holds: Callable[[np.ndarray, Sizes], Any], *, keeps_safe: bool = False) -> None:
        self.words = words
        self.keeps_safe = keeps_safe
        self._holds = holds

    def holds(self, array: np.ndarray, sizes: Sizes) -> bool:
        if sizes.mapped and not self.keeps_safe and array.nbytes > LARGE_ARRAY:
            return True
        return bool(self._holds(array, sizes))


def all_within(array: np.ndarray, largest: float) -> bool:
    """Whether no float of an array is NaN or beyond ``largest``; one pass on all threads, nothing is copied."""
    flat = (array if array.flags.c_contiguous else array.T).reshape(1, -1)
    return array.size == 0 or _core.data.inspect(flat, largest, parallel.n_threads()) == -1


#: Every cell is a number, and no infinity.
finite = Rule("every cell is finite", lambda a, _: all_within(a, math.inf))
#: No cell is NaN.
known = Rule("no cell is NaN", lambda a, _: not np.isnan(a).any())
positive = Rule("every cell is above 0", lambda a, _: (a > 0).all())
ascending = Rule("cells ascend", lambda a, _: (a[1:] >= a[:-1]).all(), keeps_safe=True)
strictly_ascending = Rule("cells ascend, none twice", lambda a, _: (a[1:] > a[:-1]).all(), keeps_safe=True)
permutation = Rule("every place stands there once", lambda a, _: _is_permutation(a), keeps_safe=True)


def at_least(low: float) -> Rule:
    """No cell is below ``low``, or NaN."""
    return Rule(f"every cell is at least {low}", lambda a, _: (a >= low).all())


def below(length: str, low: int = 0) -> Rule:
    """Cells are places: from ``low`` (-1 where a place may be missing) up to, not including, a length."""
    return Rule(
        f"every cell is from {low} to below {length}",
        lambda a, sizes: a.size == 0 or (a.min() >= low and a.max() < sizes[length]),
        keeps_safe=True,
    )


def starts(length: str) -> Rule:
    """Cells are where parts of a list begin: from 0, never down, and the last is its length."""
    return Rule(
        f"cells ascend from 0 to {length}",
        lambda a, sizes: len(a) > 0 and a[0] == 0 and a[-1] == sizes[length] and (a[1:] >= a[:-1]).all(),
        keeps_safe=True,
    )


def _is_permutation(a: np.ndarray) -> bool:
    if a.size == 0:
        return True
    if a.min() < 0 or a.max() >= len(a):
        return False
    seen = np.zeros(len(a), dtype=bool)
    seen[a] = True
    return bool(seen.all())


class Array:
    """An array of one of some dtypes (``"f8"`` or ``"f4 f8"``), with a shape in letters and rules for its cells.

    ``Array("f8", "k", "d", finite)`` has a row for each class and a column for each column; a length may also be a
    number, ``"k+1"``, or None for any. In memory it is C-contiguous unless ``order`` is ``"F"`` or ``"A"`` (either).
    """

    def __init__(self, dtypes: str, *shape_and_rules: int | str | Rule | None, order: str = "C") -> None:
        self.dtypes = {np.dtype(name) for name in dtypes.split()}
        self.shape = [part for part in shape_and_rules if not isinstance(part, Rule)]
        self.rules = [part for part in shape_and_rules if isinstance(part, Rule)]
        self.order = order

    def pack(self, value: object, to: Packer) -> int:
        if not isinstance(value, np.ndarray):
            raise Malformed(f"must be an array, not {type(value).__name__}")
        self._check_type(value)
        return to.add_array(np.asarray(value, order="C") if self.order == "C" else value)

    def unpack(self, node: Any, of: Unpacker) -> np.ndarray:
        array = of.array(node)
        self._check_type(array)
        for length, found in zip(self.shape, array.shape):
            if isinstance(length, str):
                of.sizes.state(length, found)
            elif length is not None and length != found:
                raise Malformed(f"must have a length of {length}, not {found}")
        if not (array.flags.c_contiguous if self.order == "C" else array.flags.forc):
            raise Malformed("must be stored row by row")
        for rule in self.rules:
            of.sizes.later(rule, array)
        return array

    def _check_type(self, array: np.ndarray) -> None:
        if array.dtype not in self.dtypes:
            names = " or ".join(sorted(dtype.str for dtype in self.dtypes))
            raise Malformed(f"must be an array of {names}, not {array.dtype.str}")
        if array.ndim != len(self.shape):
            raise Malformed(f"must have {len(self.shape)} dimensions, not {array.ndim}")


class Csr:
    """Sparse rows: sorted or not, but every column in range and every row where it says.

    ``rows`` and ``columns`` name its lengths; ``sorted_columns`` asks that columns ascend in each row, none twice.
    """

    def __init__(self, rows: str, columns: str, *, dtypes: str = "f8 f4", sorted_columns: bool = False) -> None:
        self.data = Array(dtypes, None)
        self.places = Array("i4 i8", None)
        self.rows, self.columns = rows, columns
        self.sorted_columns = sorted_columns

    def pack(self, value: Any, to: Packer) -> dict[str, Any]:
        if not scipy.sparse.issparse(value) or value.format != "csr":
            raise Malformed(f"must be CSR, not {type(value).__name__}")
        parts = {"data": value.data, "indices": value.indices, "indptr": value.indptr}
        packed = {name: within(name, self._field(name).pack, part, to) for name, part in parts.items()}
        return {**packed, "n_columns": int(value.shape[1]), "matrix": isinstance(value, scipy.sparse.spmatrix)}

    def unpack(self, node: Any, of: Unpacker) -> Any:
        if not isinstance(node, dict) or node.keys() != {"data", "indices", "indptr", "n_columns", "matrix"}:
            raise Malformed("must be sparse rows")
        data, indices, indptr = (
            within(name, self._field(name).unpack, node[name], of) for name in ("data", "indices", "indptr")
        )
        n_columns, n_rows = node["n_columns"], len(indptr) - 1
        if type(n_columns) is not int or not 0 <= n_columns < 2**31 or type(node["matrix"]) is not bool or n_rows < 0:
            raise Malformed("must have a number of rows and of columns")
        of.sizes.state(self.rows, n_rows)
        of.sizes.state(self.columns, n_columns)
        if not _are_rows(data, indices, indptr, n_columns, self.sorted_columns):
            raise Malformed("rows and columns of sparse cells do not fit together")
        make = scipy.sparse.csr_matrix if node["matrix"] else scipy.sparse.csr_array
        made = make((data, indices, indptr), shape=(n_rows, n_columns))
        made.indices, made.indptr = indices, indptr  # a matrix, unlike an array, would keep copies of another type
        return made

    def _field(self, name: str) -> Array:
        return self.data if name == "data" else self.places


def _are_rows(data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, n_columns: int, is_sorted: bool) -> bool:
    if len(data) != len(indices) or indptr[0] != 0 or indptr[-1] != len(data):
        return False
    if (indptr[1:] < indptr[:-1]).any():  # no differences, which would come round beyond 64 bits
        return False
    if len(indices) and (indices.min() < 0 or indices.max() >= n_columns):
        return False
    if not is_sorted or len(indices) < 2:
        return True
    descends = np.flatnonzero(np.diff(indices) <= 0) + 1
    return bool(np.isin(descends, indptr).all())


class Parts:
    """Arrays of one dimension, kept one after another: however many there are, a file holds two arrays.

    ``size`` names how many there are; ``make`` is what holds them, a list or a tuple.
    """

    def __init__(self, dtype: str, *rules: Rule, size: str = "", make: Callable[[Any], Any] = list) -> None:
        self.cells = Array(dtype, None, *rules)
        self.start = Array("i8", None)
        self.size = size
        self.make = make

    def pack(self, value: object, to: Packer) -> dict[str, int]:
        if not isinstance(value, (list, tuple)) or not all(isinstance(part, np.ndarray) for part in value):
            raise Malformed("must be a list of arrays")
        (dtype,) = self.cells.dtypes
        if not all(part.ndim == 1 and part.dtype == dtype for part in value):
            raise Malformed(f"must be arrays of {dtype.str} in one dimension")
        start = np.zeros(len(value) + 1, dtype=np.int64)
        np.cumsum([len(part) for part in value], out=start[1:])
        cells = np.concatenate([np.zeros(0, dtype), *value])
        return {"cells": self.cells.pack(cells, to), "start": self.start.pack(start, to)}

    def unpack(self, node: Any, of: Unpacker) -> Any:
        if not isinstance(node, dict) or node.keys() != {"cells", "start"}:
            raise Malformed("must be arrays one after another")
        cells = within("cells", self.cells.unpack, node["cells"], of)
        start = within("start", self.start.unpack, node["start"], of)
        if not len(start) or start[0] != 0 or start[-1] != len(cells) or (start[1:] < start[:-1]).any():
            raise Malformed("arrays do not begin where they should")
        if self.size:
            of.sizes.state(self.size, len(start) - 1)
        places = start.tolist()
        return self.make([cells[a:b] for a, b in itertools.pairwise(places)])
