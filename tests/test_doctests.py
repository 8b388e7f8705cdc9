"""The examples in the docstrings of every module of margin run, and give what they say."""

import doctest
import importlib
import importlib.util
import itertools
import pkgutil
from pathlib import Path

import pytest

import margin

MODULES = [
    module.name
    for module in pkgutil.walk_packages(margin.__path__, "margin.")
    if ".cli" not in module.name and not module.name.endswith(("__main__", "_core"))
]


def writes_examples(name):
    """Whether there are examples in the file of a module; others may still have some from elsewhere."""
    found = importlib.util.find_spec(name)
    return found is None or found.origin is None or ">>>" in Path(found.origin).read_text()


def failures(name):
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.testmod(importlib.import_module(name), optionflags=flags).failed


ALL_MODULES = ["margin", *MODULES]
WITH_EXAMPLES = [name for name in ALL_MODULES if writes_examples(name)]
#: By the part of margin they belong to, in one test each: there is next to nothing to run.
OTHERS: dict[str, list[str]] = {}
for name in sorted(set(ALL_MODULES) - set(WITH_EXAMPLES)):
    OTHERS.setdefault(".".join(name.split(".")[:2]), []).append(name)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_a_module_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert failures(name) == 0


@pytest.mark.parametrize("part", OTHERS)
def test_modules_that_write_no_examples_have_none_that_fail(part, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert [name for name in OTHERS[part] if failures(name)] == []


def test_the_search_finds_examples():
    module = importlib.import_module("margin.errors")
    assert sum(len(test.examples) for test in doctest.DocTestFinder().find(module)) >= 2
    assert {"margin.base.estimator", "margin.data.table"} <= set(MODULES)
    assert sorted([*WITH_EXAMPLES, *itertools.chain(*OTHERS.values())]) == sorted(ALL_MODULES)
