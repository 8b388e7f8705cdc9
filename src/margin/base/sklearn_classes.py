"""What margin takes from scikit-learn to build its models on, with the types that scikit-learn does not state.

A model with an untyped parent has no types itself: a misspelt method of it would pass every check. At run time these
are scikit-learn's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, TypeVar

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "NotFittedError",
    "OutlierMixin",
    "RegressorMixin",
    "TransformerMixin",
    "available_if",
    "clone",
]

if TYPE_CHECKING:
    import numpy as np

    from margin.typing import LabelsLike, TableLike, WeightsLike

    _Model = TypeVar("_Model")
    _Method = TypeVar("_Method", bound=Callable[..., Any])

    class BaseEstimator:
        @classmethod
        def _get_param_names(cls) -> list[str]: ...
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def __getstate__(self) -> Any: ...
        def __setstate__(self, state: Any) -> None: ...
        def __sklearn_tags__(self) -> Any: ...
        def _repr_html_(self) -> str: ...

    class ClassifierMixin:
        def score(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> float: ...
        def __sklearn_tags__(self) -> Any: ...

    class OutlierMixin:
        def fit_predict(self, X: TableLike, y: Any = None, **fit_params: Any) -> np.ndarray: ...
        def __sklearn_tags__(self) -> Any: ...

    class RegressorMixin:
        def score(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> float: ...
        def __sklearn_tags__(self) -> Any: ...

    class TransformerMixin:
        def fit_transform(self, X: TableLike, y: Any = None, **fit_params: Any) -> np.ndarray: ...
        def set_output(self, *, transform: str | None = None) -> Self: ...
        def __sklearn_tags__(self) -> Any: ...

    class NotFittedError(ValueError, AttributeError): ...

    def available_if(check: Callable[[Any], Any]) -> Callable[[_Method], _Method]: ...
    def clone(estimator: _Model, *, safe: bool = True) -> _Model: ...

else:
    from sklearn.base import BaseEstimator, ClassifierMixin, OutlierMixin, RegressorMixin, TransformerMixin, clone
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.metaestimators import available_if
