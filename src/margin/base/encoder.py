"""Mixed tables as one numeric matrix, for estimators that want one."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from margin import params
from margin.base.columns import keep_observed_levels, learn_columns
from margin.base.fitting import NotYetFittedError, drop_weightless, whole_or_not_at_all
from margin.base.inputs import row_count
from margin.base.representation import Numeric, Scale
from margin.base.weights import check_weights
from margin.data.table import Table

__all__ = ["TableEncoder"]


class TableEncoder(TransformerMixin, BaseEstimator):
    """Turns a mixed table into one numeric matrix, as margin's own numeric models see it.

    Nominal columns become one column per level, ordinal ones their rank; missing numbers are filled with the
    training mean, and a missing or unseen category is all zeros. Everything is learnt in ``fit``, so inside a
    scikit-learn pipeline nothing of the test rows is used. Put it before any estimator that wants numbers.

    Parameters
    ----------
    scale
        ``"standard"`` for mean 0 and deviation 1, ``"range"`` for 0 to 1, None for numbers as they are.

    Examples
    --------
    >>> from margin.data import Table
    >>> table = Table.from_columns({"age": [20, None, 40], "sex": ["f", "m", "f"]})
    >>> TableEncoder().fit_transform(table)
    array([[20.,  1.,  0.],
           [30.,  0.,  1.],
           [40.,  1.,  0.]])
    """

    accepts_tables = True

    def __init__(self, *, scale: Scale | None = None) -> None:
        self.scale = scale

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> TableEncoder:
        """Learn the levels, means and scales of the columns."""
        with whole_or_not_at_all(self):
            params.check(self)
            columns, source = learn_columns(X, "TableEncoder.fit")
            weight = check_weights(sample_weight, row_count(source), "TableEncoder.fit")
            source, _, weight = drop_weightless(source, np.empty(row_count(source)), weight)
            if isinstance(source, Table):
                columns, source = keep_observed_levels(columns, source)
                self.feature_names_in_ = np.array(source.names, dtype=object)
            self.n_features_in_ = columns.n
            self._columns = columns
            self._encoder = Numeric(scale=self.scale).learn(columns, source, weight, "TableEncoder.fit")
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The matrix of X."""
        self._check_fitted("transform")
        return self._encoder.encode(self._columns.read(X, "TableEncoder.transform"), "TableEncoder.transform")

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """What the columns of the matrix are called: ``age``, ``sex=f``, ``sex=m``."""
        self._check_fitted("get_feature_names_out")
        return np.array(self._encoder.names_out(), dtype=object)

    def _check_fitted(self, method: str) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotYetFittedError(f"TableEncoder.{method}: nothing was learnt yet; call fit(X) first.")

    def __sklearn_is_fitted__(self) -> bool:
        return "_encoder" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = []
        return tags
