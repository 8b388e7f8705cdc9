"""Models of other packages as margin's own."""

from margin.interop.boosters import from_lightgbm, from_xgboost
from margin.interop.converting import from_sklearn

__all__ = ["from_lightgbm", "from_sklearn", "from_xgboost"]
