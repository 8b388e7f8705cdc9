"""The scripts of the lectures run, and print what the lectures say."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import matplotlib as mpl
import pytest

mpl.use("Agg")
HERE = Path(__file__).parent.parent / "examples" / "lectures"


def run(name: str, capsys: pytest.CaptureFixture[str], folder: Path | None = None) -> str:
    described = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    found = importlib.util.module_from_spec(described)
    described.loader.exec_module(found)
    assert found.main(None if folder is None else str(folder)) == 0
    return capsys.readouterr().out


def test_a_perceptron_ends_where_a_line_tells_the_kinds_apart(capsys, tmp_path):
    said = run("01_perceptron_on_iris", capsys, tmp_path).splitlines()
    assert [line.endswith("a line was found") for line in said] == [True, True, False]
    assert len(list(tmp_path.glob("*.gif"))) == len(list(tmp_path.glob("*.png"))) == 2


def test_a_line_cannot_tell_xor_and_a_tree_can(capsys):
    said = run("02_what_no_line_tells", capsys).splitlines()[0]
    right = {name: float(share) for name, share in re.findall(r"([a-zB ]+) (\d?\.\d+)", said.partition(": ")[2])}
    assert right["naive Bayes"] < 0.7
    assert right[" logistic"] < 0.7
    assert right[" tree"] > 0.8
