"""One comparison of models as data: a spec goes in, signs of life and a result come out."""

from margin.experiment.cards import column_cards
from margin.experiment.prediction import Answers, about_model, answers, read_new_rows
from margin.experiment.result import (
    ClassScore,
    ColumnCard,
    Progress,
    Result,
    Score,
    Standing,
    Step,
    TestScore,
)
from margin.experiment.run import run, run_to_end
from margin.experiment.source import open_table, resolve_target
from margin.experiment.spec import Spec

__all__ = [
    "Answers",
    "ClassScore",
    "ColumnCard",
    "Progress",
    "Result",
    "Score",
    "Spec",
    "Standing",
    "Step",
    "TestScore",
    "about_model",
    "answers",
    "column_cards",
    "open_table",
    "read_new_rows",
    "resolve_target",
    "run",
    "run_to_end",
]
