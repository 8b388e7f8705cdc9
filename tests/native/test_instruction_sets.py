"""Every model is the same on every instruction set: one process for each learns them all (``portability``)."""

from __future__ import annotations

import functools
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.native.portability import Learnt, differences

ROOT = Path(__file__).resolve().parents[2]


@functools.cache
def learnt_with(instruction_set: str) -> dict[str, Learnt]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "learnt"
        done = subprocess.run(
            [sys.executable, "-m", "tests.native.portability", str(file)],
            env={**os.environ, "MARGIN_SIMD": instruction_set, "MARGIN_NUM_THREADS": "2"},
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=1200,
        )
        if "must be an instruction set that this machine" in done.stderr:
            pytest.skip(f"{instruction_set}: neither this machine nor an emulator here has it")
        assert done.returncode == 0, done.stderr
        return pickle.loads(file.read_bytes())


def test_the_baseline_learns_what_avx2_does():
    found = list(differences(learnt_with("avx2"), learnt_with("baseline"), fused_alike=False))
    assert not found, "\n" + "\n".join(found)


def test_avx512_learns_what_avx2_does_to_the_last_bit():
    found = list(differences(learnt_with("avx512"), learnt_with("avx2"), fused_alike=True))
    assert not found, "\n" + "\n".join(found)
