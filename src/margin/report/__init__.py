"""A result for people: one self-contained web page, or a leaderboard on the terminal."""

from margin.report.page import render

__all__ = ["render"]
