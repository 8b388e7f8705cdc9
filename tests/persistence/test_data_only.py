"""Model files are data: no module that reads them can run code, and reading one touches nothing else.

That nothing is imported, compiled, run or opened while thousands of hostile files are loaded is counted in test_damage
(*forbidden*); here stands that the watch sees such things.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PERSISTENCE = ROOT / "src" / "margin" / "persistence"
MODULES = {
    *("pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"),
    *("importlib", "runpy", "imp", "code"),
}
NAMES = {
    *("eval", "exec", "compile", "import_module", "find_class"),
    *("__import__", "__reduce__", "__reduce_ex__", "__setstate__"),
}


def ways_to_run_code(source: str) -> list[str]:
    """Imports of modules that can run what they read, and uses of names that do."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [f"{node.lineno}: {each.name}" for each in node.names if each.name.split(".")[0] in MODULES]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in MODULES:
            found.append(f"{node.lineno}: {node.module}")
        elif isinstance(node, ast.Name) and node.id in NAMES:
            found.append(f"{node.lineno}: {node.id}")
        elif isinstance(node, ast.Attribute) and node.attr in NAMES and _is_foreign(node):
            found.append(f"{node.lineno}: .{node.attr}")
    return found


def _is_foreign(node: ast.Attribute) -> bool:
    """``re.compile`` makes a pattern and runs nothing."""
    return not (isinstance(node.value, ast.Name) and node.value.id == "re")


@pytest.mark.parametrize("path", sorted(PERSISTENCE.rglob("*.py")), ids=lambda p: str(p.relative_to(PERSISTENCE)))
def test_no_module_of_persistence_can_run_code(path: Path):
    assert ways_to_run_code(path.read_text()) == []


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from pickle import loads",
        "import importlib.util",
        "def f(x):\n    return eval(x)",
        "__import__('os')",
        "x.__setstate__({})",
        "x.__reduce__()",
        "builtins.exec(x)",
    ],
)
def test_each_way_to_run_code_is_found(source: str):
    assert len(ways_to_run_code(source)) >= 1


WATCHED = """
import json
from tests.persistence.serving import Watch

watch, seen = Watch(), {}


def see(name, opens, act):
    with watch(opens):
        try:
            act()
        except Exception:
            pass
    seen[name] = [event.split()[0] for event in watch.seen]


def open_once():
    open("/dev/null").close()


see("nothing", 0, lambda: 1 + 1)
see("one open", 1, open_once)
see("two opens", 1, lambda: (open_once(), open_once()))
see("import", 9, lambda: __import__("this_is_no_module"))
see("compile", 0, lambda: compile("1", "", "eval"))
see("eval", 0, lambda: eval("1"))
see("system", 0, lambda: __import__("os").system("true"))
see("socket", 0, lambda: __import__("socket").socket().close())
see("unpickle", 0, lambda: __import__("pickle").loads(b"cos\\nsystem\\n."))
print(json.dumps(seen))
"""


def test_the_watch_sees_what_it_forbids():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(["src", ".", os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, "-c", WATCHED], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["nothing"] == seen["one open"] == []
    assert seen["two opens"] == ["open"]
    for name, event in {
        "import": "import",
        "compile": "compile",
        "eval": "exec",
        "system": "os.system",
        "socket": "socket.__new__",
        "unpickle": "pickle.find_class",
    }.items():
        assert event in seen[name], name
