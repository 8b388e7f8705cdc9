"""Numbers by which rows are dealt out: by their definition in NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp

from margin.base.representations.mixed import MixedData
from margin.tree.training_rows import Rows, _marks


def by_definition(columns, seed):
    """Ranks of cells, mixed in column after column."""
    found = np.full(len(columns[0]), seed, dtype=np.uint64)
    for column in columns:
        different, rank = np.unique(column, return_inverse=True)
        if len(different) > 1:
            found ^= rank.astype(np.uint64)
            found *= np.uint64(0xBF58476D1CE4E5B9)
            found ^= found >> np.uint64(32)
    return found


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("sparse", [False, True])
def test_marks_are_those_of_the_definition(kind, sparse):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((500, 9)) < 0.3, rng.integers(-3, 40, (500, 9)), 0).astype(kind)
    X[:, 4] = 0
    if kind is not np.int64:
        X[rng.random(X.shape) < 0.1] = np.nan
        X[:, 5] = rng.normal(size=500)
    codes, y = (rng.integers(-1, 4, 500).astype(np.int32),), rng.integers(0, 3, 500)
    cells = sp.csr_array(X) if sparse else X
    found = _marks(Rows(MixedData(cells, codes), y, np.ones(500)), 12345)
    np.testing.assert_array_equal(found, by_definition([*X.T, *codes, y], 12345))
