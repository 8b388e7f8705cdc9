"""What every estimator of pictures or of sequences must do: a set of each, and the list of bad input.

They are found by themselves, as those of tables are: whatever says that it takes no tables stands here, or this fails.
"""

from __future__ import annotations

import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

import margin
from margin.data import Images, Sequences
from margin.errors import LabelError, MarginError, NotFittedError
from margin.persistence import from_bytes
from margin.persistence.archive import to_bytes

torch = pytest.importorskip("torch")

N = 16
QUICK = {"epochs": 2, "batch_size": 8, "n_jobs": 1}
LABELS = np.tile(["a", "b"], N // 2)


def picture_set() -> np.ndarray:
    pixels = np.random.default_rng(0).integers(0, 120, (N, 8, 8), dtype=np.uint8)
    pixels[::2, :4] += 120
    return pixels


def large_set() -> np.ndarray:
    return picture_set().repeat(2, axis=1).repeat(2, axis=2)


def ink_set() -> np.ndarray:
    return 255 - large_set()


def series_set() -> list[np.ndarray]:
    random = np.random.default_rng(0)
    return [random.normal(size=(2 + i % 3, 2)) + (-1) ** i for i in range(N)]


def text_set() -> list[str]:
    return ["ab" * (1 + i % 3) + "ab"[i % 2] for i in range(N)]


def _module() -> Any:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 2))


@dataclass
class Case:
    """An estimator with a set that it can learn, and what it cannot read."""

    make: Callable[[], Any]
    X: Callable[[], Any]
    strange: tuple[Any, ...]
    is_kept: bool = True
    #: What belongs to the cases: labels, or pictures of another kind.
    y: Callable[[], Any] = lambda: LABELS


PICTURES = (
    np.full((N, 8, 8), np.nan),
    np.full((N, 8, 8), 7.0),
    np.zeros((N, 8, 8, 7)),
    np.zeros((N, 8), np.uint8),
    "no",
)
STEPS = ([np.full((2, 2), np.nan)] * N, [np.full((2, 2), np.inf)] * N, np.zeros((N, 2, 2, 2)), "a text")
CASES = {
    "ImageClassifier": [
        Case(lambda: margin.ImageClassifier(**QUICK), picture_set, PICTURES),
        Case(lambda: margin.ImageClassifier(early_stopping=True, augmentation="flip", **QUICK), picture_set, ()),
    ],
    "TorchClassifier": [Case(lambda: margin.TorchClassifier(_module(), **QUICK), picture_set, PICTURES, False)],
    "FeatureClassifier": [
        Case(lambda: margin.FeatureClassifier(margin.Pixels(4), margin.KNeighborsClassifier(3)), picture_set, PICTURES)
    ],
    "FeatureExtractor": [
        Case(lambda: margin.FeatureExtractor("small", layer="features.0", n_jobs=1), picture_set, PICTURES)
    ],
    "Pixels": [Case(lambda: margin.Pixels(4), picture_set, PICTURES)],
    "SequenceClassifier": [
        Case(lambda: margin.SequenceClassifier("gru", 4, **QUICK), text_set, ("a text", [1, "a"] * 8)),
        Case(lambda: margin.SequenceClassifier("lstm", 4, bidirectional=True, **QUICK), series_set, STEPS),
    ],
    "SequenceModel": [
        Case(lambda: margin.SequenceModel("rnn", 4, steps=4, **QUICK), text_set, ([], [1.5] * N, np.zeros((N, 2))))
    ],
    "GAN": [Case(lambda: margin.GAN(steps=2, batch_size=8, n_jobs=1), picture_set, (*PICTURES[:3], "no"))],
    "DCGAN": [Case(lambda: margin.DCGAN(width=4, steps=2, batch_size=8, n_jobs=1), large_set, PICTURES)],
    "CycleGAN": [
        Case(lambda: margin.CycleGAN(4, 1, steps=2, batch_size=2, n_jobs=1), large_set, PICTURES, y=ink_set)
    ],
}  # fmt: skip
EACH = [pytest.param(case, id=f"{name}-{i}") for name, cases in CASES.items() for i, case in enumerate(cases)]
each = pytest.mark.parametrize("case", EACH)


def asked(model: Any, X: Any) -> np.ndarray:
    """What a fitted estimator says of cases."""
    if hasattr(model, "predict_proba"):
        return model.predict_proba(X)
    if hasattr(model, "bits_per_character"):
        return np.array(model.bits_per_character(X))
    how = next(getattr(model, name) for name in ("latent_of", "translate", "transform") if hasattr(model, name))
    return model.score(X) if how.__name__ == "latent_of" else how(X)


def is_classifier(case: Case) -> bool:
    return hasattr(case.make(), "predict")


def test_every_estimator_without_tables_has_a_set():
    found = set()
    for part in pkgutil.iter_modules(margin.__path__, "margin."):
        if part.name in ("margin.cli", "margin.base", "margin.__main__", "margin._core"):
            continue
        module = importlib.import_module(part.name)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            no_tables = getattr(value, "accepts_tables", True) is False
            if no_tables and inspect.isclass(value) and issubclass(value, BaseEstimator):
                found.add(name)
    assert found == CASES.keys()


@each
def test_parameters_are_kept_as_given_and_cloned(case: Case):
    model = case.make()
    given = model.get_params(deep=False)
    for name in inspect.signature(type(model)).parameters:
        assert getattr(model, name) is given[name]
    copied = clone(model).get_params(deep=False)
    assert copied.keys() == given.keys()
    assert type(model).__name__ in repr(model)
    with pytest.raises(NotFittedError, match="nothing was learnt yet"):
        asked(model, case.X())


@each
def test_the_same_fit_is_the_same_model_and_leaves_its_cases_alone(case: Case):
    X = case.X()
    model = case.make()
    assert model.fit(X, case.y()) is model
    before = asked(model, X)
    kept = case.X()
    assert all(np.array_equal(one, other) for one, other in zip(X, kept))
    assert np.array_equal(asked(case.make().fit(X, case.y()), X), before)
    assert np.array_equal(asked(model.fit(X, case.y()), X), before)
    assert np.array_equal(asked(pickle.loads(pickle.dumps(model)), X), before)
    if case.is_kept:
        again = from_bytes(to_bytes(model))
        assert np.array_equal(asked(again, X), before)
        assert to_bytes(again) == to_bytes(model)


@each
def test_collections_of_cases_are_as_good_as_lists(case: Case):
    X = case.X()
    held: Any = Images.from_array(X, LABELS) if isinstance(X, np.ndarray) else Sequences(X, LABELS)
    one, other = case.make().fit(X, case.y()), case.make().fit(held, case.y())
    assert np.array_equal(asked(one, X), asked(other, X))
    if is_classifier(case):
        assert np.array_equal(asked(case.make().fit(held), X), asked(one, held))
        assert case.make().fit(held).score(held, LABELS) == one.score(X, LABELS)


@each
def test_what_cannot_be_read_is_refused_and_a_failed_fit_leaves_the_model_alone(case: Case):
    model = case.make().fit(case.X(), case.y())
    before = asked(model, case.X())
    strange: list[Any] = [*case.strange, None, 7, object(), {"a": 1}]
    for X in strange:
        with pytest.raises(MarginError):
            model.fit(X, case.y())
        if not hasattr(X, "shape") or len(X):  # of no cases there are no answers
            with pytest.raises(MarginError):
                asked(model, X)
    assert np.array_equal(asked(model, case.X()), before)


@each
def test_labels_are_answered_in_their_type_and_bad_ones_refused(case: Case):
    if not is_classifier(case):
        pytest.skip("it learns no labels")
    X = case.X()
    for labels in (LABELS, (LABELS == "b").astype(int), LABELS == "b", LABELS.astype(object)):
        model = case.make().fit(X, labels)
        said = model.predict(X)
        assert said.shape == (N,)
        assert set(said.tolist()) <= set(labels.tolist())
        assert model.predict_proba(X).shape == (N, 2)
        assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
    one_class = [["a"] * N] if hasattr(case.make(), "epochs") else []
    for bad in (LABELS[:-1], [None, *LABELS[1:]], [np.nan, *np.arange(N - 1.0)], *one_class):
        with pytest.raises(LabelError):
            case.make().fit(X, bad)
    with pytest.raises(MarginError, match="no labels"):
        case.make().fit(X)
    for weight in (np.full(N, np.nan), -np.ones(N), np.zeros(N), np.ones(3)):
        with pytest.raises(MarginError):
            case.make().fit(X, LABELS, weight)


@each
def test_an_answer_is_that_of_the_case_alone(case: Case):
    X = case.X()
    model = case.make().fit(X, case.y())
    if hasattr(model, "bits_per_character"):
        return
    whole = asked(model, X)
    backwards = asked(model, X[::-1])[::-1]
    alone = np.concatenate([asked(model, X[i : i + 1]) for i in range(N)])
    assert np.allclose(whole, backwards, atol=1e-6)
    assert np.allclose(whole, alone, atol=1e-6)
    assert len(asked(model, X[:0])) == 0
