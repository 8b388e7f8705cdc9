"""A zoo of quick stand-ins in place of the real one."""

import pytest
from stand_ins import entries

from margin import zoo


@pytest.fixture(autouse=True)
def _small_zoo(monkeypatch):
    monkeypatch.setattr(zoo, "_zoo", entries())
