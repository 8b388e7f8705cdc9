"""Inputs that cannot be had: a file that is gone, memory that runs out, Ctrl-C while they are read."""

import functools

import numpy as np
import pytest
from sklearn.base import clone

from margin.errors import InputError, LabelError
from tests.contract.estimators import answers, case, learnt, numbers, one_of_each_models_way_in, one_of_each_way_in

N = 12
LABELS = np.arange(N) % 2


def labelled_numbers(d: int) -> tuple[np.ndarray, np.ndarray]:
    return numbers(N, d)[0], LABELS


class Failing:
    """Rows that cannot be had: a file that is gone, a connection that is cut."""

    def __init__(self, error):
        self.error = error

    def __array__(self, dtype=None, copy=None):
        raise self.error


class FailingRows:
    def __len__(self):
        return N

    def __getitem__(self, row):
        raise RuntimeError("row is gone")


class FailingLength(FailingRows):
    shape = property(lambda self: 1 / 0)

    def __len__(self):
        raise RuntimeError("length is gone")


FAILING = {
    "OSError": Failing(OSError("file is gone")),
    "KeyError": Failing(KeyError("key is gone")),
    "rows": FailingRows(),
    "length": FailingLength(),
}


@one_of_each_models_way_in
def test_rows_labels_and_weights_that_cannot_be_had_are_refused_with_what_went_wrong(estimator):
    X = numbers(N, 4)[0]
    model = learnt(estimator, functools.partial(labelled_numbers, 4))
    who = type(estimator).__name__
    for name, given in FAILING.items():
        with case(name):
            with pytest.raises(InputError, match=rf"{who}\.fit: X "):
                clone(estimator).fit(given, LABELS)
            with pytest.raises(InputError, match="X "):
                answers(model, given)
            with pytest.raises(LabelError, match=rf"{who}\.fit.*: y "):
                clone(estimator).fit(X, given)
            with pytest.raises(InputError, match=r"sample_weight"):
                clone(estimator).fit(X, LABELS, sample_weight=given)


@one_of_each_way_in
def test_memory_that_runs_out_and_interrupts_are_not_taken_for_bad_input(estimator):
    for error in (MemoryError(), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            clone(estimator).fit(Failing(error), LABELS)
