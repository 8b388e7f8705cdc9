"""The process of one side: loads the data, warms up, then does one repeat for each request.

Requests and answers are lines of JSON on pipes of their own, because libraries write to stdout as they please.
Without a next request (the parent is gone) the worker ends.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.harness.arrays import load
from benchmarks.harness.workload import load_family

__all__ = ["serve"]


def serve(job: dict[str, Any], requests: Any, answers: Any) -> None:
    """Answer once when warm, then once for every line of ``requests``."""

    def answer(work: Callable[[], Any]) -> Any:
        try:
            result = work()
        except Exception as error:
            told: dict[str, Any] = {"error": _last_line(error), "traceback": traceback.format_exc()}
            result = None
        else:
            told = {"figures": result if isinstance(result, dict) else {}}
        answers.write(json.dumps(told) + "\n")
        answers.flush()
        return result

    repeat = answer(lambda: _start(job))
    if repeat is not None:
        for _ in requests:
            answer(repeat)


def _start(job: dict[str, Any]) -> Callable[[], dict[str, float]]:
    workload = load_family(job["family"])[job["workload"]]
    return workload.measure.start(workload.side(job["side"]), workload, load(Path(job["data"])))


def _last_line(error: BaseException) -> str:
    lines = "".join(traceback.format_exception_only(error)).strip().splitlines()
    return lines[-1] if lines else type(error).__name__


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    with os.fdopen(given["requests"]) as requests, os.fdopen(given["answers"], "w") as answers:
        serve(given, requests, answers)
