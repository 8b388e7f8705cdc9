"""What tests of networks on PyTorch share: one thread of torch, and nothing of torch's changed behind one's back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

__all__ = ["torch_is_left_as_it_was"]


@pytest.fixture(autouse=True)
def torch_is_left_as_it_was() -> Iterator[None]:
    """Global seed, default type of numbers and the number of threads belong to whoever uses torch beside margin."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    state, dtype = torch.get_rng_state(), torch.get_default_dtype()
    yield
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_default_dtype() == dtype
    assert torch.get_num_threads() == 1
    torch.set_num_threads(threads)
