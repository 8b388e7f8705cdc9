"""Distributions of naive Bayes and the blocks of columns that share them.

Logarithms of shares, densities and the like follow from counts and are worked out again. Letters: ``k`` classes, ``d``
columns; ``v`` levels or values of all columns one after another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from margin.base.inputs.columns import Columns
from margin.bayes.column_blocks import Block, TextBlock
from margin.bayes.distributions.categorical import Categorical, CategoricalNumbers
from margin.bayes.distributions.distribution import Place
from margin.bayes.distributions.gaussian import LEAST_DEVIATION
from margin.bayes.distributions.kernel_density import KernelDensity
from margin.bayes.distributions.mdl_intervals import MdlIntervals
from margin.bayes.distributions.standard import Bernoulli, Complement, Gaussian, Multinomial, Poisson
from margin.bayes.sufficient_statistics import (
    ClassMoments,
    LevelCounts,
    NumberCounts,
    SortedCells,
    Sums,
    WordSums,
    firsts,
)
from margin.persistence.kinds.bayes_statistics import NumbersOfColumns, n_classes, n_columns
from margin.persistence.objects.arrays import Array, Rule, at_least, below, finite, positive, starts, strictly_ascending
from margin.persistence.objects.fields import Absent, Either, Field, Flag, Maybe, Number, Object, Renamed, Text
from margin.persistence.objects.kind import Kind

__all__ = ["KINDS", "part_fits"]

#: Virtual cases: as many for all columns, or so many for each.
ALPHA = Either(Number(0), Array("f8", None, at_least(0), finite))
FOUND = Object("class-sums")
COLUMNS = Object("columns", where={"n": lambda columns: columns.n})
zero_or_one = Rule("cells are 0 or 1", lambda a, _: ((a == 0) | (a == 1)).all())


class Stored(NamedTuple):
    """What a file has to know of a distribution.

    ``places`` are the parts of the data it may be asked about, ``counted`` the statistics that are kept for it, and
    ``shape`` says of how many columns and classes it is.
    """

    kind: Kind
    places: tuple[Place, ...]
    counted: type
    shape: Callable[[Any], tuple[int, int]]


def _shape(distribution: Any) -> tuple[int, int]:
    return STORED[type(distribution)].shape(distribution)


def _of_levels(distribution: Any) -> tuple[int, int]:
    return len(distribution.first) - 1, distribution.level_counts.shape[1]


def _of_sums(distribution: Any) -> tuple[int, int]:
    return distribution.found.sums.T.shape


def _alpha_fits(distribution: Any) -> str | None:
    if np.ndim(distribution.alpha) and len(distribution.alpha) not in (1, _shape(distribution)[0]):
        return "there must be one alpha, or one for each column"
    return None


def _lay_out(distribution: Any) -> None:
    if _alpha_fits(distribution) is None:  # else the check says so
        distribution.lay_out()


def _learn_again(distribution: Any) -> None:
    if _alpha_fits(distribution) is None:
        distribution.learn(distribution.found, True)


def _bernoulli(distribution: Bernoulli) -> None:
    distribution.sparse = distribution.threshold >= 0
    _learn_again(distribution)


def _categorical_numbers(distribution: CategoricalNumbers) -> None:
    distribution.first = np.zeros(len(distribution.values) + 1, dtype=np.int64)
    _lay_out(distribution)


def _gaussian(distribution: Gaussian) -> str | None:
    if (distribution.smoothing is None) != ("epsilon" not in vars(distribution)):
        return "what was added to variances is known where they are smoothed"
    return None


def _kernel_density(distribution: KernelDensity) -> str | None:
    if len(distribution.start) - 1 != distribution.width.size:
        return "there must be bumps of every column in every class"
    return None


def _intervals(distribution: MdlIntervals) -> None:
    distribution.first = firsts([len(cuts) + 1 for cuts in distribution.cuts])
    if _intervals_fit(distribution) is None:
        distribution.lay_out()


def _intervals_fit(distribution: MdlIntervals) -> str | None:
    if distribution.first[-1] != len(distribution.level_counts):
        return "there must be one interval more than cuts in every column"
    return _alpha_fits(distribution)


def _standing_in(columns: Columns, place: str) -> np.ndarray:
    """Which columns stand in a part of the data."""
    assert columns.schema is not None
    text = place == "text"
    return np.array(
        [
            place == "numeric" if column.is_numeric else place != "numeric" and text == (column.name in columns.text)
            for column in columns.schema
        ],
        dtype=bool,
    )


def _stand_there(block: Block) -> bool:
    """Whether the columns of a block stand in its part of the data."""
    if block.columns.schema is None:
        return block.place == "numeric"
    return bool(_standing_in(block.columns, block.place)[block.positions].all())


def _find_cells(block: Block) -> None:
    if block.columns.schema is None:  # every column stands where it stands; a file may say that there are billions
        block.at = block.positions.copy()
        block.is_whole = block.place == "numeric" and len(block.at) == block.columns.n
        return
    there = _standing_in(block.columns, block.place)
    block.at = (np.cumsum(there) - 1)[block.positions]
    block.is_whole = block.place == "numeric" and len(block.at) == int(there.sum())


def _block_fits(block: Block) -> str | None:
    n = len(block.positions)
    distribution: Any = block.distribution
    if n == 0 or not _stand_there(block):
        return "its columns do not stand where it looks for them"
    is_text = isinstance(block, TextBlock)
    if is_text != (block.place == "text") or (is_text and n != 1):
        return "every text is a block of its own"
    if block.place not in STORED[type(distribution)].places:
        return f"a {distribution.name} distribution does not suit its columns"
    if not is_text and _shape(distribution)[0] != n:
        return "its distribution is of another number of columns"
    if block.place == "codes" and not _levels_fit(block, distribution.first):
        return "its distribution knows another number of levels than its columns have"
    return None


def _levels_fit(block: Block, first: np.ndarray) -> bool:
    return bool(np.array_equal(np.diff(first), [len(column.levels) for column in block.described()]))


def part_fits(block: Block, part: Any, classes: int) -> str | None:
    """What is wrong with a block and its statistics in a model of so many classes."""
    distribution: Any = block.distribution
    wide, deep = _shape(distribution)
    if deep != classes or n_classes(part) != classes:
        return "a block is of another number of classes"
    wanted = WordSums if isinstance(block, TextBlock) else STORED[type(distribution)].counted
    if type(part) is not wanted or n_columns(part) != wide:
        return "statistics are of other columns than the blocks"
    if isinstance(part, LevelCounts) and not (_levels_fit(block, part.first) and part.at == tuple(block.at.tolist())):
        return "statistics know other levels than the columns have"
    if isinstance(part, ClassMoments) and (part.unweighted is None) != (distribution.smoothing is None):
        return "moments of all rows are kept where variances are smoothed"
    return None


_TABLE = frozenset({"table", "_may_rule_out"})
_PRESENCE = frozenset({"sparse", "present", "absent", "_rules_out", "_never_absent", "_all_absent", "_instead"})
_OF_WIDTH = frozenset({"steep", "off", "_plain"})


def _counted(
    name: str,
    cls: type,
    own: dict[str, Field],
    places: tuple[Place, ...],
    derived: frozenset[str],
    finish: Callable[[Any], None],
) -> Stored:
    """A distribution that is made of sums, with fields of its own between its alpha and the sums."""
    fields = {"alpha": ALPHA, **own, "found": Renamed("sums", FOUND)}
    return Stored(Kind(name, cls, fields, derived=derived, finish=finish, check=_alpha_fits), places, Sums, _of_sums)


#: All distributions: each with its kind, where it may stand, what is counted for it, and its shape.
_DISTRIBUTIONS = (
    Stored(
        Kind(
            "categorical",
            Categorical,
            {
                "alpha": ALPHA,
                "first": Array("i8", None, starts("v")),
                "level_counts": Renamed("counts", Array("f8", "v", "k", at_least(0))),
            },
            derived=frozenset({"log_share"}),
            finish=_lay_out,
            check=_alpha_fits,
        ),
        ("codes",),
        LevelCounts,
        _of_levels,
    ),
    Stored(
        Kind(
            "categorical-numbers",
            CategoricalNumbers,
            {
                "alpha": ALPHA,
                "numbered": Flag(),
                "least": Maybe(Array("f8", "d", at_least(0))),
                "values": NumbersOfColumns("d", "v"),
                "level_counts": Renamed("counts", Array("f8", "v", "k", at_least(0))),
            },
            derived=frozenset({"first", "log_share", "_by_place"}),
            finish=_categorical_numbers,
            check=_alpha_fits,
        ),
        ("numeric",),
        NumberCounts,
        _of_levels,
    ),
    Stored(
        Kind(
            "gaussian",
            Gaussian,
            {
                "alpha": ALPHA,
                "smoothing": Maybe(Number(0)),
                "epsilon": Absent(Number(0, finite=False, missing=True)),
                "least": Absent(Number(0), default=lambda: LEAST_DEVIATION),
                "floor": Absent(Array("f8", "d", at_least(0))),
                "mean": Array("f8", "k", "d"),
                "variance": Array("f8", "k", "d"),
                "unit": Array("f8", "d", positive, finite),
            },
            derived=_OF_WIDTH | {"peak"},
            finish=Gaussian.lay_out,
            check=_gaussian,
        ),
        ("numeric",),
        ClassMoments,
        lambda d: d.mean.T.shape,
    ),
    Stored(
        Kind(
            "kernel-density",
            KernelDensity,
            {
                "alpha": ALPHA,
                "unit": Array("f8", "d", positive, finite),
                "width": Array("f8", "d", "k", at_least(0)),
                "constant": Array("f8", "d"),
                "start": Array("i8", None, starts("v")),
                "values": Array("f8", "v", finite),
                "log_weight": Array("f8", "v"),
            },
            derived=_OF_WIDTH,
            finish=KernelDensity.lay_out,
            check=_kernel_density,
        ),
        ("numeric",),
        SortedCells,
        lambda d: d.width.shape,
    ),
    Stored(
        Kind(
            "mdl-intervals",
            MdlIntervals,
            {
                "alpha": ALPHA,
                "cuts": NumbersOfColumns("d"),
                "level_counts": Renamed("counts", Array("f8", "v", "k", at_least(0))),
                "low": Array("f8", "v"),
                "high": Array("f8", "v"),
            },
            derived=frozenset({"first", "log_share"}),
            finish=_intervals,
            check=_intervals_fit,
        ),
        ("numeric",),
        SortedCells,
        _of_levels,
    ),
    _counted("multinomial", Multinomial, {}, ("numeric", "text"), _TABLE, _learn_again),
    _counted("complement", Complement, {"norm": Flag()}, ("numeric", "text"), _TABLE, _learn_again),
    _counted("bernoulli", Bernoulli, {"threshold": Number()}, ("numeric",), _PRESENCE, _bernoulli),
    Stored(
        Kind(
            "poisson",
            Poisson,
            {
                "alpha": ALPHA,
                "rate": Array("f8", "k", "d"),
                "_says_something": Array("f8", "d", zero_or_one),
            },
            derived=_TABLE,
            finish=Poisson.lay_out,
        ),
        ("numeric",),
        Sums,
        lambda d: d.rate.T.shape,
    ),
)
#: The same by class.
STORED: dict[Any, Stored] = {stored.kind.cls: stored for stored in _DISTRIBUTIONS}

_BLOCK: dict[str, Field] = {
    "columns": COLUMNS,
    "place": Text("numeric", "codes", "text"),
    "positions": Array("i8", None, below("n"), strictly_ascending),
    "distribution": Object(*(stored.kind.name for stored in _DISTRIBUTIONS)),
}

KINDS = (
    *(stored.kind for stored in _DISTRIBUTIONS),
    Kind("column-block", Block, _BLOCK, derived=frozenset({"at", "is_whole"}), finish=_find_cells, check=_block_fits),
    Kind(
        "text-block",
        TextBlock,
        _BLOCK,
        derived=frozenset({"at", "is_whole", "words"}),  # the words stand in the statistics
        finish=_find_cells,
        check=_block_fits,
    ),
)
