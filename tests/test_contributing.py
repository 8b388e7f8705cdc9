"""What CONTRIBUTING.md sends people to is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()
FILES = sorted(set(re.findall(r"`((?:src|native|tests|benchmarks|docs)/[\w./-]+)`", TEXT)))
NAMES = sorted(set(re.findall(r"`(\w+)` in `((?:src|native|tests)/[\w./-]+\.\w+)`", TEXT)))


@pytest.mark.parametrize("path", FILES)
def test_a_path_leads_somewhere(path):
    assert (ROOT / path).exists()


@pytest.mark.parametrize(("name", "path"), NAMES)
def test_a_name_stands_in_the_file_it_is_said_to_be_in(name, path):
    assert re.search(rf"\b{name}\b", (ROOT / path).read_text())


def test_there_is_something_to_look_for():
    assert len(FILES) > 30
    assert len(NAMES) > 5
