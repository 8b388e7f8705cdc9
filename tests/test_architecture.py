"""The rules of the sources: levels, cheap imports, public names, sizes, words."""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import margin
from tests import code_sizes
from tests.architecture import LEVELS, circles, imports_of, violations

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "margin"
#: What ``import margin`` must not load: each of them costs more than all the rest together.
HEAVY = {"torch", "matplotlib", "dask", "pandas", "polars", "sklearn", "scipy", "narwhals", "click", "rich", "jinja2"}


def modules() -> list[str]:
    """Every module of margin that holds anything, found on disk; the compiled core and ``__main__`` aside."""
    names = ["margin"]
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
        if parts and parts[-1] != "__main__" and path.read_text().strip():
            names.append(".".join(["margin", *parts]))
    return names


def missing_extra(name: str) -> str:
    """The package of an extra that a module needs and that is not installed; empty if it can be imported."""
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] == "margin":
            raise
        return error.name
    return ""


def in_a_fresh_interpreter(code: str):
    """What ``code`` prints, as JSON."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


# Levels


def write(package: Path, file: str, code: str) -> None:
    path = package / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code)


def test_parts_import_only_from_levels_below_their_own():
    found = violations(PACKAGE)
    assert not found, "\n" + "\n".join(found)


def test_sub_packages_of_a_part_stand_above_each_other():
    found = circles(PACKAGE)
    assert not found, "\n" + "\n".join(found)


def test_a_circle_of_sub_packages_is_found(tmp_path):
    write(tmp_path / "margin", "tree/pruning/choose.py", "from margin.tree.reading.text import lines")
    write(tmp_path / "margin", "tree/reading/text.py", "from margin.tree.nodes import Tree")
    write(tmp_path / "margin", "tree/nodes.py", "from margin.tree.pruning.choose import choose")
    assert circles(tmp_path / "margin") == []  # files of the part itself may stand above some and below others
    write(tmp_path / "margin", "tree/reading/rules.py", "from margin.tree.pruning.choose import choose")
    assert circles(tmp_path / "margin") == ["tree/pruning -> tree/reading -> tree/pruning"]


def test_a_sibling_is_named_with_file_line_and_rule(tmp_path):
    write(tmp_path / "margin", "bayes/naive.py", "import numpy\nfrom margin.neighbors.index import KDTree\n")
    assert violations(tmp_path / "margin") == [
        "margin/bayes/naive.py:2: bayes (level 3) imports its sibling neighbors (level 3): "
        "a part imports only from levels below its own."
    ]


@pytest.mark.parametrize(
    "code",
    [
        "import margin.report",
        "from margin import report",
        "from margin.report.html import page",
        "from ..report import page",
        "from .. import report",
        "def late():\n    from margin.report import page",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from margin.report import Page",
        "import importlib\nimportlib.import_module('margin.report')",
    ],
)
def test_a_higher_level_is_found_however_it_is_imported(tmp_path, code):
    write(tmp_path / "margin", "data/table.py", code)
    (found,) = violations(tmp_path / "margin")
    assert f":{len(code.splitlines())}: data (level 1) imports the higher report (level 7)" in found


@pytest.mark.parametrize(
    ("file", "code"),
    [
        (
            "bayes/naive.py",
            "from margin.base import Classifier\nfrom margin import _core\nfrom margin.bayes import rule",
        ),
        ("bayes/naive.py", "from .rule import bayes_rule\nfrom . import rule\nfrom ..data import Table"),
        ("params.py", "from margin.errors import ParameterError"),
        ("data/table.py", "from margin import __version__\nimport marginal.report"),
        ("__init__.py", "from margin.cli import main"),
        ("__main__.py", "from margin.cli import main"),
    ],
)
def test_what_stands_below_may_be_imported(tmp_path, file, code):
    write(tmp_path / "margin", file, code)
    assert violations(tmp_path / "margin") == []


def test_a_new_part_is_asked_for_its_level(tmp_path):
    write(tmp_path / "margin", "wizard/__init__.py", "")
    assert violations(tmp_path / "margin") == [
        "margin/wizard/__init__.py:1: 'wizard' is a new part: give it a level (LEVELS in tests/architecture.py)."
    ]


def test_the_front_door_is_not_for_the_parts_themselves(tmp_path):
    write(tmp_path / "margin", "zoo.py", "from margin import NaiveBayes")
    (found,) = violations(tmp_path / "margin")
    assert "margin/zoo.py:1: margin.NaiveBayes is not a part: import the name from the part it lives in" in found


# Imports


def test_importing_margin_loads_nothing_heavy_and_no_part():
    loaded = (
        "import json, sys\nbefore = set(sys.modules)\nimport margin\nprint(json.dumps(sorted({*sys.modules} - before)))"
    )
    names = in_a_fresh_interpreter(loaded)
    assert not HEAVY & {name.split(".")[0] for name in names}
    parts = {name.split(".")[1] for name in names if name.startswith("margin.")}
    assert parts <= {"errors", "lazy"}, "sub-packages load on first use"


def test_nothing_heavy_is_imported_at_the_top_of_level_0():
    for name in ("errors", "typing", "lazy", "params", "random", "parallel"):
        path = PACKAGE / f"{name}.py"
        if path.exists():
            assert not HEAVY & {asked.module.split(".")[0] for asked in imports_of(path, PACKAGE)}, path


def test_every_sub_package_is_there_without_an_import_of_its_own():
    written = [path.parent.name for path in PACKAGE.glob("*/__init__.py") if path.read_text().strip()]
    expected = [name for name in written if LEVELS.get(name, 0) < 9 and not missing_extra(f"margin.{name}")]
    assert expected
    code = f"import json, margin\nprint(json.dumps([p for p in {expected!r} if not hasattr(margin, p)]))"
    assert in_a_fresh_interpreter(code) == []


# Names


def test_every_name_that_was_ever_public_is_still_there():
    known = json.loads((ROOT / "tests" / "public_names.json").read_text())
    lost = [f"{home}.{name}" for home, names in known.items() for name in names if not resolves(home, name)]
    assert not lost


def resolves(home: str, name: str) -> bool:
    return hasattr(importlib.import_module(home), name)


def test_every_public_name_of_margin_resolves():
    assert margin.__all__
    for name in margin.__all__:
        assert getattr(margin, name) is not None
        assert name in dir(margin)


def modules_by_part() -> dict[str, list[str]]:
    """The modules of each part of margin, for one test each: a test of its own takes longer than what it looks at."""
    found: dict[str, list[str]] = {}
    for name in modules():
        found.setdefault(".".join(name.split(".")[:2]), []).append(name)
    return found


def wrong_with_public_names(name: str) -> str:
    if missing_extra(name):
        return ""
    module = importlib.import_module(name)
    if not hasattr(module, "__all__"):
        return f"{name} has no __all__"
    if len(set(module.__all__)) < len(module.__all__):
        return f"{name} lists a name twice"
    missing = [each for each in module.__all__ if not hasattr(module, each)]
    return f"{name} lists {missing}, which it has not" if missing else ""


@pytest.mark.parametrize("part", modules_by_part())
def test_a_module_lists_its_public_names_and_has_them(part):
    names = modules_by_part()[part]
    assert [wrong for name in names if (wrong := wrong_with_public_names(name))] == []
    if extras := {extra for name in names if (extra := missing_extra(name))}:
        pytest.skip(f"some modules of {part} need {', '.join(sorted(extras))}, which is not installed")


# Sizes


def test_no_file_is_longer_than_400_lines():
    assert [f"{path}: {lines}" for lines, path in code_sizes.files(ROOT) if lines > 400] == []


def test_no_function_is_longer_than_60_lines():
    assert [f"{place}: {lines}" for lines, place in code_sizes.functions(ROOT) if lines > 60] == []


def test_no_folder_holds_more_than_20_files():
    assert [f"{folder}: {n}" for n, folder in code_sizes.folders(ROOT) if n > 20] == []


def test_bindings_stay_under_60_lines_a_file():
    bindings = list((ROOT / "native" / "bindings").rglob("*.cpp"))
    assert bindings
    assert [path.name for path in bindings if len(path.read_text().splitlines()) >= 60] == []


def test_sizes_count_whole_functions(tmp_path):
    write(tmp_path, "src/a.py", "def short():\n    pass\n\n\nclass A:\n    def long(self):\n        1\n        2\n")
    assert code_sizes.files(tmp_path) == [(8, "src/a.py")]
    assert code_sizes.functions(tmp_path) == [(3, "src/a.py:long"), (2, "src/a.py:short")]
    assert code_sizes.folders(tmp_path) == [(1, "src")]


# Words


def test_the_sources_know_nothing_of_tests_or_of_the_data_beside_the_project():
    for path in code_sizes.source_files(ROOT, ("src",)):
        assert "../shared" not in path.read_text(), path
        if path.suffix == ".py":
            assert "tests" not in {asked.module.split(".")[0] for asked in imports_of(path, PACKAGE)}, path


def test_nothing_is_left_for_later():
    texts = [
        *ROOT.glob("*.md"),
        *code_sizes.source_files(
            ROOT, ("src", "native", "benchmarks", "docs"), (*code_sizes.SUFFIXES, ".md", ".rst", ".txt")
        ),
    ]
    later = re.compile(r"\b(TODO|FIXME)\b")
    assert [str(path.relative_to(ROOT)) for path in texts if later.search(path.read_text())] == []


def test_every_python_file_says_what_it_is_for():
    silent = []
    for path in code_sizes.source_files(ROOT, suffixes=(".py",)):
        tree = ast.parse(path.read_text())
        if tree.body and ast.get_docstring(tree) is None:
            silent.append(str(path.relative_to(ROOT)))
    assert silent == []
