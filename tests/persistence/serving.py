"""A process that loads damaged files and says what came of each; whoever asks outlives whatever happens to it.

Jobs come as lines of JSON and go back as lines, one for each mutant, so that after a death the next number is the
culprit. A mutant may take a second of processor time; the signal that ends the process then writes where it was.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import resource
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from margin.errors import PersistenceError
from margin.persistence import from_bytes, load
from margin.persistence.container import reading
from margin.persistence.objects import arrays
from tests.persistence.models import Sample, answers_of, is_error, same_answers, samples
from tests.persistence.mutants import Mutants
from tests.persistence.zip_mutants import ZipMutants

__all__ = ["BAD", "LARGEST", "OUTCOMES", "SECONDS", "Watch"]

#: Under AddressSanitizer everything takes longer, and memory that was given back is kept for a while.
SANITIZED = "asan" in os.environ.get("LD_PRELOAD", "")
SECONDS = 20.0 if SANITIZED else 1.0
#: What may be taken beside two times the file.
LARGEST = 64 * 2**20
#: What is never allowed, beside the two ways in which a process dies: crash and hang.
BAD = ("silent", "foreign", "memory", "forbidden")
OUTCOMES = ("refused", "equal", "other", "error", *BAD)
#: What Python tells an audit hook, and what nobody who reads data has to do.
FORBIDDEN = (
    *("import", "exec", "compile", "code.__new__", "pickle.", "marshal.", "ctypes.", "socket.", "subprocess."),
    *("shutil.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.remove", "os.rename", "os.chmod"),
)


class Watch:
    """Sees what is done inside a ``with watch(n)``: nothing but ``n`` opens of files."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self._on = False
        self._opens = 0
        sys.addaudithook(self._hook)

    def _hook(self, event: str, given: tuple[Any, ...]) -> None:
        if not self._on:
            return
        if event == "open":
            self._opens -= 1
        if event.startswith(FORBIDDEN) or (event == "open" and self._opens < 0):
            self.seen.append(f"{event} {str(given)[:100]}")

    @contextlib.contextmanager
    def __call__(self, opens: int) -> Iterator[None]:
        self.seen, self._opens, self._on = [], opens, True
        try:
            yield
        finally:
            self._on = False


class Memory:
    """What this process holds and held at most; the pages of the kernel that say so are opened once."""

    def __init__(self) -> None:
        self._status = os.open("/proc/self/status", os.O_RDONLY)
        self._clear = os.open("/proc/self/clear_refs", os.O_WRONLY)

    def read(self, field: str) -> int:
        page = os.pread(self._status, 4096, 0)
        return int(page.partition(field.encode() + b":")[2].split(None, 1)[0]) * 1024

    def forget_peak(self) -> None:
        os.write(self._clear, b"5")


class Trial:
    """The mutants of one sample, tried one after the other."""

    def __init__(self, sample: Sample, job: dict[str, Any], folder: Path, watch: Watch, memory: Memory) -> None:
        self._sample, self._folder, self._watch, self._memory = sample, folder, watch, memory
        mutants = ZipMutants if sample.content[:2] == b"PK" else Mutants
        self._mutants = mutants(
            sample.content, f"{job.get('seed', '0')}/{sample.name}", 1.0 if job.get("repaired") else 0.75
        )
        for mapped in (False, True):  # whatever is loaded late is loaded now
            model = self._loaded(sample.content, mapped)
            assert all(same_answers(answers_of(model, r), a) for r, a in zip(sample.rows, sample.answers)), sample.name

    def run(self, number: int) -> tuple[str, str]:
        """What came of a mutant, and what it was."""
        mutant = self._mutants[number]
        mapped = number % 4 == 3
        self._memory.forget_peak()
        before = self._memory.read("VmRSS")
        outcome, why = self._outcome(mutant.content, mapped, mutant.repaired)
        grown = self._memory.read("VmHWM") - before
        too_much = grown > 2 * len(mutant.content) + LARGEST and not SANITIZED
        if too_much or "MemoryError" in why or "Unable to allocate" in why:
            outcome, why = "memory", f"{grown:,} bytes {why}"
        if self._watch.seen:
            outcome, why = "forbidden", "; ".join(self._watch.seen)
        how = f"{'repaired' if mutant.repaired else 'raw'}{', mapped' if mapped else ''}"
        return outcome, f"{self._sample.name} ({how}): {mutant.what}: {why}"

    def _outcome(self, content: bytes, mapped: bool, repaired: bool) -> tuple[str, str]:
        try:
            model = self._loaded(content, mapped)
        except PersistenceError as refused:
            return "refused", str(refused)
        except BaseException as error:
            return "foreign", f"load: {type(error).__name__}: {error}"
        try:
            found = [answers_of(model, rows) for rows in self._sample.rows]
        except Exception as error:
            return "foreign", f"answers: {type(error).__name__}: {error}"
        if all(map(same_answers, found, self._sample.answers)):
            return "equal", ""
        if any(is_error(answer) for each in found for answer in each.values()):
            return "error", ""
        # Digests of large arrays are not checked in a mapped file; everywhere else they must speak up.
        return "other" if repaired or mapped else "silent", ""

    def _loaded(self, content: bytes, mapped: bool) -> Any:
        if not mapped:
            with self._watch(0):
                return from_bytes(content)
        path = self._folder / "mutant.margin"
        path.unlink(missing_ok=True)  # an older one may still be mapped
        path.write_bytes(content)
        with _as_if_large(), self._watch(1):
            return load(path, mmap=True)


@contextlib.contextmanager
def _as_if_large() -> Iterator[None]:
    """Every array is large: none is read before it is used, and only rules that keep kernels safe are tried."""
    small, large = reading.SMALL_ARRAY, arrays.LARGE_ARRAY
    reading.SMALL_ARRAY = arrays.LARGE_ARRAY = 0
    try:
        yield
    finally:
        reading.SMALL_ARRAY, arrays.LARGE_ARRAY = small, large


def _limit(seconds: float) -> None:
    """So much processor time from now, and ten times as much by the clock (others may be at work)."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 10 * seconds)


def serve(jobs: Any, answers: Any) -> None:
    """Answer every job: a kind of model, the numbers of mutants, and if it says so a seed, few models, all repaired."""
    faulthandler.enable()
    for late in (signal.SIGPROF, signal.SIGALRM):
        faulthandler.register(late, chain=True)
    watch, memory = Watch(), Memory()

    def say(*told: Any) -> None:
        answers.write(json.dumps(told) + "\n")
        answers.flush()

    with tempfile.TemporaryDirectory(prefix="margin-fuzz-") as folder:
        for line in jobs:
            job = json.loads(line)
            found = samples(job["kind"], job.get("few", False))
            trials = [Trial(each, job, Path(folder), watch, memory) for each in found]
            if not SANITIZED:
                resource.setrlimit(resource.RLIMIT_AS, (memory.read("VmSize") + 2**31, resource.RLIM_INFINITY))
            for number in range(job["first"], job["last"] if trials else 0):
                _limit(SECONDS)
                outcome, what = trials[number % len(trials)].run(number // len(trials))
                _limit(0)
                say(number, outcome, what if outcome in BAD or job.get("talk") else "")
            say("done", len(trials), max((len(each.content) for each in found), default=0))


if __name__ == "__main__":
    jobs_end, answers_end = map(int, sys.argv[1:])
    with os.fdopen(jobs_end) as jobs, os.fdopen(answers_end, "w") as answers:
        serve(jobs, answers)
