"""Which models race: those of the zoo that a spec names, or all that can be expected to end, and one's own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from margin import zoo
from margin.base.sklearn_classes import clone
from margin.data import Table
from margin.experiment.running.run_log import Log
from margin.experiment.spec import Spec

__all__ = ["entrants", "tried"]


def entrants(spec: Spec, X: Table, log: Log) -> dict[str, zoo.Entry]:
    """The models to try on the training rows; unless they were named, those for which these are too many are left out.

    So are those of the zoo that find nothing to read in a table of nothing but text.
    """
    chosen = {}
    for entry in tried(spec):
        if spec.models is None and entry.limit is not None and X.n_rows > entry.limit:
            log.warn(
                f"{entry.name} was left out: it is not tried on more than {entry.limit:,} training rows "
                f"(--models {entry.name} tries it all the same)."
            )
        else:
            chosen[entry.name] = entry
    if X.inputs().names:
        return chosen
    readers = {*zoo.texts_read(chosen.values()), *(spec.own or {})}
    blind = [name for name in chosen if name not in readers]
    if blind:
        log.warn(f"{', '.join(blind)} left out: all columns are free text, which {_these(blind)} not read.")
    return {name: entry for name, entry in chosen.items() if name in readers}


def _these(names: list[str]) -> str:
    return "these models do" if len(names) > 1 else "this model does"


def tried(spec: Spec) -> Iterator[zoo.Entry]:
    """What the spec names: entries of the zoo, and models of one's own as such."""
    if not (spec.own and spec.models == ()):
        found = zoo.models(spec.models, spec.settings)
        yield from (entry for entry in found if spec.models is not None or not entry.on_request)
    for name, model in (spec.own or {}).items():
        yield zoo.Entry(name, partial(clone, model), f"{type(model).__name__}, as it was given.", title=name)
