"""Fits on tables that are larger than memory, by one process or many, with the same model to the last bit.

:func:`margin.scan` gives a table in parts; ``model.fit(parts)`` fits a model on it, in the engine that :func:`use`
chose.
"""

from typing import TYPE_CHECKING

from margin.lazy import attach

if TYPE_CHECKING:
    from margin.distributed.engines.engine import use
    from margin.distributed.engines.local import LocalEngine
    from margin.distributed.engines.processes import ProcessEngine
    from margin.distributed.fitting import fit

__all__ = ["LocalEngine", "ProcessEngine", "fit", "use"]

__getattr__, __dir__ = attach(
    __name__,
    {
        "fit": "margin.distributed.fitting",
        "LocalEngine": "margin.distributed.engines.local",
        "ProcessEngine": "margin.distributed.engines.processes",
        "use": "margin.distributed.engines.engine",
    },
)
