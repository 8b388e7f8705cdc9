"""Who may import whom: the levels of margin's parts, and what the sources import, read without running them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["LEVELS", "Import", "circles", "imports_of", "part_of", "violations"]

#: A part imports only from levels below its own, never from a sibling.
LEVELS = {
    part: level
    for level, parts in {
        9: "cli studio serve",
        8: "experiment",
        7: "report",
        6: "explain plots persistence export interop distributed zoo",
        5: "selection",
        4: "svm ensemble boosting multiclass",
        3: "neighbors bayes linear tree deep baseline features",
        2: "evaluation base",
        1: "data",
        0: "params random parallel blas lazy",
        # The ground: even the other parts of level 0 stand on it, and it imports nothing of margin.
        -1: "errors typing _core",
    }.items()
    for part in parts.split()
}
#: What a model can do that is written above its level: only this file reaches up, and only when it is asked.
REACHES_UP = {"base/above.py": {"persistence", "export", "distributed"}}
#: The package's front door hands out lazy names of every level, and ``python -m margin`` calls the command line.
EXEMPT = ("__init__", "__main__")


@dataclass(frozen=True)
class Import:
    """One import: where it stands and the dotted name it asks for."""

    path: Path
    line: int
    module: str


def part_of(path: Path, package: Path) -> str:
    """The part a file belongs to: the first folder below the package, or the file itself."""
    return path.relative_to(package).parts[0].removesuffix(".py")


def imports_of(path: Path, package: Path) -> Iterator[Import]:
    """Every import of a file, those inside functions and ``if TYPE_CHECKING`` too, with dotted absolute names.

    ``from margin import data`` gives ``margin.data``; so does ``importlib.import_module("margin.data")``.
    """
    home = [package.name, *path.relative_to(package).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        for name in _names(node, home):
            yield Import(path, node.lineno, name)  # type: ignore[attr-defined]


def _names(node: ast.AST, home: list[str]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = [*home[: len(home) - node.level + 1]] if node.level else []
        source = ".".join([*base, *([node.module] if node.module else [])])
        return [f"{source}.{alias.name}" for alias in node.names]
    if isinstance(node, ast.Call) and _called(node.func) in ("import_module", "__import__") and node.args:
        asked = node.args[0]
        if isinstance(asked, ast.Constant) and isinstance(asked.value, str):
            return [asked.value if not asked.value.startswith(".") else ".".join(home) + asked.value]
    return []


def _called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def violations(package: Path) -> list[str]:
    """Each broken rule as ``file:line: what is wrong``."""
    found = []
    for path in sorted(package.rglob("*.py")):
        part = part_of(path, package)
        if part in EXEMPT:
            continue
        where = f"{path.relative_to(package.parent)}"
        if part not in LEVELS:
            found.append(f"{where}:1: {part!r} is a new part: give it a level (LEVELS in tests/architecture.py).")
            continue
        allowed = REACHES_UP.get(path.relative_to(package).as_posix(), set())
        for asked in imports_of(path, package):
            if asked.module.split(".")[1:2] and asked.module.split(".")[1] in allowed:
                continue
            if wrong := _wrong(part, asked.module, package.name):
                found.append(f"{where}:{asked.line}: {wrong}")
    return found


def _wrong(part: str, module: str, package: str) -> str:
    """What is wrong with a part importing a module; empty if nothing is."""
    names = module.split(".")
    if names[0] != package or len(names) == 1 or names[1].startswith("__"):
        return ""
    other = names[1]
    if other == part:
        return ""
    if other not in LEVELS:
        return f"{module} is not a part: import the name from the part it lives in, not from the front door."
    if LEVELS[other] < LEVELS[part]:
        return ""
    relation = "its sibling" if LEVELS[other] == LEVELS[part] else "the higher"
    return (
        f"{part} (level {LEVELS[part]}) imports {relation} {other} (level {LEVELS[other]}): "
        "a part imports only from levels below its own."
    )


#: Metrics score themselves by what stands above them; they import it when they are asked.
REACHES_ASIDE = {("evaluation/metrics/metric.py", "evaluation/scoring")}


def circles(package: Path) -> list[str]:
    """Sub-packages of one part that import each other in a circle, as the way round."""
    above: dict[str, set[str]] = {}
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package)
        if len(place.parts) < 3:
            continue
        home = "/".join(place.parts[:2])
        for asked in imports_of(path, package):
            other = "/".join(asked.module.split(".")[1:3])
            in_same_part = other.split("/")[0] == place.parts[0] and (package / other).is_dir()
            if in_same_part and other != home and (place.as_posix(), other) not in REACHES_ASIDE:
                above.setdefault(home, set()).add(other)
    found = {_rotated(way) for start in above for way in _ways_round([start], above)}
    return [" -> ".join([*way, way[0]]) for way in sorted(found)]


def _ways_round(way: list[str], above: dict[str, set[str]]) -> Iterator[tuple[str, ...]]:
    for other in sorted(above.get(way[-1], ())):
        if other == way[0]:
            yield tuple(way)
        elif other not in way:
            yield from _ways_round([*way, other], above)


def _rotated(way: tuple[str, ...]) -> tuple[str, ...]:
    first = way.index(min(way))
    return way[first:] + way[:first]
