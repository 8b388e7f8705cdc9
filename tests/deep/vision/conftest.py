"""Made scenes, and small networks that have learnt from them."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from margin.data.generators import scenes
from margin.deep.vision import Segmenter


@pytest.fixture(scope="session")
def shapes():
    """Small pictures with one shape each, and where it is."""
    return scenes(60, 16, objects=(1, 1), strokes=0, noise=0.05, seed=0)


@pytest.fixture(scope="session")
def segmenter(shapes):
    return Segmenter(width=6, epochs=15, batch_size=8, rate=0.02, n_jobs=1).fit(shapes.pictures, shapes.class_masks > 0)
