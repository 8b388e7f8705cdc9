"""margin.persistence.container.digests: the same digests, whichever way they were worked out."""

import hashlib

import numpy as np
import pytest

from margin.persistence.container import digests as module
from margin.persistence.container.digests import digests


@pytest.mark.parametrize("in_hardware", [True, False])
@pytest.mark.parametrize("lengths", [(0, 0), (1, 20_000), (2**14, 2**14), (2**14, 2**16 + 63), (2**20 + 1, 2**20)])
def test_two_pieces_have_the_digests_that_hashlib_gives_them(lengths, in_hardware, monkeypatch):
    monkeypatch.setattr(module, "_IN_HARDWARE", in_hardware and module._IN_HARDWARE)
    rng = np.random.default_rng(0)
    pieces = [np.frombuffer(rng.bytes(length), dtype=np.uint8) for length in lengths]
    assert list(digests(pieces)) == [hashlib.sha256(piece).digest() for piece in pieces]


def test_one_piece_and_many_are_digested_too():
    assert digests([b"abc" * 10_000])[0] == hashlib.sha256(b"abc" * 10_000).digest()
    assert len(digests([b""] * 3)) == 3


def test_memory_that_does_not_lie_together_is_refused():
    apart = memoryview(bytes(2**16))[::2]
    with pytest.raises((TypeError, BufferError)):
        digests([apart, apart])
