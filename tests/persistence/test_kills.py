"""Saves that are killed or meet a failing disk: what stands there afterwards is the old file or the new one, whole."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KILLS, ERRORS = 30, 40


@pytest.fixture(scope="module")
def outcome() -> dict[str, dict[str, int]]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(["src", os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "tests.persistence.kills", "--kills", str(KILLS), "--errors", str(ERRORS)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=280)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def test_after_a_kill_the_old_or_the_new_file_is_whole(outcome):
    found = outcome["killed"]
    assert found["kills"] == KILLS
    assert found.get("old", 0) + found.get("new", 0) == KILLS
    assert found.get("left behind", 0) > 0, "no save was hit"


def test_after_an_error_of_the_disk_nothing_is_left_but_the_old_file(outcome):
    found = outcome["failed"]
    assert set(found) <= {"errors", "refused", "saved"}
    assert found["refused"] + found.get("saved", 0) == ERRORS
    assert found["refused"] > ERRORS / 2
