"""What stands on four pages, without its figures: ``python -m tests.report.page_outlines`` writes it down anew.

Headings, tables with their headings and columns, captions of pictures and the boxes under the headline: what a change
of a template may break unseen. How it looks is for eyes: open the pages wide, as narrow as a phone, dark, and printed.
"""

from __future__ import annotations

import importlib.util
import json
import re
import tempfile
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import margin

__all__ = ["GOLDEN", "PAGES", "Outline", "page"]

GOLDEN = Path(__file__).with_name("page_outlines.json")
PAGES = ("credit", "iris", "boat", "cost")
EXAMPLE = Path(__file__).parents[2] / "examples" / "twenty_tables.py"


@cache
def page(name: str) -> str:
    """The page of a bundled table, or of a table of the trial."""
    models = {"bayes": margin.NaiveBayes(), "tree": margin.DecisionTreeClassifier(max_depth=3, random_state=0)}
    if name in ("credit", "iris"):
        return str(margin.compare(name, models=models, folds=3, repeats=1).html())
    described = importlib.util.spec_from_file_location("twenty_tables", EXAMPLE)
    assert described is not None
    assert described.loader is not None
    tables: Any = importlib.util.module_from_spec(described)
    described.loader.exec_module(tables)
    results = []

    def compare(data: Any, target: str, **settings: Any) -> Any:
        results.append(margin.compare(data, target, models=models, folds=3, repeats=1, **settings))
        return results[-1]

    tables.compare = compare
    with tempfile.TemporaryDirectory() as folder:
        tables.TRIALS[name](Path(folder))
    return str(results[-1].html())


class Outline(HTMLParser):
    """The lines of an outline, and for each table how many columns its rows fill."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.widths: list[list[int]] = []
        self._open: list[str] = []
        self._text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if tag in ("h1", "h2", "h3", "figcaption", "summary", "th"):
            self._text = ""
        if tag == "table":
            self.lines.append(f"table {told.get('class') or ''}".strip())
            self.widths.append([])
        elif tag == "tr" and self.widths:
            self.widths[-1].append(0)
        elif tag == "p" and "answer" in (told.get("class") or "").split():
            self.lines.append("answer")
        elif "careful" in (told.get("class") or "").split():
            self.lines.append(f"box {told['class']}")
        if tag in ("td", "th") and self.widths and self.widths[-1]:
            self.widths[-1][-1] += int(told.get("colspan") or 1)

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        text = " ".join(re.sub(r"\d[\d.]*", "#", self._text).split())
        if tag in ("h1", "h2", "h3", "figcaption", "summary"):
            self.lines.append(f"{tag} {text}")
        elif tag == "th" and text.strip("#"):  # the ticks of a scale are figures
            self.lines.append(f"  {text}")


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps({name: Outline(page(name)).lines for name in PAGES}, indent=1, ensure_ascii=False))
