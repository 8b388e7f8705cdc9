"""What every estimator learns and answers, in one process: to be compared between instruction sets and compilers.

``python -m tests.native.portability FILE`` writes it; ``... FILE --against OTHER`` also compares it with what another
process has written, says where they differ more than is promised, and then ends with 1.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import itertools
import math
import pickle
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone, is_classifier

from margin import GaussianNB
from margin._core import core
from margin.evaluation import METRICS, evaluate
from tests.contract.estimators import ALL, answers, frame, numbers, settings

#: Parts whose kernels are compiled with fused products (CMakeLists.txt): a product and a sum are rounded once where the
#: instruction set has fused multiply-adds, and twice on the baseline, which has none.
FUSED = ("margin.linear", "margin.svm", "margin.bayes.discriminant", "margin.deep")
CLOSE = 1e-9


@dataclass(frozen=True)
class Learnt:
    """A model and what it answers, and how far apart answers may be where one side fuses products and the other not."""

    apart: float
    model: str
    answers: np.ndarray
    labels: np.ndarray


def apart_at_most(estimator: BaseEstimator, X: object) -> float:
    """0 for what is learnt without fused products; a model around others is learnt with them if one of those is."""
    inner = [value for value in estimator.get_params().values() if isinstance(value, BaseEstimator)]
    inner += [member for _, member in estimator._named()] if hasattr(estimator, "_named") else []
    classes = [cls for each in [estimator, *inner] for cls in inspect.getmro(type(each))]
    if not any(cls.__module__.startswith(part) for cls in classes for part in FUSED):
        return 0.0
    match type(estimator).__name__, estimator.get_params():
        case "SVC", {"tol": tol}:  # it ends where it is close enough to the optimum, from either side
            return tol
        case "NuSVC" | "SVR" | "LinearSVR" | "OneClassSVM", {
            "tol": tol
        }:  # likewise, in answers of another unit than the objective
            return 5 * tol
        case "VotingClassifier" | "VotingRegressor", {"weights": "learnt"}:  # members alike leave their shares open
            return 100 * CLOSE
        case "MLPClassifier" | "MLPRegressor", _ if getattr(X, "dtype", None) == np.float32:  # learnt in float32
            return 1e-5
        case "LinearSGD", {"scale": None}:  # steps too long for the columns: last digits grow from row to row
            return math.inf
    return CLOSE


def tables() -> dict[str, tuple[object, np.ndarray]]:
    """Rows in every form that kernels have a way of their own for, with as many columns as no register holds."""
    wide, y_wide = numbers(301, 37, seed=1)
    return {
        "narrow": numbers(2503, 7),
        "wide, float32": (wide.astype(np.float32), y_wide),
        "sparse": (sparse.csr_matrix(np.where(wide > 5, np.round(wide), 0.0)), y_wide),
        "mixed": frame(403),
    }


def learn(estimator: BaseEstimator, X: object, y: np.ndarray) -> Learnt:
    weight = np.random.default_rng(5).random(len(y)) + 0.5
    model = clone(estimator).fit(X, y, sample_weight=weight)
    labels = model.predict(X) if is_classifier(model) else np.empty(0)
    digest = hashlib.sha256(pickle.dumps(model)).hexdigest()
    return Learnt(apart_at_most(estimator, X), digest, np.asarray(answers(model, X)), labels)


def measure() -> Learnt:
    """Every metric, cross-validated."""
    X, y = numbers(2503, 7)
    weight = np.random.default_rng(5).random(len(y))
    scores = evaluate(GaussianNB(), X, y == 1, metrics=METRICS, sample_weight=weight).scores
    return Learnt(0.0, "", np.array([score.value for score in scores.values()]), np.empty(0))


def learn_all() -> dict[str, Learnt]:
    """By estimator and table: the defaults of a class on all tables, its other settings on one each in turn."""
    given, learnt, met = tables(), {"metrics": measure()}, set()
    turns = itertools.cycle(given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for estimator in settings():
            whole = ALL or type(estimator) not in met
            met.add(type(estimator))
            for name in given if whole else [next(turns)]:
                learnt[f"{estimator!r} on {name}"] = learn(estimator, *given[name])
    return learnt


def differences(one: dict[str, Learnt], other: dict[str, Learnt], *, fused_alike: bool) -> Iterator[str]:
    """Where two processes learnt what they may not: other bits, or, unless both fuse products, answers not close by."""
    if one.keys() != other.keys():
        yield f"only one learnt {sorted(one.keys() ^ other.keys())}"
    for name in sorted(one.keys() & other.keys()):
        a, b = one[name], other[name]
        if a.apart > 0 and not fused_alike:
            yield from (f"{name}: {what}" for what in _not_close(a, b))
        elif a.model != b.model or a.answers.tobytes() != b.answers.tobytes():
            yield f"{name}: other bits"


def _not_close(a: Learnt, b: Learnt) -> Iterator[str]:
    if a.apart == math.inf:
        return
    apart = np.max(np.abs(a.answers - b.answers) / np.maximum(np.abs(a.answers), 1.0))
    if not apart <= a.apart:
        yield f"answers are {apart:.1e} apart"
    if not len(a.labels):  # numbers are answered, no classes
        return
    # A row on the very edge of two classes, as support vectors of the plain hinge are, may fall to either side.
    best = np.sort(a.answers, axis=1) if a.answers.ndim == 2 else np.stack([-a.answers, a.answers], axis=1)
    clear = np.abs(best[:, -1] - best[:, -2]) > 2 * a.apart
    if not np.array_equal(a.labels[clear], b.labels[clear]):
        yield f"{np.count_nonzero((a.labels != b.labels) & clear)} other labels"


def main(arguments: list[str] | None = None) -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("file", type=Path)
    reader.add_argument("--against", type=Path)
    given = reader.parse_args(arguments)
    learnt = learn_all()
    given.file.write_bytes(pickle.dumps(learnt))
    print(f"{len(learnt)} models on {core.simd()}")
    if not given.against:
        return 0
    found = list(differences(pickle.loads(given.against.read_bytes()), learnt, fused_alike=False))
    print(*found, f"{len(found)} differences from {given.against}", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    from tests.native import portability  # what is written names its classes: not those of __main__

    sys.exit(portability.main())
