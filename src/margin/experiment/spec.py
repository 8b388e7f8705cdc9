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
from margin.errors import ParameterError, closest, listing

__all__ = ["METRICS", "SMALL", "Spec", "seconds_of"]

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
        What to measure, and which of them decides. If nothing is said of either and a class is rare (below 10 % of the
        rows), that is its average precision, of more than two classes balanced accuracy; otherwise the first.
    positive
        The class, as it is written, that precision, recall, F1 and the curves are about; without it, of two classes the
        one that says yes, else the rarer one.
    cost
        What a missed case of the positive of two classes costs, where a false alarm costs 1: the threshold is chosen
        for it, and the model that is kept answers by it.
    seed
        Same seed, same split, same folds, same result.
    header, separator, missing, kinds, drop, only, coerce, skip, sheet
        How the file is read, where the guess is wrong; see :func:`margin.data.read`.
    jobs
        Folds worked on at once; -1 for all processors.
    group
        Column that says which rows belong together: no group stands on both sides of a split. It is no input.
    time
        Column that says when each row happened (dates or numbers): the last rows are sealed, and each stretch of the
        rest is asked of a model of what came before. It is no input.
    test
        A table of its own, or its path, that is the sealed test in place of a share of the rows.
    limit
        Seconds, or a text as ``"5m"``, after which what is done has to do; the test part then stays sealed.
    own
        Models of your own by name: anything with scikit-learn's contract.

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
    cost: float | None = None
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
    group: str | None = None
    time: str | None = None
    test: Table | str | None = None
    limit: float | None = None
    own: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        for name in ("data", "test"):
            if isinstance(getattr(self, name), os.PathLike):
                object.__setattr__(self, name, os.fspath(getattr(self, name)))
        limit: Any = self.limit
        if isinstance(limit, str):
            object.__setattr__(self, "limit", seconds_of(limit))
        if isinstance(self.target, (list, tuple)):
            several = tuple(self.target)
            object.__setattr__(self, "target", several if len(several) > 1 else several[0] if several else None)
        for name in ("models", "metrics", "missing", "drop", "only"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, (value,) if isinstance(value, str) else tuple(value))
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
        for name in ("data", "test"):
            if isinstance(getattr(self, name), Table):
                raise ParameterError(f"Spec.to_json({name}=<Table>): {name} must be a path or a name of the catalog.")
        if self.own:
            raise ParameterError(f"Spec.to_json: models of your own, {listing(self.own)}, cannot be written down.")
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
        if isinstance(self.data, Table) or isinstance(self.test, Table) or self.own:
            return self.call()
        words = ["margin", "compare", self.data]
        for flag, name in _FLAGS.items():
            if name in self._told():
                words += _words(flag, getattr(self, name))
        return shlex.join(words)

    def call(self) -> str:
        """The same as a line of Python; a table or a model in memory stands there under a name."""
        told = {name: repr(value) for name, value in self._told().items() if name not in ("target", "jobs", "own")}
        if self.own:
            models = [*(f"{name!r}: None" for name in self.models or ()), *(f"{name!r}: {name}" for name in self.own)]
            told["models"] = f"{{{', '.join(models)}}}"
        if isinstance(self.test, Table):
            told["test"] = "test"
        data = "table" if isinstance(self.data, Table) else repr(self.data)
        given = [data, *([] if self.target is None else [repr(self.target)])]
        return f"margin.compare({', '.join([*given, *(f'{name}={value}' for name, value in told.items())])})"

    def _told(self) -> dict[str, Any]:
        """What differs from the defaults."""
        defaults = {field.name: field.default for field in dataclasses.fields(self) if field.name != "data"}
        return {
            name: value
            for name, default in defaults.items()
            if (value := getattr(self, name)) is not default and (isinstance(value, Table) or value != default)
        }


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
    "--cost": "cost",
    "--seed": "seed",
    "--group": "group",
    "--time": "time",
    "--test": "test",
    "--limit": "limit",
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
    if flag == "--limit":
        return [flag, f"{value:.15g}s"]
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
    _demand(
        "sort", spec.sort, spec.sort in ("", *spec.metrics), f"one of the metrics, {', '.join(map(repr, spec.metrics))}"
    )
    right = spec.cost is None or (_is_number(spec.cost) and spec.cost > 0)
    _demand("cost", spec.cost, right, "a number above 0")
    _check_parting(spec)
    for column, kind in (spec.kinds or {}).items():
        if kind not in KINDS:
            known = ", ".join(map(repr, KINDS))
            raise ParameterError(f"Spec(kinds={{{column!r}: {kind!r}}}): must be one of {known}{closest(kind, KINDS)}.")


def _check_parting(spec: Spec) -> None:
    if not isinstance(spec.test, (Table, str, type(None))):
        raise ParameterError(f"Spec(test={spec.test!r}): test must be a Table, a path or a name of the catalog.")
    if spec.group is not None and spec.time is not None:
        raise ParameterError(f"Spec(group={spec.group!r}, time={spec.time!r}): rows are split by one of them only.")
    if spec.limit is not None:
        _demand("limit", spec.limit, _is_number(spec.limit) and spec.limit > 0, "a time above 0, as '5m' or '90s'")


def seconds_of(text: str) -> float:
    """A length of time in words, in seconds.

    >>> seconds_of("5m"), seconds_of("1.5h"), seconds_of("90")
    (300.0, 5400.0, 90.0)
    """
    number, unit = text.strip().rstrip("smh"), text.strip()[-1:]
    try:
        return float(number) * {"m": 60, "h": 3600}.get(unit, 1)
    except ValueError:
        raise ParameterError(f"limit={text!r}: must be a time as '90s', '5m' or '1.5h'.") from None


def _demand(name: str, value: object, holds: bool, rule: str) -> None:
    if not holds:
        raise ParameterError(f"Spec({name}={value!r}): {name} must be {rule}.")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
