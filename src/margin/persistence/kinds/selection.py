"""Searches: what they tried, and the model that they chose."""

from __future__ import annotations

from typing import Any

import numpy as np

from margin.persistence.kinds.base import AS_GIVEN, classifier, n_given
from margin.persistence.kinds.evaluation import SHARE
from margin.persistence.objects.arrays import Array
from margin.persistence.objects.fields import (
    ANY_NUMBER,
    Absent,
    Field,
    Fixed,
    Flag,
    MapOf,
    Maybe,
    Model,
    Object,
    Text,
    TupleOf,
    Whole,
)
from margin.persistence.objects.kind import Kind
from margin.persistence.objects.values import Value
from margin.selection.search.doubling import LogSearch, Step
from margin.selection.search.grid import GridSearch, RandomSearch
from margin.selection.search.halving import HalvingSearch
from margin.selection.search.results import SearchResults

__all__ = ["KINDS"]

SETTING = MapOf(Value())
SEARCH: dict[str, Field] = {
    "results_": Object("search-results", where={"s": len}),
    "n_fits_": Whole(0),
    "best_index_": Whole(0),
    "best_params_": SETTING,
    "best_score_": Object("score"),
    "model_": Absent(Model()),
}


def _results(values: dict[str, Any]) -> SearchResults:
    """The times are not saved: the same search of the same data is the same file on every machine."""
    return SearchResults(**values, fit_seconds=np.full(len(values["settings"]), np.nan))


def _has_settings(results: SearchResults) -> str | None:
    return None if len(results) else "nothing was tried"


def _passes_on(search: Any) -> str | None:
    """Whether the model that was chosen speaks of the classes and columns of the search."""
    if search.best_index_ >= len(search.results_):
        return "the setting that was chosen is none of those tried"
    chosen = vars(search).get("model_")
    if chosen is None:
        return None
    classes = getattr(chosen, "classes_", None)
    if not isinstance(classes, np.ndarray) or not {*classes.tolist()} <= {*search.classes_.tolist()}:
        return "the model that was chosen knows other classes"
    return "the model that was chosen knows other columns" if n_given(chosen) != search._columns.n else None


def _search(name: str, cls: type, **fields: Field) -> Kind:
    return classifier(name, cls, {**SEARCH, **fields}, sees=AS_GIVEN, check=_passes_on)


KINDS: tuple[Kind, ...] = (
    Kind(
        "search-results",
        SearchResults,
        {
            "metric": Text(),
            "greater_is_better": Flag(),
            "bounds": Fixed(ANY_NUMBER, ANY_NUMBER),
            "settings": TupleOf(SETTING, "s"),
            "fold_scores": Array("f8", "s", "f"),
            "errors": TupleOf(Text(), "s"),
            "dropped": Array("b1", "s"),
            "test_to_train": ANY_NUMBER,
            "confidence": SHARE,
            "resource": Maybe(Array("i8 f8", "s")),
            "n_cases": Maybe(Whole(0)),
        },
        derived=frozenset({"fit_seconds"}),
        build=_results,
        check=_has_settings,
    ),
    Kind(
        "search-step",
        Step,
        {"parameter": Text(), "value": ANY_NUMBER, "move": Text(), "score": ANY_NUMBER, "taken": Flag()},
    ),
    _search("grid-search", GridSearch),
    _search("random-search", RandomSearch),
    _search("halving-search", HalvingSearch, rounds_=TupleOf(Fixed(Whole(0), Whole(0)))),
    _search("log-search", LogSearch, path_=TupleOf(Object("search-step"))),
)
