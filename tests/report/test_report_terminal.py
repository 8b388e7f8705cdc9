"""margin.report.terminal: a leaderboard that fits into 80 columns and is never wrapped."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from margin import zoo
from margin.experiment import Score, Spec, run_to_end
from margin.report import terminal
from margin.selection import Audit, Finding
from tests.experiment.stand_ins import Broken, entries, flowers


@pytest.fixture(scope="module")
def result():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zoo, "_zoo", entries(broken=Broken))
        return run_to_end(Spec(flowers(), target="kind", folds=3, repeats=1))


def shown(result, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    terminal.show(result, console)
    return console.file.getvalue().splitlines()


def test_a_line_for_each_model_with_its_standing(result):
    lines = shown(result)
    assert lines[1].split()[0] == "bayes"
    assert lines[1].rstrip().endswith("best")
    assert lines[2].split()[0] == "guess"
    assert lines[2].rstrip().endswith("behind")
    assert lines[3].startswith("broken failed: RuntimeError: out of order")


def test_long_names_stay_on_one_line_and_a_long_metric_takes_two_lines_of_the_heading(result):
    long = "gradient-boosted-trees-with-many-leaves"
    lines = [
        replace(line, name=long + line.name, scores={"balanced_accuracy": Score(1.0, 0.95, 1.0)})
        for line in result.leaderboard[:2]
    ]
    changed = replace(result, leaderboard=tuple(lines), best=lines[0].name, metric="balanced_accuracy")
    console = Console(file=io.StringIO(), width=80)
    console.print(terminal.board(changed))
    printed = console.file.getvalue().splitlines()
    assert len(printed) == 4
    assert all(len(line) <= 80 for line in printed)
    assert all("100.0 %" in line and "95.0–100.0" in line for line in printed[2:])


def test_no_character_is_one_that_terminals_print_as_a_box(result):
    assert "\u202f" not in "\n".join(shown(replace(result, warnings=("10\u202f% are missing",))))


def test_traps_that_do_not_stand_beside_the_score_are_told_the_first_three_one_by_one(result):
    traps = [Finding("possible_groups", "trap", f"'c{i}' may name groups.", "Use --group.") for i in range(5)]
    note = Finding("constant", "note", "'d' is constant.", "")
    lines = shown(replace(result, audit=Audit.of([*traps, note], n_train=3, n_test=1, split="here")))
    assert [line for line in lines if "may name" in line] == [
        f"! Trap: 'c{i}' may name groups. Use --group." for i in range(3)
    ]
    assert "! 2 more of the kind stand in the report (--out report.html)." in lines
    assert not any("'d'" in line for line in lines)


@pytest.mark.parametrize(
    ("value", "low", "high", "drawn"),
    [
        (0.75, 0.7, 0.8, "    ├─●─┤    "),
        (0.6, 0.6, 0.6, "●            "),
        (0.9, None, None, "            ●"),
        (0.75, 0.6, 0.9, "├─────●─────┤"),
    ],
)
def test_intervals_are_drawn_on_a_common_axis(value, low, high, drawn):
    assert terminal.interval_bar(Score(value, low, high), 0.6, 0.9, 13) == drawn


def test_one_model_whose_scores_are_all_equal_is_drawn(result):
    one = replace(result.leaderboard[0], scores={"accuracy": Score(1.0, 1.0, 1.0)})
    assert any("●" in line for line in shown(replace(result, leaderboard=(one,))))
