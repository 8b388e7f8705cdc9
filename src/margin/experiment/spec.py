"""What to compare and how: one run written down, so that it can be repeated."""

from __future__ import annotations

import dataclasses
import json
import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from margin.data import Table
from margin.data.schema import KINDS
from margin.errors import ParameterError, closest

__all__ = ["METRICS", "SMALL", "Spec"]

#: What every model is measured by. All can be had from answers alone, so that every classifier has them.
METRICS = ("accuracy", "balanced_accuracy", "f1")
#: Below this many training rows the folds are drawn anew three times, because one draw is too noisy.
SMALL = 2000


@dataclass(frozen=True)
class Spec:
    """One comparison of models.

    Parameters
    ----------
    data
        A table, the path of a file, or the name of a table of the catalog.
    target
        The column to predict: its name, its number from 1, or ``'last'``. Tables of the catalog know theirs. Several
        columns, in a list, are learnt together.
    models
        Names out of the zoo, or all of them.
    settings
        Parameters of models, as words: ``{"knn.n_neighbors": "7"}``.
    test_share
        Part of the rows that is sealed at the start and opened once, for the best model.
    folds, repeats
        Cross-validation on the rest. ``'auto'`` repeats is 3 below 2,000 training rows and 1 above.
    metrics, sort
        What to measure, and which of them decides; the first, if nothing is said.
    positive
        The class, as it is written, that precision, recall, F1 and the curves are about; without it, of two classes the
        one that says yes, else the rarer one.
    seed
        Same seed, same split, same folds, same result.
    header, separator, missing, kinds, drop, only, coerce, skip, sheet
        How the file is read, where the guess is wrong; see :func:`margin.data.read`.
    jobs
        Folds worked on at once; -1 for all processors.

    Examples
    --------
    >>> spec = Spec("credit.csv", target="risk", models=("naive-bayes", "knn"), seed=1)
    >>> spec.command()
    'margin compare credit.csv --target risk --models naive-bayes,knn --seed 1'
    >>> Spec.from_json(spec.to_json()) == spec
    True
    """

    data: Table | str
    target: str | int | tuple[str | int, ...] | None = None
    models: tuple[str, ...] | None = None
    settings: Mapping[str, str] | None = None
    test_share: float = 0.2
    folds: int = 10
    repeats: int | Literal["auto"] = "auto"
    metrics: tuple[str, ...] = METRICS
    sort: str = ""
    positive: str = ""
    seed: int = 0
    header: bool | Literal["auto"] = "auto"
    separator: str = "auto"
    missing: tuple[str, ...] | None = None
    kinds: Mapping[str, str] | None = None
    drop: tuple[str, ...] | None = None
    only: tuple[str, ...] | None = None
    coerce: bool = False
    skip: int | None = None
    sheet: str | int | None = None
    jobs: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.data, os.PathLike):
            object.__setattr__(self, "data", os.fspath(self.data))
        if isinstance(self.target, (list, tuple)):
            several = tuple(self.target)
            object.__setattr__(self, "target", several if len(several) > 1 else several[0] if several else None)
        for name in ("models", "metrics", "missing", "drop", "only"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, (value,) if isinstance(value, str) else tuple(value))
        if not self.sort and self.metrics:
            object.__setattr__(self, "sort", self.metrics[0])
        _check(self)

    def n_repeats(self, n_rows: int) -> int:
        """How often the folds are drawn for this many training rows."""
        if self.repeats != "auto":
            return self.repeats
        return 3 if n_rows < SMALL else 1

    @property
    def reading(self) -> dict[str, Any]:
        """The options of :func:`margin.data.read`."""
        names = ("header", "separator", "missing", "kinds", "drop", "only", "coerce", "skip", "sheet")
        return {name: getattr(self, name) for name in names}

    def to_json(self) -> str:
        """The spec as text. A table in memory cannot be written down; a path or a name can."""
        if isinstance(self.data, Table):
            raise ParameterError("Spec.to_json(data=<Table>): data must be a path or a name of the catalog.")
        return json.dumps(dataclasses.asdict(self), ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Spec:
        """The spec that :meth:`to_json` wrote."""
        try:
            given = json.loads(text)
        except ValueError as error:
            raise ParameterError(f"Spec.from_json: the text is not JSON ({error}).") from None
        known = [field.name for field in dataclasses.fields(cls)]
        if not isinstance(given, dict) or "data" not in given:
            raise ParameterError("Spec.from_json: the text must be an object with at least 'data'.")
        for name in given:
            if name not in known:
                raise ParameterError(f"Spec.from_json: {name!r} is not a part of a spec{closest(name, known)}.")
        return cls(**given)

    def command(self) -> str:
        """What to type to get the same result again."""
        if isinstance(self.data, Table):
            return self._call()
        words = ["margin", "compare", self.data]
        for flag, name in _FLAGS.items():
            if name in self._told():
                words += _words(flag, getattr(self, name))
        return shlex.join(words)

    def _call(self) -> str:
        told = [f"{name}={value!r}" for name, value in self._told().items() if name not in ("data", "jobs")]
        return f"margin.experiment.run_to_end(Spec({', '.join(['table', *told])}))"

    def _told(self) -> dict[str, Any]:
        """What differs from the defaults."""
        defaults = {field.name: field.default for field in dataclasses.fields(self) if field.name != "data"}
        defaults["sort"] = self.metrics[0]
        return {name: getattr(self, name) for name, default in defaults.items() if getattr(self, name) != default}


_FLAGS = {
    "--target": "target",
    "--models": "models",
    "--set": "settings",
    "--test-share": "test_share",
    "--folds": "folds",
    "--repeats": "repeats",
    "--metrics": "metrics",
    "--sort": "sort",
    "--positive": "positive",
    "--seed": "seed",
    "--drop": "drop",
    "--only": "only",
    "--coerce": "coerce",
    "--skip": "skip",
    "--sheet": "sheet",
    "--header": "header",
    "--separator": "separator",
    "--missing": "missing",
    "--kind": "kinds",
}


def _words(flag: str, value: Any) -> list[str]:
    if flag == "--header":
        return ["--header" if value else "--no-header"]
    if flag == "--coerce":
        return [flag]
    if flag in ("--missing", "--target", "--drop", "--only") and isinstance(value, tuple):
        return [word for mark in value for word in (flag, str(mark))]
    if flag in ("--kind", "--set"):
        return [word for column, kind in value.items() for word in (flag, f"{column}={kind}")]
    return [flag, ",".join(value) if isinstance(value, tuple) else str(value)]


def _check(spec: Spec) -> None:
    if not isinstance(spec.data, (Table, str)):
        raise ParameterError(f"Spec(data={spec.data!r}): data must be a Table, a path or a name of the catalog.")
    _demand(
        "test_share", spec.test_share, _is_number(spec.test_share) and 0 < spec.test_share < 1, "above 0 and below 1"
    )
    _demand("folds", spec.folds, _is_count(spec.folds) and spec.folds >= 2, "a whole number, 2 or more")
    right = spec.repeats == "auto" or (_is_count(spec.repeats) and spec.repeats >= 1)
    _demand("repeats", spec.repeats, right, "'auto' or a whole number, 1 or more")
    _demand("seed", spec.seed, _is_count(spec.seed) and spec.seed >= 0, "a whole number, 0 or more")
    _demand("jobs", spec.jobs, _is_count(spec.jobs) and (spec.jobs >= 1 or spec.jobs == -1), "1 or more, or -1 for all")
    _demand("metrics", spec.metrics, bool(spec.metrics), "at least one name")
    _demand("sort", spec.sort, spec.sort in spec.metrics, f"one of the metrics, {', '.join(map(repr, spec.metrics))}")
    for column, kind in (spec.kinds or {}).items():
        if kind not in KINDS:
            known = ", ".join(map(repr, KINDS))
            raise ParameterError(f"Spec(kinds={{{column!r}: {kind!r}}}): must be one of {known}{closest(kind, KINDS)}.")


def _demand(name: str, value: object, holds: bool, rule: str) -> None:
    if not holds:
        raise ParameterError(f"Spec({name}={value!r}): {name} must be {rule}.")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
