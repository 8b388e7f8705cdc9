"""Which model, which setting: search, knees, curves and nested validation."""

from margin.evaluation.knee import Knee, knee
from margin.selection.audit_result import Audit, Finding
from margin.selection.auditing import audit
from margin.selection.desk import ProgressReport
from margin.selection.grid_search import GridSearch, RandomSearch
from margin.selection.halving import HalvingSearch
from margin.selection.learning_curve import LearningCurve, learning_curve
from margin.selection.log_search import LogSearch, Step
from margin.selection.nested_validation import Nested, nested
from margin.selection.power_law import PowerLaw
from margin.selection.results import SearchResults
from margin.selection.validation_curve import ValidationCurve, validation_curve

__all__ = [
    "Audit",
    "Finding",
    "GridSearch",
    "HalvingSearch",
    "Knee",
    "LearningCurve",
    "LogSearch",
    "Nested",
    "PowerLaw",
    "ProgressReport",
    "RandomSearch",
    "SearchResults",
    "Step",
    "ValidationCurve",
    "audit",
    "knee",
    "learning_curve",
    "nested",
    "validation_curve",
]
