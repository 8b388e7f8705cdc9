"""The leaderboard as it is shown: the columns that stand on the page and on the terminal alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from margin.report import phrases as words

__all__ = ["COLUMNS", "Column", "mark_of", "score_range"]


@dataclass(frozen=True)
class Column:
    """What a column says of a standing; it stands behind the drawn interval, before the comparison with the best."""

    heading: str
    text: Callable[[Any], str]


#: The one list of plain columns: a line here is a column on the page and on the terminal.
COLUMNS = [Column("fit", lambda standing: words.duration(standing.fit_seconds))]


def mark_of(standing: Any, best: str) -> str:
    """How a model stands to the best one: ``failed``, ``best``, ``behind`` by more than chance, or ``level``."""
    if standing.error:
        return "failed"
    if standing.name == best:
        return "best"
    return "behind" if standing.differs else "level"


def score_range(result: Any) -> tuple[float, float]:
    """The lowest and the highest end of all intervals, for the axis they are drawn on."""
    scores = [standing.scores[result.metric] for standing in result.leaderboard if not standing.error]
    ends = [end for one in scores for end in (one.value, one.low, one.high) if end is not None]
    return min(ends), max(ends)
