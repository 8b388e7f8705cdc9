"""margin._core.core: the pool next to fork, joblib and threads, and how a call is watched and interrupted."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from joblib import Parallel, delayed

from margin._core import core

LONG = 30.0  # seconds nobody will wait for


@pytest.fixture
def busy():
    """A thread that keeps the pool busy while the test runs."""
    monitor = core.Monitor()

    def work():
        with pytest.raises(core.Cancelled):
            core.wait(LONG, 4, monitor)

    thread = threading.Thread(target=work)
    thread.start()
    while monitor.done == 0:
        time.sleep(0.001)
    yield monitor
    monitor.cancel()
    thread.join()


def child_ends_with(code_of_child) -> int:
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            code_of_child()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def use_the_pool():
    monitor = core.Monitor()
    core.wait(0.01, 4, monitor)
    assert monitor.done == monitor.total == 40


def test_four_threads_wait_as_long_as_one():
    begin = time.perf_counter()
    core.wait(0.2, 4)
    assert 0.19 < time.perf_counter() - begin < 0.6  # one after another: 0.8


def test_the_number_of_threads_can_be_chosen():
    before = core.threads()
    core.set_threads(3)
    try:
        assert core.threads() == 3
    finally:
        core.set_threads(0)
    assert core.threads() == before


def test_a_negative_number_of_threads_is_refused():
    with pytest.raises(TypeError):
        core.set_threads(-1)


def test_the_instruction_set_has_a_name():
    assert core.simd() in {"default", "x86-64-v3", "x86-64-v4"}


def test_a_child_can_use_the_pool_after_its_parent_did():
    use_the_pool()
    assert child_ends_with(use_the_pool) == 0
    use_the_pool()


def test_a_fork_while_the_pool_is_busy_harms_neither_side(busy):
    for _ in range(5):
        assert child_ends_with(use_the_pool) == 0
    use_the_pool()
    done = busy.done
    time.sleep(0.1)
    assert busy.done > done  # the parent's helpers are still at work


def test_processes_of_multiprocessing_can_use_the_pool(busy):
    processes = [multiprocessing.get_context("fork").Process(target=use_the_pool) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(20)
    assert [process.exitcode for process in processes] == [0, 0, 0]


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_workers_of_joblib_can_use_the_pool(backend, busy):
    def steps(n):  # defined here, so that it travels to the workers by value
        from margin._core import core

        monitor = core.Monitor()
        core.wait(0.005, n, monitor)
        return monitor.done

    assert Parallel(n_jobs=2, backend=backend)(delayed(steps)(n) for n in range(1, 7)) == [5 * n for n in range(1, 7)]


def test_threads_that_call_at_once_all_get_their_work_done():
    monitors = [core.Monitor() for _ in range(8)]
    callers = [threading.Thread(target=core.wait, args=(0.02, 3, monitor)) for monitor in monitors]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(20)
    assert [monitor.done for monitor in monitors] == [60] * 8


def test_progress_can_be_read_while_a_call_runs(busy):
    first = busy.done
    time.sleep(0.05)
    assert 0 < first < busy.done < busy.total
    assert not busy.cancelled


def test_cancelling_ends_a_call_within_200_ms():
    monitor = core.Monitor()
    threading.Timer(0.05, monitor.cancel).start()
    begin = time.perf_counter()
    with pytest.raises(core.Cancelled):
        core.wait(LONG, 3, monitor)
    assert time.perf_counter() - begin < 0.25
    assert monitor.cancelled


def test_a_cancelled_monitor_lets_nothing_begin():
    monitor = core.Monitor()
    monitor.cancel()
    with pytest.raises(core.Cancelled):
        core.wait(LONG, 2, monitor)
    assert monitor.done == 0


def test_a_monitor_watches_one_call_at_a_time(busy):
    with pytest.raises(RuntimeError, match="one run at a time"):
        core.wait(0.01, 1, busy)


@pytest.mark.parametrize("n_threads", [1, 2, 4])
def test_a_signal_handlers_error_comes_out_within_200_ms(n_threads):
    class Enough(Exception):
        pass

    def handler(*_):
        nonlocal raised
        raised = time.perf_counter()
        raise Enough

    raised = 0.0
    before = signal.signal(signal.SIGALRM, handler)
    begin = time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(Enough):
            core.wait(LONG, n_threads)
        assert time.perf_counter() - raised < 0.2
        assert time.perf_counter() - begin < 0.25
    finally:
        signal.signal(signal.SIGALRM, before)
    use_the_pool()


def test_a_signal_whose_handler_raises_nothing_does_not_end_the_call():
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(time.perf_counter()))
    begin = time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, 0.03)
    try:
        core.wait(0.2, 2)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert time.perf_counter() - begin > 0.19
    assert len(seen) == 1
    assert seen[0] - begin < 0.15  # it ran during the call, not after it


def test_control_c_comes_back_within_200_ms():
    code = f"""
        import time
        from margin._core import core
        core.wait(0.001)
        print("ready", flush=True)
        try:
            core.wait({LONG})
        except KeyboardInterrupt:
            print(time.clock_gettime(time.CLOCK_MONOTONIC), flush=True)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True, env=os.environ
    ) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.1)
        sent = time.clock_gettime(time.CLOCK_MONOTONIC)
        process.send_signal(signal.SIGINT)
        back = float(process.stdout.readline())
        assert process.wait(10) == 0
    assert back - sent < 0.2


def test_a_process_can_end_while_a_daemon_thread_is_in_a_call():
    code = f"""
        import threading, time
        from margin._core import core
        threading.Thread(target=core.wait, args=({LONG}, 3), daemon=True).start()
        time.sleep(0.1)
    """
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=20)
    assert (done.returncode, done.stderr) == (0, "")
    assert time.perf_counter() - begin < 10


def level_with(chosen: str) -> subprocess.CompletedProcess:
    code = "from margin import _core; print(_core.core.simd())"
    environment = {**os.environ, "MARGIN_SIMD": chosen}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=120)


SETS = {"baseline": "default", "avx2": "x86-64-v3", "avx512": "x86-64-v4"}


def test_the_environment_may_choose_an_instruction_set_that_the_machine_has():
    best = list(SETS.values()).index(level_with("").stdout.strip())
    for place, (chosen, level) in enumerate(SETS.items()):
        done = level_with(chosen)
        if place <= best:
            assert done.stdout.strip() == level, done.stderr
        else:
            assert f"MARGIN_SIMD='{chosen}': must be an instruction set that this machine" in done.stderr
            assert f"(the best is '{list(SETS)[best]}')" in done.stderr


@pytest.mark.parametrize("chosen", ["sse9", "a", "AVX2", "baseline ", "avx2,avx512"])
def test_an_instruction_set_that_there_is_not_is_refused(chosen):
    done = level_with(chosen)
    assert done.returncode != 0
    assert f"ImportError: MARGIN_SIMD='{chosen}': must be 'baseline', 'avx2' or 'avx512'" in done.stderr
