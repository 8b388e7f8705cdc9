"""Write the type stubs of the compiled core: ``python native/stubs.py src/margin`` (or ``make stubs``).

nanobind reads them off the bindings. Arrays become ``Vector`` and ``Matrix`` of ``margin.typing``, which a person and a
type checker can both read, and tuples, dicts and lists of C++ say that they hold anything.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["write_stubs"]

CORE = "margin._core"
_ARRAY = re.compile(r"Annotated\[NDArray(?:\[numpy\.(\w+)\])?, dict\(shape=\(None,( None)?\)[^)]*\)\]")
#: What nb::tuple, nb::dict and nb::list say of what is in them, and an answer that may also be None.
_HOLDS = {"tuple": "tuple[Any, ...]", "dict": "dict[str, Any]", "list": "list[Any]", "object": "Any"}
_BARE = re.compile(r"(?<=: |> )(tuple|dict|list)(?=[,:)\s])|(?<=-> )(object)(?=:)")


def write_stubs(package: Path) -> None:
    """Put the stubs of the core into the folder of a package, in place of those that stand there."""
    home = package / CORE.rpartition(".")[2]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", CORE, "-r", "-O", folder]
        subprocess.run(command, check=True)
        home.mkdir(parents=True, exist_ok=True)
        for old in home.glob("*.pyi"):
            old.unlink()
        for stub in Path(folder).rglob("*.pyi"):
            (home / stub.name).write_text(_readable(stub.read_text()))
    ruff = [sys.executable, "-m", "ruff"]
    config = ["--config", str(Path(__file__).resolve().parents[1] / "pyproject.toml")]
    subprocess.run([*ruff, "check", "-q", "--fix-only", "--select", "I,F401", *config, str(home)], check=True)
    subprocess.run([*ruff, "format", "-q", *config, str(home)], check=True)


def _readable(stub: str) -> str:
    """A stub with short names of arrays, and without containers that are silent about what they hold."""
    stub = _ARRAY.sub(lambda m: f"{'Matrix' if m[2] else 'Vector'}[numpy.{m[1] or 'generic'}]", stub)
    stub = re.sub(r"Annotated\[(NDArray\[numpy\.\w+\]), dict\([^)]*\)\]", r"\1", stub)  # of any number of dimensions
    stub = _BARE.sub(lambda m: _HOLDS[m[0]], stub)
    stub = re.sub(r'"""\n *(.*)\n *"""', r'"""\1"""', stub)
    imports = "from typing import Any\n\nfrom margin.typing import Matrix, Vector\n"
    return stub if stub.startswith('"""') else imports + stub


if __name__ == "__main__":
    write_stubs(Path(sys.argv[1]))
