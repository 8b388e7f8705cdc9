"""Letters learnt from one or five drawings each, with and without what other alphabets have taught a network.

Run it with ``python examples/transfer_between_alphabets.py omniglot_background_small1.zip [DRAWS]``: a small network
learns 110 characters of four alphabets, 20 drawings each, and is then of use for the 26 of the Latin one. Four ways are
put beside each other, on the same drawings: pixels and frozen features before an SVM, a network from its first weights,
and one that goes on from those of the four alphabets. Each way is asked about all other drawings of the 26. Intervals
are of the mean over DRAWS draws (ten otherwise), by Student's t. Seconds are of one thread.
"""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from sklearn.pipeline import make_pipeline

from margin import ImageClassifier, LinearSVC
from margin.data import Images
from margin.deep import FeatureExtractor, Pixels, save_weights
from margin.errors import ConstantColumnWarning

SIDE = 28
#: Drawings turned, moved and made larger a little are still the same letter.
CHANGES = {"shift": 0.1, "rotate": 10.0, "scale": 0.1}
WAYS = ("pixels + svm", "frozen + svm", "scratch", "fine-tuned")


def characters(path: str) -> tuple[Images, Images]:
    """Drawings of four alphabets and of the Latin one, ink light on dark, with a class for each character."""
    found = Images.read(path, image_size=SIDE, channels=1)
    named = [name.split("/")[-3:-1] for name in found.names or []]
    labels = np.array(["/".join(each) for each in named])
    latin = np.array([alphabet == "Latin" for alphabet, _ in named])
    ink = 255 - found.pixels()
    return Images.from_array(ink[~latin], labels[~latin]), Images.from_array(ink[latin], labels[latin])


def network(**settings: Any) -> ImageClassifier:
    return ImageClassifier("small", augmentation=CHANGES, batch_size=32, n_jobs=1, **settings)


def ways(weights: Path, shots: int) -> Iterator[tuple[str, Any]]:
    """More steps where there are more drawings, for all that learn by steps."""
    epochs = 60 if shots == 1 else 40
    yield "pixels + svm", make_pipeline(Pixels(), LinearSVC())
    yield "frozen + svm", make_pipeline(FeatureExtractor("small", weights, "avgpool", n_jobs=1), LinearSVC())
    yield "scratch", network(epochs=epochs, rate=0.003)
    yield "fine-tuned", network(weights=weights, epochs=epochs, head_epochs=epochs // 3, layer_rates=0.3, rate=0.003)


def draw(labels: np.ndarray, shots: int, seed: int) -> np.ndarray:
    """So many drawings of each class, as truth values."""
    random, taken = np.random.default_rng(seed), np.zeros(len(labels), bool)
    for label in np.unique(labels):
        taken[random.choice(np.flatnonzero(labels == label), shots, replace=False)] = True
    return taken


def main(path: str, draws: str = "10") -> None:
    warnings.simplefilter("ignore", ConstantColumnWarning)  # the edge of 26 drawings is empty
    others, latin = characters(path)
    assert latin.labels is not None
    print(f"{others!r} to learn from first, {latin!r} afterwards", flush=True)
    weights = Path(tempfile.mkdtemp()) / "four-alphabets.safetensors"
    begun = time.perf_counter()
    source = network(epochs=30, rate=0.005, early_stopping=True).fit(others)
    save_weights(source.network_, weights)
    print(f"four alphabets: {source.validation_scores_.max():.3f} of the drawings held out are told,"  # type: ignore[union-attr]
          f" {time.perf_counter() - begun:.0f} s", flush=True)  # fmt: skip
    for shots in (1, 5):
        scores: dict[str, list[float]] = {way: [] for way in WAYS}
        begun = time.perf_counter()
        for seed in range(int(draws)):
            taken = draw(latin.labels, shots, seed)
            learnt, asked = latin.take(taken), latin.take(~taken)
            for way, model in ways(weights, shots):
                model.fit(learnt, learnt.labels)
                scores[way].append(float(np.mean(model.predict(asked) == asked.labels)))
        print(f"{shots} drawings a class, {draws} draws, {time.perf_counter() - begun:.0f} s")
        for way, found in scores.items():
            reach = stats.t.ppf(0.975, len(found) - 1) * np.std(found, ddof=1) / len(found) ** 0.5
            mean = float(np.mean(found))
            print(f"  {way:<13} {mean:.3f} [{mean - reach:.3f}, {mean + reach:.3f}]", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
