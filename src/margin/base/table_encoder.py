"""Mixed tables as one numeric matrix, for estimators that want one."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from margin import params
from margin.base.estimator import TableEstimator
from margin.base.representations.numeric import Numeric, Scale
from margin.base.rollback import whole_or_not_at_all
from margin.base.sklearn_classes import TransformerMixin
from margin.typing import TableLike, WeightsLike

__all__ = ["TableEncoder"]


class TableEncoder(TransformerMixin, TableEstimator):
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

    def __init__(self, *, scale: Scale | None = None) -> None:
        self.scale = scale

    @property
    def representation(self) -> Numeric:
        return Numeric(scale=self.scale)

    def fit(self, X: TableLike, y: Any = None, sample_weight: WeightsLike | None = None) -> Self:
        """Learn the levels, means and scales of the columns."""
        with whole_or_not_at_all(self):
            params.check(self)
            who = "TableEncoder.fit"
            self._learn_input(self._open_rows(X, sample_weight, who), who)
        return self

    def transform(self, X: TableLike) -> np.ndarray:
        """The matrix of X."""
        return self._encoded(X, "transform")

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """What the columns of the matrix are called: ``age``, ``sex=f``, ``sex=m``."""
        return np.array(self._fitted("get_feature_names_out")._encoder.names_out(), dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags
