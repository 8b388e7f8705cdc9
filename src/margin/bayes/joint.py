"""The joint Bayes classifier: every combination of values counted as a whole."""

from __future__ import annotations

import math
import warnings
from typing import Any, Self

import numpy as np

from margin.base import Mixed, MixedData
from margin.base.targets.class_weight import class_factors
from margin.bayes.generative import GenerativeClassifier, priors_of
from margin.bayes.joint_counts import FITS, Combinations, codes_of_numbers, row_keys
from margin.data.table import Table
from margin.data.weights import cases_per_weight, count_repeats
from margin.errors import SparseTableWarning, warn
from margin.params import ClassWeight, NonNegative, Priors
from margin.typing import LabelsLike, SeedLike, TableLike, WeightsLike

__all__ = ["JointBayes"]


class JointBayes(GenerativeClassifier):
    r"""Bayes' rule with the whole table: how often each class has each combination of values.

    .. math:: P(x \mid k) = \frac{n_{xk} + \alpha}{n_k + \alpha \prod_j L_j}

    Nothing is assumed of the columns, and so anything can be learnt (XOR, which naive Bayes cannot), if only there are
    enough rows: with :math:`L_j` values in column j the table has :math:`K (\prod_j L_j - 1)` free numbers, for two
    classes and n columns of two values :math:`2 (2^n - 1)` against the :math:`2 n` of naive Bayes. Only combinations
    that occur are kept. Learning sorts the rows, :math:`O(n \log n)`.

    Every column is taken as discrete: each number is a value of its own. A missing cell, a number or a category not
    seen at fit is summed out at prediction: the answer is that of the other columns' table. Training rows with missing
    cells count for the priors alone. A row that no class can have gets the priors.

    Parameters
    ----------
    alpha
        Virtual cases added to every combination. With 1, Laplace's rule and the default, a combination that a class
        never had makes it improbable, not impossible, and one that nobody had leaves the answer to the priors, nearly.
        0 takes plain shares: one unseen combination rules a class out.
    class_weight
        How much all rows of a class count: None for 1, ``"balanced"`` for classes of equal weight, or a mapping.

    Warns
    -----
    SparseTableWarning
        Where there are fewer training rows without missing cells than combinations: some have surely never been seen.

    References
    ----------
    Duda, Hart (1973).

    Examples
    --------
    >>> from margin.data import catalog
    >>> X, y = catalog.load("xor").target("y")
    >>> model = JointBayes().fit(X, y)
    >>> (model.predict(X) == y).all()
    np.True_
    >>> model.n_parameters_, model.n_parameters_naive_
    (6, 4)
    """

    representation = Mixed()

    def __init__(self, *, alpha: NonNegative = 1.0, priors: Priors = None, class_weight: ClassWeight = None) -> None:
        self.alpha = alpha
        self.priors = priors
        self.class_weight = class_weight

    @property
    def n_parameters_(self) -> int:
        """Free numbers of the joint table, beside the priors."""
        fitted = self._fitted("n_parameters_")
        return len(fitted.classes_) * (math.prod(fitted._sizes) - 1)

    @property
    def n_parameters_naive_(self) -> int:
        """Free numbers that naive Bayes would have in the same columns."""
        fitted = self._fitted("n_parameters_naive_")
        return len(fitted.classes_) * sum(size - 1 for size in fitted._sizes)

    def _count(self, X: MixedData, y: np.ndarray, weight: np.ndarray | None) -> Combinations:
        weight = np.ones(len(X)) if weight is None else weight
        n_levels = tuple(len(column.levels) for column in X.schema or () if not column.is_numeric)
        repeats = count_repeats(weight)
        return Combinations.of(X.numeric, X.codes, n_levels, y, weight, len(self.classes_), repeats)

    def _settle(self) -> None:
        seen: Combinations = self._statistics
        factors = class_factors(self.class_weight, self.classes_, seen.weight, type(self).__name__)
        totals = seen.weight * factors
        self.priors_ = priors_of(self.priors, totals, type(self).__name__)
        complete = self._lay_out_cells()
        repeats = seen.repeats and bool((factors == np.floor(factors)).all())
        cases = cases_per_weight(totals.sum(), (seen.weight2 * factors**2).sum(), repeats)
        self._counts = seen.counts[complete] * (factors * cases)
        self._alpha = float(self.alpha)
        self._warn_if_sparse(float(self._counts.sum()))
        self._lend_to_empty_classes()
        self._lay_out_counts()

    def _lay_out_cells(self) -> np.ndarray:
        """The columns and combinations of the table; which of all that were seen are complete."""
        seen: Combinations = self._statistics
        # A column without a single cell says nothing: it has no part in the table.
        self._used = [j for j, size in enumerate(seen.sizes) if size]
        self._sizes = [seen.sizes[j] for j in self._used]
        complete: np.ndarray = np.all(seen.cells[:, self._used] >= 0, axis=1)
        self._cells = seen.cells[complete][:, self._used]
        return complete

    def _lay_out_counts(self) -> None:
        """What scores are added up from, all of it from the table, its counts, ``_alpha`` and the priors."""
        with np.errstate(divide="ignore"):
            self._log_priors = np.log(self.priors_)
            self._log_alpha = np.log(self._alpha)
            # One row more than there are combinations, for those that were never seen.
            self._log_counts = np.log(np.vstack([self._counts, np.zeros(len(self.priors_))]))
            self._log_total = np.logaddexp(
                np.log(self._counts.sum(axis=0)), self._log_alpha + np.log(self._sizes).sum()
            )
        fits = math.prod(self._sizes) < FITS
        self._keys = row_keys(list(self._cells.T), self._sizes, len(self._cells)) if fits else None

    def _lend_to_empty_classes(self) -> None:
        """Without virtual cases, a class of no complete row takes the shares of all classes together."""
        if self._alpha > 0:
            return
        empty = self._counts.sum(axis=0) == 0
        self._counts[:, empty] = self._counts.sum(axis=1, keepdims=True)
        if empty.all():
            self._alpha = 1.0  # nothing is known of any class: every combination is as likely as another

    def _warn_if_sparse(self, n_complete: float) -> None:
        if n_complete < math.prod(self._sizes):
            warn(
                f"JointBayes.fit: {n_complete:,.6g} complete rows do not fill a table of "
                f"{_readable(math.prod(self._sizes))} combinations, with {_readable(self.n_parameters_)} free numbers "
                f"where naive Bayes has {_readable(self.n_parameters_naive_)} (use NaiveBayes, drop columns, "
                "or group their values).",
                SparseTableWarning,
            )

    def partial_fit(
        self, X: TableLike, y: LabelsLike, classes: Any = None, sample_weight: WeightsLike | None = None
    ) -> Self:
        """Learn from further rows; a sparse table is not warned of, since more rows may be to come."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SparseTableWarning)
            return super().partial_fit(X, y, classes, sample_weight)

    def joint_log_likelihood(self, X: TableLike) -> np.ndarray:
        """log P(k) + log P(x | k): one row per case, one column per class."""
        return self._joint(self._encoded(X, "joint_log_likelihood"))

    def sample(self, n: int, random_state: SeedLike = None) -> tuple[Any, np.ndarray]:
        """New records, each drawn class first and then as a combination of that class.

        Gives a table like the one that was learnt from (an array, if that was one) and the labels.

        >>> X, y = JointBayes(alpha=0).fit([[0, 1], [1, 0], [1, 1], [0, 0]], ["a", "a", "b", "b"]).sample(50, 1)
        >>> ((X[:, 0] != X[:, 1]) == (y == "a")).all()
        np.True_
        """
        self._fitted("sample")
        classes, draw = self._draw_classes(n, random_state)
        cells = np.full((n, len(self._statistics.sizes)), -1, dtype=np.int32)
        # Seen cases and virtual ones, alpha for every combination, each in its share.
        with np.errstate(divide="ignore"):
            from_seen = draw.random(n) < np.exp(np.log(self._counts.sum(axis=0)) - self._log_total)[classes]
        cells[:, self._used] = draw.integers(0, self._sizes, size=(n, len(self._sizes)))
        for k in range(len(self.classes_)):
            rows = np.flatnonzero(from_seen & (classes == k))
            if rows.size:
                shares = self._counts[:, k] / self._counts[:, k].sum()
                drawn = self._cells[draw.choice(len(shares), size=rows.size, p=shares)]
                cells[rows[:, None], self._used] = drawn
        return self._written(cells), self.classes_[classes]

    def left_out_answers(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> Any:
        """Labels, probabilities and scores of each row as if fitted to all others; None where that takes new fits."""
        from margin.bayes.leave_one_out import joint_left_out  # only here: it loads the evaluation

        return joint_left_out(self, X, y, sample_weight)

    def _written(self, cells: np.ndarray) -> Any:
        """Places among the levels as a table or an array."""
        numbers = self._statistics.numbers
        numeric = [np.append(levels, np.nan)[cells[:, j]] for j, levels in enumerate(numbers)]
        schema = self._columns.schema
        if schema is None:
            return np.column_stack(numeric)
        coded = iter(cells[:, len(numbers) :].T)
        plain = iter(numeric)
        return Table(schema, [next(plain if column.is_numeric else coded) for column in schema], n_rows=len(cells))

    def _coded(self, X: MixedData) -> np.ndarray:
        """The places of all cells among the levels, one row per column of the table."""
        numbers = self._statistics.numbers
        coded = np.empty((len(self._used), len(X)), dtype=np.int64)
        for i, j in enumerate(self._used):
            is_number = j < len(numbers)
            coded[i] = codes_of_numbers(numbers[j], X.numeric[:, j]) if is_number else X.codes[j - len(numbers)]
        return coded

    def _joint(self, X: MixedData) -> np.ndarray:
        coded = self._coded(X)
        lost = coded < 0
        if not lost.any():
            return self._log_priors + self._log_shares(coded, np.ones(len(coded), dtype=bool))
        scores = np.empty((len(X), len(self._log_priors)))
        patterns = row_keys(list(lost.astype(np.int64)), [2] * len(lost), len(X))
        order = np.argsort(patterns, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(patterns[order])) + 1):
            scores[rows] = self._log_shares(coded[:, rows], ~lost[:, rows[0]])
        return self._log_priors + scores

    def _log_shares(self, coded: np.ndarray, there: np.ndarray) -> np.ndarray:
        """log P(the cells that are there | k) for rows that all have the same ones."""
        log_counts = self._log_counts_of(coded, there)
        virtual = self._log_alpha + np.log(np.array(self._sizes)[~there]).sum()
        return np.logaddexp(log_counts, virtual) - self._log_total

    def _log_counts_of(self, coded: np.ndarray, there: np.ndarray) -> np.ndarray:
        n, n_classes = coded.shape[1], len(self._log_priors)
        sizes = [size for size, has in zip(self._sizes, there) if has]
        if self._keys is not None and there.all():
            keys, log_counts = self._keys, self._log_counts
            wanted = row_keys(list(coded), sizes, n)
        else:
            known = len(self._cells)
            both = [np.concatenate(pair) for pair in zip(self._cells.T[there], coded[there])]
            found = row_keys(both, sizes, known + n)
            keys, group = np.unique(found[:known], return_inverse=True)
            wanted = found[known:]
            counts = np.zeros((len(keys) + 1, n_classes))
            for k in range(n_classes):
                counts[:-1, k] = np.bincount(group, self._counts[:, k], len(keys))
            with np.errstate(divide="ignore"):
                log_counts = np.log(counts)
        at = np.searchsorted(keys, wanted)
        if len(keys):
            at[keys[np.minimum(at, len(keys) - 1)] != wanted] = len(keys)
        return log_counts[at]

    def _scores(self, X: MixedData) -> np.ndarray:
        scores = self._joint(X)
        # Every class ruled out (a new combination with alpha=0): nothing is known but the priors.
        scores[np.isneginf(scores.max(axis=1))] = self._log_priors
        return scores


def _readable(number: int) -> str:
    """A whole number of any length in few letters.

    >>> _readable(1234567), _readable(2**5000)
    ('1,234,567', 'about 10^1505')
    """
    return f"{number:,}" if number < 10**12 else f"about 10^{int(math.log10(number))}"
