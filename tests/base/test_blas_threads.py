"""margin.blas: BLAS works on one thread while models learn and answer, and has its threads back afterwards."""

import os
import threading
from contextlib import contextmanager

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from margin import LinearDiscriminantAnalysis, LogisticRegression
from margin.base import Classifier, Regressor
from margin.blas import WIDE, OneBlasThread
from margin.params import Flag


def blas_threads() -> set[int]:
    return {found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"}


@contextmanager
def several_blas_threads():
    """As on a machine of three cores, whatever this one is."""
    with threadpool_limits(3, user_api="blas"):
        if blas_threads() != {3}:
            pytest.skip("the BLAS of this installation has one thread")
        yield


class Watching(Classifier):
    """Keeps how many threads BLAS had while it learnt and while it answered."""

    def __init__(self, *, fails: Flag = False):
        self.fails = fails

    def _fit(self, X, y, rows):
        self.at_fit_ = blas_threads()
        if self.fails:
            raise ArithmeticError("as asked for")

    def _scores(self, X):
        self.at_predict_ = blas_threads()
        return np.zeros((len(X), len(self.classes_)))


class WatchingRegressor(Regressor):
    def _fit(self, X, y, rows):
        self.at_fit_ = blas_threads()

    def _values(self, X):
        self.at_predict_ = blas_threads()
        return np.zeros(len(X))


def rows(n=200, d=60):
    return np.random.default_rng(0).normal(size=(n, d)), np.arange(n) % 2


@pytest.mark.parametrize("model", [Watching(), WatchingRegressor()], ids=["classifier", "regressor"])
def test_a_fit_and_its_answers_have_one_thread_of_blas(model):
    X, y = rows()
    with several_blas_threads():
        model.fit(X, y)
        assert (model.at_fit_, blas_threads()) == ({1}, {3})
        model.predict(X)
        assert (model.at_predict_, blas_threads()) == ({1}, {3})


def test_many_columns_keep_the_threads():
    X, y = rows(20, WIDE)
    with several_blas_threads():
        model = Watching().fit(X, y)
        model.predict(X)
        assert (model.at_fit_, model.at_predict_) == ({3}, {3})


def test_a_fit_that_fails_gives_them_back():
    with several_blas_threads():
        with pytest.raises(ArithmeticError):
            Watching(fails=True).fit(*rows())
        assert blas_threads() == {3}


def test_learning_in_parts_has_one_too(monkeypatch):
    seen = []
    settle = LinearDiscriminantAnalysis._settle
    monkeypatch.setattr(LinearDiscriminantAnalysis, "_settle", lambda self: (seen.append(blas_threads()), settle(self)))
    with several_blas_threads():
        LinearDiscriminantAnalysis().partial_fit(*rows())
    assert seen == [{1}]


def test_of_blocks_inside_each_other_the_innermost_counts():
    with several_blas_threads(), OneBlasThread():
        with OneBlasThread(columns=WIDE):
            assert blas_threads() == {3}
            with OneBlasThread():
                assert blas_threads() == {1}
            assert blas_threads() == {3}
        assert blas_threads() == {1}


def test_the_last_of_several_threads_puts_them_back():
    inside, leave = threading.Barrier(3), [threading.Event(), threading.Event()]

    def work(which: int) -> None:
        with OneBlasThread():
            inside.wait(30)
            leave[which].wait(30)

    with several_blas_threads():
        workers = [threading.Thread(target=work, args=(which,)) for which in range(2)]
        for worker in workers:
            worker.start()
        inside.wait(30)
        assert blas_threads() == {1}
        leave[0].set()
        workers[0].join(30)
        assert blas_threads() == {1}
        leave[1].set()
        workers[1].join(30)
        assert blas_threads() == {3}


def test_what_someone_sets_meanwhile_stays():
    with threadpool_limits(3, user_api="blas"):
        with OneBlasThread():
            inner = threadpool_limits(2, user_api="blas")
        assert blas_threads() == {2}
        inner.restore_original_limits()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_waits_for_no_thread_of_its_parent():
    inside, leave = threading.Event(), threading.Event()

    def work() -> None:
        with OneBlasThread():
            inside.set()
            leave.wait(30)

    worker = threading.Thread(target=work)
    with several_blas_threads():
        worker.start()
        inside.wait(30)
        child = os.fork()
        if child == 0:
            before = blas_threads()
            LogisticRegression().fit(*rows(40, 3))
            os._exit(0 if (before, blas_threads()) == ({3}, {3}) else 1)
        leave.set()
        worker.join(30)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
