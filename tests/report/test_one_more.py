"""One more metric, protocol, column of the leaderboard or section of the page is one thing and its place in a list."""

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from sklearn.naive_bayes import GaussianNB

from margin import evaluate, zoo
from margin.evaluation import METRICS, measure
from margin.evaluation.metrics import definitions
from margin.evaluation.metrics.metric import on_labels
from margin.evaluation.predictions.confusion import ratio
from margin.evaluation.protocols import named
from margin.evaluation.protocols.stratified import Split, Splits
from margin.experiment import Spec, run_to_end
from margin.report import leaderboard, render, sections, terminal
from margin.report import phrases as words
from margin.selection import GridSearch
from tests.experiment.stand_ins import entries, flowers
from tests.report.test_report_page import parsed

TRUTH, SAID = [0, 0, 1, 1], [0, 1, 1, 1]


@on_labels(greater_is_better=False, bounds=(0.0, np.inf))
def mistakes_per_hit(table: np.ndarray) -> np.ndarray:
    """Wrong answers for each right one."""
    hits = np.trace(table, axis1=-2, axis2=-1)
    return ratio(table.sum(axis=(-2, -1)) - hits, hits)


@pytest.fixture
def toy_metric(monkeypatch):
    monkeypatch.setitem(definitions._METRICS, mistakes_per_hit.name, mistakes_per_hit)


@pytest.mark.usefixtures("toy_metric")
def test_a_metric_that_is_no_share_is_measured_evaluated_and_searched_by():
    assert measure(TRUTH, SAID)["mistakes_per_hit"].value == pytest.approx(1 / 3)
    X = np.array([[0.0], [1.0], [2.0], [3.0]] * 5)
    result = evaluate(GaussianNB(), X, TRUTH * 5, 2, metrics=["mistakes_per_hit"])
    accuracy = evaluate(GaussianNB(), X, TRUTH * 5, 2, metrics=["accuracy"]).fold_scores["accuracy"]
    assert result.fold_scores["mistakes_per_hit"] == pytest.approx((1 - accuracy) / accuracy)
    assert "mistakes_per_hit" in str(result)
    search = GridSearch(GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, metric="mistakes_per_hit", cv=2).fit(X, TRUTH * 5)
    assert search.results_.metric == "mistakes_per_hit"


@pytest.mark.usefixtures("toy_metric")
def test_a_metric_that_is_no_share_is_no_percentage_in_words_on_the_page_and_on_the_terminal(monkeypatch):
    monkeypatch.setattr(zoo, "_zoo", entries())
    result = run_to_end(Spec(flowers(), target="kind", metrics=("mistakes_per_hit",), folds=3, repeats=1))
    best = result.winner.scores["mistakes_per_hit"].value
    assert result.best == "bayes"  # the fewest mistakes, not the most
    assert words.metric_name("mistakes_per_hit") == "Mistakes per hit"
    assert words.score(best, "mistakes_per_hit") == f"{best:.3f}"
    page = parsed(render(result)).text
    assert "Mistakes per hit" in page
    assert f"{best:.3f}" in page
    console = Console(file=io.StringIO(), width=100)
    terminal.show(result, console)
    line = next(line for line in console.file.getvalue().splitlines() if line.startswith("bayes"))
    assert f"{best:.3f}" in line
    assert "%" not in line


def test_a_metric_says_itself_how_it_is_called_and_whether_it_is_a_percentage():
    shares = {name for name, each in METRICS.items() if each.unit == "%"}
    assert set(METRICS) - shares == {"matthews", "kappa", "reject_cost", "cost", "log_loss", "brier"}
    assert METRICS["f1"].title == "F1"
    assert words.metric_name("f1") == "F1, mean of classes"
    assert words.metric_name("f1", "bad") == "F1 of “bad”"
    assert words.metric_name("accuracy", "bad") == "Accuracy"
    assert METRICS["f1"].with_options(positive="bad").title == "F1(positive='bad')"
    assert METRICS["roc_auc"].title == words.metric_name("roc_auc") == "Roc auc"
    assert replace(mistakes_per_hit, heading="Odds", unit="%").title == "Odds"


@dataclass(frozen=True)
class Halves(Splits):
    """Learns from the rows at even places and is asked about the others, and the other way round."""

    name = "halves"
    n_fits = 2

    def split(self, y: Any) -> Iterator[Split]:
        rows = np.arange(len(y))
        yield rows[::2], rows[1::2]
        yield rows[1::2], rows[::2]

    def describe(self) -> str:
        return "Each half was asked of a model learnt from the other."


def test_a_protocol_is_a_class_and_its_name(monkeypatch):
    monkeypatch.setitem(named._PROTOCOLS, "halves", Halves)
    X, y = np.arange(12.0)[:, None], [0] * 6 + [1] * 6
    result = evaluate(GaussianNB(), X, y, "halves")
    assert (result.protocol, len(result.folds)) == (Halves(), 2)
    assert "halves" in str(result)
    assert result.scores["accuracy"].how.startswith("mean of 2 folds")
    with pytest.raises(ValueError, match="'halves'"):
        evaluate(GaussianNB(), X, y, "halfs")


def test_a_column_of_the_leaderboard_is_a_line_in_one_list_and_stands_on_page_and_terminal(monkeypatch):
    monkeypatch.setattr(zoo, "_zoo", entries())
    folds = leaderboard.Column("folds", lambda standing: f"{len(standing.fold_scores)} parts")
    monkeypatch.setattr(leaderboard, "COLUMNS", [*leaderboard.COLUMNS, folds])
    result = run_to_end(Spec(flowers(), target="kind", folds=3, repeats=1))
    page = parsed(render(result)).text
    assert page.count("3 parts") == len(result.leaderboard)
    assert "Folds" in page
    console = Console(file=io.StringIO(), width=120)
    console.print(terminal.board(result))
    heading, first, *_ = console.file.getvalue().splitlines()
    assert heading.split()[-4:] == ["folds", "to", "the", "best"]
    assert first.split()[-3:] == ["3", "parts", "best"]


def test_a_section_of_the_page_is_a_template_and_a_line_in_one_list(monkeypatch):
    monkeypatch.setattr(zoo, "_zoo", entries())
    result = run_to_end(Spec(flowers(), target="kind", folds=3, repeats=1))
    said = sections.Section("warnings.html", lambda result: {"warnings": [f"{result.n_rows} rows were counted"]})
    silent = sections.Section("warnings.html", lambda result: None)
    before = render(result)
    monkeypatch.setattr(sections, "SECTIONS", [said, silent, *sections.SECTIONS])
    after = parsed(render(result)).text
    assert after.count(f"{result.n_rows} rows were counted") == 1
    assert after.index("rows were counted") < after.index("Leaderboard")
    assert "rows were counted" not in before
