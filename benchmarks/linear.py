"""Linear models: logistic regression of two and ten classes, wide, sparse and with L1; perceptron and SGD.

Times say nothing without the value that was reached: the last column is the objective, the mean over the training rows
of loss plus penalty / (C n), computed the same way from every side's coefficients. liblinear penalises the intercept
too, and so ends a little above its own optimum here.
"""

from __future__ import annotations

import gzip
import importlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bayes import numeric, text
from benchmarks.harness import Arrays, Column, Side, Workload, fit_and_predict, fit_predict_and

__all__ = ["WORKLOADS"]

#: Where the pictures of Fashion-MNIST lie; without them that workload says so.
PICTURES = Path(__file__).resolve().parents[2] / "shared" / "data" / "fashion-mnist"
#: More than any solver needs to meet its own tolerance here.
ITERATIONS = 2000


def pictures(dtype: str, n: int, n_test: int) -> Arrays:
    """Fashion-MNIST, each pixel a column from 0 to 1."""

    def read(part: str, kind: str, skip: int) -> np.ndarray:
        with gzip.open(PICTURES / f"{part}-{kind}-ubyte.gz") as file:
            return np.frombuffer(file.read(), np.uint8, offset=skip)

    found: Arrays = {}
    for part, end, rows in (("train", "", n), ("t10k", "_test", n_test)):
        found[f"X{end}"] = (read(part, "images-idx3", 16).reshape(-1, 784)[:rows] / 255).astype(dtype)
        found[f"y{end}"] = read(part, "labels-idx1", 8)[:rows].astype(np.int64)
    return found


def documents(n: int, words: int, per_row: int, n_test: int, n_classes: int) -> Arrays:
    """Words as CSR, rows of length 1, as texts are usually given to linear models."""
    arrays = text(n, words, per_row, n_test, n_classes)
    for name in ("X", "X_test"):
        counts = arrays[name]
        length = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
        counts.data /= np.repeat(length, np.diff(counts.indptr))
    return arrays


def objective(model: Any, arrays: Arrays, C: float = 1.0, l1: bool = False) -> float:
    """Mean cross-entropy of the training rows, plus the penalty of the coefficients over C n."""
    X, y = arrays["X"], arrays["y"]
    coef, intercept = np.asarray(model.coef_, dtype=np.float64), np.asarray(model.intercept_, dtype=np.float64)
    penalty = np.abs(coef).sum() if l1 else 0.5 * (coef**2).sum()
    loss = 0.0
    for first in range(0, X.shape[0], 50_000):
        some = slice(first, first + 50_000)
        score = X[some] @ coef.T + intercept
        code = np.searchsorted(model.classes_, y[some])
        if score.shape[1] == 1:
            loss += np.logaddexp(0, np.where(code == 1, -1.0, 1.0) * score[:, 0]).sum()
        else:
            top = score.max(axis=1)
            own = np.take_along_axis(score, code[:, None], axis=1)[:, 0]
            loss += (np.log(np.exp(score - top[:, None]).sum(axis=1)) + top - own).sum()
    return float((loss + penalty / C) / X.shape[0])


def hinge(model: Any, arrays: Arrays) -> float:
    """The mean hinge loss of the training rows."""
    side = np.where(arrays["y"] == model.classes_[1], 1.0, -1.0)
    return float(np.maximum(0, 1 - side * model.decision_function(arrays["X"])).mean())


class Liblinear:
    """The program's own library, through its own Python interface."""

    def __init__(self, options: str) -> None:
        self.options = options

    def fit(self, X: Any, y: np.ndarray) -> None:
        from liblinear.liblinearutil import problem, train

        self.classes_ = np.unique(y)
        self.model = train(problem(np.where(y == self.classes_[1], 1, -1), X, bias=1), f"-q {self.options}")
        w, b = self.model.get_decfun()
        turn = 1 if self.model.get_labels()[0] == 1 else -1
        self.coef_, self.intercept_ = turn * np.asarray(w)[None, :], turn * np.array([b])

    def predict(self, X: Any) -> np.ndarray:
        return self.classes_[((X @ self.coef_[0] + self.intercept_[0]) > 0).astype(int)]


def new(module: str, name: str, settings: dict[str, Any]) -> Any:
    return getattr(importlib.import_module(module), name)(**settings)


def margin_side(name: str = "LogisticRegression", label: str = "", **settings: Any) -> Side:
    return Side(f"margin {label or name}", "margin", partial(new, "margin", name, settings))


def sklearn_side(solver: str, label: str = "", **settings: Any) -> Side:
    asked = {"solver": solver, "max_iter": ITERATIONS, **settings}
    make = partial(new, "sklearn.linear_model", "LogisticRegression", asked)
    return Side(f"sklearn {label or solver}", "sklearn", make)


def oneapi(**settings: Any) -> Side:
    asked = {"solver": "lbfgs", "max_iter": ITERATIONS, **settings}
    return Side("sklearnex lbfgs", "sklearnex", partial(new, "sklearnex.linear_model", "LogisticRegression", asked))


def liblinear(label: str, options: str) -> Side:
    return Side(f"liblinear {label}", "liblinear", partial(Liblinear, options))


def logistic(
    name: str, data: Callable[..., Arrays], sides: tuple[Side, ...], size: dict[str, Any], quick: dict[str, Any],
    **kind: Any,
) -> Workload:  # fmt: skip
    measure = fit_predict_and(Column("objective", "objective", "objective"), partial(objective, **kind))
    return Workload(name, data, sides, measure, size=size, quick=quick)


def online(name: str, rule: str, sides: tuple[Side, ...]) -> Workload:
    measure = (
        fit_predict_and(Column("objective", "mean hinge", "objective"), hinge) if rule == "hinge" else fit_and_predict
    )
    return Workload(name, numeric, sides, measure, size=TALL, quick=QUICK)


def five_passes(module: str, name: str, label: str, **settings: Any) -> Side:
    make = partial(new, module, name, {"max_iter": 5, "tol": None, **settings})
    return Side(label, module.split(".")[0], make)


TALL = {"n": 500_000, "d": 50, "n_test": 100_000}
WIDE = {"n": 20_000, "d": 2_000, "n_test": 5_000}
TEXT = {"n": 200_000, "words": 50_000, "per_row": 50, "n_test": 50_000, "n_classes": 2}
QUICK = {"n": 5_000, "n_test": 1_000}
QUICK_TEXT = {**QUICK, "words": 2_000}
DENSE = (sklearn_side("lbfgs"), sklearn_side("newton-cholesky"), oneapi())
#: Here scikit-learn's L-BFGS is stopped at its default number of iterations: its own tolerance takes it minutes.
DEFAULT = (sklearn_side("lbfgs", max_iter=100), oneapi(max_iter=100))
FASHION = {"n": 60_000, "n_test": 10_000}

WORKLOADS = (
    logistic("binary", numeric, (margin_side(), *DENSE), TALL, QUICK),
    logistic("binary-float32", numeric, (margin_side(), *DENSE), {**TALL, "dtype": "float32"}, QUICK),
    logistic(
        "ten-classes", numeric, (margin_side(), sklearn_side("lbfgs"), oneapi()), {**TALL, "n_classes": 10}, QUICK
    ),
    logistic("wide", numeric, (margin_side(), *DENSE, sklearn_side("newton-cg")), WIDE, {**QUICK, "d": 200}),
    logistic("fashion", pictures, (margin_side(), *DEFAULT), {**FASHION, "dtype": "float64"}, QUICK),
    logistic("fashion-float32", pictures, (margin_side(), *DEFAULT), {**FASHION, "dtype": "float32"}, QUICK),
    logistic(
        "sparse",
        documents,
        (
            margin_side(),
            margin_side(label="at tol=1e-5", tol=1e-5),  # at which no peer here is below
            sklearn_side("lbfgs"),
            sklearn_side("newton-cg"),
            sklearn_side("liblinear", "liblinear dual", dual=True),
            liblinear("dual", "-s 7"),
            liblinear("primal", "-s 0"),
        ),
        TEXT,
        QUICK_TEXT,
    ),
    logistic(
        "sparse-l1",
        documents,
        (
            margin_side(l1_ratio=1.0),
            margin_side(label="at tol=1e-5", l1_ratio=1.0, tol=1e-5),
            sklearn_side("liblinear", "liblinear l1", l1_ratio=1.0, max_iter=100),
            liblinear("l1", "-s 6"),
        ),
        TEXT,
        QUICK_TEXT,
        l1=True,
    ),
    online(
        "perceptron",
        "perceptron",
        (
            five_passes("margin", "Perceptron", "margin Perceptron", shuffle=True, random_state=0),
            five_passes("sklearn.linear_model", "Perceptron", "sklearn Perceptron", random_state=0),
        ),
    ),
    online(
        "sgd-hinge",
        "hinge",
        (
            five_passes("margin", "LinearSGD", "margin LinearSGD", loss="hinge", random_state=0),
            five_passes("sklearn.linear_model", "SGDClassifier", "sklearn SGD", loss="hinge", random_state=0),
        ),
    ),
    online(
        "sgd-log",
        "log",
        (
            five_passes("margin", "LinearSGD", "margin LinearSGD", loss="log_loss", random_state=0),
            five_passes("sklearn.linear_model", "SGDClassifier", "sklearn SGD", loss="log_loss", random_state=0),
        ),
    ),
    # So little data that only the way in and out counts.
    logistic("small", numeric, (margin_side(), *DENSE), {"n": 150, "d": 4, "n_test": 150}, {}),
)
