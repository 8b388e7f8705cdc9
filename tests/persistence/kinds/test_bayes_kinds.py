"""Files of models of Bayes: everything comes back, bit for bit, and nothing wrong in a file reaches the core."""

from __future__ import annotations

import functools
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression as TheirRegression

from margin import (
    CalibratedClassifier,
    GaussianNB,
    JointBayes,
    LinearDiscriminantAnalysis,
    NaiveBayes,
    QuadraticDiscriminantAnalysis,
)
from margin.errors import ConstantColumnWarning, PersistenceError, SparseTableWarning
from margin.persistence import from_bytes, load, save, to_bytes
from margin.persistence.container import reading
from margin.persistence.objects import arrays as array_fields
from tests.contract.estimators import answers, frame, numbers
from tests.persistence.changing import array_of, changed, put, value_of
from tests.persistence.kinds.bayes_models import CLASSES, COUNTS, FRAME, SPAM, TEXTS, WAYS, X, Y, ours
from tests.persistence.round_trip import differences, same_answers, without_a_place

GOLDEN = Path(__file__).parent.parent / "golden" / "0.1.0-format1"


@pytest.fixture(autouse=True)
def _small_data_are_meant():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SparseTableWarning)
        warnings.simplefilter("ignore", ConstantColumnWarning)
        yield


def check_round_trip(model: Any, rows: Any, path: Path) -> Any:
    """Save and load in three ways; everything must be as it was."""
    assert without_a_place(model) == []
    save(model, path)
    for found in (load(path), load(path, mmap=True), from_bytes(to_bytes(model))):
        assert differences(model, found, derived=True) == []
        assert to_bytes(found, witnessed=True) == path.read_bytes()
        if rows is not None:
            assert same_answers(model, found, rows)
    return found


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
    with pytest.raises(PersistenceError, match=r"estimator is a \w+ of sklearn, which has no place in a file"):
        to_bytes(model)


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
        ("mixed", array_of("categorical", "counts", lambda a: a[:-1].copy()), "first: cells ascend from 0 to v"),
        (
            "mixed",
            array_of("categorical", "counts", lambda a: a[:, :1].copy(), alone=True),
            "another number of classes",
        ),
        ("mixed", array_of("categorical", "first", lambda a: a[::-1].copy()), "first: cells ascend from 0 to v"),
        ("mixed", array_of("level-counts", "first", lambda a: np.delete(a, 1)), r"where d\+1 = 4 is due"),
        ("mixed", array_of("gaussian", "unit", lambda a: a * 0), "above 0"),
        ("mixed", array_of("column-block", "positions", lambda a: a + 100), "below n"),
        ("mixed", value_of("column-block", "place", "codes"), "do not stand where it looks for them"),
        ("mixed", array_of("naive-bayes", "priors", lambda a: np.append(a, 0.0)), "has 3 where k is 2"),
        ("mixed", array_of("naive-bayes", "priors", lambda a: a * 0), "prior above 0"),
        ("text", value_of("word-sums", "words", ["now", "a"]), "words must be sorted"),
        ("text", value_of("word-sums", "words", ["a", "now"]), "has 7 where d is 2"),
        ("calibrated", array_of("gaussian-nb", "priors", lambda a: a[:-1].copy()), "has 2 where k is 3"),
        ("calibrated", array_of("calibrated-model", "places", lambda a: a + 1), "classes that are not there"),
        ("calibrated", array_of("calibrated-model", "places", lambda a: a[:2].copy()), "another number of classes"),
        ("calibrated", array_of("sigmoid-map", "slope", lambda a: a[:1].copy()), "has 3 where s is 1"),
        ("calibrated", value_of("calibrated-model", "model", None), "without a classifier"),
        ("calibrated", value_of("calibrated-model", "model", 0), "must be a fitted model"),
        ("calibrated", value_of("calibrated-model", "model", 1), "must be a model, not of kind columns"),
        ("discriminant", array_of("qda", "panels", lambda a: a[:, :-1].copy()), "triangles"),
        ("discriminant", array_of("scatter", "within", lambda a: a[:1].copy()), "one scatter for each class"),
        ("joint", array_of("combinations", "cells", lambda a: a + 100), "stands for nothing"),
        ("joint", array_of("combinations", "cells", lambda a: a[::-1].copy()), "must be sorted"),
        ("joint", array_of("joint-bayes", "counts", lambda a: a[1:].copy()), "every complete combination"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused_with_what_is_wrong(model, change, words):
    with pytest.raises(PersistenceError, match=words):
        from_bytes(changed(_content(model), change))


@pytest.mark.parametrize(
    "change",
    [array_of("numeric-encoder", "fill", put(0, 1e300)), array_of("lda", "unit", put(0, np.nan))],
    ids=["fill", "unit"],
)
def test_a_mapped_discriminant_whose_large_arrays_were_changed_says_so(change, tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "SMALL_ARRAY", -1)
    monkeypatch.setattr(array_fields, "LARGE_ARRAY", -1)
    path = tmp_path / "model.margin"
    path.write_bytes(changed(to_bytes(LinearDiscriminantAnalysis().fit(FRAME, CLASSES)), change))
    with pytest.raises(PersistenceError, match=r"the file of the model was changed|the file is damaged"):
        load(path, mmap=True).predict(FRAME)


def _chain(times: int, both: bool) -> bytes:
    """Calibrated classifiers, each around the one before it, asked once or twice."""

    def change(header: dict[str, Any], _: list[np.ndarray]) -> None:
        objects = header["objects"]
        around, model = next(node for node in objects if node["kind"] == "calibrated-model"), objects[-1]
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
