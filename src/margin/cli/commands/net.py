"""``margin net``: networks for pictures that can be built by name."""

from __future__ import annotations

from typing import Literal

import click

__all__ = ["command"]


@click.group("net", short_help="List networks for pictures, or show one layer by layer.")
def command() -> None:
    """Networks for pictures that can be built by name."""


@command.command("list")
def list_networks() -> None:
    """List the networks with their sizes."""
    from rich.console import Console
    from rich.table import Table

    from margin.deep import architectures

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("name", no_wrap=True)
    table.add_column("parameters", justify="right", no_wrap=True)
    table.add_column("layers", justify="right")
    table.add_column("picture", no_wrap=True)
    table.add_column("what it is")
    for each in map(architectures.card, architectures.names()):
        size = f"{each.channels} x {each.image_size} x {each.image_size}"
        table.add_row(each.name, f"{each.parameters:,}", str(each.weighted_layers), size, f"{each.title} ({each.year})")
    Console(highlight=False).print(table)


@command.command("show")
@click.argument("name")
@click.option("--classes", type=int, help="Classes; as published otherwise.")
@click.option("--channels", type=int, help="Colours of a pixel; as published otherwise.")
@click.option("--size", type=int, help="Pixels of a side; as published otherwise.")
@click.option("--small-stem", is_flag=True, help="The beginning for small pictures.")
def show(name: str, classes: int | None, channels: int | None, size: int | None, small_stem: bool) -> None:
    """Show where NAME was published, and its layers with shapes, parameters and what they see.

    Needs pip install "margin[deep]".
    """
    from margin.deep import architectures, summary

    stem: Literal["small", "published"] = "small" if small_stem else "published"
    net = architectures.build(name, classes, channels, size, stem=stem, device="meta")
    click.echo(architectures.card(name))
    click.echo()
    click.echo(summary(net, (net.plan.channels, *net.plan.image_size)))
