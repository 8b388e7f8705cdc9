"""The scripts of the lectures run, and print what the lectures say."""

from __future__ import annotations

import importlib.util
import re
import warnings
from pathlib import Path
from types import ModuleType

import matplotlib as mpl
import pytest

from tests.shared_data import shared_data

mpl.use("Agg")
HERE = Path(__file__).parent.parent / "examples" / "lectures"


def script(name: str) -> ModuleType:
    (path,) = HERE.glob(f"{name}_*.py")
    described = importlib.util.spec_from_file_location(path.stem, path)
    found = importlib.util.module_from_spec(described)
    described.loader.exec_module(found)
    return found


def run(name: str, capsys: pytest.CaptureFixture[str], folder: Path | None = None, **given) -> str:
    with warnings.catch_warnings():
        assert script(name).main(None if folder is None else str(folder), **given) == 0
    return capsys.readouterr().out


def pictures(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_readme_lists_the_scripts_in_order():
    listed = re.findall(r"`(\d\d_\w+\.py)` \|", (HERE / "README.md").read_text())
    assert listed == sorted(path.name for path in HERE.glob("*.py"))


def test_one_column_drowns_the_others_and_very_few_or_many_neighbours_err_more(capsys, tmp_path):
    said = run("01", capsys, tmp_path)
    assert "drowns the other columns" in said
    assert 1 < int(re.search(r"smallest error: +k = (\d+)", said)[1]) < 200
    expected = ("curse", "error-against-k", "regions-of-1", "regions-of-149", "regions-of-15", "voronoi")
    assert pictures(tmp_path) == [f"{name}.png" for name in expected]


def test_bias_falls_and_variance_rises_with_the_order(capsys):
    rows = [line.split() for line in run("02", capsys, times=60).splitlines() if re.match(r" +\d", line)]
    orders = [(float(bias), float(variance)) for _, bias, variance, *_ in rows[:8]]
    assert orders[0][0] > 0.4 > 0.05 > orders[3][0]
    assert orders[3][1] < orders[7][1]


def test_nobody_plays_on_a_sunny_cool_humid_and_windy_day(capsys):
    said = run("03", capsys)
    assert "no 0.0205714, yes 0.0052910, so no" in said
    assert "no 0.0001363, yes 0.0000358, so no" in said


def test_averages_of_digits_tell_fives_from_sixes(capsys, tmp_path):
    two, ten = re.findall(r"pictures: ([\d.]+)", run("04", capsys, tmp_path))
    assert float(two) > 0.97
    assert float(ten) > 0.85
    assert len(pictures(tmp_path)) == 2


def test_a_line_cannot_tell_xor_and_a_tree_can(capsys):
    said = run("05", capsys).splitlines()[0]
    right = {name: float(share) for name, share in re.findall(r"([a-zB ]+) (\d?\.\d+)", said.partition(": ")[2])}
    assert right["naive Bayes"] < 0.7
    assert right[" logistic"] < 0.7
    assert right[" tree"] > 0.8


def test_a_perceptron_ends_where_a_line_tells_the_kinds_apart(capsys, tmp_path):
    said = run("06", capsys, tmp_path).splitlines()
    assert [line.endswith("a line was found") for line in said] == [True, True, False]
    assert len(list(tmp_path.glob("*.gif"))) == len(list(tmp_path.glob("*.png"))) == 2


def test_outliers_move_discriminant_analysis_most(capsys):
    found = [line.rsplit(maxsplit=3) for line in run("07", capsys).splitlines() if line.lstrip().startswith("20 ")]
    moved = {line[0].split(maxsplit=1)[1].strip(): float(line[1]) for line in found}
    assert moved["discriminant analysis"] > 10 * moved["support vector machine"]
    assert moved["discriminant analysis"] > 5 * moved["logistic regression"]


def test_a_kernel_is_the_product_of_features_and_tells_a_ring(capsys):
    said = run("08", capsys)
    assert float(re.search(r"differ by at most (\S+)", said)[1]) < 1e-12
    line, square, rbf = (float(share) for share in re.findall(r": (\d\.\d+) right", said))
    assert line < 0.7
    assert min(square, rbf) > 0.95
    assert "answers as the kernel does in 1.000" in said


@pytest.mark.golden("F4")
def test_gain_and_gain_ratio_grow_the_two_trees_of_the_lecture(capsys):
    by_gain, by_ratio = run("09", capsys).split("by gain_ratio")
    assert "Income Level  gain 0.9663, ratio 0.6208 (asked)" in by_ratio
    assert re.search(r"Medium\n\|   Credit History", by_gain)
    assert re.search(r"Medium\n\|   Debt Level", by_ratio)


def test_pruning_makes_the_spam_tree_small_and_no_worse(capsys):
    assert script("10").main(str(shared_data("spambase.arff.gz")), 2) == 0
    full, pruned = (line.split() for line in capsys.readouterr().out.splitlines()[1:3])
    assert float(pruned[1]) < float(full[1]) / 2


@pytest.mark.golden("G5")
def test_three_rules_and_their_votes_leave_no_training_error(capsys, tmp_path):
    said = run("11", capsys, tmp_path)
    assert re.findall(r"ε (\S+), α (\S+),", said) == [("0.30", "0.42"), ("0.21", "0.65"), ("0.14", "0.92")]
    assert "all three: 1.00 right" in said
    assert pictures(tmp_path) == ["boosting-bounds.png", "boosting-boxes.png", "boosting-margins.png"]


def test_xor_hangs_on_the_first_weights_and_needs_a_bend(capsys):
    counts = [int(n) for n in re.findall(r": (\d+) of 100", run("12", capsys))]
    assert counts[0] == 0
    assert 20 < counts[1] < counts[2] <= counts[3] <= counts[4]
    assert counts[4] > 90
