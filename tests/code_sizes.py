"""How long files and functions are, longest first."""

from __future__ import annotations

import ast
import collections
from collections.abc import Iterator
from pathlib import Path

__all__ = ["files", "folders", "functions", "source_files"]

FOLDERS = ("src", "native", "tests", "benchmarks")
SUFFIXES = (".py", ".hpp", ".cpp", ".js", ".css", ".html")


def source_files(
    root: Path, folders: tuple[str, ...] = FOLDERS, suffixes: tuple[str, ...] = SUFFIXES
) -> Iterator[Path]:
    """The files people wrote in some folders of the project."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in suffixes and "__pycache__" not in path.parts:
                yield path


def files(root: Path) -> list[tuple[int, str]]:
    """Lines and path of each file."""
    sizes = [(len(path.read_text().splitlines()), str(path.relative_to(root))) for path in source_files(root)]
    return sorted(sizes, reverse=True)


def functions(root: Path) -> list[tuple[int, str]]:
    """Lines and place of each Python function, docstrings aside."""
    sizes = []
    for path in source_files(root, suffixes=(".py",)):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1 - _docstring_lines(node)
                sizes.append((lines, f"{path.relative_to(root)}:{node.name}"))
    return sorted(sizes, reverse=True)


def _docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = node.body[0]
    return (first.end_lineno or first.lineno) - first.lineno + 1 if ast.get_docstring(node) is not None else 0


def folders(root: Path, within: tuple[str, ...] = ("src", "native")) -> list[tuple[int, str]]:
    """How many files stand in each folder."""
    counts = collections.Counter(str(path.parent.relative_to(root)) for path in source_files(root, within))
    return sorted(((n, name) for name, n in counts.items()), reverse=True)
