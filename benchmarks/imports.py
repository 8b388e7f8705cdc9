"""What ``import`` costs: time and memory of a fresh interpreter, less those of a bare one."""

from __future__ import annotations

from benchmarks.harness import Arrays, Side, Workload, import_time

__all__ = ["WORKLOADS"]

LIBRARIES = ("margin", "numpy", "sklearn", "sklearnex", "lightgbm", "xgboost", "catboost", "faiss")


def nothing() -> Arrays:
    return {}


WORKLOADS = (Workload("import", nothing, tuple(Side(name, name, nothing) for name in LIBRARIES), import_time),)
