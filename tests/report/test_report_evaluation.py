"""The report on how far its numbers can be believed: leaks, openings, pairs, curves."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from rich.console import Console

from margin import Table, zoo
from margin.experiment import Pair, Score, Spec, run_to_end
from margin.report import phrases as words
from margin.report import render, render_audit, terminal
from margin.selection import audit
from tests.experiment.stand_ins import entries, flowers
from tests.report.test_report_page import parsed


def run(table: Table, target: str, **more):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zoo, "_zoo", entries(**more))
        return run_to_end(Spec(table, target=target, folds=3, repeats=1))


def two_classes(n: int = 200, copied: int = 0) -> Table:
    rng = np.random.default_rng(0)
    ill = np.arange(n) % 4 == 0
    pulse = rng.normal(size=n) + 1.5 * ill
    weight = rng.normal(size=n)
    if copied:
        pulse[-copied:], weight[-copied:], ill[-copied:] = pulse[:copied], weight[:copied], ill[:copied]
    columns = {"pulse": pulse, "weight": weight, "state": np.where(ill, "ill", "well")}
    return Table.from_columns(columns, name="visits")


@pytest.fixture(scope="module")
def many():
    return run(flowers(), "kind")


@pytest.fixture(scope="module")
def two():
    return run(two_classes(), "state")


def test_the_page_of_clean_data_says_that_nothing_was_found(two):
    text = parsed(render(two)).text
    assert two.audit.findings == ()
    assert "Nothing found among 25 kinds of leaks and traps." in text
    assert "Do not believe this yet" not in text
    assert "Looked for leaks and traps" in [step.name for step in two.steps]


def test_a_leak_stands_at_the_top_of_the_page_and_on_the_terminal_with_the_score_without_it():
    table = two_classes()
    ill = table.values("state") == "ill"
    found = Table.from_columns(
        {**{name: table.values(name) for name in ("pulse", "weight", "state")}, "paid": np.where(ill, 7.5, 2.5)},
        name="visits",
    )
    result = run(found, "state")
    (leak,), (caution,) = result.audit.leaks, result.cautions
    page = parsed(render(result)).text
    assert page.index("Do not believe this yet") < page.index("Leaderboard") < page.index("Leaks and traps")
    assert page.count(leak.says) == 2
    (without,) = caution.without.values()
    assert without.value < 0.9 < caution.held.value
    told = f"without 'paid': {words.score(without.value)}".replace(words.THIN, " ")
    assert told in page
    console = Console(file=io.StringIO(), width=80)
    terminal.show(result, console)
    printed = " ".join(console.file.getvalue().split())
    assert printed.index("of unseen cases") < printed.index("! Do not believe this yet.") < printed.index(leak.says)
    assert told in printed
    assert json.loads(json.dumps(result.to_dict()))["cautions"][0]["columns"] == ["paid"]


def test_copies_stay_on_one_side_and_what_they_would_have_changed_is_told():
    result = run(two_classes(copied=60), "state")
    assert result.audit.leaks == result.audit["duplicates_across"] == ()
    (note,) = result.audit["duplicates_within"]
    assert note.says.startswith("44 of 156 training rows repeat an earlier one")
    assert note.evidence["torn_apart"] != note.evidence["held_together"]
    assert "Copies of a row stayed on one side." in result.protocol


def test_the_page_says_when_the_seal_was_opened_and_how_often(two):
    text = parsed(render(two)).text
    assert len(two.openings) == 1
    assert f"The seal was opened once, {two.openings[0].removeprefix('opened ')}." in text
    twice = replace(two, openings=(two.openings[0], "opened 2030-01-01 00:00:00 UTC for Tree"))
    assert "The seal was opened 2 times, which makes later scores too kind" in parsed(render(twice)).text


def test_two_classes_have_the_curves_of_the_rarer_one_with_its_area(two):
    (curve,) = two.test.curves
    assert curve.label == two.test.calibrated == "ill"
    assert curve.roc[0] == (0.0, 0.0)
    assert curve.roc[-1] == (1.0, 1.0)
    assert curve.area.low < curve.area.value < curve.area.high
    assert curve.average_precision.low is not None
    assert sum(one.cases for one in two.test.calibration) == two.n_test
    page = parsed(render(two))
    assert sum(tag == "svg" and "curves" in (attributes.get("class") or "") for tag, attributes in page.tags) == 3
    assert f"Area {curve.area.value:.3f}, 95 % interval {curve.area.low:.3f}–{curve.area.high:.3f}." in page.text


def test_the_area_of_the_page_is_the_share_of_pairs_in_order():
    result = run(two_classes(80), "state")
    area = result.test.curves[0].area.value
    hits = result.test.curves[0].roc
    trapezoids = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(hits))
    assert area == pytest.approx(trapezoids, abs=0.002)


def test_many_classes_have_a_line_and_an_area_each(many):
    assert {curve.label for curve in many.test.curves} == {"iris", "lily", "rose"}
    page = parsed(render(many))
    lines = [attributes for tag, attributes in page.tags if tag == "polyline"]
    assert len(lines) == 3 + 1 + 3 + 2  # classes and guessing, classes, calibration and its diagonal
    assert "ROC area" in page.text
    assert "Of the most probable class" in page.text


def test_a_model_that_ranks_nothing_has_no_curves(two):
    test = replace(two.test, curves=(), calibration=(), calibration_error=None)
    assert "Ranking and probabilities" not in render(replace(two, test=test))
    scores_only = replace(two.test, calibration=(), calibration_error=None)
    text = parsed(render(replace(two, test=scores_only))).text
    assert "ROC curve" in text
    assert "Calibration" not in text


def test_every_two_models_are_told_apart_or_not(two):
    assert [(pair.better, pair.other) for pair in two.pairs] == [("Gaussian Bayes", "Majority guess")]
    assert two.pairs[0].gap.value == pytest.approx(
        two.leaderboard[0].scores["accuracy"].value - two.leaderboard[1].scores["accuracy"].value
    )
    assert "differences between any two" not in render(two)  # the leaderboard has said it
    other = Pair("Tree", "Bayes", Score(0.01, -0.02, 0.04), 0.7, False)
    text = parsed(render(replace(two, pairs=(replace(two.pairs[0], differs=True), other)))).text
    assert "Of the 2 differences between any two of the models, 1 is more than chance explains." in text
    assert "Tree and Bayes cannot be told apart: 1.0 % (95 % interval -2.0 to 4.0, p = 0.7)." in text


def test_a_loss_has_gaps_of_the_same_sign():
    result = run_with_loss()
    assert result.pairs[0].gap.value > 0
    assert result.pairs[0].gap.low is None or result.pairs[0].gap.low <= result.pairs[0].gap.value


def run_with_loss():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zoo, "_zoo", entries())
        return run_to_end(Spec(two_classes(), target="state", folds=3, repeats=1, metrics=("log_loss",)))


def test_the_page_of_an_audit_trusts_no_text_of_the_data():
    nasty = "<script>alert('x')</script>"
    y = np.arange(60) % 2
    table = Table.from_columns({nasty: y.astype(float), "b": np.random.default_rng(0).normal(size=60)})
    page = parsed(render_audit(audit(table, y), nasty, nasty, nasty))
    assert "script" not in {tag for tag, _ in page.tags}
    assert page.text.count(nasty) >= 4


def test_words_for_an_unopened_seal_are_none(two):
    assert words.opened(replace(two, openings=())) == ""
