"""python -m benchmarks: what it prints, saves and answers."""

from __future__ import annotations

import json

import pytest

from benchmarks.__main__ import main
from benchmarks.harness.arrays import load, save

FAMILY = "tests.benchmarks.fake_family"


def test_a_run_prints_a_table_and_saves_the_figures_with_the_machine(tmp_path, capsys):
    file = tmp_path / "new folder" / "figures.json"
    assert main([FAMILY, "--workload", "good", "--repeats", "1", "--quick", "--json", str(file)]) == 0
    out = capsys.readouterr().out
    assert "against the fastest peer: fit ×" in out
    assert str(file) in out
    told = json.loads(file.read_text())
    assert {"cpu", "cores", "versions", "load_average_before", "load_average_after"} <= told["machine"].keys()
    assert "numpy" in told["machine"]["versions"]
    sides = told["workloads"][0]["sides"]
    assert [side["side"] for side in sides] == ["stand-in", "slower"]
    assert sides[0]["figures"]["fit"] == sides[0]["repeats"][0]["fit"] > 0
    assert told["plan"]["quick"] is True


def test_a_failing_side_of_margin_is_told_by_the_exit_code(tmp_path):
    assert main([FAMILY, "--workload", "no data", "--json", str(tmp_path / "f.json")]) == 1


def test_an_unknown_family_or_workload_is_a_wrong_call(capsys):
    assert main(["bays"]) == 2
    assert "did you mean 'bayes'?" in capsys.readouterr().err
    assert main(["bayes", "--workload", "gausian"]) == 2
    assert "did you mean 'gaussian'?" in capsys.readouterr().err


def test_the_list_names_every_side_and_measures_nothing(capsys):
    assert main([FAMILY, "--list"]) == 0
    assert f"{FAMILY} · good: stand-in, slower" in capsys.readouterr().out


@pytest.mark.parametrize("repeats", ["0", "-1", "two"])
def test_repeats_must_be_a_whole_number_above_0(repeats, capsys):
    with pytest.raises(SystemExit):
        main(["--repeats", repeats])
    assert "must be a whole number above 0" in capsys.readouterr().err


def test_arrays_come_back_from_disk_as_they_went(tmp_path):
    np, sparse = pytest.importorskip("numpy"), pytest.importorskip("scipy.sparse")
    X = sparse.random(20, 5, density=0.3, format="csr", random_state=0)
    save({"X": X, "y": np.arange(20)}, tmp_path)
    back = load(tmp_path)
    assert (back["X"] != X).nnz == 0
    assert back["X"].format == "csr"
    assert np.array_equal(back["y"], np.arange(20))
