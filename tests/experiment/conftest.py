"""A zoo of quick stand-ins in place of the real one."""

import pytest

from margin import zoo
from tests.experiment.stand_ins import entries


@pytest.fixture(autouse=True)
def _small_zoo(monkeypatch):
    monkeypatch.setattr(zoo, "_zoo", entries())
