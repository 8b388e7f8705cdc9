"""What tests of networks on sequences share: one thread of torch, and nothing of torch's changed behind one's back."""

import pytest
import torch


@pytest.fixture(autouse=True)
def _torch_is_left_as_it_was():
    """Global seed, default type of numbers and the number of threads belong to whoever uses torch beside margin."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    state, dtype = torch.get_rng_state(), torch.get_default_dtype()
    yield
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_default_dtype() == dtype
    assert torch.get_num_threads() == 1
    torch.set_num_threads(threads)
