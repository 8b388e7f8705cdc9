"""A classifier of tables on what another model makes of pictures."""

from __future__ import annotations

from typing import Annotated, Any, Self

import numpy as np

from margin.base.estimator import Classifier
from margin.base.representations.representation import Learnt, TrainingRows
from margin.base.sklearn_classes import available_if, clone
from margin.deep.pictures.feature_extractor import FeatureExtractor
from margin.deep.pictures.picture_encoder import opened
from margin.deep.pictures.pixels import Pixels
from margin.errors import InputError
from margin.params import Rule, no_text
from margin.typing import LabelsLike, WeightsLike

__all__ = ["FeatureClassifier"]

Features = Annotated[
    Any, Rule("Pixels or a FeatureExtractor", lambda v: isinstance(v, Pixels | FeatureExtractor), no_text)
]
Model = Annotated[Any, Rule("a classifier of tables", lambda v: hasattr(v, "fit") and hasattr(v, "predict"), no_text)]


class FeaturesOfPictures:
    """Pictures as rows of numbers, by a fitted transformer."""

    def __init__(self, features: Any) -> None:
        self.features = features

    def encode(self, X: Any, who: str) -> np.ndarray:
        found: np.ndarray = self.features.transform(X)
        return found


def _has_probabilities(model: FeatureClassifier) -> bool:
    return hasattr(vars(model).get("model_", model.model), "predict_proba")


class FeatureClassifier(Classifier):
    """Pictures become columns, and a classifier of tables learns from these; both are kept together, in files too.

    It answers as a pipeline of the two does.

    Parameters
    ----------
    features
        :class:`Pixels`, or a :class:`FeatureExtractor`; a copy is fitted.
    model
        A classifier of tables; a copy is fitted.

    Attributes
    ----------
    features_, model_
        The two as they were fitted.

    Examples
    --------
    >>> from margin import KNeighborsClassifier
    >>> pixels = np.zeros((8, 6, 6), np.uint8)
    >>> pixels[::2, :3] = 255
    >>> model = FeatureClassifier(Pixels(2), KNeighborsClassifier(1)).fit(pixels, ["above", "nowhere"] * 4)
    >>> model.predict(pixels[:2]).tolist()
    ['above', 'nowhere']
    """

    accepts_tables = False
    takes_cases = True
    _columns: Any = None

    def __init__(self, features: Features, model: Model) -> None:
        self.features, self.model = features, model

    def fit(self, X: Any, y: LabelsLike | None = None, sample_weight: WeightsLike | None = None) -> Self:
        """Learn from pictures X with labels y (their own where there are any and none are given)."""
        found = getattr(X, "labels", None) if y is None else y
        if found is None:
            raise InputError(f"{type(self).__name__}.fit: there are no labels (give y, one for each picture).")
        return super().fit(X, found, sample_weight)

    def _open_rows(self, X: Any, sample_weight: WeightsLike | None, who: str, like: Any = None) -> TrainingRows:
        asked = self.features
        shape = None if asked.image_shape is None else tuple(int(side) for side in asked.image_shape)
        images = opened(X, who, shape, asked.image_size, asked.channels)
        if not len(images):
            raise InputError(f"{who}: there are no pictures.")
        return TrainingRows.that_count(images, sample_weight, who)

    def _learn_input(self, rows: TrainingRows, who: str) -> Learnt:
        self.features_ = clone(self.features).fit(rows.source, self.classes_[rows.y])
        self._encoder = FeaturesOfPictures(self.features_)
        return Learnt(self._encoder, self.features_.transform(rows.source), None)

    def _fit(self, X: np.ndarray, y: np.ndarray, rows: TrainingRows) -> None:
        given = () if rows.weight is None else (rows.weight,)
        self.model_ = clone(self.model).fit(X, self.classes_[y], *given)

    def _encoded(self, X: Any, method: str) -> Any:
        return self._fitted(method)._encoder.encode(X, f"{type(self).__name__}.{method}")

    def _scores(self, X: np.ndarray) -> np.ndarray:
        if not len(X):
            return np.zeros((0, len(self.classes_)))
        if _has_probabilities(self):
            return np.asarray(self.model_.predict_proba(X))
        found = np.asarray(self.model_.decision_function(X))
        return np.column_stack([-found, found]) if found.ndim == 1 else found

    def _proba(self, scores: np.ndarray) -> np.ndarray:
        return scores

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class (columns as in ``classes_``) for each picture."""
        return super().predict_proba(X)
