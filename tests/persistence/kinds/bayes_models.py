"""Models of Bayes, fitted in every way that leaves something else behind, and rows to ask them about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse

from margin import (
    BernoulliNB,
    CalibratedClassifier,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    JointBayes,
    LinearDiscriminantAnalysis,
    MultinomialNB,
    NaiveBayes,
    QuadraticDiscriminantAnalysis,
    ThresholdClassifier,
)
from margin.bayes import DiagonalLinearDiscriminantAnalysis
from tests.contract.estimators import frame, numbers, settings

__all__ = ["CLASSES", "COUNTS", "FRAME", "SPAM", "TEXTS", "WAYS", "X", "Y", "ours"]

X, Y = numbers()
COUNTS = np.floor(X)
WEIGHT = np.linspace(0.1, 2.0, len(X))
FRAME, CLASSES = frame()
TEXTS = pd.DataFrame(
    {
        "words": ["win money now", "lunch now?", "free money", "see you", None] * 4,
        "calls": [0.0, 3.0, 1.0, 4.0, np.nan] * 4,
        "color": ["red", "green", None, "blue", "red"] * 4,
    }
)
SPAM = np.array([1, 0, 1, 0, 1] * 4)


def ours() -> list[Any]:
    return [model for model in settings() if type(model).__module__.startswith("margin.bayes")]


def in_parts() -> NaiveBayes:
    return NaiveBayes().partial_fit(FRAME[:30], CLASSES[:30], classes=[0, 1, 2]).partial_fit(FRAME[30:], CLASSES[30:])


LDA = LinearDiscriminantAnalysis
CSR = scipy.sparse.csr_array(COUNTS)
EMPTY = np.c_[X, np.full(60, np.nan)]
SPLITS = [(np.arange(40), np.arange(40, 60))]
#: Models that took other ways than those of the contract's settings, and rows to ask them about.
WAYS: dict[str, tuple[Callable[[], Any], Any]] = {
    "partial_fit": (in_parts, FRAME),
    "merge": (lambda: GaussianNB().fit(X[:30], Y[:30]).merge(GaussianNB().fit(X[30:], Y[30:])), X),
    "weights": (lambda: NaiveBayes().fit(FRAME, CLASSES, sample_weight=WEIGHT), FRAME),
    "class_weight": (lambda: NaiveBayes(class_weight={0: 0.5, 1: 3}).fit(FRAME, CLASSES), FRAME),
    "class_weight kernel": (lambda: NaiveBayes(class_weight="balanced", distributions="kernel").fit(X, Y), X),
    "class_weight mdl": (lambda: NaiveBayes(class_weight="balanced", distributions="mdl").fit(EMPTY, Y), EMPTY),
    "class_weight joint": (lambda: JointBayes(class_weight="balanced", alpha=0.5).fit(FRAME, CLASSES), FRAME),
    "class_weight numbers": (
        lambda: NaiveBayes(class_weight="balanced", distributions="categorical").fit(COUNTS, Y),
        X,
    ),
    "priors": (lambda: NaiveBayes(priors=(0.0, 1.0)).fit(FRAME, CLASSES), FRAME),
    "text": (lambda: NaiveBayes(distributions={"words": "multinomial", "calls": "poisson"}).fit(TEXTS, SPAM), TEXTS),
    "text weighted": (lambda: ComplementNB(norm=True).fit(TEXTS, SPAM, sample_weight=WEIGHT[:20]), TEXTS),
    "text alone": (lambda: MultinomialNB(alpha=0.0).fit(TEXTS[["words"]], SPAM), TEXTS[["words"]]),
    "broken numbers": (lambda: NaiveBayes(distributions="categorical").fit(X - 4, Y), X - 4),
    "columns by number": (lambda: NaiveBayes(distributions={0: "kernel", 2: "poisson"}).fit(X, Y), X),
    "counts": (lambda: CategoricalNB(min_categories=[9, 9, 20, 9]).fit(COUNTS, Y), COUNTS),
    "alpha for each": (lambda: BernoulliNB(alpha=[0.0, 1.0, 2.0, 0.5]).fit(COUNTS > 4, Y), COUNTS),
    "multinomial alpha for each": (lambda: MultinomialNB(alpha=[0.0, 1.0, 2.0, 0.5]).fit(COUNTS, Y), COUNTS),
    "never absent": (lambda: BernoulliNB(alpha=0.0).fit(CSR, Y), CSR),
    "below zero": (lambda: BernoulliNB(binarize=-1.0).fit(FRAME, CLASSES), FRAME),
    "given priors": (lambda: MultinomialNB(class_prior=[0.2, 0.3, 0.5]).fit(CSR, Y), COUNTS),
    "even priors": (lambda: MultinomialNB(fit_prior=False).fit(COUNTS.astype(np.int64), Y), COUNTS),
    "tiny units": (lambda: NaiveBayes().fit(X * 1e-200, Y), X * 1e-200),
    "large units kernel": (lambda: NaiveBayes(distributions="kernel").fit(X * 1e140, Y), X * 1e140),
    "tiny units lda": (lambda: LDA().fit(X * 1e-200, Y), X * 1e-200),
    "many columns joint": (lambda: JointBayes().fit(np.tile(X, 20), Y), np.tile(X, 20)),
    "empty column": (lambda: JointBayes().fit(EMPTY, Y), np.c_[X, X[:, 0]]),
    "float32": (lambda: LDA().fit(X.astype(np.float32), Y), X.astype(np.float32)),
    "lsqr": (lambda: LDA(solver="lsqr", shrinkage=0.3).fit(FRAME, CLASSES), FRAME),
    "eigen": (lambda: LDA(solver="eigen", shrinkage="auto").fit(FRAME, CLASSES), FRAME),
    "components": (lambda: LDA(n_components=1, priors=(0.2, 0.3, 0.5)).fit(X, Y), X),
    "one class lda": (lambda: LDA().fit(X, np.zeros(60)), X),
    "regularised": (lambda: QuadraticDiscriminantAnalysis(reg_param=0.1).fit(X, Y), X),
    "shrunk": (lambda: QuadraticDiscriminantAnalysis(shrinkage="auto").fit(FRAME, CLASSES), FRAME),
    "diagonal": (lambda: DiagonalLinearDiscriminantAnalysis().fit(X, Y, sample_weight=WEIGHT), X),
    "wide": (lambda: DiagonalLinearDiscriminantAnalysis().fit(np.tile(X, 10), np.arange(60) % 30), np.tile(X, 10)),
    "prefit": (lambda: CalibratedClassifier(GaussianNB().fit(X, Y), cv="prefit", scores="log_odds").fit(X, Y), X),
    "calibrated lda": (lambda: CalibratedClassifier(LDA(), method="temperature", ensemble=False).fit(X, Y), X),
    "calibrated twice": (lambda: CalibratedClassifier(CalibratedClassifier(cv=2), cv=2).fit(X, Y), X),
    "calibrated on splits": (lambda: CalibratedClassifier(cv=SPLITS, method="isotonic").fit(X, Y), X),
    "one class calibrated": (lambda: CalibratedClassifier().fit(X, ["a"] * 60), X),
    "a lonely class": (lambda: CalibratedClassifier(cv=2).fit(X, np.r_[Y[:-1], 9]), X),
    "threshold": (lambda: ThresholdClassifier(LDA(), positive=1, threshold=0.2).fit(X, Y), X),
    "threshold of words": (lambda: ThresholdClassifier(positive=0, threshold=0.3).fit(FRAME, CLASSES), FRAME),
    "not fitted": (lambda: NaiveBayes(distributions={"age": "kernel"}), None),
    "calibrated, not fitted": (lambda: CalibratedClassifier(GaussianNB(), cv=3), None),
    "other parameters since": (
        lambda: NaiveBayes().fit(FRAME, CLASSES).set_params(alpha=7.0, priors=(0.9, 0.1)),
        FRAME,
    ),
}
