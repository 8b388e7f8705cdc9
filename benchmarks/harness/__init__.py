"""What runs a benchmark: declare workloads and sides, run them in turns, print a table."""

from benchmarks.harness.measures import call, fit_and_predict, import_time, reading
from benchmarks.harness.workload import Arrays, Measure, Side, Workload

__all__ = ["Arrays", "Measure", "Side", "Workload", "call", "fit_and_predict", "import_time", "reading"]
