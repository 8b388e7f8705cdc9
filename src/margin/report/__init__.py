"""A result for people: one self-contained web page, or a leaderboard on the terminal."""

from typing import TYPE_CHECKING

from margin.lazy import attach

if TYPE_CHECKING:
    from margin.report.page import render, render_audit

__all__ = ["render", "render_audit"]

# Words and numbers for people are wanted by commands that make no page.
__getattr__, __dir__ = attach(__name__, dict.fromkeys(("render", "render_audit"), "margin.report.page"))
