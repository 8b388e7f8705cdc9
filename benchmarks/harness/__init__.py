"""What runs a benchmark: declare workloads and sides, run them in turns, print a table."""

from benchmarks.harness.measures import call, fit_and_predict, fit_predict_and, import_time, reading
from benchmarks.harness.workload import Arrays, Column, Measure, Side, Workload

__all__ = [
    "Arrays",
    "Column",
    "Measure",
    "Side",
    "Workload",
    "call",
    "fit_and_predict",
    "fit_predict_and",
    "import_time",
    "reading",
]
