"""What columns are worth to any model, by what it loses on held-out rows without them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from scipy import special

from margin.data.rows import ready_for
from margin.errors import InputError, ParameterError
from margin.explain.importances.alike import correlated_groups, strata_of
from margin.explain.importances.asking import Asked
from margin.explain.importances.dropping import without_columns
from margin.explain.importances.judging import Judge, judge_for
from margin.explain.importances.result import Importance
from margin.explain.rows.pool import Pool, pool_of
from margin.explain.rows.saying import check_fitted
from margin.random import generator
from margin.typing import LabelsLike, TableLike

__all__ = ["importance"]

Method = Literal["permutation", "conditional", "drop_column"]
Groups = Mapping[str, Iterable[str | int]] | Literal["correlated"] | None


def importance(
    model: Any,
    X: TableLike,
    y: LabelsLike,
    *,
    metric: str | None = None,
    method: Method = "permutation",
    groups: Groups = None,
    columns: Iterable[str | int] | None = None,
    train: tuple[Any, Any] | None = None,
    n_repeats: int = 5,
    above: float = 0.5,
    confidence: float = 0.95,
    random_state: int | np.random.Generator | None = 0,
) -> Importance:
    """What columns are worth to a fitted model: by how much worse it answers held-out rows without them.

    A shuffled column keeps its values and loses what it says. Where columns go together, each can stand in for the
    others, and all of them look worthless: shuffle them as a group, or only among rows that are alike in the others.
    The intervals are about other rows of the same kind, not about other training rows.

    Parameters
    ----------
    model
        Any fitted classifier or regressor, of margin or of scikit-learn.
    X, y
        Rows that the model has not learnt from, and their truth.
    metric
        What answers are judged by: a metric of ``margin.evaluation`` (accuracy if None); of a regression ``"r2"`` (if
        None), ``"mean_squared_error"`` or ``"mean_absolute_error"``.
    method
        ``"permutation"`` shuffles a column among all rows (Breiman 2001), ``"conditional"`` among rows that are alike
        in the columns that it goes with (Strobl et al. 2008), ``"drop_column"`` fits the model anew without it.
    groups
        Columns that are shuffled together, by the name of the group; ``"correlated"`` finds those that go together.
        Columns in no group stand for themselves.
    columns
        The columns to look at; all if None.
    train
        Rows and targets to fit the model anew on; wanted by ``"drop_column"``.
    n_repeats
        How often each column is shuffled.
    above
        From which association on columns go together: rank correlation, correlation ratio or Cramér's V.
    confidence
        Of the intervals.
    random_state
        Of the shuffles.

    Returns
    -------
    Importance
        With ``text()``, ``html()`` and ``to_dict()``.

    References
    ----------
    Breiman (2001), "Random forests"; Strobl, Boulesteix, Kneib, Augustin, Zeileis (2008), "Conditional variable
    importance for random forests"; Fisher, Rudin, Dominici (2019), "All models are wrong, but many are useful".

    Examples
    --------
    >>> from margin import NaiveBayes
    >>> from margin.data import catalog
    >>> from margin.explain import importance
    >>> X, y = catalog.load("iris").target("class")
    >>> model = NaiveBayes().fit(X[::2], y[::2])
    >>> importance(model, X[1::2], y[1::2], metric="log_loss").ranked()[0][0]
    'petalwidth'
    """
    who = "importance"
    check_fitted(model, who)
    _check(method, n_repeats, confidence, train, who)
    ready = ready_for(model, X)
    pool, judge = pool_of(model, ready, who=who), judge_for(model, y, metric, who)
    if judge.n != pool.n_rows or judge.n < 2:
        raise InputError(
            f"{who}(X, y): there must be as many targets as rows, 2 at least; {judge.n} and {pool.n_rows}."
        )
    names, members = _groups(pool, groups, columns, above, who)
    asked = Asked(model, ready, pool, judge)
    base = judge.readings(asked.as_they_are)
    found = []
    rng = generator(random_state)
    for group in members:
        if method == "drop_column":
            said = [without_columns(asked, train, group)]
        else:
            strata = strata_of(pool, group, above) if method == "conditional" else None
            said = asked.shuffled(group, _orders(pool.n_rows, n_repeats, strata, rng))
        found.append([judge.sign * (base - judge.readings(each)) for each in said])
    return _told(found, method, judge, base, names, _names(pool, members), confidence)


def _check(method: str, n_repeats: int, confidence: float, train: Any, who: str) -> None:
    if method not in ("permutation", "conditional", "drop_column"):
        raise ParameterError(f"{who}(method={method!r}): method must be 'permutation', 'conditional' or 'drop_column'.")
    if isinstance(n_repeats, bool) or not isinstance(n_repeats, (int, np.integer)) or n_repeats < 1:
        raise ParameterError(f"{who}(n_repeats={n_repeats!r}): n_repeats must be a whole number of at least 1.")
    if not 0 < confidence < 1:
        raise ParameterError(f"{who}(confidence={confidence}): confidence must be between 0 and 1.")
    if method == "drop_column" and train is None:
        raise ParameterError(f"{who}(method='drop_column'): the rows to fit anew on are wanted: train=(X, y).")


def _groups(
    pool: Pool, groups: Groups, columns: Iterable[str | int] | None, above: float, who: str
) -> tuple[list[str], list[np.ndarray]]:
    """The name and the columns of each group."""
    asked = range(len(pool.names)) if columns is None else [pool.place(column, who) for column in columns]
    if groups is None:
        return [pool.names[j] for j in asked], [np.array([j]) for j in asked]
    if isinstance(groups, str):
        if groups != "correlated":
            raise ParameterError(f"{who}(groups={groups!r}): groups must be 'correlated', or columns by name.")
        found = correlated_groups(pool, list(asked), above)
        return [" + ".join(pool.names[j] for j in group) for group in found], [np.array(group) for group in found]
    named = {str(name): [pool.place(column, who) for column in members] for name, members in groups.items()}
    if any(not members for members in named.values()):
        raise ParameterError(f"{who}(groups={dict(groups)!r}): each group must have a column at least.")
    taken = {j for members in named.values() for j in members}
    named |= {pool.names[j]: [j] for j in asked if j not in taken}
    return list(named), [np.array(members) for members in named.values()]


def _names(pool: Pool, members: list[np.ndarray]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(pool.names[j] for j in group) for group in members)


def _orders(n: int, times: int, strata: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
    """Orders of the rows; rows of one stratum change places with each other only."""
    if strata is None:
        return np.array([rng.permutation(n) for _ in range(times)])
    found = np.empty((times, n), dtype=np.int64)
    at = np.argsort(strata, kind="stable")
    for order in found:
        shuffled = np.lexsort((rng.random(n), strata))
        order[at] = shuffled
    return found


def _told(
    found: list[list[np.ndarray]],
    method: str,
    judge: Judge,
    base: np.ndarray,
    names: list[str],
    members: tuple[tuple[str, ...], ...],
    confidence: float,
) -> Importance:
    repeats = np.array([[judge.value(each) for each in group] for group in found]).reshape(len(found), -1)
    mean, wide = repeats.mean(axis=1), np.zeros(len(found))
    for k, group in enumerate(found):
        error, freedom = judge.spread(np.mean(group, axis=0))
        wide[k] = error * float(special.stdtrit(max(freedom, 1), 0.5 + confidence / 2))
    return Importance(
        method, judge.name, judge.value(base), tuple(names), members, mean, mean - wide, mean + wide, repeats,
        confidence, judge.n,
    )  # fmt: skip
