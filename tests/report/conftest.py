"""The quick stand-ins of the experiment's tests, here too."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "experiment"))

from stand_ins import entries

from margin import zoo


@pytest.fixture(autouse=True)
def _small_zoo(monkeypatch):
    monkeypatch.setattr(zoo, "_zoo", entries())
