"""The examples in the docstrings of every module of margin run, and give what they say."""

import doctest
import importlib
import pkgutil

import pytest

import margin

MODULES = [
    module.name
    for module in pkgutil.walk_packages(margin.__path__, "margin.")
    if ".cli" not in module.name and not module.name.endswith(("__main__", "_core"))
]


@pytest.mark.parametrize("name", ["margin", *MODULES])
def test_the_examples_of_a_module_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0


def test_the_search_finds_examples():
    module = importlib.import_module("margin.errors")
    assert sum(len(test.examples) for test in doctest.DocTestFinder().find(module)) >= 2
    assert {"margin.base.estimator", "margin.data.table"} <= set(MODULES)
