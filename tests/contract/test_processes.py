"""Processes, threads and Ctrl-C: cases 24 to 27 of the robustness list."""

import functools
import multiprocessing
import pickle
import signal
import threading
import time

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier

from margin import parallel
from margin.linear.online.streaming import StreamingClassifier
from tests.contract.estimators import ALL, FEWER, answers, every_estimator, numbers, one_of_each_estimator, settings


def fit_and_answer(estimator, X, y):
    return answers(clone(estimator).fit(X, y), X)


def fit_in_child(estimator, X, y, queue):
    queue.put(fit_and_answer(estimator, X, y))


@one_of_each_estimator
def test_works_in_a_forked_child_after_threads_were_used(estimator):
    X, y = numbers(4000)
    expected = fit_and_answer(estimator, X, y)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=fit_in_child, args=(estimator, X, y, queue))
    child.start()
    found = queue.get(timeout=60)
    child.join(timeout=60)
    assert child.exitcode == 0
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_works_inside_joblib_and_nested_parallel_work(backend):
    X, y = numbers(2000)
    chosen = [each for each in settings() if ALL or repr(each).endswith("()") or type(each).__name__ in FEWER]
    found = joblib.Parallel(n_jobs=2, backend=backend)(
        joblib.delayed(fit_and_answer)(estimator, X, y) for estimator in chosen for _ in range(2)
    )
    for i, estimator in enumerate(chosen):
        expected = fit_and_answer(estimator, X, y)
        assert all(np.array_equal(each, expected) for each in found[2 * i : 2 * i + 2]), estimator


@one_of_each_estimator
def test_works_next_to_scikit_learn_in_one_process(estimator):
    X, y = numbers(500)
    expected = fit_and_answer(estimator, X, y)
    RandomForestClassifier(4, n_jobs=2).fit(X, y).predict(X)
    assert np.array_equal(fit_and_answer(estimator, X, y), expected)


@one_of_each_estimator
def test_works_next_to_torch_in_one_process(estimator):
    torch = pytest.importorskip("torch", reason="torch is not installed; it comes with margin[deep]")
    X, y = numbers(500)
    expected = fit_and_answer(estimator, X, y)
    torch.randn(500, 500) @ torch.randn(500, 500)
    assert np.array_equal(fit_and_answer(estimator, X, y), expected)


def interrupted_fit(estimator, X, y, after):
    """Seconds from the signal to the return of ``fit``, or None if it was done before."""
    model = clone(estimator).fit(X[:100], y[:100])
    before = answers(model, X[:100])

    def raise_interrupt(*_):
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, raise_interrupt)
    due = time.perf_counter() + after
    try:
        signal.setitimer(signal.ITIMER_REAL, after)
        model.fit(X, y)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt as error:
        waited = time.perf_counter() - due
        in_fit = error.__traceback__.tb_next.tb_frame.f_code.co_name == "fit"
    else:
        in_fit = False
    finally:
        signal.signal(signal.SIGALRM, previous)
    if not in_fit:
        return None
    found = answers(model, X[:100])
    if not np.array_equal(found, before):  # then the signal came when all was learnt and fit was about to return
        done = answers(clone(estimator).fit(X, y), X[:100])
        assert np.array_equal(found, done), "an interrupted fit must leave the model as it was, or be done"
    return waited


@functools.cache
def a_million_rows():
    """Made once, as they take as long as the fits that are interrupted; nothing may be written to them."""
    X, y = numbers(1_000_000, 8)
    X.flags.writeable = y.flags.writeable = False
    return X, y


@every_estimator
def test_an_interrupted_fit_comes_back_soon_and_leaves_the_model_as_it_was(estimator):
    X, y = a_million_rows()
    waits = [interrupted_fit(estimator, X, y, after) for after in (0.0004, 0.002, 0.005, 0.01, 0.02)]
    waits = [wait for wait in waits if wait is not None]
    assert waits, "fit was too quick to be interrupted: give it more rows"
    assert min(waits) < 0.2


@every_estimator
def test_two_threads_may_ask_one_model(estimator):
    X, y = numbers(3000)  # so many that the core shares them out
    model = clone(estimator).fit(X[:500], y[:500])
    expected = answers(model, X)
    found = [None] * 4

    def ask(i):
        found[i] = answers(model, X)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(f, expected, equal_nan=True) for f in found)  # no neighbours, no number


def with_few_steps(estimator):
    """A model that goes through the rows again and again, stopped early: threads share every pass alike."""
    passes = isinstance(estimator, StreamingClassifier) or type(estimator).__name__ == "PegasosClassifier"
    return clone(estimator).set_params(max_iter=2) if passes and not ALL else clone(estimator)


@every_estimator
def test_any_number_of_threads_learns_the_same_bytes(estimator):
    # Work is cut into chunks whatever the number of threads, which decides alone who does them and in which order they
    # are done: one thread, and more than there are cores. Products of all pairs are shared out from few rows on.
    X, y = numbers(9_000 if hasattr(estimator, "kernel") and not ALL else 20_000, 6)
    weight = np.random.default_rng(5).random(len(X))
    models = []
    for n in (1, 2, 3, 7) if ALL else (1, 3):
        with parallel.threads(n):
            models.append(pickle.dumps(with_few_steps(estimator).fit(X, y, sample_weight=weight)))
    assert len(set(models)) == 1
