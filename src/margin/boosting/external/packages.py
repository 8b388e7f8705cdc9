"""XGBoost, LightGBM, CatBoost and scikit-learn's histogram boosting behind margin's own contract."""

from __future__ import annotations

import importlib
import importlib.util
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from threadpoolctl import threadpool_limits

from margin.base import Classifier, Mixed
from margin.base.representations.mixed import MixedData
from margin.base.representations.representation import TrainingRows
from margin.errors import ParameterError
from margin.params import Jobs, Seed
from margin.tree.grow import numbers_of

__all__ = ["CatBoost", "ExternalBooster", "HistGradientBoosting", "LightGBM", "XGBoost", "installed"]

#: Levels that a nominal column of scikit-learn's may have; columns of more are codes in their order there.
MOST_LEVELS = 255


class ExternalBooster(Classifier):
    """A classifier of another package with its own defaults; columns and labels are read as margin reads them.

    Numbers stay numbers with missing cells as NaN, nominal columns go in as categories by the package's own means.

    Parameters
    ----------
    settings
        Parameters of the package's own classifier, by name.
    random_state
        Its seed.
    n_jobs
        Its threads; None uses all cores.

    Attributes
    ----------
    model_
        The package's own fitted classifier.
    """

    representation = Mixed()
    package: ClassVar[str]
    model_: Any

    def __init__(
        self, *, settings: Mapping[str, Any] | None = None, random_state: Seed = None, n_jobs: Jobs = None
    ) -> None:
        self.settings = settings
        self.random_state = random_state
        self.n_jobs = n_jobs

    @abstractmethod
    def _new(self, package: Any, nominal: list[int], n_levels: list[int]) -> Any:
        """A new classifier of the package; ``nominal`` are the columns that hold codes."""

    def _cells(self, X: MixedData) -> np.ndarray:
        """Rows as the package takes them: numbers first, then codes."""
        codes = [np.where(column < 0, np.nan, column) for column in X.codes]
        return np.column_stack([numbers_of(X).astype(np.float64), *codes])

    def _fit(self, X: MixedData, y: np.ndarray, rows: TrainingRows) -> None:
        if importlib.util.find_spec(self.package.partition(".")[0]) is None:
            raise ParameterError(
                f"{type(self).__name__}: needs {self.package} (pip install 'margin[boosters]' brings it)."
            )
        package = importlib.import_module(self.package)
        n_numbers = X.numeric.shape[1]
        levels = [int(column.max(initial=0)) + 1 for column in X.codes]
        is_nominal = [column.kind == "nominal" for column in self._columns.described() if not column.is_numeric]
        nominal = [n_numbers + j for j, is_ in enumerate(is_nominal) if is_]
        self.model_ = None
        if len(self.classes_) > 1:
            made = self._new(package, nominal, [levels[j - n_numbers] for j in nominal])
            self.model_ = self._fitted_on(made, self._cells(X), y, rows.weight, nominal)

    def _fitted_on(
        self, made: Any, cells: np.ndarray, y: np.ndarray, weight: np.ndarray | None, nominal: list[int]
    ) -> Any:
        return made.fit(cells, y, sample_weight=weight)

    def _scores(self, X: MixedData) -> np.ndarray:
        if self.model_ is None:
            return np.ones((len(X), 1))
        return np.asarray(self.model_.predict_proba(self._cells(X)), dtype=np.float64)

    def _told(self, **own: Any) -> dict[str, Any]:
        return own | dict(self.settings or {})

    def _seed(self) -> int:
        return int(self.random_state) if isinstance(self.random_state, int | np.integer) else 0


class LightGBM(ExternalBooster):
    """LightGBM's classifier."""

    package = "lightgbm"

    def _new(self, package: Any, nominal: list[int], n_levels: list[int]) -> Any:
        return package.LGBMClassifier(**self._told(random_state=self._seed(), n_jobs=self.n_jobs or -1, verbose=-1))

    def _fitted_on(
        self, made: Any, cells: np.ndarray, y: np.ndarray, weight: np.ndarray | None, nominal: list[int]
    ) -> Any:
        return made.fit(cells, y, sample_weight=weight, categorical_feature=nominal or "auto")

    def _scores(self, X: MixedData) -> np.ndarray:
        if self.model_ is None:
            return super()._scores(X)
        # The wrapper warns of names that arrays do not have.
        found = np.asarray(self.model_.booster_.predict(self._cells(X)), dtype=np.float64)
        return np.column_stack([1 - found, found]) if found.ndim == 1 else found


class XGBoost(ExternalBooster):
    """XGBoost's classifier."""

    package = "xgboost"

    def _new(self, package: Any, nominal: list[int], n_levels: list[int]) -> Any:
        kinds = ["c" if j in nominal else "q" for j in range(self.n_features_in_)]
        own = {"random_state": self._seed(), "n_jobs": self.n_jobs or -1}
        return package.XGBClassifier(**self._told(**own, feature_types=kinds, enable_categorical=True))


class CatBoost(ExternalBooster):
    """CatBoost's classifier."""

    package = "catboost"

    def _new(self, package: Any, nominal: list[int], n_levels: list[int]) -> Any:
        own: dict[str, Any] = {"random_seed": self._seed(), "thread_count": self.n_jobs or -1}
        own |= {"verbose": False, "allow_writing_files": False, "cat_features": nominal}
        return package.CatBoostClassifier(**self._told(**own))

    def _cells(self, X: MixedData) -> np.ndarray:
        cells = super()._cells(X)
        if not X.codes:
            return cells
        mixed: np.ndarray = cells.astype(object)
        for j in range(X.numeric.shape[1], cells.shape[1]):
            mixed[:, j] = ["missing" if code < 0 else str(code) for code in X.codes[j - X.numeric.shape[1]]]
        return mixed


class HistGradientBoosting(ExternalBooster):
    """scikit-learn's histogram boosting."""

    package = "sklearn.ensemble"

    def _new(self, package: Any, nominal: list[int], n_levels: list[int]) -> Any:
        few = [j for j, n in zip(nominal, n_levels, strict=True) if n <= MOST_LEVELS]
        own = {"random_state": self._seed(), "categorical_features": few or None}
        return package.HistGradientBoostingClassifier(**self._told(**own))

    def _fitted_on(
        self, made: Any, cells: np.ndarray, y: np.ndarray, weight: np.ndarray | None, nominal: list[int]
    ) -> Any:
        with threadpool_limits(self.n_jobs):  # it has no parameter for it
            return super()._fitted_on(made, cells, y, weight, nominal)


def installed() -> tuple[type[ExternalBooster], ...]:
    """The boosters whose packages are there.

    >>> HistGradientBoosting in installed()
    True
    """
    every: tuple[type[ExternalBooster], ...] = (LightGBM, XGBoost, CatBoost, HistGradientBoosting)
    return tuple(cls for cls in every if importlib.util.find_spec(cls.package.partition(".")[0]) is not None)
