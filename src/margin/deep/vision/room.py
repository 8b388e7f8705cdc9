"""What fits into memory: refused before anything is allocated, with what would fit."""

from __future__ import annotations

import os
from collections.abc import Callable

from margin.errors import InputError

__all__ = ["free_memory", "refuse_too_large"]


def free_memory() -> int:
    """Bytes that can be had now; without Linux's account of it, half of what there is in all."""
    try:
        with open("/proc/meminfo", encoding="ascii") as told:
            for line in told:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):
        return 2**62


def refuse_too_large(who: str, what: str, bytes_of: Callable[[int], int], asked: int, name: str) -> None:
    """Refuse what takes more than there is; ``name`` is what can be made smaller, and ``asked`` how large it is."""
    room = free_memory()
    if bytes_of(asked) <= room:
        return
    fits = next((n for n in range(asked // 2, 0, -max(1, asked // 64)) if bytes_of(n) <= room), 0)
    fits = fits or int(bytes_of(1) <= room)
    hint = f"; {name}={fits} fits" if fits else ""
    raise InputError(
        f"{who}: {what} would take about {bytes_of(asked) / 2**30:.1f} GiB, and {room / 2**30:.1f} GiB are free{hint}."
    )
