"""What every test may use, and the lines printed after a run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import code_sizes
from tests.goldens.report import GoldenReport, is_whole_run
from tests.shared_data import shared_data as find_shared_data

# SciPy reads this when it is loaded; without it scikit-learn skips its checks of array types.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# No test asserts speed: one that is slow on a machine with other work is not wrong.
settings.register_profile("margin", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("margin")

__all__ = ["pytest_configure", "pytest_terminal_summary", "shared_data"]

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Callable[..., Path]:
    """``shared_data("iris.arff")`` is its path; the test is skipped where it is absent."""
    return find_shared_data


@pytest.fixture(autouse=True)
def _forgotten_openings() -> None:
    """Each test is a process of its own to sealed test parts, which know each other by their digests."""
    sealed = sys.modules.get("margin.evaluation.cross_validation.sealed")
    if sealed is not None:
        sealed._RECORDS.clear()


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(GoldenReport(), "golden-report")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if is_whole_run(config):
        terminalreporter.write_line(f"longest files: {_listed(code_sizes.files(ROOT))}")
        terminalreporter.write_line(f"longest functions: {_listed(code_sizes.functions(ROOT))}")


def _listed(sizes: list[tuple[int, str]]) -> str:
    return ", ".join(f"{name} {lines}" for lines, name in sizes[:10])
