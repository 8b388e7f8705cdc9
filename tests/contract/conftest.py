"""What the contract tests share."""

import warnings

import pytest

from margin.errors import ConstantColumnWarning


@pytest.fixture
def quiet():
    """Constant columns are warned of elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantColumnWarning)
        yield
