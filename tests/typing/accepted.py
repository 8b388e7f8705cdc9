"""A program of a user, as type checkers must take it."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

import margin
from margin.typing import ClassifierLike, LabelsLike, TableLike, WeightsLike

rows: list[list[float | None]] = [[1.0, 2.0], [2.0, None]]
mixed = [(1, "red"), (2, "blue")]
numbers: NDArray[np.float64] = np.array([[1.0, 2.0], [2.0, 1.0]])
frame = pl.DataFrame({"age": [31.0, 45.0], "sex": ["f", "m"]})
table = margin.Table.from_columns({"age": [31.0, None], "sex": ["f", "m"]})

for each in (rows, mixed, numbers, frame, table):
    margin.NaiveBayes().fit(each, ["yes", "no"])
model = margin.LogisticRegression(C=0.5, n_jobs=1).fit(numbers, np.array([0, 1]), sample_weight=[1.0, 2.0])
labels: np.ndarray = model.predict(frame)
shares: np.ndarray = margin.SVC(kernel="rbf", class_weight="balanced").fit(frame, frame["sex"]).predict_proba(frame)
accuracy: float = model.score(numbers, [0, 1])
tree = margin.DecisionTreeClassifier(max_depth=3, random_state=np.random.default_rng(0))
settings: dict[str, object] = tree.get_params()


class Always:
    """A classifier that knows nothing of margin."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Always:
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.zeros(len(X))

    def get_params(self, deep: bool = True) -> dict[str, object]:
        return {}

    def set_params(self, **params: object) -> Always:
        return self


def scored(model: ClassifierLike, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> str:
    return str(margin.evaluate(model, X, y, "5", sample_weight=sample_weight))


scored(Always(), numbers, [0, 1])
scored(margin.KNeighborsClassifier(n_neighbors=1), frame, frame["sex"], np.ones(2))
