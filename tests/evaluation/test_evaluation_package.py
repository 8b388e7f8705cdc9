"""margin.evaluation as a whole: its examples run, and importing it stays cheap."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import margin.evaluation

MODULES = [
    "margin.evaluation",
    *(f"margin.evaluation.{m.name}" for m in pkgutil.iter_modules(margin.evaluation.__path__)),
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_the_documentation_run(name):
    module = importlib.import_module(name)
    options = doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
    assert doctest.testmod(module, optionflags=options).failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_is_there_and_documented(name):
    module = importlib.import_module(name)
    for public in module.__all__:
        assert hasattr(module, public)
        value = getattr(module, public)
        assert not callable(value) or value.__doc__, public


def test_importing_it_loads_neither_scikit_learn_nor_a_data_frame():
    code = (
        "import sys, margin.evaluation; "
        "print([m for m in ('sklearn', 'pandas', 'polars', 'matplotlib', 'torch', 'joblib') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
