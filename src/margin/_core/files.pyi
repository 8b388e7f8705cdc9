from typing import Any

def has_sha256() -> bool:
    """Whether this machine has instructions for SHA-256."""

def sha256_of_two(a: object, b: object) -> tuple[Any, ...]:
    """The SHA-256 of two pieces of memory, worked out side by side; only where has_sha256()."""
