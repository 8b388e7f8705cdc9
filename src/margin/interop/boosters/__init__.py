"""Boosted trees of other packages as margin's own."""

from margin.interop.boosters.lightgbm_text import from_lightgbm
from margin.interop.boosters.xgboost_json import from_xgboost

__all__ = ["from_lightgbm", "from_xgboost"]
