"""Support vector machines: RBF kernels on two and ten classes, digits, sparse rows; linear ones, dense and sparse;
a share of rows instead of a price, regression, and one class.

Times say nothing without the value that was reached. With a kernel the last column is the dual objective, the sum over
the pairs of classes, computed the same way from every side's support vectors: lower is better. Of linear machines it is
the objective over n, out of the coefficients, with the intercept penalised on all sides, as liblinear has it.
"""

from __future__ import annotations

import gzip
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bayes import numeric
from benchmarks.harness import Arrays, Column, Side, Workload, fit_predict_and
from benchmarks.linear import QUICK_TEXT, TEXT, documents, liblinear, new
from benchmarks.tree import explained, quantity

__all__ = ["WORKLOADS"]

#: Where a9a lies; without it that workload says so.
ADULTS = Path(__file__).resolve().parents[2] / "shared" / "data"


def digits(n_test: int) -> Arrays:
    """The 8 × 8 digits that come with scikit-learn."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    return {"X": X[:-n_test], "y": y[:-n_test], "X_test": X[-n_test:], "y_test": y[-n_test:]}


def adults(n: int, n_test: int) -> Arrays:
    """a9a: whether a person earns much, as 123 columns of 0 and 1, CSR."""
    from sklearn.datasets import load_svmlight_file

    found: Arrays = {}
    for name, end, rows in (("a9a.libsvm.gz", "", n), ("a9a.t.libsvm.gz", "_test", n_test)):
        with gzip.open(ADULTS / name) as file:
            X, y = load_svmlight_file(file, n_features=123)
        found[f"X{end}"], found[f"y{end}"] = X[:rows], y[:rows].astype(np.int64)
    return found


def dual_objective(model: Any, arrays: Arrays) -> float:
    """1/2 a'Ka - sum |a| of the signed weights of each pair of classes, added up."""
    from sklearn.metrics.pairwise import rbf_kernel

    X = arrays["X"]
    support = np.asarray(model.support_).astype(np.int64)
    weights = model.dual_coef_.toarray() if hasattr(model.dual_coef_, "toarray") else np.asarray(model.dual_coef_)
    weights = weights.astype(np.float64).reshape(-1, len(support))
    classes, own = np.unique(arrays["y"], return_inverse=True)
    own = np.argsort(np.argsort(getattr(model, "order_", classes)))[own][support]
    # Row j of the weights of class c belongs to its pair with the j-th of the other classes.
    signed = np.zeros((len(support), len(weights) + 1, len(weights) + 1))
    for c in range(len(weights) + 1):
        others = [other for other in range(len(weights) + 1) if other != c]
        for j, other in enumerate(others):
            signed[own == c, min(c, other), max(c, other)] = weights[j, own == c]
    flat = signed.reshape(len(support), -1)
    flat = flat[:, np.abs(flat).any(axis=0)]
    total = -np.abs(flat).sum()
    for first in range(0, len(support), 1000):
        some = slice(first, first + 1000)
        kernel = rbf_kernel(X[support[some]], X[support], gamma=_gamma(X))
        total += 0.5 * np.sum(flat[some] * (kernel @ flat))
    return float(total)


def _gamma(X: Any) -> float:
    """What gamma="scale" means."""
    mean = X.mean()
    square = X.multiply(X).mean() if hasattr(X, "multiply") else (X * X).mean()
    return 1 / (X.shape[1] * float(square - mean * mean))


def primal_objective(model: Any, arrays: Arrays, power: int = 2) -> float:
    """1/2 |(w, b)|² + sum of the hinge losses to that power, over n."""
    X, coef, bias = arrays["X"], np.asarray(model.coef_)[0], float(np.ravel(model.intercept_)[0])
    side = np.where(arrays["y"] == model.classes_[1], 1.0, -1.0)
    slack = np.maximum(0, 1 - side * (X @ coef + bias))
    return float(0.5 * (coef @ coef + bias * bias) + (slack**power).sum()) / len(side)


def single_objective(model: Any, arrays: Arrays, tube: float | None = None) -> float:
    """1/2 b'Kb of the signed weights, for regression - y'b + tube sum |b|."""
    from sklearn.metrics.pairwise import rbf_kernel

    X, support, b = arrays["X"], np.asarray(model.support_), np.ravel(model.dual_coef_)
    total = 0.0 if tube is None else tube * np.abs(b).sum() - arrays["y"][support] @ b
    for first in range(0, len(support), 1000):
        some = slice(first, first + 1000)
        total += 0.5 * b[some] @ (rbf_kernel(X[support[some]], X[support], gamma=_gamma(X)) @ b)
    return float(total)


def tube_objective(model: Any, arrays: Arrays, power: int) -> float:
    """1/2 |(w, b)|² + sum of the absolute residuals to that power, over n."""
    X, y, coef, bias = arrays["X"], arrays["y"], np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    return float(0.5 * (coef @ coef + bias * bias) + (np.abs(y - X @ coef - bias) ** power).sum()) / len(y)


def lengths(n: int, words: int, per_row: int, n_test: int, n_classes: int) -> Arrays:
    """Words as CSR, and a quantity that each word adds to or takes from."""
    arrays, rng = documents(n, words, per_row, n_test, n_classes), np.random.default_rng(0)
    effect = rng.normal(size=words)
    for end in ("", "_test"):
        X = arrays[f"X{end}"]
        arrays[f"y{end}"] = X @ effect + 0.5 * rng.normal(size=X.shape[0])
    return arrays


def inside(y: np.ndarray, answers: np.ndarray) -> float:
    """The share of new rows that are taken for the class."""
    return float((answers == 1).mean())


def single(name: str, of: str, quality: Any, tube: float | None = None, **settings: Any) -> Workload:
    sides = tuple(
        Side(f"{library} {of}", library, partial(new, module, of, settings))
        for library, module in (("margin", "margin"), ("sklearn", "sklearn.svm"), ("sklearnex", "sklearnex.svm"))
    )
    measure = fit_predict_and(Column("objective", "dual objective", "objective"), partial(single_objective, tube=tube))
    size = {"n": 5_000, "d": 20, "n_test": 5_000}
    return Workload(name, quantity, sides, measure, size=size, quick=QUICK, quality=quality)


class Thunder:
    """thundersvm, which knows gamma only as a number."""

    def fit(self, X: Any, y: np.ndarray) -> None:
        self.model = new("thundersvm", "SVC", {"gamma": _gamma(X)}).fit(X, y)
        self.support_, self.dual_coef_ = self.model.support_, self.model.dual_coef_
        self.order_ = np.unique(y, return_index=True)[1]  # its classes stand in the order of their first rows

    def predict(self, X: Any) -> np.ndarray:
        return self.model.predict(X)


def machine(library: str, module: str, **settings: Any) -> Side:
    return Side(f"{library} SVC", library, partial(new, module, "SVC", settings))


MACHINES = (
    machine("margin", "margin"),
    machine("sklearn", "sklearn.svm"),
    machine("sklearnex", "sklearnex.svm"),
    Side("thundersvm SVC", "thundersvm", Thunder),
)
DUAL = fit_predict_and(Column("objective", "dual objective", "objective"), dual_objective)


def kernel(
    name: str, size: dict[str, Any], quick: dict[str, Any], data: Any = numeric, sides: tuple[Side, ...] = MACHINES
) -> Workload:
    return Workload(name, data, sides, DUAL, size=size, quick=quick)


def plane(name: str, sides: tuple[Side, ...], data: Any, size: dict, quick: dict, power: int = 2) -> Workload:
    measure = fit_predict_and(Column("objective", "objective", "objective"), partial(primal_objective, power=power))
    return Workload(name, data, sides, measure, size=size, quick=quick)


def linear(library: str, module: str, label: str = "", **settings: Any) -> Side:
    return Side(f"{library} {label or 'LinearSVC'}", library, partial(new, module, "LinearSVC", settings))


TALL = {"n": 200_000, "d": 50, "n_test": 100_000}
QUICK = {"n": 600, "n_test": 200}

WORKLOADS = (
    kernel("rbf-5k", {"n": 5_000, "d": 20, "n_test": 5_000}, QUICK),
    kernel("rbf-20k", {"n": 20_000, "d": 50, "n_test": 5_000}, QUICK),
    kernel("ten-classes", {"n": 20_000, "d": 50, "n_test": 5_000, "n_classes": 10}, QUICK),
    kernel("digits", {"n_test": 297}, {}, digits),
    Workload(
        "nu-digits",
        digits,
        tuple(
            Side(f"{library} NuSVC", library, partial(new, module, "NuSVC", {"nu": 0.1}))
            for library, module in (("margin", "margin"), ("sklearn", "sklearn.svm"), ("sklearnex", "sklearnex.svm"))
        ),
        DUAL,
        size={"n_test": 297},
        quick={},
    ),
    single("regression", "SVR", explained, 0.1),
    single("one-class", "OneClassSVM", inside, nu=0.1),
    # Of sparse rows thundersvm makes as many classes as there are rows.
    kernel("a9a", {"n": 32_561, "n_test": 16_281}, QUICK, adults, MACHINES[:-1]),
    plane(
        "linear-dense",
        (
            linear("margin", "margin", intercept_scaling=1.0),
            linear("sklearn", "sklearn.svm", "LinearSVC primal", dual=False),
        ),
        numeric,
        TALL,
        QUICK,
    ),
    plane(
        "linear-hinge",
        (
            linear("margin", "margin", intercept_scaling=1.0, loss="hinge"),
            # It does not come to its end here: 1,000 passes, with a warning, take minutes.
            linear("sklearn", "sklearn.svm", "LinearSVC 100 passes", loss="hinge", max_iter=100),
        ),
        numeric,
        TALL,
        QUICK,
        power=1,
    ),
    plane(
        "linear-sparse",
        (
            linear("margin", "margin", intercept_scaling=1.0),
            linear("sklearn", "sklearn.svm", "LinearSVC dual", dual=True),
            linear("sklearn", "sklearn.svm", "LinearSVC primal", dual=False),
            liblinear("dual", "-s 1"),
            liblinear("primal", "-s 2"),
        ),
        documents,
        TEXT,
        QUICK_TEXT,
    ),
    plane(
        "linear-sparse-hinge",
        (
            linear("margin", "margin", intercept_scaling=1.0, loss="hinge"),
            linear("sklearn", "sklearn.svm", "LinearSVC dual", loss="hinge", dual=True),
            liblinear("dual", "-s 3"),
        ),
        documents,
        TEXT,
        QUICK_TEXT,
        power=1,
    ),
    *(
        Workload(
            f"linear-regression-{rows}{'-squared' * (power - 1)}",
            data,
            tuple(
                Side(f"{library} LinearSVR", library, partial(new, module, "LinearSVR", {"loss": loss, **more}))
                for library, module, more in (
                    ("margin", "margin", {"intercept_scaling": 1.0}),
                    ("sklearn", "sklearn.svm", {"dual": "auto"}),
                )
            ),
            fit_predict_and(Column("objective", "objective", "objective"), partial(tube_objective, power=power)),
            size=size,
            quick=quick,
            quality=explained,
        )
        for rows, data, size, quick in (
            ("dense", quantity, {"n": 20_000, "d": 20, "n_test": 5_000}, QUICK),
            ("sparse", lengths, {**TEXT, "n": 20_000, "n_test": 5_000}, QUICK_TEXT),
        )
        for power, loss in ((1, "epsilon_insensitive"), (2, "squared_epsilon_insensitive"))
    ),
)
