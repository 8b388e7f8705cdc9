"""The parent's end of a worker: start it, ask it, end it."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

__all__ = ["SideFailed", "Worker", "is_installed"]

ROOT = Path(__file__).resolve().parents[2]


class SideFailed(Exception):
    """A side raised, crashed or took too long; says why in one line."""

    def __init__(self, reason: str, traceback: str = "") -> None:
        super().__init__(reason)
        self.traceback = traceback


def is_installed(library: str) -> bool:
    """Whether the top-level module of a library can be found, without importing it.

    >>> is_installed("json.decoder"), is_installed("no_such_library")
    (True, False)
    """
    return importlib.util.find_spec(library.split(".")[0]) is not None


class Worker:
    """One side in a process of its own, so that thread pools, allocators and peak memory do not mix."""

    def __init__(self, family: str, workload: str, side: str, data: Path) -> None:
        requests_read, requests_write = os.pipe()
        answers_read, answers_write = os.pipe()
        job: dict[str, Any] = {"family": family, "workload": workload, "side": side, "data": str(data)}
        job |= {"requests": requests_read, "answers": answers_write}
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 (closed in end)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.harness.worker", json.dumps(job)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=self._said,
            stderr=self._said,
            pass_fds=(requests_read, answers_write),
            start_new_session=True,  # Ctrl-C reaches the parent alone, which ends its workers in order
        )
        os.close(requests_read)
        os.close(answers_write)
        self._requests, self._answers = requests_write, answers_read
        self._unread = b""

    def warm(self, limit: float) -> None:
        """Wait until the side has its data and is warm."""
        self._answer(limit)

    def repeat(self, limit: float) -> dict[str, float]:
        """One timed repeat: the figures by column."""
        try:
            os.write(self._requests, b"repeat\n")
        except BrokenPipeError:
            raise SideFailed(self._last_words()) from None
        return self._answer(limit)["figures"]

    def end(self) -> None:
        """End the process and everything it started; safe to call twice."""
        if self._process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._requests)
        os.close(self._answers)
        self._said.close()

    def _answer(self, limit: float) -> dict[str, Any]:
        deadline = time.monotonic() + limit
        while b"\n" not in self._unread:
            readable, _, _ = select.select([self._answers], [], [], max(0.0, deadline - time.monotonic()))
            if not readable:
                raise SideFailed(f"no answer within {limit:g} s")
            piece = os.read(self._answers, 65536)
            if not piece:
                raise SideFailed(self._last_words())
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\n")
        told = json.loads(line)
        if "error" in told:
            raise SideFailed(told["error"], told["traceback"])
        return told

    def _last_words(self) -> str:
        """How a process that hung up came to its end."""
        # Its end of the pipe closes a moment before it can be waited for.
        code = _wait(self._process, 5.0)
        how = (
            "hung up" if code is None else f"killed by {_signal_name(-code)}" if code < 0 else f"ended with code {code}"
        )
        self._said.seek(0)
        said = self._said.read().decode(errors="replace").strip().splitlines()
        return f"{how}: {said[-1]}" if said else how


def _wait(process: subprocess.Popen, seconds: float) -> int | None:
    """The exit code, without reaping a process that :meth:`Worker.end` still has to clean up after."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        told = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if told is not None:
            return told.si_status if told.si_code == os.CLD_EXITED else -told.si_status
        time.sleep(0.01)
    return None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
