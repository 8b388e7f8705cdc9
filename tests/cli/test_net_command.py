"""``margin net``: networks for pictures by name."""

from click.testing import CliRunner

from margin.cli.app import cli
from margin.deep import architectures


def margin(*words: str):
    done = CliRunner().invoke(cli, [*words])
    assert "Traceback" not in done.output
    return done


def test_networks_are_listed_with_their_sizes():
    done = margin("net", "list")
    assert done.exit_code == 0
    assert all(name in done.stdout for name in architectures.names())
    assert "138,357,544" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_a_network_is_shown_layer_by_layer():
    done = margin("net", "show", "lenet5", "--classes", "3")
    assert done.exit_code == 0
    assert "Gradient-based learning applied to document recognition (1998)" in done.stdout
    assert "61,111" in done.stdout  # 61,706 less the 85 numbers of each of seven classes


def test_what_cannot_be_shown_is_refused_in_one_line():
    done = margin("net", "show", "lenet6")
    assert done.exit_code == 2
    assert "did you mean 'lenet5'" in done.output
