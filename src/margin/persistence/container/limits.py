"""What a model file may hold at most, and what is said of one that holds something else."""

from __future__ import annotations

__all__ = [
    "ALIGNMENT",
    "DEEPEST",
    "MOST_ARRAYS",
    "MOST_DIMENSIONS",
    "MOST_HEADER",
    "MOST_VALUES",
    "SPAN",
    "Malformed",
    "NewerKind",
]

#: Bytes of the header.
MOST_HEADER = 16 * 2**20
#: Nesting of the header.
DEEPEST = 32
#: Values in the header: as objects in memory they take two hundred bytes each, however few they are in the file.
MOST_VALUES = 2**18
MOST_ARRAYS = 65_536
MOST_DIMENSIONS = 8
#: Buffers begin at multiples of this, so that they can be mapped and read by any instruction.
ALIGNMENT = 64
#: Buffers are digested in spans of this size, so that threads share one buffer and damage is found where it is.
SPAN = 4 * 2**20


class Malformed(ValueError):
    """Something in a file is not what it must be; ``where`` leads to it from the root."""

    def __init__(self, why: str, where: str = "") -> None:
        super().__init__(f"{where}: {why}" if where else why)
        self.why = why
        self.where = where

    def inside(self, step: str) -> Malformed:
        """The same, seen from one level further out."""
        return Malformed(
            self.why, f"{step}{self.where if self.where.startswith('[') else '.' * bool(self.where) + self.where}"
        )


class NewerKind(Malformed):
    """A kind, a version of one, or a section that this margin does not know."""
