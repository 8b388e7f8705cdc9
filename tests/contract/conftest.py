"""What the contract tests share."""

import warnings

import pytest

from margin.errors import ConstantColumnWarning, LonelyRowWarning, SparseTableWarning


@pytest.fixture
def quiet():
    """Constant columns are warned of elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantColumnWarning)
        yield


@pytest.fixture(autouse=True)
def _sparse_tables_and_lonely_rows_are_meant():
    """Small data of real numbers never fill the table of the joint model, and leave some rows without neighbours
    within a radius. The models say so; that is tested with them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SparseTableWarning)
        warnings.simplefilter("ignore", LonelyRowWarning)
        yield
