"""What the contract tests share."""

import warnings

import pytest

from margin.errors import ConstantColumnWarning, SparseTableWarning


@pytest.fixture
def quiet():
    """Constant columns are warned of elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantColumnWarning)
        yield


@pytest.fixture(autouse=True)
def _sparse_tables_are_meant():
    """Small data of real numbers never fill the table of the joint model, which says so; that is tested with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SparseTableWarning)
        yield
