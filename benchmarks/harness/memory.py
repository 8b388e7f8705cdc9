"""How much memory this process holds and held at most, as the kernel counts it."""

from __future__ import annotations

from pathlib import Path

__all__ = ["peak", "reset_peak", "resident"]

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def resident() -> int:
    """Bytes of memory held now."""
    return read("VmRSS", _STATUS.read_text())


def peak() -> int:
    """Most bytes held since the start, or since the last :func:`reset_peak`."""
    return read("VmHWM", _STATUS.read_text())


def reset_peak() -> bool:
    """Make the present use the peak; False where the system does not allow it."""
    try:
        _CLEAR.write_text("5")
    except OSError:
        return False
    return True


def read(field: str, status: str) -> int:
    """One field of a status page, in bytes.

    >>> read("VmRSS", "Name: python\\nVmRSS:\\t    12 kB\\n")
    12288
    """
    for line in status.splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise LookupError(f"{field} is not on this system's status page.")
