"""The main job in one call: ``margin.compare``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from margin import zoo
from margin.data import Table, from_polars
from margin.errors import InputTypeError, ParameterError, closest, listing
from margin.experiment.compare import run
from margin.experiment.result import Progress
from margin.experiment.spec import Spec

__all__ = ["compare"]


def compare(
    data: Any,
    target: str | int | list[str] | None = None,
    *,
    models: str | Iterable[str] | Mapping[str, Any] | None = None,
    progress: Callable[[Progress], Any] | None = None,
    **settings: Any,
) -> Any:
    """Which model is best on a table, and how good it is: what ``margin compare`` does, as one call.

    A test part is sealed first; each model is cross-validated on the rest; the best is measured once on the sealed part
    and then fitted on all the data. Ctrl-C, or ``limit="5m"``, ends the validation: what is done by then stands,
    and the test part stays sealed.

    Parameters
    ----------
    data
        The path of a file, a name of the catalog, a ``Table``, or a data frame of any make.
    target
        The column to predict: its name, its number from 1, or ``'last'``.
    models
        Names out of the zoo (all of them without it), or models of your own by name:
        ``{"forest": RandomForestClassifier(), "knn": None}``, where None stands for the zoo's model of that name.
    progress
        Called with each :class:`margin.experiment.Progress`.
    settings
        Anything else of :class:`margin.experiment.Spec`: ``group``, ``time``, ``test``, ``folds``, ``seed``, ….

    Returns
    -------
    Result
        It shows its page in a notebook; ``result.html()`` is that page, ``result.model`` the model to keep.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> import margin
    >>> result = margin.compare("iris", models={"bayes": None, "theirs": LogisticRegression()}, folds=3)
    Traceback (most recent call last):
    margin.errors.ParameterError: compare(models={'bayes': None}): None stands for a model of the zoo, which has no \
'bayes' (did you mean 'naive-bayes'?).
    >>> result = margin.compare("iris", models={"naive-bayes": None, "theirs": LogisticRegression()}, folds=3)
    >>> sorted(line.name for line in result.leaderboard), result.n_test
    (['naive-bayes', 'theirs'], 30)
    """
    names, own = _models(models)
    test = settings.pop("test", None)
    spec = Spec(
        _table(data, "data"),
        target=target,  # type: ignore[arg-type]
        models=names,
        own=own,
        test=None if test is None else _table(test, "test"),
        **_known(settings),
    )
    event: Any = None
    for event in run(spec):
        if progress is not None and isinstance(event, Progress):
            progress(event)
    return event


def _known(settings: dict[str, Any]) -> dict[str, Any]:
    known = [name for name in Spec.__dataclass_fields__ if name not in ("data", "target", "models", "own")]
    for name in settings:
        if name not in known:
            raise ParameterError(
                f"compare({name}=…): is not a setting; there are {listing(known, 99)}{closest(name, known)}."
            )
    return settings


def _models(given: Any) -> tuple[tuple[str, ...] | None, dict[str, Any] | None]:
    """Names of the zoo, and models of one's own."""
    if given is None or isinstance(given, str):
        return (None if given is None else (given,)), None
    if not isinstance(given, Mapping):
        given = tuple(given)
        strange = next((each for each in given if not isinstance(each, str)), None)
        if strange is not None:
            raise ParameterError(
                f"compare(models=[{type(strange).__name__}(…)]): models of your own need names, "
                f"as in models={{'mine': {type(strange).__name__}(…)}}."
            )
        return given, None
    names = tuple(name for name, model in given.items() if model is None)
    for name in names:
        if name not in zoo.names():
            raise ParameterError(
                f"compare(models={{{name!r}: None}}): None stands for a model of the zoo, which has no "
                f"{name!r}{closest(name, zoo.names())}."
            )
    own = {name: model for name, model in given.items() if model is not None}
    for name, model in own.items():
        if not (hasattr(model, "fit") and hasattr(model, "predict") and hasattr(model, "get_params")):
            raise ParameterError(f"compare(models={{{name!r}: …}}): must be a classifier with fit and predict.")
    return names, own


def _table(data: Any, what: str) -> Any:
    """A path, a name or a table as it is; a data frame as a table, its kinds found as those of a file are."""
    if isinstance(data, (Table, str, os.PathLike)):
        return data
    import narwhals as nw

    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError:
        raise InputTypeError(
            f"compare({what}=<{type(data).__name__}>): must be a path, a name of the catalog, a Table or a data frame."
        ) from None
    return from_polars(frame.to_polars())
