"""A result for people: one self-contained web page, or a leaderboard on the terminal."""

from margin.report.page import render, render_audit

__all__ = ["render", "render_audit"]
