"""Files of models of Bayes: everything comes back, bit for bit, and nothing wrong in a file reaches the core."""

from __future__ import annotations

import functools
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression as TheirRegression

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
)
from margin.bayes import DiagonalLinearDiscriminantAnalysis
from margin.errors import ConstantColumnWarning, MarginError, PersistenceError, SparseTableWarning
from margin.persistence import from_bytes, load, save, to_bytes
from margin.persistence.kind import attributes_of
from margin.persistence.kinds import BY_CLASS
from margin.persistence.reading import MemorySource, open_container
from margin.persistence.writing import MemorySink, write
from tests.contract.estimators import answers, frame, numbers, settings
from tests.persistence.mutations import mutated
from tests.persistence.round_trip import differences, same_answers, without_a_place

GOLDEN = Path(__file__).parent.parent / "golden" / "0.1.0-format1"
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


@pytest.fixture(autouse=True)
def _small_data_are_meant():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SparseTableWarning)
        warnings.simplefilter("ignore", ConstantColumnWarning)
        yield


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
    "not fitted": (lambda: NaiveBayes(distributions={"age": "kernel"}), None),
    "calibrated, not fitted": (lambda: CalibratedClassifier(GaussianNB(), cv=3), None),
    "other parameters since": (
        lambda: NaiveBayes().fit(FRAME, CLASSES).set_params(alpha=7.0, priors=(0.9, 0.1)),
        FRAME,
    ),
}


def check_round_trip(model: Any, rows: Any, path: Path) -> Any:
    """Save and load in three ways; everything must be as it was."""
    assert without_a_place(model) == []
    save(model, path)
    for found in (load(path), load(path, mmap=True), from_bytes(to_bytes(model))):
        assert differences(model, found) == []
        assert derived_differences(model, found) == []
        assert to_bytes(found, witnessed=True) == path.read_bytes()
        if rows is not None:
            assert same_answers(model, found, rows)
    return found


def derived_differences(model: Any, found: Any) -> list[str]:
    """Where what is derived again is not what it was, in any bit."""
    wrong, waiting, seen = [], [("model", model, found)], set()
    while waiting:
        path, one, two = waiting.pop()
        if isinstance(one, (list, tuple)):
            waiting += [(f"{path}[{i}]", *pair) for i, pair in enumerate(zip(one, two, strict=True))]
        elif type(one) in BY_CLASS and id(one) not in seen:
            seen.add(id(one))
            before, after = attributes_of(one), attributes_of(two)
            for name in BY_CLASS[type(one)].derived & before.keys():
                wrong += [f"{path}.{name}{each}" for each in differences(before[name], after.get(name))]
            waiting += [(f"{path}.{name}", value, after.get(name)) for name, value in before.items()]
    return wrong


@pytest.mark.parametrize("model", ours(), ids=repr)
def test_every_setting_comes_back_as_it_was(model, tmp_path):
    for rows, labels, asked in [
        (X, Y, numbers(200, seed=1)[0]),
        (X, np.where(Y == 0, "no", "yes"), numbers(200, seed=1)[0]),
        (FRAME, CLASSES, frame(200, seed=1)[0]),
        (scipy.sparse.csr_array(COUNTS), Y, scipy.sparse.csr_array(np.floor(numbers(200, seed=1)[0]))),
    ]:
        check_round_trip(clone(model).fit(rows, labels), asked, tmp_path / "model.margin")


@pytest.mark.parametrize("way", WAYS)
def test_models_made_in_other_ways_come_back_as_they_were(way, tmp_path):
    make, rows = WAYS[way]
    check_round_trip(make(), rows, tmp_path / "model.margin")


@pytest.mark.parametrize("way", ["partial_fit", "text", "counts", "columns by number", "below zero", "broken numbers"])
def test_a_loaded_model_goes_on_as_the_original_would(way):
    make, rows = WAYS[way]
    model = make()
    found = from_bytes(to_bytes(model))
    labels = model.classes_[np.arange(len(rows)) % len(model.classes_)]
    assert differences(model.merge(model), found.merge(found)) == []
    assert differences(list(model.sample(20, 1)), list(found.sample(20, 1))) == []
    assert differences(model.column_terms(rows[:1]), found.column_terms(rows[:1])) == []
    assert differences(model.partial_fit(rows, labels), found.partial_fit(rows, labels)) == []


@pytest.mark.parametrize("model", [m for m in ours() if hasattr(m, "partial_fit")], ids=repr)
def test_a_loaded_model_learns_further_rows(model):
    fitted = clone(model).fit(X[:40], Y[:40])
    found = from_bytes(to_bytes(fitted))
    assert differences(fitted.partial_fit(X[40:], Y[40:]), found.partial_fit(X[40:], Y[40:])) == []


def _golden() -> list[str]:
    names = {type(model).__name__ for model in ours()} | {"Calibrated"}
    return sorted(path.name for path in GOLDEN.glob("*.margin") if path.name.split("-")[0] in names)


@pytest.mark.parametrize("name", _golden())
def test_files_of_the_first_format_answer_as_they_did(name):
    expected = json.loads((GOLDEN / "answers.json").read_text())[name]
    rows = frame(40)[0] if expected["data"] == "table" else numbers(40, 3)[0]
    found = np.asarray(answers(load(GOLDEN / name), rows[:8]))
    np.testing.assert_allclose(found, np.asarray(expected["answers"]), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        CalibratedClassifier(TheirRegression()).fit(X, Y),
        CalibratedClassifier(FrozenEstimator(GaussianNB().fit(X, Y))).fit(X, Y),
    ],
)
def test_a_classifier_of_another_package_inside_is_refused_with_what_to_do(model):
    with pytest.raises(PersistenceError, match=r"estimator is a \w+ of sklearn, which is not margin's .*joblib\.dump"):
        to_bytes(model)


def changed(content: bytes, change: Any) -> bytes:
    """The file after ``change(objects, arrays)``, with digests that fit."""
    opened = open_container(MemorySource(content))
    header, arrays = dict(opened.header), opened.arrays()
    header.pop("arrays")
    change(header["objects"], arrays)
    sink = MemorySink()
    write(sink, header, arrays)
    return bytes(sink.content)


def _node(objects: list[Any], kind: str) -> dict[str, Any]:
    """The first object of a kind that has learnt something."""
    return next(node for node in objects if node["kind"] == kind and node["state"] is not None)


def _array(kind: str, field: str, of: Any) -> Any:
    """A change of one array of the first object of a kind."""

    def change(objects: list[Any], arrays: list[np.ndarray]) -> None:
        state = _node(objects, kind)["state"]
        arrays.append(of(arrays[state[field]]))
        state[field] = len(arrays) - 1

    return change


def _value(kind: str, field: str, value: Any) -> Any:
    def change(objects: list[Any], arrays: list[np.ndarray]) -> None:
        _node(objects, kind)["state"][field] = value

    return change


@functools.cache
def _content(model: str) -> bytes:
    """The file of a small model."""
    made = {
        "mixed": lambda: NaiveBayes().fit(FRAME, CLASSES),
        "text": lambda: NaiveBayes(distributions={"words": "multinomial"}).fit(TEXTS, SPAM),
        "calibrated": lambda: CalibratedClassifier(GaussianNB(), cv=2).fit(X, Y),
        "discriminant": lambda: QuadraticDiscriminantAnalysis().fit(X, Y),
        "joint": lambda: JointBayes().fit(FRAME, CLASSES),
    }
    return to_bytes(made[model]())


@pytest.mark.parametrize(
    ("model", "change", "words"),
    [
        ("mixed", _array("categorical", "counts", lambda a: a[:-1].copy()), "first.*that does not hold"),
        ("mixed", _array("categorical", "counts", lambda a: a[:, :1].copy()), "another number of classes"),
        ("mixed", _array("categorical", "first", lambda a: a[::-1].copy()), "that does not hold"),
        ("mixed", _array("level-counts", "first", lambda a: np.delete(a, 1)), "d"),
        ("mixed", _array("gaussian", "unit", lambda a: a * 0), "above 0"),
        ("mixed", _array("column-block", "positions", lambda a: a + 100), "below n"),
        ("mixed", _value("column-block", "place", "codes"), "do not stand where it looks for them"),
        ("mixed", _array("naive-bayes", "priors", lambda a: np.append(a, 0.0)), "k"),
        ("mixed", _array("naive-bayes", "priors", lambda a: a * 0), "prior above 0"),
        ("text", _value("word-sums", "words", ["now", "a"]), "words must be sorted"),
        ("text", _value("word-sums", "words", ["a", "now"]), "d"),
        ("calibrated", _array("gaussian-nb", "priors", lambda a: a[:-1].copy()), "k"),
        ("calibrated", _array("calibrated-model", "places", lambda a: a + 1), "classes that are not there"),
        ("calibrated", _array("calibrated-model", "places", lambda a: a[:2].copy()), "another number of classes"),
        ("calibrated", _array("sigmoid-map", "slope", lambda a: a[:1].copy()), "s"),
        ("calibrated", _value("calibrated-model", "model", None), "without a classifier"),
        ("calibrated", _value("calibrated-model", "model", 0), "must be a fitted model"),
        ("calibrated", _value("calibrated-model", "model", 1), "must be a model, not of kind columns"),
        ("discriminant", _array("qda", "panels", lambda a: a[:, :-1].copy()), "triangles"),
        ("discriminant", _array("scatter", "within", lambda a: a[:1].copy()), "one scatter for each class"),
        ("joint", _array("combinations", "cells", lambda a: a + 100), "stands for nothing"),
        ("joint", _array("combinations", "cells", lambda a: a[::-1].copy()), "must be sorted"),
        ("joint", _array("joint-bayes", "counts", lambda a: a[1:].copy()), "every complete combination"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused_with_what_is_wrong(model, change, words):
    with pytest.raises(PersistenceError, match=words):
        from_bytes(changed(_content(model), change))


def _chain(times: int, both: bool) -> bytes:
    """Calibrated classifiers, each around the one before it, asked once or twice."""

    def change(objects: list[Any], arrays: list[np.ndarray]) -> None:
        around, model = _node(objects, "calibrated-model"), objects[-1]
        for _ in range(times):
            objects.append({**around, "state": {**around["state"], "model": len(objects) - 1}})
            held = [len(objects) - 1] * (2 if both else 1)
            objects.append({**model, "state": {**model["state"], "calibrated": held}})

    return changed(_content("calibrated"), change)


def test_models_in_models_are_read_up_to_a_depth():
    assert from_bytes(_chain(5, both=False)).predict(X).shape == (60,)
    with pytest.raises(PersistenceError, match="too deep"):
        from_bytes(_chain(20, both=False))


def test_answers_that_would_take_without_end_are_refused():
    with pytest.raises(PersistenceError, match="too often"):
        from_bytes(_chain(14, both=True))


@pytest.mark.parametrize("way", ["weights", "text", "columns by number", "counts", "eigen", "shrunk", "calibrated lda"])
def test_whatever_is_changed_in_a_file_it_is_refused_or_answers(way):
    make, rows = WAYS[way]
    content = to_bytes(make())
    for seed in range(40):
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = from_bytes(mutated(content, seed))
                for method in ("predict", "predict_proba", "decision_function"):
                    if hasattr(found, method):
                        getattr(found, method)(rows)
        except MarginError:
            pass
