"""Random streams that depend on the seed and the task, not on threads or the order of work."""

from __future__ import annotations

import hashlib
import operator
import secrets
from typing import SupportsIndex

import numpy as np

from margin.errors import ParameterError
from margin.typing import SeedLike

__all__ = ["generator", "seed_for"]

_BITS = 64


def seed_for(seed: SeedLike = None, *path: SupportsIndex | str, bits: int = _BITS) -> int:
    """The seed of one task: an integer of 64 bits (or fewer) made from a seed and the path to the task.

    It is the BLAKE2b hash of seed and path, the same on every machine and in every release; different paths give
    unrelated seeds. The core makes its own streams from it, one per sub-task:
    ``margin::Stream(seed, task)`` is ``numpy.random.Philox(key=seed, counter=[0, 0, task, 0])``.

    Parameters
    ----------
    seed
        An integer from 0 up, of any size; a NumPy ``Generator`` or ``RandomState``, from which one integer is drawn; or
        ``None`` for a fresh one from the operating system, different each time.
    path
        Integers and strings that name the task: ``"fold", 3, "bootstrap"``.
    bits
        The length of the result; scikit-learn takes seeds of at most 32 bits.

    >>> seed_for(1, "fold", 3)
    17835965446262970881
    >>> seed_for(1, "fold", 3) == seed_for(1, "fold", "3")
    False
    >>> seed_for(1, "fold", 3, bits=32) < 2**32
    True
    """
    if not 1 <= bits <= _BITS:
        raise ParameterError(f"seed_for(bits={bits!r}): bits must be an integer from 1 to {_BITS}.")
    # Lengths and kinds are hashed too: ("ab", "c"), ("a", "bc") and 3, "3" are different paths.
    digest = hashlib.blake2b(digest_size=_BITS // 8)
    for part in (_as_integer(seed), *path):
        kind, text = ("s", part) if isinstance(part, str) else ("i", str(_step(part)))
        encoded = text.encode("utf-8", "surrogatepass")
        digest.update(f"{kind}{len(encoded)}:".encode() + encoded)
    return int.from_bytes(digest.digest(), "little") >> (_BITS - bits)


def generator(seed: SeedLike = None, *path: SupportsIndex | str) -> np.random.Generator:
    """NumPy's random generator for one task: seed and path decide what it draws, and nothing else.

    The bits are those of ``margin::Stream(seed_for(seed, *path), 0)`` in the core. Takes what :func:`seed_for` takes.

    >>> generator(1, "tree", 0).random(3).round(4).tolist() == generator(1, "tree", 0).random(3).round(4).tolist()
    True
    >>> generator(1, "tree", 0).random() == generator(1, "tree", 1).random()
    False
    """
    return np.random.Generator(np.random.Philox(key=seed_for(seed, *path)))


def _as_integer(seed: SeedLike) -> int:
    if seed is None:
        return secrets.randbits(128)
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**63))
    if isinstance(seed, np.random.RandomState):
        return int(seed.randint(2**63, dtype=np.int64))
    try:
        number = -1 if isinstance(seed, bool | np.bool_) else operator.index(seed)
    except TypeError:
        number = -1
    if number < 0:
        raise ParameterError(
            f"seed_for(seed={seed!r}): seed must be an integer from 0 up, a NumPy Generator or RandomState, or None."
        )
    return number


def _step(part: SupportsIndex) -> int:
    try:
        return operator.index(part)
    except TypeError:
        raise ParameterError(f"seed_for(path={part!r}): a path is made of integers and strings.") from None
