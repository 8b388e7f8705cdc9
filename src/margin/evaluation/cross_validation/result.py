"""What an evaluation found: scores with intervals, folds, out-of-fold answers, and what to be careful about."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from margin.data import Table
from margin.data.weights import weight_arguments
from margin.errors import InputError
from margin.evaluation.intervals.interval import Score
from margin.evaluation.metrics.definitions import METRICS, Metric
from margin.evaluation.predictions.answers import Answers
from margin.evaluation.predictions.confusion import ConfusionMatrix
from margin.evaluation.protocols.stratified import SplitProtocol
from margin.typing import LabelsLike, TableLike

if TYPE_CHECKING:
    from margin.evaluation.curves.calibration import CalibrationCurve
    from margin.evaluation.curves.risk_coverage import RiskCoverage
    from margin.evaluation.curves.thresholds import PrecisionRecallCurve, RocCurve

__all__ = ["Evaluation", "FoldDone"]


@dataclass(frozen=True)
class FoldDone:
    """One fold that was fitted and asked, or that failed.

    ``scores`` holds each metric on the fold's test part; ``error`` is empty where all went well, and then says what
    was raised. ``test_rows`` are the rows that were asked about, ``train_rows`` those learnt from (a bootstrap may
    learn from a row several times); an evaluation forgets the latter where its folds would list very many.
    """

    number: int
    of: int
    n_train: int
    n_test: int
    scores: Mapping[str, float] = field(default_factory=dict)
    fit_seconds: float = float("nan")
    predict_seconds: float = float("nan")
    error: str = ""
    test_rows: np.ndarray | None = field(default=None, repr=False, compare=False)
    train_rows: np.ndarray | None = field(default=None, repr=False, compare=False)
    note: Any = field(default=None, repr=False, compare=False)

    @property
    def failed(self) -> bool:
        return bool(self.error)

    def __str__(self) -> str:
        if self.failed:
            parts = f"{self.n_train} training rows, {self.n_test} test rows"
            return f"fold {self.number} of {self.of} failed ({parts}): {self.error}"
        shown = ", ".join(f"{name} {value:.3f}" for name, value in self.scores.items())
        return f"fold {self.number} of {self.of}: {shown}"


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How well a model does, how sure that is, and how it was found out.

    Attributes
    ----------
    model
        Name of the model.
    protocol
        How rows were split; ``protocol.describe()`` says it in a sentence.
    scores
        Metric by name, each a ``Score`` with its interval.
    folds
        Every fold in order, those that failed included.
    rows
        The rows that were asked about, ascending.
    answers
        Truth, predictions and probabilities on those rows. With repeats, the prediction of a row is that of the first
        repeat, and its probabilities are the mean over the repeats.
    warnings
        Sentences that belong beside the scores.
    beside
        Scores that were not asked for but belong beside them, by what they are of: ``"validation"`` of three parts,
        ``"training data"``, ``"out-of-bag"`` and ``"no information"`` of a bootstrap.
    estimator
        The model as it was given, unfitted.
    final
        The model fitted on all rows, where ``evaluate(..., refit=True)`` asked for it; see ``final_model``.
    seconds
        From the first fold to the end, by the clock on the wall.
    positive
        Of two classes the one that precision, recall, F1 and the curves are about unless they say otherwise: the one
        that says yes (True, 1, "yes", …), else the rarer one among all labels; None where there are not two.
    repeated
        The predictions of every repeat of the folds, as places among the classes, a line each; None without repeats.
    """

    model: str
    protocol: SplitProtocol
    metrics: tuple[Metric, ...]
    scores: Mapping[str, Score]
    folds: tuple[FoldDone, ...]
    rows: np.ndarray
    answers: Answers
    confidence: float = 0.95
    warnings: tuple[str, ...] = ()
    beside: Mapping[str, Mapping[str, Score]] = field(default_factory=dict)
    asides: tuple[FoldDone, ...] = ()
    estimator: Any = None
    final: Any = None
    seconds: float = float("nan")
    positive: Any = None
    repeated: np.ndarray | None = field(default=None, repr=False)

    @property
    def classes(self) -> np.ndarray:
        """All classes, in their own type and in order: the columns of ``probabilities``."""
        return self.answers.classes

    @property
    def truth(self) -> np.ndarray:
        """The true label of each row in ``rows``."""
        return self.classes[self.answers.truth]

    @cached_property
    def predictions(self) -> np.ndarray:
        """The predicted label of each row in ``rows``; ``None`` where the model abstained."""
        assert self.answers.predicted is not None
        silent = self.answers.predicted == len(self.classes)
        if not silent.any():
            return self.classes[self.answers.predicted]
        answers = np.fromiter([*self.classes.tolist(), None], dtype=object)
        return answers[self.answers.predicted]

    @property
    def probabilities(self) -> np.ndarray | None:
        """One row per row in ``rows``, one column per class; ``None`` where the model gives none."""
        return self.answers.probabilities

    @cached_property
    def confusion(self) -> ConfusionMatrix:
        """The confusion matrix of ``predictions``."""
        return ConfusionMatrix.of_answers(self.answers)

    @property
    def fold_scores(self) -> dict[str, np.ndarray]:
        """Each metric fold by fold, NaN where the fold failed."""
        return {
            each.name: np.array([fold.scores.get(each.name, np.nan) for fold in self.folds]) for each in self.metrics
        }

    def fold_table(self) -> Table:
        """Every fold as a row: its number, how many rows it learnt from and was asked about, scores and seconds.

        Cells of a fold that failed are missing.
        """
        columns: dict[str, Any] = {
            "fold": [float(fold.number) for fold in self.folds],
            "n_train": [float(fold.n_train) for fold in self.folds],
            "n_test": [float(fold.n_test) for fold in self.folds],
        }
        columns |= self.fold_scores
        columns |= {"fit_seconds": self.fit_seconds, "predict_seconds": self.predict_seconds}
        return Table.from_columns(columns, f"{self.model}: {self.protocol.name}")

    @property
    def fit_seconds(self) -> np.ndarray:
        """Seconds each fit took, NaN where the fold failed."""
        return np.array([fold.fit_seconds for fold in self.folds])

    @property
    def predict_seconds(self) -> np.ndarray:
        """Seconds the predictions of each fold took."""
        return np.array([fold.predict_seconds for fold in self.folds])

    @property
    def total_fit_seconds(self) -> float:
        """All fits together, those beside the folds included; folds that ran side by side count in full."""
        return float(np.nansum([fold.fit_seconds for fold in (*self.folds, *self.asides)]))

    @property
    def total_predict_seconds(self) -> float:
        """All predictions together."""
        return float(np.nansum([fold.predict_seconds for fold in (*self.folds, *self.asides)]))

    @property
    def failures(self) -> tuple[FoldDone, ...]:
        """The folds that failed."""
        return tuple(fold for fold in self.folds if fold.failed)

    @property
    def validation_scores(self) -> Mapping[str, Score]:
        """Scores of the validation part, for choosing and not for reporting; empty unless there were three parts."""
        return self.beside.get("validation", {})

    @property
    def final_model(self) -> Any:
        """The model fitted on all rows. The scores are those of models that learnt from fewer."""
        if self.final is None:
            raise InputError(
                "Evaluation.final_model: no model was fitted on all rows (use evaluate(..., refit=True), or "
                "fit_final(X, y) of this evaluation)."
            )
        return self.final

    def fit_final(self, X: TableLike, y: LabelsLike, sample_weight: Any = None) -> Any:
        """A clone of the model, fitted on all the rows given: what to use once the evaluation is over.

        Give the inputs as they were learnt from, without a column of groups or times that was taken out of them.
        """
        if self.estimator is None:
            raise InputError("Evaluation.fit_final: this evaluation has no model to fit, only answers of a fitted one.")
        from sklearn.base import clone

        fresh = clone(self.estimator)
        if sample_weight is None:
            return fresh.fit(X, y)
        return fresh.fit(X, y, **(weight_arguments(fresh, sample_weight) or {"sample_weight": sample_weight}))

    # ---- Curves, from the answers to rows that were not learnt from.

    def roc(self, positive: object = None) -> RocCurve:
        """True against false positive rate over all thresholds; of the positive of two classes, or ``positive``."""
        from margin.evaluation.curves.thresholds import roc_curve

        return roc_curve(self.truth, self.answers.strength, positive=self._or_own(positive), **self._told)

    def precision_recall(self, positive: object = None) -> PrecisionRecallCurve:
        """Precision against recall over all thresholds; of the positive of two classes, or ``positive``."""
        from margin.evaluation.curves.thresholds import precision_recall_curve

        strength, about = self.answers.strength, self._or_own(positive)
        return precision_recall_curve(self.truth, strength, positive=about, **self._told)

    def calibration(self, positive: object = None, bins: int = 10) -> CalibrationCurve:
        """Predicted probabilities beside how often they came true."""
        from margin.evaluation.curves.calibration import calibration_curve

        return calibration_curve(self.truth, self._needed(), positive=self._or_own(positive), bins=bins, **self._told)

    def risk_coverage(self) -> RiskCoverage:
        """The error among the answered against the share answered, by the largest probability of each case."""
        from margin.evaluation.curves.risk_coverage import risk_coverage

        sure = self._needed().max(axis=1)
        return risk_coverage(
            self.truth, self.predictions, sure, sample_weight=self.answers.weight, level=self.confidence
        )

    def _or_own(self, positive: object) -> object:
        return self.positive if positive is None else positive

    @property
    def _told(self) -> dict[str, Any]:
        return {"classes": self.classes, "sample_weight": self.answers.weight, "confidence": self.confidence}

    def _needed(self) -> np.ndarray:
        if self.probabilities is None:
            raise InputError(f"Evaluation: {self.model} gives no probabilities, which this curve is made of.")
        return self.probabilities

    def summary(self) -> str:
        """The evaluation in plain text: scores, how they were found, the confusion matrix, what to be careful about."""
        lines = [f"{self.model}: {self.protocol.name}", self.protocol.describe(), self._effort(), ""]
        lines += _score_lines(self.scores)
        for role, scores in self.beside.items():
            lines += ["", f"Beside these, {role}:", *_score_lines(scores)]
        lines += ["", self._breakdown()]
        lines += [f"Careful: {sentence}" for sentence in self.warnings]
        return "\n".join([*lines, *filter(None, [self._last_words()])])

    def _effort(self) -> str:
        fitted = len(self.folds) + len(self.asides) - len(self.failures)
        fits = f"{fitted} fit{'s' if fitted != 1 else ''} in {self.total_fit_seconds:.3g} s"
        asked = f"predictions in {self.total_predict_seconds:.3g} s"
        return f"{self._what()}; {fits}, {asked}"

    def _what(self) -> str:
        about = "" if self.positive is None else f", positive class {self.positive!r}"
        return f"{len(self.rows)} cases, {len(self.classes)} classes{about}"

    def _breakdown(self) -> str:
        """What was answered in place of what, or how each label fared."""
        return str(self.confusion)

    def _breakdown_html(self) -> str:
        return self.confusion._repr_html_()

    def _last_words(self) -> str:
        """What to know of the final model, where there is one."""
        if self.final is None:
            return ""
        learnt = np.mean([fold.n_train for fold in self.folds])
        return f"The final model learnt from all rows; the scores are those of models that learnt from {learnt:.0f}."

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {score}" for name, score in self.scores.items())
        return f"<Evaluation of {self.model} by {self.protocol.name}: {shown}>"

    def _repr_html_(self) -> str:
        rows = "".join(_score_row(name, score) for name, score in self.scores.items())
        beside = "".join(
            f"<p>Beside these, {html.escape(role)}:</p>"
            f"<table>{''.join(_score_row(name, score) for name, score in scores.items())}</table>"
            for role, scores in self.beside.items()
        )
        cautions = "".join(f"<p><b>Careful:</b> {html.escape(sentence)}</p>" for sentence in self.warnings)
        return (
            f"<h4>{html.escape(self.model)}: {html.escape(self.protocol.name)}</h4>"
            f"<p>{html.escape(self.protocol.describe())} {html.escape(self._effort())}.</p>"
            f"<table>{rows}</table>{beside}{cautions}{self._breakdown_html()}"
            f"<p>{html.escape(self._last_words())}</p>"
        )


def _score_lines(scores: Mapping[str, Score]) -> list[str]:
    width = max((len(name) for name in scores), default=0)
    values = {name: str(score) for name, score in scores.items()}
    column = max(map(len, values.values()), default=0)
    return [f"{name:<{width}}  {values[name]:<{column}}  {score.how}" for name, score in scores.items()]


def _score_row(name: str, score: Score) -> str:
    meaning = html.escape(METRICS[name].meaning) if name in METRICS else ""
    return f'<tr><th title="{meaning}">{html.escape(name)}</th><td>{score}</td><td>{html.escape(score.how)}</td></tr>'
