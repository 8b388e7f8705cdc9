"""The golden report: what is passed on from marks, and what the lines say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.goldens.capabilities import CAPABILITIES
from tests.goldens.report import summary

ROOT = Path(__file__).resolve().parents[2]

GOLDEN_TESTS = """
import pytest

@pytest.mark.golden("C3")
def test_good(): pass

@pytest.mark.golden("C4", "C5")
@pytest.mark.parametrize("good", [True, False])
def test_half_good(good): assert good

@pytest.mark.golden("H2")
def test_skipped(): pytest.skip("no data")

@pytest.fixture
def broken(): raise OSError

@pytest.mark.golden("B1")
def test_that_never_starts(broken): pass
"""


def run_pytest(folder: Path, tests: str, *arguments: str) -> str:
    """The output of pytest on one file, with the conftest of this project."""
    (folder / "conftest.py").write_text("from tests.conftest import *\n")
    (folder / "test_goldens.py").write_text(tests)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    golden(id): by id\n")
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    call = [sys.executable, "-m", "pytest", "-q", "-p", "xdist", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(call, cwd=folder, env=environment, capture_output=True, text=True, timeout=120).stdout


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "two workers"])
def test_the_report_is_the_same_with_and_without_workers(tmp_path, workers):
    out = run_pytest(tmp_path, GOLDEN_TESTS, "test_goldens.py", *workers)
    assert "goldens in this run: C3 pass; failing: B1 C4 C5; skipped: H2\n" in out


def test_a_whole_run_says_what_has_no_test_yet(tmp_path):
    lines = run_pytest(tmp_path, GOLDEN_TESTS).splitlines()
    at = lines.index("goldens: 1 of 69 capabilities have a passing test: C3; failing: B1 C4 C5; skipped: H2")
    assert lines[at + 1] == "  none yet: A1-3 B2-9 C1-2 C6-9 D1-6 E1-10 F1-8 G1-8 H1 H3-7 I1-9"


def test_a_mark_with_an_unknown_id_is_refused(tmp_path):
    out = run_pytest(tmp_path, "import pytest\n@pytest.mark.golden('Z9')\ndef test_it(): pass\n", "test_goldens.py")
    assert "golden('Z9',): the mark must name capabilities, A1 to I9." in out
    assert "1 error" in out


def test_a_part_without_golden_tests_prints_nothing():
    assert summary(set(), set(), set(), whole=False) == []


def test_one_failing_test_outweighs_a_passing_one():
    first, _ = summary({"C3", "C4"}, {"C4"}, set(), whole=True)
    assert first == "goldens: 1 of 69 capabilities have a passing test: C3; failing: C4"


def test_a_skipped_test_beside_a_passing_one_is_no_news():
    assert summary({"C3"}, set(), {"C3"}, whole=False) == ["goldens in this run: C3 pass"]


def test_ids_are_listed_as_people_count():
    assert summary({"E10", "E9", "B2"}, set(), set(), whole=False) == ["goldens in this run: B2 E9 E10 pass"]


def test_capabilities_are_numbered_without_gaps():
    by_letter: dict[str, list[int]] = {}
    for key in CAPABILITIES:
        by_letter.setdefault(key[0], []).append(int(key[1:]))
    assert "".join(by_letter) == "ABCDEFGHI"
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in by_letter.values())
