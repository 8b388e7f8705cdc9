"""Fitted models of margin.linear and margin.svm, by every way that leaves something else behind."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from margin.data import Table, read
from margin.linear import ActivePerceptron, Adaline, LinearSGD, LogisticRegression, LogisticRegressionCV, Perceptron
from margin.svm import SVC, LinearSVC, PegasosClassifier, Reject, SpectrumKernel
from tests.contract.estimators import frame, numbers, settings

__all__ = ["CONTRACT", "LINEAR_WAYS", "SVM_WAYS", "Fitted", "fitted", "in_parts", "kernel_rows", "texts", "two_words"]

#: A fitted model, and rows to ask it about.
Fitted = tuple[Any, Any]

CONTRACT = [each for each in settings() if type(each).__module__.startswith(("margin.linear", "margin.svm"))]


def fitted(model: Any, X: Any, y: Any, **more: Any) -> Fitted:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y, **more), X


def in_parts(model: Any, X: Any, y: Any, **more: Any) -> Fitted:
    """Learnt from rows that came in three parts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for part in np.array_split(np.arange(X.shape[0]), 3):
            model.partial_fit(X[part], y[part], **more)
    return model, X


def two_words() -> tuple[np.ndarray, np.ndarray]:
    X, y = numbers()
    return X, np.where(y == 0, "no", "yes")


def with_a_constant() -> tuple[np.ndarray, np.ndarray]:
    X, y = numbers()
    X[:, 1] = 7.0
    return X, y


def texts() -> tuple[list[str], list[str]]:
    return ["spam and eggs", "eggs and spam", "ham on rye", "rye with ham", "spam spam", "rye bread"], list("aabbab")


def dates_and_texts() -> tuple[Table, list[str]]:
    """Sixty notes, each with a day."""
    notes = [f"a {('good', 'bad')[i % 2]} day number {i} of all days" for i in range(60)]
    days = [f"{1 + i % 28}/{1 + i % 12}/2024" for i in range(60)]
    return read({"note": notes, "day": days, "x": [float(i % 7) for i in range(60)]}), list("ab" * 30)


def kernel_rows() -> tuple[np.ndarray, np.ndarray]:
    X, y = numbers(30)
    return X @ X.T, y


def one_class_without_rows() -> np.ndarray:
    return (numbers()[1] != 1).astype(float)


def seen_twice_of_three(model: Any) -> Fitted:
    X, y = numbers()
    return in_parts(model, X[y != 1], y[y != 1], classes=[0, 1, 2])


def certified(model: Perceptron, X: Any, y: Any) -> Fitted:
    made, rows = fitted(model, X, y)
    assert made.certificate_.mistakes >= 0
    return made, rows


def stream() -> Fitted:
    X, y = numbers()
    model = ActivePerceptron().update(X[0], y[0], classes=[0, 1, 2])
    for row, label in zip(X[1:], y[1:]):
        model.update(row, label)
    return model, X


def weights() -> np.ndarray:
    return np.arange(60) % 3 + np.where(np.arange(60) % 7 == 0, 0.5, 0.0)


def refilled(kernel: str) -> Fitted:
    X, y = numbers()
    return in_parts(PegasosClassifier(kernel=kernel, scale="standard"), X, y, classes=[0, 1, 2])


def prefit(inner: Any) -> Fitted:
    X, y = two_words()
    return fitted(Reject(fitted(inner, X, y)[0], cv="prefit", target_error=0.3), X, y)


LINEAR_WAYS: dict[str, Callable[[], Fitted]] = {
    "logistic of dates and texts": lambda: fitted(LogisticRegression(scale="standard"), *dates_and_texts()),
    "perceptron in parts": lambda: in_parts(Perceptron(), *two_words()),
    "perceptron voted in parts": lambda: in_parts(Perceptron(variant="voted"), *numbers(), classes=[0, 1, 2]),
    "perceptron voted, a constant column": lambda: fitted(Perceptron(variant="voted", max_iter=5), *with_a_constant()),
    "perceptron averaged, two classes of three": lambda: seen_twice_of_three(Perceptron(variant="averaged")),
    "perceptron voted, weights": lambda: fitted(
        Perceptron(variant="voted", max_iter=3), *numbers(), sample_weight=weights()
    ),
    "perceptron certified": lambda: certified(Perceptron(max_iter=5), *two_words()),
    "perceptron of three classes certified": lambda: certified(Perceptron(max_iter=5), *numbers()),
    "perceptron of one class": lambda: fitted(Perceptron(), numbers()[0], np.zeros(60)),
    "adaline in parts": lambda: in_parts(Adaline(), *two_words()),
    "adaline, class weights": lambda: fitted(Adaline(class_weight="balanced"), *numbers()),
    "sgd in parts": lambda: in_parts(LinearSGD(average=True, l1_ratio=0.3), *numbers(), classes=[0, 1, 2]),
    "sgd, two classes of three": lambda: seen_twice_of_three(LinearSGD()),
    "sgd held out": lambda: fitted(LinearSGD(early_stopping=True, random_state=0), *numbers()),
    "sgd, a class of weight 0": lambda: fitted(
        LinearSGD(random_state=0, average=10), *with_a_constant(), sample_weight=one_class_without_rows()
    ),
    "active perceptron as a stream": stream,
    "active perceptron in parts": lambda: in_parts(ActivePerceptron(max_labels=9), *two_words()),
    "logistic without a penalty": lambda: fitted(LogisticRegression(C=np.inf), *numbers()),
    "logistic, a class of weight 0": lambda: fitted(
        LogisticRegression(), *numbers(), sample_weight=one_class_without_rows()
    ),
    "logistic of one class": lambda: fitted(LogisticRegression(), numbers()[0], ["only"] * 60),
    "logistic, class weights, float32": lambda: fitted(
        LogisticRegression(class_weight={0: 2.0, 1: 1.0, 2: 1.0}), numbers()[0].astype(np.float32), numbers()[1]
    ),
    "logistic of many columns": lambda: fitted(LogisticRegression(), *numbers(50, 300)),
    "logistic from where it was": lambda: fitted(
        fitted(LogisticRegression(warm_start=True), *numbers())[0], *numbers(seed=1)
    ),
    "logistic chosen": lambda: fitted(
        LogisticRegressionCV(Cs=[0.1, np.inf], rule="best", scoring="brier", n_folds=3), *numbers()
    ),
    "logistic with coefficients of the user's": lambda: _with_own_coefficients(),
}


def _with_own_coefficients() -> Fitted:
    model, X = fitted(LogisticRegression(), *numbers())
    model.coef_ = np.asfortranarray(np.round(model.coef_, 1).astype(np.float32))
    return model, X


SVM_WAYS: dict[str, Callable[[], Fitted]] = {
    **{
        f"svc {kernel}": lambda kernel=kernel: fitted(SVC(kernel=kernel, gamma=0.1), *numbers())
        for kernel in ("linear", "poly", "rbf", "sigmoid")
    },
    "svc gaussian, two classes": lambda: fitted(SVC(kernel="gaussian", sigma=2.0), *two_words()),
    "svc, pairs": lambda: fitted(SVC(decision_function_shape="ovo", C=0.1), *numbers()),
    "svc, ties broken": lambda: fitted(SVC(break_ties=True), *numbers()),
    "svc, a class of weight 0": lambda: fitted(SVC(), *numbers(), sample_weight=one_class_without_rows()),
    "svc, pairs, a class of weight 0": lambda: fitted(
        SVC(decision_function_shape="ovo"), *numbers(), sample_weight=one_class_without_rows()
    ),
    "svc of one class": lambda: fitted(SVC(probability="sigmoid"), numbers()[0], np.ones(60)),
    "svc, one class of two": lambda: fitted(SVC(), *two_words(), sample_weight=(two_words()[1] == "no").astype(float)),
    "svc, weights": lambda: fitted(SVC(class_weight="balanced"), *numbers(), sample_weight=weights()),
    "svc, budget": lambda: fitted(SVC(budget=10.0, kernel="linear"), *numbers()),
    "svc, hard margin": lambda: fitted(SVC(hard_margin=True, kernel="rbf", gamma=2.0), *numbers()),
    "svc, float32": lambda: fitted(SVC(), numbers()[0].astype(np.float32), numbers()[1]),
    "svc, isotonic": lambda: fitted(SVC(probability="isotonic"), *numbers()),
    "svc, sigmoid of one against the rest": lambda: fitted(
        SVC(probability="sigmoid", multiclass="one_vs_rest"), *numbers()
    ),
    "svc, coupled pairs": lambda: fitted(SVC(probability="sigmoid"), *numbers()),
    "svc precomputed": lambda: fitted(SVC(kernel="precomputed"), *kernel_rows()),
    "svc precomputed, weights": lambda: fitted(SVC(kernel="precomputed"), *kernel_rows(), sample_weight=weights()[:30]),
    "svc of texts": lambda: fitted(SVC(kernel=SpectrumKernel(k=(1, 3))), *texts()),
    "svc of tokens": lambda: fitted(SVC(kernel=SpectrumKernel(k=2)), [text.split() for text in texts()[0]], texts()[1]),
    "svc of sets of tokens": lambda: fitted(
        SVC(kernel=SpectrumKernel()), [set(text.split()) for text in texts()[0]], texts()[1]
    ),
    "linear svc of one class": lambda: fitted(LinearSVC(), numbers()[0], np.zeros(60)),
    "linear svc, a class of weight 0": lambda: fitted(LinearSVC(), *numbers(), sample_weight=one_class_without_rows()),
    "pegasos in parts": lambda: in_parts(PegasosClassifier(), *two_words()),
    "pegasos in parts, rbf": lambda: refilled("rbf"),
    "pegasos in parts, linear": lambda: refilled("linear"),
    "pegasos, sigmoid kernel": lambda: fitted(PegasosClassifier(kernel="sigmoid", max_iter=3), *two_words()),
    "pegasos of one class": lambda: fitted(PegasosClassifier(kernel="rbf", max_iter=3), numbers()[0], np.zeros(60)),
    "pegasos of sparse rows, rbf": lambda: fitted(
        PegasosClassifier(kernel="rbf", max_iter=3), sp.csr_array(numbers()[0]), numbers()[1]
    ),
    "reject at a threshold": lambda: fitted(Reject(LogisticRegression(), threshold=0.8), *numbers()),
    "reject by cost": lambda: fitted(Reject(LinearSVC(), cost=0.2), *numbers()),
    "reject by error": lambda: fitted(Reject(LogisticRegression(), target_error=0.2), *frame()),
    "reject, nothing is sure enough": lambda: fitted(Reject(LogisticRegression(), target_error=0.001), *two_words()),
    "reject around a fitted model": lambda: prefit(SVC(kernel="linear")),
    "reject around reject": lambda: fitted(Reject(Reject(Perceptron(), threshold=0.1), threshold=2.0), *two_words()),
    "reject around kernel values": lambda: fitted(Reject(SVC(kernel="precomputed"), cost=0.1), *kernel_rows()),
}
