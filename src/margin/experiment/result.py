"""What a run gives: everything the report, the terminal and a program need, as plain data."""

from __future__ import annotations

import dataclasses
import html
from dataclasses import dataclass, field
from typing import Any

from margin.experiment.portrait.parts import CellRows, Cutoffs, Mistake, Portrait

__all__ = [
    "CalibrationBin",
    "Caution",
    "ClassScore",
    "ColumnCard",
    "Pair",
    "Partition",
    "Progress",
    "Result",
    "Score",
    "Standing",
    "Step",
    "TestScore",
    "Threshold",
    "ThresholdCurves",
]


@dataclass(frozen=True)
class Progress:
    """A sign of life from a run.

    ``stage`` is one of read, seal, validate, standing, refit, test, final. While models are validated, ``model`` is
    the name, ``fold`` of ``folds`` are done, and ``score`` is the latest fold's; ``done`` of ``total`` counts the
    folds of all models, and ``left`` guesses the seconds until all are done. Once a model is done, ``standing`` says
    how it did.
    """

    stage: str
    seconds: float
    model: str = ""
    fold: int = 0
    folds: int = 0
    score: float | None = None
    done: int = 0
    total: int = 0
    standing: Standing | None = None
    left: float | None = None


@dataclass(frozen=True)
class Score:
    """An estimate with its interval; ``low`` and ``high`` are missing where no interval is known."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Standing:
    """One line of the leaderboard.

    ``p_value`` is for the difference from the best model, corrected for resampling and for the number of
    models; ``differs`` says whether that difference is taken for real. A ``yardstick`` is there to be beaten: it
    stands behind the models, whatever its score, and never wins. A model that failed has an ``error``.
    """

    name: str
    title: str
    note: str = ""
    scores: dict[str, Score] = field(default_factory=dict)
    fold_scores: tuple[float, ...] = ()
    fit_seconds: float | None = None
    predict_seconds: float | None = None
    p_value: float | None = None
    differs: bool = False
    failed_folds: int = 0
    error: str = ""
    yardstick: bool = False


@dataclass(frozen=True)
class ClassScore:
    """How one class fared on the sealed test; ``intervals`` are the ends of those of precision and recall."""

    label: str
    precision: float | None
    recall: float | None
    f1: float | None
    cases: int
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class ThresholdCurves:
    """What every threshold would do for one class on the sealed test, as points, and the areas with their intervals.

    ``roc`` are (false positive rate, true positive rate), ``precision_recall`` are (recall, precision); both may be
    empty where only the area is told.
    """

    label: str
    area: Score
    roc: tuple[tuple[float, float], ...] = ()
    precision_recall: tuple[tuple[float, float], ...] = ()
    average_precision: Score | None = None
    prevalence: float = 0.0


@dataclass(frozen=True)
class CalibrationBin:
    """Cases of similar probability: how many, what was said of them, and how often it came true, with its interval."""

    said: float
    came_true: Score
    cases: int


@dataclass(frozen=True)
class TestScore:
    """The best model on the sealed test, opened once.

    ``confusion`` counts by true class (rows) and answered class (columns); ``abstained`` are cases of each class
    without an answer. ``baseline`` is what always answering the commonest class of the training part would score.
    ``curves`` are there where the model ranks cases, ``calibration`` where it gives probabilities: those of the class
    ``calibrated``, or of the most probable class of each case where that is empty. ``cells`` are the rows behind the
    confusion matrix, ``mistakes`` the surest wrong answers, ``cutoffs`` what every threshold would do, of two classes.
    """

    __test__ = False  # its name begins like a test's

    n_rows: int
    scores: dict[str, Score]
    baseline: float
    labels: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    classes: tuple[ClassScore, ...]
    abstained: tuple[int, ...] = ()
    curves: tuple[ThresholdCurves, ...] = ()
    calibration: tuple[CalibrationBin, ...] = ()
    calibrated: str = ""
    calibration_error: float | None = None
    cells: tuple[CellRows, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    cutoffs: Cutoffs | None = None


@dataclass(frozen=True)
class Partition:
    """Which rows were used for what: how they were dealt out (``by``), and into how many folds how often.

    ``by`` is ``"chance"``, ``"group"`` or ``"time"``, by the ``column`` of that name; ``own_test`` says that the sealed
    rows are those of a file of their own.
    """

    by: str
    folds: int
    repeats: int = 1
    column: str = ""
    own_test: bool = False


@dataclass(frozen=True)
class Pair:
    """Two models held against each other, the better one first.

    ``gap`` is their difference with its interval; ``p_value`` allows for all pairs, and ``differs`` says whether the
    difference is taken for real.
    """

    better: str
    other: str
    gap: Score
    p_value: float
    differs: bool


@dataclass(frozen=True)
class Caution:
    """Something found in the data that the score of the best model may rest on, with the score without it.

    ``severity`` is ``"leak"`` where the score falls without it and it alone comes near the score, else ``"trap"``.
    ``held`` is the cross-validated score of the best model, ``without`` the same under the same folds, each by what
    was left out or done otherwise; both are of ``metric``. ``remedy`` is the command that compares without it.
    """

    severity: str
    says: str
    advice: str
    metric: str
    held: Score
    without: dict[str, Score] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    remedy: str = ""


@dataclass(frozen=True)
class Threshold:
    """From which probability on a class is best answered, chosen in the folds for what ``why`` says.

    The model that is kept answers by it (:class:`margin.ThresholdClassifier`), and did so in the sealed test, of which
    ``recall`` and ``precision`` are; None where that was not opened.
    """

    label: str
    value: float
    why: str
    recall: Score | None = None
    precision: Score | None = None


@dataclass(frozen=True)
class ColumnCard:
    """One column of the table, described: numbers by ``bars`` over ``low`` to ``high``, others by their levels."""

    name: str
    kind: str
    reason: str = ""
    missing: int = 0
    distinct: int = 0
    low: float | None = None
    mean: float | None = None
    high: float | None = None
    bars: tuple[int, ...] = ()
    levels: tuple[tuple[str, int], ...] = ()
    is_target: bool = False
    is_input: bool = True


@dataclass(frozen=True)
class Step:
    """Something that was done, and how long it took."""

    name: str
    seconds: float
    detail: str = ""


@dataclass(frozen=True, repr=False)
class Result:
    """A finished comparison.

    ``leaderboard`` is sorted, best first, failed models last. ``model`` is the best one, fitted on all the data
    after the sealed test was opened. A run that was ``stopped`` leaves it sealed: ``test`` is then None, and the model
    has learnt from the training part. ``explanations`` is anything with ``text()`` and ``html()``. ``pairs`` are all
    models held against each other, ``audit`` is what was looked for and found in the data and their split, and
    ``openings`` says when the sealed test was opened, and for which model. ``positive`` is the class that precision,
    recall, F1 and curves are about; empty where there are more than two and none was named. ``cautions`` are the
    findings that the score rests on, and ``remarks`` are sentences that belong beside it. ``threshold`` is there where
    a class is rare, or a metric, a positive class or a cost was asked for. ``portrait`` is what the best model goes by,
    ``partition`` which rows were used for what, ``python`` the call that repeats the run, and ``identifier`` the column
    that names the rows.
    """

    title: str
    target: str
    metric: str
    n_rows: int
    n_train: int
    n_test: int
    class_counts: dict[str, int]
    columns: tuple[ColumnCard, ...]
    leaderboard: tuple[Standing, ...]
    best: str
    test: TestScore | None
    steps: tuple[Step, ...]
    warnings: tuple[str, ...]
    command: str
    versions: dict[str, str]
    protocol: str
    seconds: float
    spec: Any = None
    model: Any = None
    about: dict[str, Any] = field(default_factory=dict)
    explanations: tuple[Any, ...] = ()
    pairs: tuple[Pair, ...] = ()
    audit: Any = None
    openings: tuple[str, ...] = ()
    positive: str = ""
    #: Who stopped the run before all models were tried, in a sentence; empty where none did.
    stopped: str = ""
    cautions: tuple[Caution, ...] = ()
    remarks: tuple[str, ...] = ()
    threshold: Threshold | None = None
    portrait: Portrait | None = None
    partition: Partition | None = None
    python: str = ""
    identifier: str = ""

    @property
    def winner(self) -> Standing:
        return next(standing for standing in self.leaderboard if standing.name == self.best)

    def html(self, title: str = "", author: str = "", notes: str = "") -> str:
        """The whole report as one HTML page; ``Path("report.html").write_text(result.html())`` keeps it.

        ``title`` stands over it, ``author`` and ``notes`` (paragraphs, with empty lines between them) under that.
        """
        from margin.report import render

        return render(self, title=title, author=author, notes=notes)

    def __repr__(self) -> str:
        from margin.report import phrases as words

        if self.test is None:
            return f"<Result of comparing models on {self.title}: best {self.best} so far, {self.n_test:,} rows sealed>"
        accuracy = self.test.scores["accuracy"]
        reach = f" ({words.interval(accuracy)})" if accuracy.low is not None else ""
        return (
            f"<Result of comparing {len(self.leaderboard)} models on {self.title}: best {self.best}, "
            f"accuracy {words.score(accuracy.value)}{reach} on {self.n_test:,} sealed rows>"
        ).replace(words.THIN, " ")

    def __str__(self) -> str:
        import io

        from rich.console import Console

        from margin.report import terminal

        text = io.StringIO()
        console = Console(file=text, width=80, highlight=False)
        terminal.show(self, console)
        return "\n".join(line.rstrip() for line in text.getvalue().splitlines())

    def _repr_html_(self) -> str:
        """The report in a frame of its own, so that its style and the notebook's do not meet."""
        page = html.escape(self.html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 42rem; border: 1px solid #ccc"></iframe>'

    def to_dict(self) -> dict[str, Any]:
        """The result as dictionaries, lists, numbers and texts; the model and the spec are left out."""
        from margin.experiment.result_json import plain

        left_out = {"spec", "model", "explanations", "audit"}
        parts = {part.name: plain(getattr(self, part.name)) for part in dataclasses.fields(self)}
        return {
            **{name: value for name, value in parts.items() if name not in left_out},
            "explanations": [explanation.text() for explanation in self.explanations],
            "audit": None if self.audit is None else plain(self.audit.to_dict()),
        }

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> Result:
        """The result that :meth:`to_dict` wrote, with its page; there is no model in it."""
        from margin.experiment.result_json import Told, rebuilt

        found: Result = rebuilt(cls, {**given, "explanations": (), "audit": None})
        explanations = tuple(Told(text) for text in given.get("explanations", ()))
        return dataclasses.replace(found, explanations=explanations, audit=_audit_of(given.get("audit")))


def _audit_of(given: dict[str, Any] | None) -> Any:
    if given is None:
        return None
    import numpy as np

    from margin.selection import Audit, Finding

    def told(each: dict[str, Any]) -> Finding:
        known = {name: each[name] for name in ("kind", "severity", "says", "advice", "evidence") if name in each}
        return Finding(
            **known, columns=tuple(each.get("columns", ())), rows=np.array(each.get("rows", ()), dtype=np.intp)
        )

    findings = tuple(map(told, given["findings"]))
    return Audit(findings, given["n_train"], given["n_test"], given["split"], tuple(given["notes"]))
