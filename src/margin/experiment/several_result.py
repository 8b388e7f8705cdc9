"""What a run for several targets gives, as plain data."""

from __future__ import annotations

import html
import io
from dataclasses import dataclass, field
from typing import Any

from margin.experiment.result import Score, Standing, Step

__all__ = ["SeveralResult", "TargetScore"]


@dataclass(frozen=True)
class TargetScore:
    """How the best model fared on one target of the sealed test; ``baseline`` is its commonest class in training."""

    name: str
    n_classes: int
    accuracy: Score
    baseline: float


@dataclass(frozen=True, repr=False)
class SeveralResult:
    """A finished comparison of models for several targets.

    ``leaderboard`` is sorted, best first, failed models last. ``test`` has the scores of the best on the sealed test,
    ``baseline`` those of always answering the commonest class of every target, ``by_target`` a line for each target.
    ``model`` is the best, fitted on all the rows. A run that was ``stopped`` leaves the test part sealed: these are
    then empty, the model has learnt from the training part, and ``remarks`` say what opens it.
    """

    title: str
    targets: tuple[str, ...]
    metric: str
    n_rows: int
    n_train: int
    n_test: int
    leaderboard: tuple[Standing, ...]
    best: str
    test: dict[str, Score]
    baseline: dict[str, float]
    by_target: tuple[TargetScore, ...]
    protocol: str
    steps: tuple[Step, ...]
    warnings: tuple[str, ...]
    command: str
    seconds: float
    spec: Any = None
    model: Any = None
    about: dict[str, Any] = field(default_factory=dict)
    #: The metrics are about all classes of all targets.
    positive: str = ""
    #: Who stopped the run before all models were tried, in a sentence; empty where none did.
    stopped: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def winner(self) -> Standing:
        return next(standing for standing in self.leaderboard if standing.name == self.best)

    def html(self, title: str = "", author: str = "", notes: str = "") -> str:
        """The whole report as one HTML page, under a title, an author and notes of one's own."""
        from margin.report.several import render_several

        return render_several(self, title=title, author=author, notes=notes)

    def to_dict(self) -> dict[str, Any]:
        """The result as dictionaries, lists, numbers and texts; the model and the spec are left out."""
        from margin.experiment.result_json import plain

        return {name: plain(value) for name, value in vars(self).items() if name not in ("spec", "model")}

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> SeveralResult:
        """The result that :meth:`to_dict` wrote, with its page; there is no model in it."""
        from margin.experiment.result_json import rebuilt

        found: SeveralResult = rebuilt(cls, given)
        return found

    def __str__(self) -> str:
        from rich.console import Console

        from margin.report import several

        text = io.StringIO()
        several.show(self, Console(file=text, width=80, highlight=False))
        return "\n".join(line.rstrip() for line in text.getvalue().splitlines())

    def __repr__(self) -> str:
        return f"<SeveralResult of {len(self.leaderboard)} models for {len(self.targets)} targets: best {self.best}>"

    def _repr_html_(self) -> str:
        """The report in a frame of its own, so that its style and the notebook's do not meet."""
        page = html.escape(self.html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 42rem; border: 1px solid #ccc"></iframe>'
