"""What tests of networks that make share: one thread of torch, and nothing of torch's changed behind one's back."""

import pytest
import torch


@pytest.fixture(autouse=True)
def _torch_is_left_as_it_was():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    state = torch.get_rng_state()
    yield
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_num_threads() == 1
    torch.set_num_threads(threads)
