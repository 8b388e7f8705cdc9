"""The closed table of kinds: what can stand in a file, and nothing else.

A kind is added in the file of its family; the contract tests fail for an estimator without one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from margin.persistence.kinds import (
    base,
    bayes,
    bayes_statistics,
    calibration,
    data,
    discriminants,
    distributions,
    evaluation,
    linear,
    multiclass,
    neighbor_indexes,
    neighbors,
    selection,
    svm,
    tree,
)
from margin.persistence.kinds.deep import generative, networks, pictures, sequences, tensors, vision
from margin.persistence.kinds.ensembles import adaboost, additive, bags, committees, forests, gradient, weighted_votes
from margin.persistence.objects.kind import Kind

__all__ = ["BY_CLASS", "BY_NAME"]

FAMILIES = (
    *(data, base, evaluation),
    *(neighbor_indexes, neighbors),
    *(bayes_statistics, distributions, bayes, discriminants, calibration),
    *(linear, svm, tree, networks, tensors, pictures, sequences, vision, generative),
    *(multiclass, committees, bags, forests, gradient, selection),
    *(adaboost, additive, weighted_votes),
)


class _Table(NamedTuple):
    by_name: dict[str, Kind]
    by_class: dict[type, Kind]


def _table(families: Iterable[Iterable[Kind]]) -> _Table:
    by_name: dict[str, Kind] = {}
    by_class: dict[type, Kind] = {}
    for family in families:
        for kind in family:
            if kind.name in by_name or kind.cls in by_class:
                raise TypeError(f"two kinds are called {kind.name!r}, or {kind.cls.__name__} has two.")
            if len(kind.named) < len(kind.fields):
                raise TypeError(f"two fields of {kind.name!r} have one name in files (call one of them otherwise).")
            by_name[kind.name] = by_class[kind.cls] = kind
    return _Table(by_name, by_class)


BY_NAME, BY_CLASS = _table(module.KINDS for module in FAMILIES)
