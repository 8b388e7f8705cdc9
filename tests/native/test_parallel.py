"""margin.parallel: what n_jobs stands for."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from joblib import Parallel, delayed, parallel_config

from margin import parallel
from margin.errors import ParameterError
from margin.parallel import n_threads


def in_new_process(code: str, **environment: str) -> str:
    inherited = {name: value for name, value in os.environ.items() if name != "MARGIN_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=inherited | environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


ALLOWED = "from margin.parallel import n_threads; print(n_threads())"


def test_a_positive_number_is_taken_as_it_is():
    assert n_threads(1) == 1
    assert n_threads(np.int64(37)) == 37


def test_negative_numbers_count_from_all():
    with parallel.threads(8):
        assert [n_threads(jobs) for jobs in (None, -1, -2, -8, -9, -100)] == [8, 8, 7, 1, 1, 1]


def test_all_are_at_most_the_cpus_of_this_process():
    assert 1 <= n_threads() <= len(os.sched_getaffinity(0))
    assert n_threads(-1) == n_threads()


@pytest.mark.parametrize("jobs", [0, 1.0, "2", True, [1]])
def test_other_values_are_refused(jobs):
    with pytest.raises(ParameterError, match=r"n_threads\(n_jobs=.*\): n_jobs must"):
        n_threads(jobs)


@pytest.mark.parametrize("n", [0, -1, 1.5, None, True])
def test_a_block_needs_a_number_of_threads(n):
    with pytest.raises(ParameterError, match=r"threads\(n=.*\): n must be an integer"), parallel.threads(n):
        pass


def test_blocks_nest():
    outside = n_threads()
    with parallel.threads(5):
        with parallel.threads(2):
            assert n_threads() == 2
        assert n_threads() == 5
    assert n_threads() == outside


def test_a_block_ends_with_an_error_too():
    outside = n_threads()
    with pytest.raises(KeyError), parallel.threads(outside + 1):
        raise KeyError
    assert n_threads() == outside


def test_a_block_holds_for_its_own_thread_only():
    outside, seen = n_threads(), []
    with parallel.threads(outside + 3):
        other = threading.Thread(target=lambda: seen.append(n_threads()))
        other.start()
        other.join()
    assert seen == [outside]


def test_the_environment_variable_is_honoured():
    assert in_new_process(ALLOWED, MARGIN_NUM_THREADS="1") == "1"


def test_the_environment_variable_cannot_ask_for_more_than_there_is():
    assert in_new_process(ALLOWED, MARGIN_NUM_THREADS="100000") == in_new_process(ALLOWED)


@pytest.mark.parametrize("text", ["0", "-2", "two", "1.5"])
def test_nonsense_in_the_environment_variable_is_refused(text):
    code = "from margin import errors, parallel\ntry: parallel.n_threads()\nexcept errors.ParameterError as e: print(e)"
    message = in_new_process(code, MARGIN_NUM_THREADS=text)
    assert message == f"margin: MARGIN_NUM_THREADS must be an integer above 0, not '{text}'."


def test_affinity_is_honoured():
    code = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n" + ALLOWED
    assert in_new_process(code) == "1"


def test_the_core_is_loaded_on_use_only():
    code = "import sys, margin.parallel, margin.random; print('margin._core' in sys.modules)"
    assert in_new_process(code) == "False"


def test_workers_of_joblib_share_the_cores():
    def allowed():  # defined here, so that it travels to the workers by value
        from margin.parallel import n_threads

        return n_threads(), n_threads(6)

    with parallel_config(backend="loky", inner_max_num_threads=1):
        assert Parallel(n_jobs=2)(delayed(allowed)() for _ in range(2)) == [(1, 6), (1, 6)]


def test_openmps_variable_is_none_of_our_business_outside_such_workers():
    assert in_new_process(ALLOWED, OMP_NUM_THREADS="1") == in_new_process(ALLOWED)
