"""After a run: which capabilities have a passing golden test, which fail, and which have none yet.

Marks become ``user_properties`` of the test, which travel with its report from the workers of pytest-xdist to the
process that prints.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tests.goldens.capabilities import CAPABILITIES

__all__ = ["GoldenReport", "summary"]


class GoldenReport:
    """A plugin of pytest; ``tests/conftest.py`` registers it, so that the mark works in every test."""

    def __init__(self) -> None:
        self.passed: set[str] = set()
        self.failed: set[str] = set()
        self.skipped: set[str] = set()

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        for mark in item.iter_markers("golden"):
            item.user_properties.extend(("golden", key) for key in mark.args if key in CAPABILITIES)

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        for mark in item.iter_markers("golden"):
            if not mark.args or not set(mark.args) <= CAPABILITIES.keys():
                pytest.fail(f"golden{mark.args}: the mark must name capabilities, A1 to I9.", pytrace=False)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        keys = {str(key) for name, key in report.user_properties if name == "golden"}
        if report.failed:
            self.failed |= keys
        elif report.skipped:
            self.skipped |= keys
        elif report.when == "call":
            self.passed |= keys

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        for line in summary(self.passed, self.failed, self.skipped, whole=is_whole_run(config)):
            terminalreporter.write_line(line)


def is_whole_run(config: pytest.Config) -> bool:
    """Whether every test was asked for; a part of them cannot say what has no test yet."""
    marked = config.getoption("markexpr") not in ("", "not slow")  # the latter is what pyproject.toml asks for
    picked = config.getoption("keyword") or marked or config.getoption("collectonly")
    return not picked and config.args_source is not pytest.Config.ArgsSource.ARGS


def summary(passed: set[str], failed: set[str], skipped: set[str], whole: bool) -> list[str]:
    """One or two lines, or none where a part of the tests holds no golden one.

    >>> summary({"C3", "E10", "E9"}, {"C4"}, set(), whole=False)
    ['goldens in this run: C3 E9 E10 pass; failing: C4']
    """
    good, skipped_only = passed - failed, skipped - passed - failed
    problems = [f"{word}: {_in_order(keys)}" for word, keys in (("failing", failed), ("skipped", skipped_only)) if keys]
    if not whole:
        found = [f"{_in_order(good)} pass"] if good else []
        return ["goldens in this run: " + "; ".join(found + problems)] if found or problems else []
    count = f"goldens: {len(good)} of {len(CAPABILITIES)} capabilities have a passing test"
    first = "; ".join([f"{count}: {_in_order(good)}" if good else count, *problems])
    none_yet = CAPABILITIES.keys() - good - failed - skipped_only
    return [first, f"  none yet: {_in_runs(none_yet)}"] if none_yet else [first]


def _place(key: str) -> tuple[str, int]:
    return key[0], int(key[1:])


def _in_order(keys: Iterable[str]) -> str:
    """E9 before E10, as people count."""
    return " ".join(sorted(keys, key=_place))


def _in_runs(keys: Iterable[str]) -> str:
    """The same, neighbours drawn together: A1-3 B2."""
    runs: list[list[tuple[str, int]]] = []
    for letter, number in sorted(map(_place, keys)):
        if runs and runs[-1][-1] == (letter, number - 1):
            runs[-1].append((letter, number))
        else:
            runs.append([(letter, number)])
    return " ".join(f"{run[0][0]}{run[0][1]}" + (f"-{run[-1][1]}" if len(run) > 1 else "") for run in runs)
