"""What margin states to type checkers: stubs that are current, types that find a user's mistakes and nothing else."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mypy import api

import margin

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "margin"
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """What a strict type checker says of both programs, as (file, line) of each complaint."""
    folder = tmp_path_factory.mktemp("mypy")
    (folder / "mypy.ini").write_text(
        # A user's checker reads an installed package, and keeps what it finds wrong in there to itself.
        f"[mypy]\nstrict = true\nignore_missing_imports = true\nmypy_path = {PACKAGE.parent}\n"
        "[mypy-margin.*]\nfollow_imports = silent\n"
    )
    settings = ["--config-file", str(folder / "mypy.ini"), "--cache-dir", str(folder), "--python-version", "3.12"]
    said, failed, _ = api.run([*settings, str(HERE / "accepted.py"), str(HERE / "refused.py")])
    assert not failed, failed
    found = re.findall(r"^(\S+):(\d+): error: (.*)$", said, re.M)
    return [(Path(path).name, int(line), message) for path, line, message in found]


def test_a_program_without_mistakes_is_accepted(checked):
    assert [complaint for complaint in checked if complaint[0] == "accepted.py"] == []


def test_every_mistake_is_found(checked):
    lines = (HERE / "refused.py").read_text().splitlines()
    marked = {number for number, line in enumerate(lines, 1) if "  # " in line}
    assert {line for file, line, _ in checked if file == "refused.py"} == marked


def test_the_stubs_of_the_core_are_those_of_its_bindings(tmp_path):
    subprocess.run([sys.executable, str(ROOT / "native" / "stubs.py"), str(tmp_path)], check=True)
    made = {path.name: path.read_text() for path in (tmp_path / "_core").glob("*.pyi")}
    kept = {path.name: path.read_text() for path in (PACKAGE / "_core").glob("*.pyi")}
    assert made
    assert made == kept, "the bindings have changed: make stubs"


def test_the_stub_of_the_front_door_names_what_is_public():
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text())
    homes = {
        alias.asname: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert sorted(homes) == margin.__all__
    parts = {name for name, home in homes.items() if home == "margin"}
    assert {name: homes[name] for name in homes.keys() - parts} == {
        name: home for name, home in margin._homes.items() if name not in parts
    }


def test_the_package_says_that_it_has_types():
    assert (PACKAGE / "py.typed").exists()
