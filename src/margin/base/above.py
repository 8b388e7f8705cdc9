"""What a model can do that is written above its level: be pickled as a model file, be exported, be fitted on parts.

Nothing of it is imported before someone asks. This file alone may reach up (``REACHES_UP`` in tests/architecture.py).
"""

from __future__ import annotations

from typing import Any

from margin.errors import InputError, PersistenceError

__all__ = ["exported", "fitted_on_parts", "pickled"]


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


def fitted_on_parts(model: Any, parts: Any, y: Any, sample_weight: Any) -> Any:
    """The model, fitted on parts in the engine that is in use."""
    from margin.distributed import fit

    if y is not None or sample_weight is not None:
        raise InputError(
            f"{type(model).__name__}.fit: parts know their target and weights; name the columns where they are made: "
            "scan(…, target=…, weight=…)."
        )
    return fit(model, parts)
