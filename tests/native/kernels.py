"""What the tests of the native kernels share: random input, and answers that must not depend on the threads."""

from __future__ import annotations

import numpy as np
import scipy.sparse
from hypothesis import settings
from hypothesis import strategies as st

FLOATS = (np.float64, np.float32)
CELLS = (np.float64, np.float32, np.int32, np.int64)
SEEDS = st.integers(0, 2**32 - 1)

few = settings(max_examples=40, deadline=None)


def on_1_2_3_threads(kernel, *arguments):
    """What the kernel gives; it must be the same to the last bit on any number of threads."""
    answers = [kernel(*arguments, threads) for threads in (1, 2, 3)]
    first = answers[0] if isinstance(answers[0], tuple) else (answers[0],)
    for other in answers[1:]:
        for a, b in zip(first, other if isinstance(other, tuple) else (other,), strict=True):
            assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
    return answers[0]


def added(kernel, *arguments, scores):
    """The scores after the kernel has added to them, and what it said."""
    found = []
    for threads in (1, 2, 3):
        copy = scores.copy()
        answer = kernel(*arguments, copy, threads)
        found.append((copy, answer))
    assert all(copy.tobytes() == found[0][0].tobytes() and answer == found[0][1] for copy, answer in found)
    return found[0]


def random_cells(rng, rows, columns, dtype, missing=0.2, spread=5):
    x = rng.normal(scale=spread, size=(rows, columns))
    if np.issubdtype(dtype, np.integer):
        return np.rint(x).astype(dtype)
    x[rng.random(x.shape) < missing] = np.nan
    return x.astype(dtype)


def random_weight(rng, rows):
    return rng.random(rows) + 0.1 if rng.random() < 0.5 else None


def sizes(rng):
    """Rows, columns, classes: small ones, with the borders, and now and then enough for several blocks."""
    rows = int(rng.choice([0, 1, 2, 7, 40, 333, 5000]))
    return rows, int(rng.choice([1, 2, 3, 5, 8, 9, 17, 40])), int(rng.choice([1, 2, 3, 30]))


def csr_parts(matrix, dtype=np.float64, index=np.int32):
    return matrix.data.astype(dtype), matrix.indices.astype(index), matrix.indptr.astype(index)


def random_csr(rng, rows, columns, missing=0.0, share=0.3):
    dense = np.where(rng.random((rows, columns)) < share, rng.poisson(2.0, (rows, columns)), 0).astype(float)
    dense[(rng.random(dense.shape) < missing) & (dense != 0)] = np.nan
    return scipy.sparse.csr_array(dense), dense
