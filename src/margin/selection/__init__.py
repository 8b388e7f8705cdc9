"""Which model, which setting: search, knees, curves and nested validation."""

from margin.evaluation.knee import Knee, knee
from margin.selection.desk import ProgressReport
from margin.selection.grid_search import GridSearch, RandomSearch
from margin.selection.halving import HalvingSearch
from margin.selection.log_search import LogSearch, Step
from margin.selection.results import SearchResults

__all__ = [
    "GridSearch",
    "HalvingSearch",
    "Knee",
    "LogSearch",
    "ProgressReport",
    "RandomSearch",
    "SearchResults",
    "Step",
    "knee",
]
