"""What every test may use, and the lines printed after a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests import code_sizes
from tests.goldens.report import GoldenReport, is_whole_run
from tests.shared_data import shared_data as find_shared_data

__all__ = ["pytest_configure", "pytest_terminal_summary", "shared_data"]

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Callable[..., Path]:
    """``shared_data("iris.arff")`` is its path; the test is skipped where it is absent."""
    return find_shared_data


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(GoldenReport(), "golden-report")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if is_whole_run(config):
        terminalreporter.write_line(f"longest files: {_listed(code_sizes.files(ROOT))}")
        terminalreporter.write_line(f"longest functions: {_listed(code_sizes.functions(ROOT))}")


def _listed(sizes: list[tuple[int, str]]) -> str:
    return ", ".join(f"{name} {lines}" for lines, name in sizes[:10])
