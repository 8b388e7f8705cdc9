"""C45 beside Weka's J48: ``python -m tests.rivals.weka`` prints leaves, sizes and ten-fold errors of both.

Needs Java and ``weka.jar`` (Debian's package ``weka``), and the data sets beside the project. Both see the same rows in
the same folds, levels and classes in the same order. A size counts all nodes, as J48 does.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import warnings
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np

import margin
from margin.data.table import Table
from tests.shared_data import SHARED_DATA

__all__ = ["main"]

JAR = "/usr/share/java/weka.jar"
#: Data sets with nominal, numeric and missing cells; the class is the last column, or is called so.
NAMES = [
    "anneal",
    "audiology",
    "breast-w",
    "car",
    "contact-lenses",
    "credit-g",
    "diabetes",
    "glass",
    "heart-c",
    "heart-statlog",
    "ionosphere",
    "iris",
    "mushroom",
    "nursery",
    "optdigits",
    "primary-tumor",
    "segment",
    "soybean",
    "spambase",
    "tic-tac-toe",
    "vote",
    "vowel",
    "weather.nominal",
    "weather.numeric",
    "wine",
    "zoo",
]


@dataclass(frozen=True)
class Grown:
    """What is compared: leaves and nodes of the tree of all rows, and errors in ten folds."""

    leaves: int
    size: int
    errors: int


def arff(X: Table, y: np.ndarray, classes: list[str], seen: dict[str, set[int]]) -> str:
    """A table as Weka reads it, levels sorted as margin has them; one that no row has would get an empty branch."""
    lines = ["@relation rows"]
    cells = []
    for column in X.schema:
        values = X.cells(column.name)
        if column.is_numeric:
            lines.append(f"@attribute {_quoted(column.name)} numeric")
            cells.append(["?" if np.isnan(v) else repr(float(v)) for v in values])
        else:
            levels = [_quoted(str(level)) for level in column.levels]
            known = [levels[code] for code in range(len(levels)) if code in seen[column.name]]
            known = known if column.kind == "ordinal" else sorted(known)
            lines.append(f"@attribute {_quoted(column.name)} {{{','.join(known)}}}")
            cells.append(["?" if code < 0 else levels[code] for code in values])
    lines.append(f"@attribute the_class {{{','.join(map(_quoted, classes))}}}")
    cells.append([_quoted(str(label)) for label in y])
    return "\n".join([*lines, "@data", *map(",".join, zip(*cells))]) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def j48(train: Path, test: Path | None, options: list[str]) -> tuple[int, int, int]:
    """Leaves, size, and errors on the test rows."""
    how = ["-T", str(test)] if test else ["-no-cv"]
    call = ["java", "-cp", JAR, "weka.classifiers.trees.J48", *options, "-t", str(train), *how]
    told = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    sizes = re.findall(r"(?:Number of Leaves|Size of the tree)\s*:\s*(\d+)", told)
    wrong = re.findall(r"Incorrectly Classified Instances\s+(\d+)", told)
    return int(sizes[0]), int(sizes[1]), int(wrong[-1]) if wrong else 0


def folds(y: np.ndarray) -> np.ndarray:
    """The fold of each row: the rows of each class, shuffled, dealt out to ten."""
    shuffled = np.random.default_rng(0).permutation(len(y))
    order = shuffled[np.argsort(y[shuffled], kind="stable")]
    fold = np.empty(len(y), dtype=np.int64)
    fold[order] = np.arange(len(y)) % 10
    return fold


def compare(X: Table, y: np.ndarray, pruned: bool) -> tuple[Grown, Grown]:
    """margin's tree and Weka's."""
    options, model = ([] if pruned else ["-U"]), margin.C45(prune=pruned)
    classes, fold = sorted(set(y)), folds(y)
    seen = {column.name: set(X.cells(column.name).tolist()) for column in X.schema if not column.is_numeric}
    with tempfile.TemporaryDirectory() as folder:
        train, test = Path(folder) / "train.arff", Path(folder) / "test.arff"
        train.write_text(arff(X, y, classes, seen))
        leaves, size, _ = j48(train, None, options)
        tree = model.fit(X, y).tree_
        ours, theirs = [tree.n_leaves, tree.n_nodes, 0], [leaves, size, 0]
        for k in np.unique(fold):
            rows, others = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
            train.write_text(arff(X.take(rows), y[rows], classes, seen))
            test.write_text(arff(X.take(others), y[others], classes, seen))
            theirs[2] += j48(train, test, options)[2]
            ours[2] += int((model.fit(X.take(rows), y[rows]).predict(X.take(others)) != y[others]).sum())
    return Grown(*ours), Grown(*theirs)


def main(names: list[str]) -> None:
    """Print a line for each data set, pruned and not."""
    titles = ("leaves", "size", "errors", "leaves", "size", "errors")
    print(f"{'each cell: margin/Weka':24s}{'pruned':>21s}{'unpruned':>36s}")
    print(f"{'data set':17s}{'rows':>7s}" + "".join(f"{title:>12s}" for title in titles))
    warnings.simplefilter("ignore", margin.errors.ConstantColumnWarning)
    for name in names or NAMES:
        table = margin.read(next(SHARED_DATA.glob(f"{name}.arff*")))
        X, y = table.target("class" if "class" in table.schema.names else table.schema.names[-1])
        y = np.asarray(y).astype(str)
        pairs = [zip(*map(astuple, compare(X, y, pruned))) for pruned in (True, False)]
        cells = [f"{ours}/{theirs}" for pair in pairs for ours, theirs in pair]
        print(f"{name:17s}{len(y):7d}" + "".join(f"{cell:>12s}" for cell in cells), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
