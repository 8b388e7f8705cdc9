"""One comparison of models as data: a spec goes in, signs of life and a result come out."""

from typing import TYPE_CHECKING

from margin.lazy import attach

if TYPE_CHECKING:
    from margin.experiment.cards import column_cards
    from margin.experiment.compare import run, run_to_end
    from margin.experiment.problem import open_table, resolve_target
    from margin.experiment.result import (
        CalibrationBin,
        ClassScore,
        ColumnCard,
        Pair,
        Progress,
        Result,
        Score,
        Standing,
        Step,
        TestScore,
        ThresholdCurves,
    )
    from margin.experiment.several_result import SeveralResult
    from margin.experiment.spec import Spec
    from margin.experiment.table_audit import audit_table
    from margin.experiment.table_evaluation import evaluate_table
    from margin.experiment.table_prediction import Answers, about_model, answers, read_new_rows

__all__ = [
    "Answers",
    "CalibrationBin",
    "ClassScore",
    "ColumnCard",
    "Pair",
    "Progress",
    "Result",
    "Score",
    "SeveralResult",
    "Spec",
    "Standing",
    "Step",
    "TestScore",
    "ThresholdCurves",
    "about_model",
    "answers",
    "audit_table",
    "column_cards",
    "evaluate_table",
    "open_table",
    "read_new_rows",
    "resolve_target",
    "run",
    "run_to_end",
]

# Looking at a table or answering for new rows must not wait for what only a comparison needs.
__getattr__, __dir__ = attach(
    __name__,
    {
        **dict.fromkeys(("Answers", "about_model", "answers", "read_new_rows"), "margin.experiment.table_prediction"),
        **dict.fromkeys(("ClassScore", "ColumnCard", "Pair", "Progress", "Result"), "margin.experiment.result"),
        **dict.fromkeys(("Score", "Standing", "Step", "TestScore"), "margin.experiment.result"),
        **dict.fromkeys(("CalibrationBin", "ThresholdCurves"), "margin.experiment.result"),
        **dict.fromkeys(("open_table", "resolve_target"), "margin.experiment.problem"),
        **{"Spec": "margin.experiment.spec", "column_cards": "margin.experiment.cards"},
        "SeveralResult": "margin.experiment.several_result",
        "audit_table": "margin.experiment.table_audit",
        "evaluate_table": "margin.experiment.table_evaluation",
        **dict.fromkeys(("run", "run_to_end"), "margin.experiment.compare"),
    },
)
