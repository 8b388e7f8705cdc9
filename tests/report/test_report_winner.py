"""What the page tells of the best model: its columns, its tree or weights, its mistakes, and every threshold."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import margin
from margin import DecisionTreeClassifier, LogisticRegression, NaiveBayes, Table
from margin.experiment import Result, Score
from margin.experiment.portrait.changed_rows import asked
from margin.experiment.portrait.columns import column_effects, column_worths
from margin.experiment.portrait.learnt import weights_of
from margin.experiment.portrait.parts import Cutoffs
from margin.explain import partial_dependence
from margin.report import render
from tests.report.test_report_page import parsed

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.MarginWarning")


def patients(n: int = 240) -> Table:
    """Ill above 60 years of pain, one in eight the other way round; a colour that says nothing, and a name each."""
    random = np.random.default_rng(0)
    pain = random.uniform(0, 100, n)
    ill = (pain > 60) ^ (random.uniform(size=n) < 1 / 8)
    table = Table.from_columns(
        {
            "patient": [f"P-{1000 + i}" for i in range(n)],
            "pain": pain.tolist(),
            "colour": random.choice(["red", "green", "blue"], n).tolist(),
            "state": np.where(ill, "ill", "well").tolist(),
        }
    )
    return table.with_kind("patient", "identifier")


@pytest.fixture(scope="module")
def result() -> Result:
    models = {"tree": DecisionTreeClassifier(max_depth=2, random_state=0), "bayes": NaiveBayes()}
    return margin.compare(patients(), "state", models=models, folds=3, repeats=1, positive="ill")


def test_the_column_that_decides_is_worth_most_and_noise_nothing(result):
    pain, colour = result.portrait.worths
    assert (pain.name, colour.name) == ("pain", "colour")
    assert pain.low > 0.05
    assert colour.low <= 0.0 <= colour.high
    assert result.portrait.n_asked == result.n_test
    assert result.portrait.effects[0].name == "pain"
    (line,) = result.portrait.effects[0].lines
    assert line.label == "ill"
    assert line.mean[0] < 0.3 < 0.7 < line.mean[-1]


def test_worth_is_the_mean_fall_of_the_probability_of_the_true_class():
    table = patients(60)
    X, y = table.target("state")
    X = X.drop("patient")
    model = NaiveBayes().fit(X, y)
    worths, n, of = column_worths(model, X, y.tolist(), ["pain", "colour"], seed=3)
    assert (n, of) == (60, "probability")
    # Over all orders of the cells the mean fall is known: each row meets each cell of the column once in n tries.
    code = {label: place for place, label in enumerate(model.classes_.tolist())}
    at = np.arange(60), [code[label] for label in y.tolist()]
    expected = {}
    for name in ("pain", "colour"):
        changes = [(name, np.roll(X.cells(name), shift)) for shift in range(60)]
        after = [told for _, told in asked(model, X, changes, lambda model, rows: model.predict_proba(rows))]
        expected[name] = float((model.predict_proba(X)[at] - np.mean(after, axis=0)[at]).mean())
    for one in worths:
        assert one.low <= expected[one.name] <= one.high
        assert one.value == pytest.approx(expected[one.name], abs=0.05)


def test_effects_are_partial_dependence():
    X, y = patients(50).target("state")
    model = NaiveBayes().fit(X, y)
    pain, colour = column_effects(model, X, ["pain", "colour"], "ill", seed=0)
    slow = partial_dependence(model, X, "colour", label="ill")
    assert colour.values == tuple(slow.values.tolist())
    assert colour.lines[0].mean == pytest.approx(slow.mean, abs=1e-4)
    assert len(pain.numbers) == 15


def test_a_model_without_probabilities_is_judged_by_its_answers():
    X, y = patients(60).target("state")

    class Sure:
        def predict(self, rows):
            return np.where(rows.cells("pain") > 60, "ill", "well")

    worths, _, of = column_worths(Sure(), X, y.tolist(), ["pain", "colour"], seed=0)
    assert of == "answers"
    assert worths[0].name == "pain"
    assert worths[1].value == worths[1].low == worths[1].high == 0.0
    assert column_effects(Sure(), X, ["pain"], "ill", seed=0) == ()
    assert column_worths(Sure(), X.take(np.arange(5)), y[:5].tolist(), ["pain"], seed=0) == ((), 0, "")


def test_weights_of_two_classes_are_told_of_the_positive_one():
    X, y = patients(120).target("state")
    model = LogisticRegression(scale="standard").fit(X, y)
    of_well, n, unit = weights_of(model, "well")
    of_ill, *_ = weights_of(model, "ill")
    assert n == len(model.summary().table["column"]) - 1
    assert unit == "per standard deviation, of words against the most frequent one of their column"
    assert {one.label for one in of_ill} == {"ill"}
    for one, other in zip(of_ill, of_well):
        assert (one.value, one.low, one.high) == (-other.value, -other.high, -other.low)
    pain = next(one for one in of_ill if one.name == "pain")
    assert 0 < pain.low < pain.value < pain.high
    assert weights_of(NaiveBayes().fit(X, y)) == ((), 0, "")


def test_the_rows_behind_a_cell_are_those_that_the_matrix_counts(result):
    place = {label: code for code, label in enumerate(result.test.labels)}
    assert sum(cell.n for cell in result.test.cells) == result.n_test
    for cell in result.test.cells:
        assert result.test.confusion[place[cell.true]][place[cell.given]] == cell.n
        assert len(cell.rows) == len(cell.names) == min(cell.n, 12)
        assert cell.names == tuple(f"P-{999 + row}" for row in cell.rows)
    truth = patients().values("state")
    assert all(truth[row - 1] == cell.true for cell in result.test.cells for row in cell.rows)
    shares = [mistake.share for mistake in result.test.mistakes]
    assert shares == sorted(shares, reverse=True)
    assert all(mistake.true != mistake.given for mistake in result.test.mistakes)


def test_the_table_of_thresholds_agrees_with_the_confusion_matrix(result):
    cutoffs = result.test.cutoffs
    ill, well = result.test.labels.index("ill"), result.test.labels.index("well")
    at = round(100 * result.threshold.value)
    assert abs(cutoffs.found[at] - result.test.confusion[ill][ill]) <= 1
    assert (cutoffs.found[0], cutoffs.false[0]) == (cutoffs.positives, cutoffs.negatives)
    assert cutoffs.positives == sum(result.test.confusion[ill])
    assert all(a >= b for a, b in zip(cutoffs.found, cutoffs.found[1:]))
    assert cutoffs.negatives == sum(result.test.confusion[well])


def test_intervals_of_a_class_hold_its_precision_and_recall(result):
    for one in result.test.classes:
        low, high = one.intervals["recall"]
        assert low < one.recall <= high
        low, high = one.intervals["precision"]
        assert low < one.precision <= high


def test_the_page_shows_all_of_it_and_works_without_a_script(result):
    page = result.html(title="Who is ill?", author="A. Nurse", notes="One.\n\nTwo & <b>three</b>.")
    tags = parsed(page)
    assert "Who is ill?" in tags.text
    assert "A. Nurse" in tags.text
    assert "Two & <b>three</b>." in tags.text
    for words in (
        "Which rows were used for what",
        "When to answer “ill”",
        "The columns it needs",
        "In Python:",
        "Words",
    ):
        assert words in tags.text, words
    assert "margin.compare(table, 'state'" in tags.text
    slider = next(attributes for tag, attributes in tags.tags if attributes.get("id") == "cutoffs")
    assert "hidden" in slider  # the script shows it
    counts = json.loads(re.search(r'id="cutoff-data">(.*?)</script>', page).group(1))
    assert tuple(counts["found"]) == result.test.cutoffs.found
    assert not re.search(r"https?:|url\(|@import", page)


def test_the_tree_of_a_winner_is_drawn(result):
    assert ('class="tree"' in result.html()) == (result.best == "tree")
    alone = margin.compare(
        patients(), "state", models={"tree": DecisionTreeClassifier(max_depth=2)}, folds=2, repeats=1
    )
    root, *others = alone.portrait.branches
    assert root.title == "pain"
    assert sum(one.share for one in others if one.depth == 1) == pytest.approx(1.0)
    assert 'class="tree"' in alone.html()


def test_a_record_gives_the_same_page(result):
    again = Result.from_dict(json.loads(json.dumps(result.to_dict())))
    assert again.portrait == result.portrait
    assert again.test.cutoffs == result.test.cutoffs
    assert again.test.cells == result.test.cells
    for part in ("What", "When to answer", "Which rows"):
        assert render(again).count(part) == render(result).count(part)


def test_a_result_that_knows_less_has_a_page_without_these_parts(result):
    bare = replace(
        result, portrait=None, partition=None, test=replace(result.test, cutoffs=None, mistakes=(), cells=())
    )
    text = parsed(render(bare)).text
    for words in ("Which rows were used", "When to answer", "goes by", "surest mistakes", "rows behind each cell"):
        assert words not in text
    only = Cutoffs("ill", "well", 0, 9, (0,) * 101, (9,) * 101)
    assert "When to answer" not in render(replace(result, test=replace(result.test, cutoffs=only)))


def test_words_are_told_that_the_page_says(result):
    text = parsed(render(result)).text
    assert "Of the cases of a class, the share that is found." in text
    assert "Average precision The mean" in text
    lines = tuple(replace(line, scores={"accuracy": Score(0.5)}) for line in result.leaderboard)
    assert "Log loss How surprised" not in parsed(render(replace(result, leaderboard=lines))).text
