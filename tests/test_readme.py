"""The examples of the README and of the page on the parts run, and print what is said."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(("page", "least"), [("README.md", 6), ("docs/parts.md", 40)])
def test_the_examples_print_what_the_page_says(page, least):
    found = doctest.testfile(str(ROOT / page), module_relative=False, optionflags=doctest.REPORT_NDIFF)
    assert found.attempted > least
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


def test_the_card_on_the_page_of_parts_is_the_one_that_is_shown(tmp_path):
    from margin import persistence
    from margin.cli.card_text import card_lines
    from margin.experiment import Spec, run_to_end

    (block,) = re.findall(r"^Naive Bayes\n.*?(?=^…$)", (ROOT / "docs" / "parts.md").read_text(), re.M | re.S)
    shown = block.splitlines()
    result = run_to_end(Spec("credit", models=("naive-bayes",), seed=1))
    path = persistence.save(result.model, tmp_path / "credit.margin", about=result.about)
    printed = [re.sub(r"\x1b\[\d+m", "", line) for line in card_lines(persistence.card(path), 80)]

    def timeless(lines: list[str]) -> list[str]:
        return [re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "at some time", line) for line in lines]

    assert timeless(shown) == timeless(printed[: len(shown)])


def test_every_file_the_readme_links_is_there():
    links = re.findall(r"\]\(((?:docs/)?[\w-]+\.(?:md|png))\)", (ROOT / "README.md").read_text())
    assert "docs/report.png" in links
    assert all((ROOT / link).is_file() for link in links)


def test_the_commands_in_the_readme_are_commands_with_such_options():
    import click

    from margin.cli.app import cli

    lines = re.findall(r"^(margin [^#\n]+)", (ROOT / "README.md").read_text(), re.M)
    assert len(lines) > 5
    for line in lines:
        words = line.split()
        command = cli.get_command(click.Context(cli), words[1])
        if isinstance(command, click.Group):
            command = command.get_command(click.Context(command), words[2])
        known = {name for option in command.params for name in option.opts}
        assert {word for word in words if word.startswith("--")} <= known, line
