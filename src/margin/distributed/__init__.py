"""Fits on tables that are larger than memory, by one process or many, with the same model to the last bit.

:func:`margin.scan` gives a table in parts; ``model.fit(parts)`` fits a model on it, in the engine that :func:`use`
chose.
"""

from typing import TYPE_CHECKING

from margin.lazy import attach

if TYPE_CHECKING:
    from margin.distributed.answering import predict, predictions
    from margin.distributed.costs import cost
    from margin.distributed.engines.dask import DaskEngine
    from margin.distributed.engines.engine import use
    from margin.distributed.engines.local import LocalEngine
    from margin.distributed.engines.processes import ProcessEngine
    from margin.distributed.engines.simulated import SimulatedEngine
    from margin.distributed.fitting import fit

__all__ = [
    "DaskEngine",
    "LocalEngine",
    "ProcessEngine",
    "SimulatedEngine",
    "cost",
    "fit",
    "predict",
    "predictions",
    "use",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "cost": "margin.distributed.costs",
        "fit": "margin.distributed.fitting",
        "predict": "margin.distributed.answering",
        "predictions": "margin.distributed.answering",
        "DaskEngine": "margin.distributed.engines.dask",
        "LocalEngine": "margin.distributed.engines.local",
        "ProcessEngine": "margin.distributed.engines.processes",
        "SimulatedEngine": "margin.distributed.engines.simulated",
        "use": "margin.distributed.engines.engine",
    },
)
