"""Which model, which setting: search, knees, curves and nested validation."""

from margin.evaluation.knee import Knee, knee
from margin.selection.audit_result import Audit, Finding
from margin.selection.auditing import audit
from margin.selection.desk import ProgressReport
from margin.selection.grid_search import GridSearch, RandomSearch
from margin.selection.halving import HalvingSearch
from margin.selection.log_search import LogSearch, Step
from margin.selection.results import SearchResults

__all__ = [
    "Audit",
    "Finding",
    "GridSearch",
    "HalvingSearch",
    "Knee",
    "LogSearch",
    "ProgressReport",
    "RandomSearch",
    "SearchResults",
    "Step",
    "audit",
    "knee",
]
