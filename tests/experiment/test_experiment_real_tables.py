"""Real tables from beside the project: read, sealed, compared and reported as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from margin.experiment import Spec, run_to_end
from margin.report import render

DATA = Path(__file__).resolve().parents[2] / "../shared/data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the real tables are not beside the project")


@pytest.mark.parametrize(
    ("file", "target", "n_rows", "n_classes"),
    [
        ("credit-g.arff.gz", "class", 1000, 2),
        ("soybean.arff.gz", "last", 683, 19),
        ("vote.arff.gz", 17, 435, 2),
        ("penguins.csv.gz", "species", 344, 3),
        ("wine.arff.gz", 1, 178, 3),
        ("zoo.arff.gz", "type", 101, 7),
    ],
)
def test_a_real_table_goes_through_as_it_is(file, target, n_rows, n_classes):
    result = run_to_end(Spec(str(DATA / file), target=target, folds=3, repeats=1))
    assert (result.n_rows, len(result.class_counts)) == (n_rows, n_classes)
    assert result.winner.scores["accuracy"].value == max(line.scores["accuracy"].value for line in result.leaderboard)
    assert sum(map(sum, result.test.confusion)) == result.n_test
    assert result.command.startswith("margin compare ")
    assert len(render(result)) > 10_000


def test_a_file_without_a_header_is_compared_as_it_is():
    result = run_to_end(Spec(str(DATA / "adult.data.gz"), target="last", header=False, models=("guess",)))
    render(result)
    assert result.n_rows == 32561
    assert result.class_counts["<=50K"] == 24720
