"""benchmarks.harness: sides that behave, fail, die, hang or are absent; none hides another. No speeds are checked."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from benchmarks.harness import memory
from benchmarks.harness.run import Outcome, Plan, Result, run_workload, turns
from benchmarks.harness.table import draw, in_words
from benchmarks.harness.workload import Column, Side, UnknownName, find_families, load_family

FAMILY = "tests.benchmarks.fake_family"
ROOT = Path(__file__).resolve().parents[2]


def run(name: str, workload_changes: dict | None = None, **plan) -> Result:
    workload = dataclasses.replace(load_family(FAMILY)[name], **(workload_changes or {}))
    result = Result(FAMILY, workload, Plan(**{"repeats": 2, "settle": 0.0, "limit": 60.0, **plan}))
    run_workload(result)
    return result


def outcome(result: Result, name: str) -> Outcome:
    return next(o for o in result.outcomes if o.side.name == name)


def test_every_side_is_measured_once_a_repeat_in_all_columns():
    result = run("good")
    for side in result.outcomes:
        assert side.state == "measured"
        assert len(side.repeats) == 2
        assert {"fit", "predict", "one_row", "quality"} <= side.repeats[0].keys()
        assert all(side.repeats[0][key] > 0 for key in ("fit", "predict", "one_row"))


def test_quality_is_that_of_the_answers():
    result = run("good")
    truth = load_family(FAMILY)["good"].make_data(n=3000, n_test=100)["y_test"]
    assert result.figure(outcome(result, "slower"), "quality") == pytest.approx(np.mean(truth == 1))


def test_quick_sizes_replace_the_full_ones():
    assert load_family(FAMILY)["good"].sizes(quick=True) == {"n": 300, "n_test": 100}
    assert load_family(FAMILY)["good"].sizes(quick=False) == {"n": 3000, "n_test": 100}


def test_sides_that_fail_die_or_are_absent_do_not_hide_the_others():
    result = run("troubled")
    states = {o.side.name: (o.state, o.error) for o in result.outcomes}
    assert states == {
        "stand-in": ("measured", ""),
        "absent": ("not installed", ""),
        "raises": ("failed", "the matrix is too large"),
        "dies": ("failed", "ended with code 3: out of luck"),
        "chatters": ("measured", ""),
        "slower": ("measured", ""),
    }
    assert "FailsAtFullSize" not in outcome(result, "raises").error
    assert "in fit" in outcome(result, "raises").traceback
    text = draw(result)
    assert "not installed" in text
    assert "failed: the matrix is too large" in text


def test_a_side_cannot_answer_through_stdout():
    result = run("troubled")
    assert result.figure(outcome(result, "chatters"), "fit") > 0


def test_a_side_that_takes_too_long_is_ended_and_named():
    begin = time.monotonic()
    result = run("hanging", limit=1.0)
    assert time.monotonic() - begin < 50  # it would hang for 60
    assert (outcome(result, "hangs").state, outcome(result, "hangs").error) == ("failed", "no answer within 1 s")


def test_data_that_cannot_be_made_fail_every_side_with_the_reason():
    result = run("no data")
    assert [o.error for o in result.outcomes] == ["no data: RuntimeError: the generator is broken"]


def test_sides_take_turns_in_alternating_order_each_in_one_process_of_its_own(tmp_path):
    log = tmp_path / "turns"
    run("in turns", {"size": {"log": str(log)}}, repeats=3)
    lines = [line.split() for line in log.read_text().splitlines()]
    assert [name for name, _ in lines] == list("abccbaabc")
    assert len(set(map(tuple, lines))) == 3
    assert str(os.getpid()) not in {process for _, process in lines}


def test_picked_peers_leave_the_others_out_but_never_margin():
    sides = [
        Side("margin NaiveBayes", "margin", dict),
        Side("sklearn brute", "sklearn", dict),
        Side("flat", "faiss", dict),
    ]
    assert [s.name for s in sides if Plan(peers=("faiss",)).wants(s)] == ["margin NaiveBayes", "flat"]
    assert [s.name for s in sides if Plan(peers=("sklearn brute",)).wants(s)] == ["margin NaiveBayes", "sklearn brute"]
    assert [s.name for s in sides if Plan(peers=()).wants(s)] == ["margin NaiveBayes"]
    assert all(Plan().wants(s) for s in sides)


def test_a_function_is_measured_with_the_value_it_gives():
    result = run("function")
    assert result.figure(outcome(result, "mean"), "call") > 0
    assert result.figure(outcome(result, "mean"), "quality") == pytest.approx(0.75, abs=0.03)


def test_an_import_is_measured_in_a_fresh_interpreter():
    result = run("import", repeats=1)
    assert {o.side.name: o.state for o in result.outcomes} == {"json": "measured", "margin": "measured"}
    assert result.figure(outcome(result, "json"), "import") >= 0


def test_repeats_are_put_together_by_least_time_most_memory_and_last_score():
    assert Column("fit", "fit").combine([3.0, 1.0, 2.0]) == 1.0
    assert Column("memory", "peak", "bytes").combine([3.0, 1.0, 2.0]) == 3.0
    assert Column("quality", "quality", "score").combine([3.0, 1.0, 2.0]) == 2.0
    assert Column("import", "import", keep="last").combine([3.0, 1.0, 2.0]) == 2.0


def test_turns_go_round_for_any_number_of_sides():
    assert list(turns(["a", "b", "c"], 3)) == [
        *[(1, "a"), (1, "b"), (1, "c")],
        *[(2, "c"), (2, "b"), (2, "a")],
        *[(3, "a"), (3, "b"), (3, "c")],
    ]
    assert list(turns([], 3)) == []


def measured(*times: tuple[Side, float]) -> Result:
    result = Result("fake", load_family(FAMILY)["function"], Plan())
    result.outcomes = [Outcome(side, "measured", repeats=[{"call": t, "quality": 0.5}]) for side, t in times]
    return result


def test_the_table_gives_absolute_times_and_ratios_to_margin():
    ours, theirs, other = (Side(name, name, dict) for name in ("margin", "peer", "third"))
    lines = draw(measured((ours, 0.002), (theirs, 0.05), (other, 0.001))).splitlines()
    assert lines[0] == "fake · function (n=3,000, n_test=100)"
    assert lines[1].split() == ["side", "call", "peak", "value"]
    assert lines[2].split() == ["margin", "2.00", "ms", "–", "0.5000"]
    assert lines[3].split() == ["peer", "50.0", "ms", "×25.0", "–", "0.5000"]
    assert lines[4].split() == ["third", "1.00", "ms", "×0.500", "–", "0.5000"]
    assert lines[5] == "against the fastest peer: call ×0.500 (third)"


def test_the_table_has_no_ratios_where_margin_was_not_measured():
    assert "×" not in draw(measured((Side("peer", "peer", dict), 0.05)))


def test_figures_are_written_with_fitting_units():
    assert in_words(12.345, "seconds") == "12.3 s"
    assert in_words(0.5639, "seconds") == "564 ms"
    assert in_words(2.2e-6, "seconds") == "2.20 µs"
    assert in_words(1234.0, "seconds") == "1,234 s"
    assert in_words(0.0, "seconds") == "0.00 µs"


def test_peak_memory_sees_what_was_held_and_let_go():
    if not memory.reset_peak():
        pytest.skip("this system does not let a process reset its peak memory")
    before = memory.resident()
    block = np.ones(8_000_000)
    del block
    assert memory.peak() - before > 50e6
    memory.reset_peak()
    assert memory.peak() - memory.resident() < 20e6


def test_families_are_found_by_themselves():
    assert {"bayes", "neighbors", "imports"} <= set(find_families())
    assert not {"harness", "__main__", "peers"} & set(find_families())


@pytest.mark.parametrize("family", find_families())
def test_every_family_declares_workloads_with_distinct_names_and_one_side_of_margin(family):
    workloads = load_family(family)
    assert workloads
    for workload in workloads.values():
        names = [side.name for side in workload.sides]
        assert len(set(names)) == len(names)
        assert sum(side.is_margin for side in workload.sides) >= 1
        assert workload.quick.keys() <= workload.size.keys()


def test_an_unknown_family_is_an_error_with_a_hint():
    with pytest.raises(UnknownName, match=r"family 'bays' is not known; there are .*\(did you mean 'bayes'\?\)"):
        load_family("bays")


def test_ctrl_c_ends_the_workers_prints_what_there_is_and_saves_it(tmp_path):
    saved = tmp_path / "figures.json"
    call = [sys.executable, "-m", "benchmarks", FAMILY, "--workload", "hanging", "--json", str(saved)]
    process = subprocess.Popen(call, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    workers = _wait_for(lambda: _children(process.pid) if len(_children(process.pid)) == 2 else None)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "not measured" in out
    assert "interrupted" in out
    assert saved.exists()
    assert _wait_for(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))


def _children(process: int) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def _wait_for(condition, seconds: float = 30.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError("waited in vain")
