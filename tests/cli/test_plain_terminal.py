"""Terminals that know ASCII alone or are narrow still show the score."""

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from margin.cli import plain_text
from tests.experiment.stand_ins import loans

SOURCE = str(Path(__file__).resolve().parents[2] / "src")
WORDS = ["compare", "loans.csv", "-t", "risk", "--models", "majority,naive-bayes", "--folds", "3", "--repeats", "1"]


@pytest.mark.parametrize("columns", ["40", "80"])
def test_a_terminal_of_ascii_shows_the_score(tmp_path, columns):
    (tmp_path / "loans.csv").write_text(loans())
    path = os.pathsep.join([SOURCE, *filter(None, [os.environ.get("PYTHONPATH")])])
    env = {**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "ascii", "COLUMNS": columns}
    done = subprocess.run(
        [sys.executable, "-m", "margin", *WORDS], cwd=tmp_path, env=env, capture_output=True, timeout=300
    )
    assert done.returncode == 0, done.stderr.decode()
    said = done.stdout.decode("ascii")
    assert re.search(r"naive-bayes\s+\d+\.\d %", said)
    assert re.search(r"Naive Bayes is right in \d+(\.\d)? %", " ".join(said.split()))


def test_signs_become_like_ones_and_letters_lose_their_accents(monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii", write_through=True))
    plain_text.speak_plainly()
    print("82–90 % ├●┤ Zoë 猫 …")
    assert written.getvalue() == b"82-90 % |*| Zoe ? .\n"


def test_an_encoding_that_has_the_signs_is_left_alone(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", stream)
    plain_text.speak_plainly()
    assert stream.errors == "strict"
