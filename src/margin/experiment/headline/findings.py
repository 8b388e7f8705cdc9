"""What must stand beside the score of the best model: the findings that explain it, with the score without them.

A column that gives the target away makes every model look good. Whether the score rests on it is not guessed but tried:
the best model is cross-validated again, on the same folds, without the column.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from margin.bayes import CalibratedClassifier, ThresholdClassifier
from margin.data import Table
from margin.data.schema import INPUT_KINDS
from margin.errors import MarginError
from margin.evaluation import Evaluation, StratifiedFolds, evaluate
from margin.experiment.headline.threshold import advised_threshold
from margin.experiment.read_out import FEWEST
from margin.experiment.result import Caution, Score, Standing, Threshold
from margin.experiment.running.copies import Together, n_copies
from margin.experiment.running.run_log import Log
from margin.experiment.running.seeding import seeded
from margin.experiment.spec import Spec
from margin.selection.auditing.result import Audit, Finding
from margin.zoo import Entry

__all__ = [
    "Trial",
    "about_copies",
    "advised",
    "cautions_of",
    "examined",
    "remarks",
    "suspects",
    "with_probabilities",
    "with_threshold",
]

#: The findings that may explain a score.
_EXPLAIN = ("equals_target", "column_predicts_target", "missingness_predicts_target", "missing_by_class")
#: A column that alone has this part of the best model's lead over the majority comes near it.
NEAR = 0.85
#: A score that loses this part of its lead without a column, and so much accuracy, rests on it.
RESTS, AT_LEAST = 0.25, 0.02
#: Columns that are left out one by one; more are left out together only.
MOST_ALONE = 3

#: Cross-validates the best model on some columns (all: None), by the same folds or by others (a protocol).
Trial = Callable[[Table, Any], Evaluation]


def examined(
    audited: Audit,
    best: Entry,
    winner: Evaluation,
    train: tuple[Table, np.ndarray],
    spec: Spec,
    protocol: Any,
    log: Log,
    positive: Any = None,
    command: str = "",
) -> tuple[Audit, tuple[Caution, ...]]:
    """What was found and may explain the score of the best model, tried without it on the folds of ``protocol``.

    ``winner`` is its evaluation there. Where copies of rows were kept together, they are torn apart for once.
    """
    inputs, labels = train
    if not isinstance(protocol, Together) and not suspects(audited, inputs):
        return audited, ()

    def again(columns: Table, other: Any) -> Evaluation:
        model, folds = seeded(best.model(), spec.seed), protocol if other is None else other
        measured = tuple(dict.fromkeys(("accuracy", spec.sort)))
        return evaluate(model, columns, labels, folds, metrics=measured, positive=positive, n_jobs=spec.jobs)

    with log.step(f"Validated {best.title or best.name} without what it may rest on", best.name):
        if isinstance(protocol, Together):
            audited = about_copies(audited, protocol.sets, winner, again(inputs, protocol.inner), spec.sort)
        return cautions_of(audited, winner, inputs, spec.sort, again, command)


def cautions_of(
    audited: Audit, best: Evaluation, inputs: Table, metric: str, again: Trial, command: str
) -> tuple[Audit, tuple[Caution, ...]]:
    """The findings that the score of the best model rests on, and the audit with these as grave as they are.

    ``inputs`` are the training rows; ``command`` is the one that was given, to be repeated without a column.
    """
    found = suspects(audited, inputs)
    if not found:
        return audited, ()
    best = best if "accuracy" in best.scores else again(inputs, None)
    scores = _left_out(found, inputs, again)
    cautions: list[Caution] = []
    graver: dict[int, Any] = {}
    for finding in found:
        severity = _severity(finding, best, scores)
        graver[id(finding)] = severity
        if severity != "note":
            cautions.append(_caution(finding, severity, best, metric, scores, command))
    findings = [replace(each, severity=graver.get(id(each), each.severity)) for each in audited]
    order = {"leak": 0, "trap": 1}
    return audited.with_findings(findings), tuple(sorted(cautions, key=lambda caution: order[caution.severity]))


def suspects(audited: Audit, inputs: Table) -> list[Finding]:
    """The findings about columns that models read which may explain a score."""
    used = [name for name in inputs.names if inputs.schema[name].kind in (*INPUT_KINDS, "text")]
    return [
        finding
        for finding in audited
        if finding.kind in _EXPLAIN
        and (finding.severity != "note" or finding.evidence.get("settles"))
        and all(name in used for name in finding.columns)
    ]


def _left_out(found: list[Finding], inputs: Table, again: Trial) -> dict[tuple[str, ...], Evaluation]:
    """The best model without each of the columns, the first few alone and, where there are several, all together."""
    columns = list(dict.fromkeys(name for finding in found for name in finding.columns))
    choices = [(name,) for name in columns[:MOST_ALONE]] + ([tuple(columns)] if len(columns) > 1 else [])
    scores = {}
    for choice in choices:
        try:
            scores[choice] = again(inputs.drop(*choice), None)
        except MarginError:  # nothing is left to learn from
            continue
    return scores


def _severity(finding: Finding, best: Evaluation, scores: dict[tuple[str, ...], Evaluation]) -> Any:
    """A leak where the finding alone comes near the score and the score falls without it; a note where nothing falls.

    Signs of missing cells are no honest reason for a score, so that columns which carry them are judged together.
    """
    if finding.severity == "leak":
        return "leak"
    held = best.scores["accuracy"].value
    lead = held - float(finding.evidence.get("majority", 0.0))
    alone = [each for choice, each in scores.items() if choice == finding.columns]
    falls = [_falls(held, each, lead) for each in alone]
    together = any(_falls(held, each, lead) for each in scores.values())
    near = finding.evidence.get("accuracy", 0.0) - finding.evidence.get("majority", 0.0) >= NEAR * lead
    if near and (any(falls) or (together and finding.kind == "missingness_predicts_target")):
        return "leak"
    return "trap" if together else "note"


def _falls(held: float, without: Evaluation, lead: float) -> bool:
    return held - without.scores["accuracy"].value >= max(RESTS * lead, AT_LEAST)


def _caution(
    finding: Finding,
    severity: str,
    best: Evaluation,
    metric: str,
    scores: dict[tuple[str, ...], Evaluation],
    command: str,
) -> Caution:
    told = {
        " and ".join(map(repr, choice)) if len(choice) < 4 else f"all {len(choice)} of them": _score(each, metric)
        for choice, each in scores.items()
        if set(finding.columns) <= set(choice)
    }
    columns = max(
        (choice for choice in scores if set(finding.columns) <= set(choice)), key=len, default=finding.columns
    )
    typed = command.startswith("margin ")  # a table in memory has no command to repeat
    remedy = " ".join([command, *(f"--drop {shlex.quote(name)}" for name in columns)]) if typed else ""
    held = _score(best, metric)
    return Caution(severity, finding.says, finding.advice, metric, held, told, finding.columns, remedy)


def _score(evaluation: Evaluation, metric: str) -> Score:
    score = evaluation.scores[metric]
    return Score(float(score.value), *((score.interval.low, score.interval.high) if score.interval else ()))


def about_copies(audited: Audit, sets: np.ndarray, best: Evaluation, torn: Evaluation, metric: str) -> Audit:
    """The audit with what copies would have changed, had they stood on both sides; this score they do not touch."""
    held, apart = (float(each.scores[metric].value) for each in (best, torn))
    n, name = n_copies(sets), metric.replace("_", " ")
    finding = Finding(
        "duplicates_within",
        "note",
        f"{n:,} of {len(sets):,} training rows repeat an earlier one, more than chance explains. All copies of a row "
        f"stayed on one side of every split; torn apart they would have made the {name} {apart:.3f} instead of "
        f"{held:.3f}.",
        "If the copies are no cases of their own, remove them: they make intervals too short.",
        evidence={"rows": n, "held_together": held, "torn_apart": apart},
    )
    others = [each for each in audited if each.kind not in ("duplicates_within", "duplicates_across")]
    return audited.with_findings([*others, finding])


def with_probabilities(best: Entry, seed: int) -> tuple[Callable[[], Any], bool]:
    """Makes the best model anew, calibrated if it gives no probabilities of its own; and whether it was."""

    def plain() -> Any:
        return seeded(best.model(), seed)

    def calibrated() -> Any:
        return CalibratedClassifier(plain(), ensemble=False, cv=5)

    gives = hasattr(plain(), "predict_proba")
    able = gives or hasattr(plain(), "decision_function")
    return (plain, False) if gives or not able else (calibrated, True)


def advised(
    make: Callable[[], Any],
    winner: Evaluation,
    train: tuple[Table, np.ndarray],
    spec: Spec,
    positive: Any,
) -> tuple[float, str] | None:
    """The threshold for what was asked for; a model that had to be calibrated is first asked about folds again."""
    if positive is None or len(winner.classes) != 2 or not hasattr(make(), "predict_proba"):
        return None
    folds = winner
    if winner.probabilities is None:
        folds = evaluate(make(), *train, StratifiedFolds(5, 1, spec.seed), metrics=("accuracy",), n_jobs=spec.jobs)
    return advised_threshold(folds, positive, spec.sort, spec.cost)


def with_threshold(make: Callable[[], Any], advice: tuple[float, str] | None, positive: Any) -> Callable[[], Any]:
    """Makes the model so that it answers the positive class from the advised threshold on."""
    if advice is None:
        return make
    return lambda: ThresholdClassifier(make(), positive=positive, threshold=advice[0])


def remarks(
    n_train: int,
    board: Sequence[Standing],
    calibrated: bool,
    ordered: str = "",
    threshold: Threshold | None = None,
) -> tuple[str, ...]:
    """Sentences that belong beside the headline; ``ordered`` is the one that says by what models were ordered."""
    said = [ordered] if ordered else []
    if n_train < FEWEST and len(board) > 1:
        said.append(
            f"{n_train:,} rows to learn from are too few to compare models by: the order says next to nothing "
            f"(from {FEWEST} on differences are tested)."
        )
    if calibrated:
        said.append(
            f"{board[0].title} gives no probabilities of its own: its scores were calibrated (Platt's sigmoid, "
            "5 folds) for the sealed test and for the model that is kept."
        )
    if threshold is not None:
        said.append(
            f"The model that is kept answers “{threshold.label}” from a probability of {threshold.value:.3g} on, as it "
            "did in the sealed test; the leaderboard judges answers at one half."
        )
    return tuple(said)
