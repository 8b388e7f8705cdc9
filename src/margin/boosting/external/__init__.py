"""The boosters of other packages, fed from the same tables as margin's own, so that they can stand beside it.

``pip install margin[boosters]`` brings them; each is imported when it is first fitted.
"""

from margin.boosting.external.packages import (
    CatBoost,
    ExternalBooster,
    HistGradientBoosting,
    LightGBM,
    XGBoost,
    installed,
)

__all__ = ["CatBoost", "ExternalBooster", "HistGradientBoosting", "LightGBM", "XGBoost", "installed"]
