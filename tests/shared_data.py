"""The real data sets that stand beside the project, where there are any."""

from __future__ import annotations

from pathlib import Path

import pytest

__all__ = ["SHARED_DATA", "shared_data"]

#: The data folder beside the project's root; it is no part of the project and may be absent.
SHARED_DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"


def shared_data(name: str, folder: Path | None = None) -> Path:
    """The path of a shared data set; skips the test, saying why, where it is absent."""
    path = (folder or SHARED_DATA) / name
    if not path.exists():
        pytest.skip(f"needs {name} in {path.parent}, which is not on this machine")
    return path
