"""Models that keep their training rows: neighbours, centroids and the rote learner.

Letters: ``n`` rows that are kept, ``g`` rows that were given (those of weight 0 too).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from margin.base.representations.mixed import MixedEncoder
from margin.base.representations.representation import SQUARABLE
from margin.neighbors.centroid import NearestCentroid
from margin.neighbors.equal_rows import EqualRows
from margin.neighbors.indexes.ball_tree import BallTree
from margin.neighbors.indexes.brute_force import BruteForce
from margin.neighbors.indexes.given import GivenDistances
from margin.neighbors.indexes.kd_tree import KDTree
from margin.neighbors.indexes.mixed import MixedRows
from margin.neighbors.indexes.sparse import SparseRows
from margin.neighbors.knn import KNeighborsClassifier, KNeighborsRegressor
from margin.neighbors.radius import Outlier, RadiusNeighborsClassifier, RadiusNeighborsRegressor, outliers_of
from margin.neighbors.rote import RoteClassifier
from margin.persistence.kinds.base import MIXED, NUMERIC, OUTPUTS, classifier, model, shares
from margin.persistence.kinds.neighbor_indexes import POSITIVE
from margin.persistence.objects.arrays import Array, Rule, at_least, finite, positive, strictly_ascending
from margin.persistence.objects.fields import Either, Field, Flag, Object, Packer, Text, TupleOf, Unpacker, Whole
from margin.persistence.objects.kind import Kind
from margin.persistence.objects.values import Label

__all__ = ["KINDS"]

#: Row numbers are looked up by nobody but the user: in a mapped file they need not be read.
row_numbers = Rule(
    "every cell is the number of a row that was given",
    lambda a, sizes: a.size == 0 or (a.min() >= 0 and a.max() < sizes["g"]),
)
counted = Rule("every row counts for some class", lambda a, _: (a.sum(axis=1) > 0).all())

_N_COLUMNS: dict[type, Callable[[Any], int]] = {
    BruteForce: lambda index: index.cells.shape[1],
    KDTree: lambda index: len(index.shift),
    BallTree: lambda index: index._rows.shape[1],
    SparseRows: lambda index: index.n_columns,
}


class Weights:
    """A weight for each of ``n`` rows; null where all of them are 1."""

    _array = Array("f8", "n", positive, finite)

    def pack(self, value: object, to: Packer) -> Any:
        return None if isinstance(value, np.ndarray) and (value == 1).all() else self._array.pack(value, to)

    def unpack(self, node: Any, of: Unpacker) -> np.ndarray:
        return np.broadcast_to(1.0, of.sizes["n"]) if node is None else self._array.unpack(node, of)


def _voters(targets: str) -> dict[str, Field]:
    """What models of neighbours hold."""
    return {
        "_order": Array("i8", "n", row_numbers),
        "_n_given": Whole(1, size="g"),
        "_metric": Text(),
        "_space": Object("space"),
        "_index": Object(
            "brute-force",
            "kd-tree",
            "ball-tree",
            "sparse-rows",
            "mixed-rows",
            "given-distances",
            where={"n": lambda index: index.n_rows},
        ),
        "_choice": Object("index-choice"),
        "_targets": Either(Array(targets, "n"), Array(targets, "n", None, order="A")),
        "_weight": Weights(),
        "_once": Flag(),
        "_repeats": Flag(),
    }


_SEES = Object("numeric-encoder", "mixed-encoder")


# Since version 2 neighbours tied at the k-th distance share the places left; the state is the same.
_SHARED_TIES: dict[str, Any] = {"version": 2, "steps": {1: lambda state: state}, "answers_since": 2}


def _voting_classifier(name: str, cls: type, fields: dict[str, Field]) -> Kind:
    named: dict[str, Field] = {"classes_": OUTPUTS, "outputs_2d_": Flag()}
    return model(name, cls, {**named, **_voters("i4"), **fields}, sees=_SEES, check=_classes_fit, **_SHARED_TIES)


def _voting_regressor(name: str, cls: type, **more: Any) -> Kind:
    return model(name, cls, _voters("f8"), sees=_SEES, check=_targets_fit, **more)


def _targets_fit(made: Any) -> str | None:
    if made._targets.size == 0:
        return "there are no targets"
    return _index_unfit(made)


def _classes_fit(made: Any) -> str | None:
    several = made.outputs_2d_
    if isinstance(made.classes_, list) != several or (made._targets.ndim == 2) != several:
        return "it has one target and several, both at once"
    classes = made.classes_ if several else [made.classes_]
    codes = made._targets if several else made._targets[:, None]
    # An answer counts votes by these codes: a large one would take as much memory.
    if codes.shape[1] != len(classes) or codes.size == 0 or codes.min() < 0:
        return "its targets are those of other classes"
    if any(most >= len(labels) for most, labels in zip(codes.max(axis=0).tolist(), classes)):
        return "its targets are those of other classes"
    if isinstance(made, RadiusNeighborsClassifier) and made._outliers:
        given = [outlier.label for outlier in made._outliers]
        if outliers_of(given, classes, made._targets, made._weight, "load") != made._outliers:
            return "rows without neighbours would get a label that is not what it says"
    return _index_unfit(made)


def _index_unfit(made: Any) -> str | None:
    """Why new rows, encoded, cannot be looked for in the index."""
    index, encoder, space, metric = made._index, made._encoder, made._space, made._metric
    if isinstance(index, MixedRows) != isinstance(encoder, MixedEncoder):
        return "its index is one of other rows than it sees"
    if isinstance(index, MixedRows):
        return _mixed_unfit(made)
    is_sparse = isinstance(index, SparseRows)
    width = NUMERIC.where["d"](encoder)
    if index.metric != ("euclidean" if metric == "cosine" and not is_sparse else metric):
        return "its index has another metric"
    if isinstance(index, GivenDistances):
        return None if width == made._n_given else "it has distances of another number of rows"
    if encoder.largest > SQUARABLE:
        return "it would take cells that are too large to compare"
    if space.cosine and (is_sparse or metric != "cosine"):
        return "only for cosines rows are brought to length 1"
    if space.factors is not None and len(space.factors) != width:
        return "there must be a factor for every column"
    # Rows without any column are compared by one of zeros; a row of zeros has a direction of its own.
    compared = 1 if width == 0 else width + space.cosine
    return None if _N_COLUMNS[type(index)](index) == compared else "its index has another number of columns"


def _mixed_unfit(made: Any) -> str | None:
    columns, encoder = made._index.columns, made._encoder
    if made._index.metric != made._metric:
        return "its index has another metric"
    if made._index.schema is not made._columns.schema or encoder.as_given or made._columns.text:
        return "its index is one of other columns"
    if columns.n_numeric != MIXED.where["d"](encoder) or columns.n_codes != MIXED.where["c"](encoder):
        return "its index has another number of columns"
    return None


def _centroids_fit(made: Any) -> str | None:
    there = made.class_prior_[made._present]
    return None if (there > 0).any() else "some class with rows must have a prior above 0"


def _rote_fits(made: Any) -> str | None:
    encoder, words = made._encoder, made._known.rows.shape[1]
    if encoder.as_given or words != MIXED.where["d"](encoder) + MIXED.where["c"](encoder):
        return "it remembers rows of other columns"
    return None


def _is_not_empty(rows: EqualRows) -> str | None:
    return None if len(rows.rows) else "there are no rows"


KINDS = (
    Kind("outlier-label", Outlier, {"label": Label(), "code": Whole(-1, 2**31 - 1)}),
    _voting_classifier("k-neighbors-classifier", KNeighborsClassifier, {}),
    _voting_regressor("k-neighbors-regressor", KNeighborsRegressor, **_SHARED_TIES),
    _voting_classifier(
        "radius-neighbors-classifier", RadiusNeighborsClassifier, {"_outliers": TupleOf(Object("outlier-label"))}
    ),
    _voting_regressor("radius-neighbors-regressor", RadiusNeighborsRegressor),
    classifier(
        "nearest-centroid",
        NearestCentroid,
        {
            "_metric": Text("euclidean", "manhattan"),
            "_present": Array("b1", "k"),
            "within_class_std_dev_": Array("f8", "d", at_least(0)),
            "_spread": Array("f8", "d", positive),
            "deviations_": Array("f8", "k", "d"),
            "centroids_": Array("f8", "k", "d", finite),
            "_center": Array("f8", "d", finite),
            "class_prior_": Array("f8", "k", shares),
            "_equal_priors": Flag(),
            "_unit": POSITIVE,
        },
        sees=NUMERIC,
        check=_centroids_fit,
    ),
    Kind(
        "equal-rows",
        EqualRows,
        {
            "seed": Whole(0, 2**32),
            "rows": Array("u8", "m", None),
            "hashes": Array("u8", "m", strictly_ascending),
        },
        check=_is_not_empty,
    ),
    classifier(
        "rote",
        RoteClassifier,
        {
            "priors_": Array("f8", "k", shares),
            "_known": Object("equal-rows", where={"m": lambda known: len(known.rows)}),
            "_counts": Array("f8", "m", "k", at_least(0), finite, counted),
        },
        sees=MIXED,
        check=_rote_fits,
    ),
)
