"""One linear layer over a numeric matrix, whatever is made of its scores."""

from __future__ import annotations

import numpy as np

import margin._core as _core
from margin import parallel
from margin.base import Numeric
from margin.base.estimator import SupervisedEstimator
from margin.base.representations.numeric import Scale
from margin.base.representations.representation import NO_LIMIT
from margin.base.representations.tiny_columns import TINY
from margin.linear.presolve import NEVER
from margin.typing import Encoded

__all__ = ["SMALL", "LinearLayer", "careful_scores", "pass_csr", "pass_rows"]

#: Below so many cells one thread is quicker than asking how many there are.
SMALL = 20_000
# Scores beyond it are all the same to people, and what is added to them does not overflow.
LARGEST_SCORE = -0.1 * NEVER


class LinearLayer(SupervisedEstimator):
    """A model whose scores are linear in the columns of one numeric matrix.

    Columns of free text in a table are read as words and pairs of words that follow each other, each a column of its
    own (hashed, ``base/representations/hashed_text.py``).

    Parameters
    ----------
    scale
        "standard" or "range" to put numeric columns on one scale first; None takes them as they are.
    n_jobs
        Threads; None for all cores. The answer does not depend on it.
    """

    scale: Scale | None
    #: Free text is read as hashed words.
    free_kinds = frozenset({"text"})
    #: The largest magnitude that a cell may have.
    _largest_cell = 1e100

    @property
    def representation(self) -> Numeric:
        return Numeric(scale=self.scale, sparse=True, keep_float32=True, largest=self._largest_cell)

    def _unheard_below(self) -> float:
        """Of a penalty or a step that has a unit; without a penalty, and on one scale, none has."""
        return 0.0 if self.scale is not None else TINY / max(1.0, float(getattr(self, "C", 1.0)))

    @property
    def coef_names_(self) -> list[str]:
        """What the columns of ``coef_`` are called: those of X, and ``sex=female`` for a level of a nominal one."""
        return self._fitted("coef_names_")._encoder.names_out()

    def _n_threads(self) -> int:
        return parallel.n_threads(getattr(self, "n_jobs", None))


def pass_rows(
    X: Encoded, coef: np.ndarray, intercept: np.ndarray, n_classes: int, what: str, found: np.ndarray, n_threads: int
) -> bool:
    """Clean rows through a layer; False, with all of ``found`` written, if a score is not finite."""
    if not isinstance(X, np.ndarray):
        return pass_csr(X, coef, intercept, NO_LIMIT, what, found, n_threads)
    X = np.ascontiguousarray(X)
    return _core.linear.answer(X, coef, intercept, None, None, n_classes, NO_LIMIT, what, found, n_threads)


def pass_csr(
    X: Encoded, coef: np.ndarray, intercept: np.ndarray, largest: float, what: str, found: np.ndarray, n_threads: int
) -> bool:
    """False where X cannot be read as it is, and where a score is not finite."""
    data, columns, start = parts = X.data, X.indices, X.indptr
    if data.dtype not in (np.float64, np.float32) or columns.dtype not in (np.int32, np.int64):
        return False
    if columns.dtype != start.dtype or len(start) != X.shape[0] + 1 or len(columns) != len(data):
        return False
    if not all(part.ndim == 1 and part.flags.c_contiguous and part.flags.aligned for part in parts):
        return False
    return _core.linear.answer_csr(data, columns, start, coef, intercept, largest, what, found, n_threads)


def careful_scores(X: Encoded, coef: np.ndarray, n_threads: int) -> np.ndarray:
    """W x without overflow, for the rows in which a plain sum would not be finite; one column for each score."""
    plain, small = np.empty((2, X.shape[0], len(coef)))
    none, n_classes = np.zeros(len(coef)), max(2, len(coef))
    exponent = int(np.frexp(np.abs(coef).max())[1]) + coef.shape[1].bit_length()
    for found, weights in ((plain, coef), (small, np.ldexp(coef, -exponent))):
        room = found[:, 0] if len(coef) == 1 else found
        pass_rows(X, weights, none, n_classes, "scores", room, n_threads)
    with np.errstate(over="ignore"):
        return np.where(np.isfinite(plain), plain, np.ldexp(small, exponent)).clip(-LARGEST_SCORE, LARGEST_SCORE)
