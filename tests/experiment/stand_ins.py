"""A small zoo of scikit-learn models, quick to fit, for tests of what surrounds models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from margin import zoo
from margin.data import Table
from margin.zoo import Entry

__all__ = ["Broken", "entries", "flowers", "loans", "small_zoo"]


class Broken(ClassifierMixin, BaseEstimator):
    """Fails whenever it is fitted."""

    def fit(self, X: Any, y: Any) -> Broken:
        raise RuntimeError("out of\n order")

    def predict(self, X: Any) -> Any:
        raise RuntimeError("out of order")


def entries(**more: Any) -> dict[str, Entry]:
    made = {
        "guess": Entry("guess", DummyClassifier, "Always answers the most frequent class.", title="Majority guess"),
        "bayes": Entry("bayes", GaussianNB, "Normal densities.", title="Gaussian Bayes"),
    }
    return made | {name: Entry(name, make, title=name) for name, make in more.items()}


@pytest.fixture(autouse=True)
def small_zoo(monkeypatch: pytest.MonkeyPatch) -> None:
    """They stand in for the real models in every test of a folder whose conftest imports this."""
    monkeypatch.setattr(zoo, "_zoo", entries())


def flowers(n: int = 90, seed: int = 0) -> Table:
    """Three kinds of flowers that can be told apart by their size, mostly."""
    random = np.random.default_rng(seed)
    kind = np.arange(n) % 3
    size = (kind + random.normal(0, 0.4, n)).round(3)
    return Table.from_columns(
        {
            "size": size.tolist(),
            "colour": [["red", "blue", None][int(c)] for c in random.integers(3, size=n)],
            "kind": [["iris", "lily", "rose"][k] for k in kind],
        },
        name="flowers",
    )


def loans(n: int = 60) -> str:
    """A table of loans as CSV text."""
    lines = ["customer,income,housing,risk"]
    for i in range(n):
        good = i % 3 != 0
        lines.append(
            f"c{i:04d},{1000 + 37 * (i % 11) + 900 * good},{'own' if i % 2 else 'rent'},{'good' if good else 'bad'}"
        )
    return "\n".join(lines) + "\n"
