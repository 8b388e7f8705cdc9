"""Shall we play? Naive Bayes on the weather of fourteen days, term by term.

    python examples/lectures/03_play_by_bayes.py

Prints what the model counted, the product for a sunny, cool, humid and windy day, and the same with measured numbers.
"""

from __future__ import annotations

import sys

import numpy as np

import margin.explain
from margin import NaiveBayes
from margin.data import catalog

NAMED = {"outlook": "sunny", "temperature": "cool", "humidity": "high", "windy": "TRUE"}
MEASURED = {"outlook": "sunny", "temperature": 66, "humidity": 90, "windy": "TRUE"}


def likelihoods(model: NaiveBayes, day: dict[str, object]) -> dict[str, float]:
    """P(day, class) of each class."""
    return dict(zip(model.classes_.tolist(), np.exp(model.joint_log_likelihood([day])[0]).tolist()))


def main(folder: str | None = None) -> int:
    """Print the tables and the two days."""
    X, y = catalog.load("weather_nominal").target("play")
    model = NaiveBayes(alpha=0).fit(X, y)
    print(margin.explain.model(model), end="\n\n")
    X, y = catalog.load("weather_numeric").target("play")
    numeric = NaiveBayes(alpha=0).fit(X, y)
    for each, day in ((model, NAMED), (numeric, MEASURED)):
        found = likelihoods(each, day)
        told = ", ".join(f"{label} {value:.7f}" for label, value in found.items())
        print(f"{', '.join(f'{name} {cell}' for name, cell in day.items())}: {told}, so {max(found, key=found.get)}")
        print(margin.explain.explain(each, [day]), end="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
