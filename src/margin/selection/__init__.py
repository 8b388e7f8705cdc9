"""Which model, which setting: search, knees, curves and nested validation."""

from margin.evaluation.curves.knee import Knee, knee
from margin.selection.auditing.audit import audit
from margin.selection.auditing.result import Audit, Finding
from margin.selection.curves.learning_curve import LearningCurve, learning_curve
from margin.selection.curves.power_law import PowerLaw
from margin.selection.curves.validation_curve import ValidationCurve, validation_curve
from margin.selection.nested_validation import Nested, nested
from margin.selection.search.doubling import LogSearch, Step
from margin.selection.search.grid import GridSearch, RandomSearch
from margin.selection.search.halving import HalvingSearch
from margin.selection.search.results import SearchResults
from margin.selection.search.trial_runner import ProgressReport

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
