"""The two things a model can do that are written above its level: be pickled as a model file, and be exported.

Nothing of it is imported before someone asks. This file alone may reach up (``REACHES_UP`` in tests/architecture.py).
"""

from __future__ import annotations

from typing import Any

from margin.errors import PersistenceError

__all__ = ["exported", "pickled"]


def pickled(model: Any) -> tuple[Any, tuple[bytes]] | None:
    """How pickle is to keep a model: the bytes of its file and the reader of files; None where files cannot hold it."""
    from margin import persistence

    try:
        return persistence.from_bytes, (persistence.to_bytes(model),)
    except PersistenceError:
        return None  # a function among its parameters, a model of another package inside, a subclass of the user's


def exported(model: Any, path: Any, check: Any) -> Any:
    """The model as an ONNX graph."""
    from margin.export import to_onnx
    from margin.persistence import witness

    return to_onnx(model, path, check=witness.rows_for(model) if check is True else check)
