"""What the contract tests share."""

import warnings

import pytest

from margin.errors import (
    ConstantColumnWarning,
    ConvergenceWarning,
    DeficientClassWarning,
    LonelyRowWarning,
    SparseTableWarning,
)


@pytest.fixture
def quiet():
    """Constant columns are warned of elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantColumnWarning)
        yield


@pytest.fixture(autouse=True)
def _what_small_data_bring_about_is_meant():
    """Small data of real numbers never fill the table of the joint model, and leave some rows without neighbours
    within a radius; noisy ones have no plane between the classes, and steps of default size do not settle on them. The
    models say so; that is tested with them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SparseTableWarning)
        warnings.simplefilter("ignore", DeficientClassWarning)
        warnings.simplefilter("ignore", LonelyRowWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
