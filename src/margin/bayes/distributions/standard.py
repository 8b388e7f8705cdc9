"""How the cells of columns are distributed within a class: one class for each distribution, one list at the end.

To add one, write it here (``distribution.py`` says what it has to do) and put it in the list: validation, messages and
the command line read that list.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

import margin._core as _core
from margin import parallel
from margin.bayes.distributions.categorical import Categorical
from margin.bayes.distributions.distribution import (
    Distribution,
    Place,
    TrainingCells,
    as_matrix,
    is_sparse,
    only_row,
    products,
    threads_for,
)
from margin.bayes.distributions.gaussian import Gaussian
from margin.bayes.distributions.kernel_density import KernelDensity
from margin.bayes.distributions.mdl_intervals import MdlIntervals
from margin.bayes.distributions.smoothing import (
    log_counts,
    log_of,
    poisson_draws,
    safe_ratio,
    sums_of_others,
    with_virtual,
)
from margin.bayes.sufficient_statistics import Sums
from margin.data.schema import Column

__all__ = ["DISTRIBUTIONS", "Bernoulli", "Complement", "Gaussian", "Multinomial", "Poisson"]


def class_sums(rows: TrainingCells) -> Sums:
    """Sums of the cells and weights of the cells that are there, of a matrix or of CSR."""
    n_classes, threads = rows.n_classes, parallel.n_threads()
    if not is_sparse(rows.cells):
        return Sums(*_core.sums.dense(rows.cells, rows.y, rows.weight, n_classes, threads))
    x = rows.cells
    return _sparse_sums(
        rows, *_core.sums.csr(x.data, x.indices, x.indptr, x.shape[1], rows.y, rows.weight, n_classes, threads)
    )


def _sparse_sums(rows: TrainingCells, sums: np.ndarray, lost: np.ndarray | None) -> Sums:
    """Cells that are not stored are there, and 0; what is left of a class all of whose cells are lost is rounding."""
    totals = rows.totals[:, None]
    if lost is None:
        return Sums(sums, totals.copy())
    there = totals - lost
    return Sums(sums, np.where(there > 1e-12 * totals, there, 0.0))


def add_products(cells: Any, table: np.ndarray, scores: np.ndarray) -> None:
    """Each row's sum of cell times table entry; a cell of 0 or a missing one adds nothing."""
    threads = threads_for(scores)
    if is_sparse(cells):
        _core.sums.add_csr(cells.data, cells.indices, cells.indptr, table, scores, threads)
    else:
        _core.sums.add_dense(cells, table, scores, threads)


class Multinomial(Distribution):
    r"""Counts of several columns as draws from one urn: together they are one multinomial.

    :math:`P(j \mid k) = (n_{jk} + \alpha) / (n_k + \alpha d)` over the :math:`d` columns, and a row's score is
    :math:`\sum_j x_j \log P(j \mid k)`; how many ways there are to order the draws is the same for all classes and left
    out. A column of words is read as text, each word a column. With ``alpha`` 0 a column that is 0 everywhere says
    nothing, and a class without any count takes the shares of all classes together.
    """

    name = "multinomial"
    sparse = True
    takes_bytes = True
    counts = True

    @classmethod
    def place(cls, column: Column) -> tuple[Place, type[Distribution]] | None:
        return ("numeric" if column.is_numeric else "text"), cls

    def count(self, rows: TrainingCells) -> Sums:
        return class_sums(rows)

    def learn(self, found: Sums, repeats: bool) -> Self:
        self.found = found
        self.table = self._table(found)
        self._may_rule_out = bool(np.min(self.alpha) == 0) and bool(np.isneginf(self.table).any())
        return self

    def _table(self, found: Sums) -> np.ndarray:
        """The log-share of each column (rows) in each class (columns)."""
        if np.min(self.alpha) > 0:
            virtual = np.broadcast_to(self.alpha, (found.sums.shape[1],)).sum()
            return log_counts(found.sums, self.alpha, log_of(found.sums.sum(axis=1) + virtual))
        smoothed = with_virtual(found.sums, self.alpha)
        total = smoothed.sum(axis=0)
        overall = smoothed.sum(axis=1, keepdims=True)
        shares = safe_ratio(smoothed, total, safe_ratio(overall, overall.sum(), 0.0))
        return np.where(overall > 0, log_of(shares), 0.0)

    def add(self, cells: Any, scores: np.ndarray) -> bool:
        add_products(cells, self.table, scores)
        return self._may_rule_out and bool(np.isneginf(scores).any())

    def terms(self, cells: Any) -> np.ndarray:
        return products(cells, self.table)

    def n_parameters(self) -> int:
        return int(self.table.size) - self.table.shape[1]  # the shares of a class add up to 1

    def draw(self, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Totals are Poisson around the class's mean total and shared out: so every column is Poisson by itself."""
        means = safe_ratio(self.found.sums, self.found.cells, 0.0).sum(axis=1)
        shares = np.exp(Multinomial._table(self, self.found)).T * (self.found.sums.sum(axis=0) + self.alpha > 0)
        shares = safe_ratio(shares, shares.sum(axis=1, keepdims=True), 0.0)
        return poisson_draws((shares * means[:, None])[y], rng)


class Complement(Multinomial):
    r"""A multinomial of all classes but one, against that one: better where classes are of very different size.

    :math:`s_k = -\sum_j x_j \log \hat P(j \mid \text{not } k)` (Rennie, Shih, Teevan, Karger 2003). ``norm`` divides a
    class's weights by their sum. With ``alpha`` 0 a column that no other class has counts as if it
    were :math:`10^{-10}` of all that they have. New cells are drawn from the multinomial.
    """

    name = "complement"

    def __init__(self, alpha: Any = 1.0, norm: bool = False) -> None:
        super().__init__(alpha)
        self.norm = norm

    def _table(self, found: Sums) -> np.ndarray:
        counts = sums_of_others(found.sums)
        if np.min(self.alpha) >= 1e-10:
            virtual = np.broadcast_to(self.alpha, (counts.shape[1],)).sum()
            weights = log_counts(counts, self.alpha, log_of(counts.sum(axis=1) + virtual))
            np.negative(weights, out=weights)
        else:
            others = with_virtual(counts, self.alpha)
            total = others.sum(axis=0)
            others = np.where(others == 0, np.where(total > 0, 1e-10 * total, 1.0), others)
            weights = log_of(others.sum(axis=0)) - np.log(others)
        if not self.norm:
            return weights
        total = -weights.sum(axis=0)
        return np.divide(-weights, total, out=np.zeros_like(weights), where=total != 0)


class Bernoulli(Distribution):
    r"""Whether a cell is above ``threshold`` (0), and nothing else of it: present or absent.

    :math:`P(\text{present} \mid k) = (n_{jk} + \alpha) / (n_k + 2\alpha)` over the cells that are there. A cell that is
    absent says as much as one that is present. A nominal column of two levels is the categorical one.
    """

    name = "bernoulli"
    sparse = True
    takes_bytes = True

    def __init__(self, alpha: Any = 1.0, threshold: float = 0.0) -> None:
        super().__init__(alpha)
        self.threshold = threshold
        self.sparse = threshold >= 0  # below 0 the cells that are not stored are present

    @classmethod
    def place(cls, column: Column) -> tuple[Place, type[Distribution]] | None:
        if column.is_numeric:
            return "numeric", cls
        return ("codes", Categorical) if len(column.levels) <= 2 else None

    def counted_by(self) -> tuple[Any, ...]:
        return (self.threshold,)

    def count(self, rows: TrainingCells) -> Sums:
        n_classes, threads = rows.n_classes, parallel.n_threads()
        x, y, weight = rows.cells, rows.y, rows.weight
        if not is_sparse(x):
            return Sums(*_core.sums.dense_above(x, self.threshold, y, weight, n_classes, threads))
        return _sparse_sums(
            rows,
            *_core.sums.csr_above(
                x.data, x.indices, x.indptr, x.shape[1], self.threshold, y, weight, n_classes, threads
            ),
        )

    def learn(self, found: Sums, repeats: bool) -> Self:
        self.found = found
        rest = found.cells - found.sums
        rest[rest <= 1e-12 * found.cells] = 0.0  # not even a rounding of the weights is left
        self._learn_logs(found, rest)
        self._prepare_sparse()
        return self

    def _learn_logs(self, found: Sums, rest: np.ndarray) -> None:
        if np.ndim(self.alpha) == 0 and self.alpha > 0 and found.cells.shape[1] == 1:
            whole = np.log(found.cells[:, 0] + 2 * self.alpha)
            self.present, self.absent = (log_counts(counts, self.alpha, whole) for counts in (found.sums, rest))
            return
        self.present, self.absent = with_virtual(found.sums, self.alpha), with_virtual(rest, self.alpha)
        whole = self.present + self.absent
        if np.min(self.alpha) == 0:
            self._fill_in(whole)
        whole = np.log(whole)
        self.present = log_of(self.present) - whole
        self.absent = log_of(self.absent) - whole

    def _fill_in(self, whole: np.ndarray) -> None:
        """Where nothing is known of a class, the shares of all; a column without a cell says nothing (1 of 1)."""
        unknown = whole == 0
        for table in (self.present, self.absent):
            overall = np.broadcast_to(table.sum(axis=1, keepdims=True), table.shape)
            table[unknown] = overall[unknown]
        whole[:] = self.present + self.absent
        empty = whole[:, 0] == 0
        self.present[empty] = self.absent[empty] = whole[empty] = 1.0

    def _prepare_sparse(self) -> None:
        """All cells as if absent, and what is to be added where one is present instead."""
        self._rules_out, self._never_absent, known = False, None, self.absent
        if np.min(self.alpha) == 0:
            never_absent = np.isneginf(self.absent)
            self._rules_out = bool(never_absent.any() or np.isneginf(self.present).any())
            if never_absent.any():
                self._never_absent = never_absent.astype(np.float64)
                known = np.where(never_absent, 0.0, self.absent)
        self._all_absent = known.sum(axis=0)
        self._instead = self.present - known

    def add(self, cells: Any, scores: np.ndarray) -> bool:
        if is_sparse(cells):
            self._add_sparse(cells, scores)
        else:
            threads = threads_for(scores)
            _core.sums.add_dense_above(cells, self.threshold, self.present, self.absent, scores, threads)
        return self._rules_out and bool(np.isneginf(scores).any())

    def _add_sparse(self, cells: Any, scores: np.ndarray) -> None:
        scores += self._all_absent
        x, threads = (cells.data, cells.indices, cells.indptr), threads_for(scores)
        has_missing = bool(np.isnan(cells.data.sum()))
        # A missing cell was not absent.
        back = np.where(np.isneginf(self.absent), 0.0, -self.absent) if has_missing else None
        _core.sums.add_csr_above(*x, self.threshold, self._instead, back, scores, threads)
        if self._never_absent is not None:
            missed = np.zeros_like(scores)
            missed += self._never_absent.sum(axis=0)
            _core.sums.add_csr_above(*x, self.threshold, -self._never_absent, -self._never_absent, missed, threads)
            scores[missed > 0.5] = -np.inf

    def terms(self, cells: Any) -> np.ndarray:
        row = only_row(cells)[:, None]
        terms = np.where(row > self.threshold, self.present, self.absent)
        return np.where(np.isnan(row), 0.0, terms)

    def n_parameters(self) -> int:
        return int(self.present.size)

    def draw(self, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        share = np.exp(self.present).T
        return (rng.random((len(y), share.shape[1])) < share[y]).astype(np.float64)


class Poisson(Distribution):
    r"""Counts of things that happen at a steady rate: :math:`P(x \mid k) = r^x e^{-r} / x!`.

    The rate is the class's mean with ``alpha`` virtual cases at the mean of the whole column,
    :math:`r = (\sum x + \alpha \bar x) / (n + \alpha)`. Cells must be at least 0. A column that is all 0 says nothing;
    missing cells are left out.
    """

    name = "poisson"
    sparse = True
    counts = True

    def count(self, rows: TrainingCells) -> Sums:
        return class_sums(rows)

    def learn(self, found: Sums, repeats: bool) -> Self:
        mean = safe_ratio(found.sums.sum(axis=0), found.cells.sum(axis=0), 0.0)
        self.rate = safe_ratio(found.sums + self.alpha * mean, found.cells + self.alpha, mean)
        self._says_something = (mean > 0).astype(np.float64)
        self.lay_out()
        return self

    def lay_out(self) -> None:
        """The logarithms of the rates, 0 in columns that say nothing."""
        self.table = np.ascontiguousarray(np.where(self._says_something > 0, log_of(self.rate), 0.0).T)
        self._may_rule_out = bool(np.isneginf(self.table).any())

    def add(self, cells: Any, scores: np.ndarray) -> bool:
        add_products(cells, self.table, scores)
        scores -= self.rate.sum(axis=1)
        missing = np.isnan(cells.data if is_sparse(cells) else cells)
        if missing.any():  # their rates were taken off too
            scores += as_matrix(cells, missing) @ self.rate.T
        return self._may_rule_out and bool(np.isneginf(scores).any())

    def offset(self, cells: Any) -> np.ndarray:
        from scipy.special import gammaln

        stored = (cells.data if is_sparse(cells) else cells).astype(np.float64)
        orders = np.nan_to_num(gammaln(stored + 1.0), nan=0.0)
        return -np.asarray(as_matrix(cells, orders) @ self._says_something).reshape(-1)

    def terms(self, cells: Any) -> np.ndarray:
        from scipy.special import gammaln

        row = only_row(cells)
        terms = products(cells, self.table) - self.rate.T - gammaln(row + 1.0)[:, None]
        return np.where((np.isnan(row) | (self._says_something == 0))[:, None], 0.0, terms)

    def n_parameters(self) -> int:
        return int(self.rate.size)

    def draw(self, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return poisson_draws(self.rate[y], rng)


#: The distributions by name: all there are to choose from.
DISTRIBUTIONS: dict[str, type[Distribution]] = {
    distribution.name: distribution
    for distribution in (
        Categorical,
        Bernoulli,
        Gaussian,
        Multinomial,
        Complement,
        Poisson,
        KernelDensity,
        MdlIntervals,
    )
}
