"""The README's examples run and print what it says."""

import doctest
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_examples_in_the_readme_print_what_it_says():
    found = doctest.testfile(str(ROOT / "README.md"), module_relative=False, optionflags=doctest.REPORT_NDIFF)
    assert found.attempted > 5
    assert found.failed == 0


def test_the_leaderboard_in_the_readme_is_the_one_the_demo_prints():
    from margin.experiment import Spec, run_to_end

    shown = re.findall(r"^([a-z0-9-]+)\s+([\d.]+) %\s+([\d.]+)–([\d.]+)", (ROOT / "README.md").read_text(), re.M)
    result = run_to_end(Spec("credit", target="risk", seed=1))
    printed = [
        (line.name, *(f"{100 * x:.1f}" for x in (score.value, score.low, score.high)))
        for line in result.leaderboard
        for score in [line.scores["accuracy"]]
    ]
    assert shown == printed


def test_every_file_the_readme_links_is_there():
    links = re.findall(r"\]\(([A-Z]+\.md)\)", (ROOT / "README.md").read_text())
    assert links
    assert all((ROOT / link).is_file() for link in links)
