"""How a perceptron learns to tell two kinds of iris apart, and that it never ends where no line does.

    python examples/lectures/06_perceptron_on_iris.py [folder]

Prints mistakes and passes for each pair of kinds; with a folder, boundaries after mistakes in pictures and a film.
"""

from __future__ import annotations

import sys
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np

from margin import Perceptron
from margin.data import catalog
from margin.errors import NotSeparableWarning
from margin.plots import perceptron_steps, plot_steps, save_steps


def main(folder: str | None = None) -> int:
    """Print the runs; write the pictures of the first pair."""
    table, kinds = catalog.load("iris").target("class")
    X = np.column_stack([table.cells(name) for name in ("petallength", "petalwidth")])
    for pair in combinations(np.unique(kinds).tolist(), 2):
        rows = np.isin(kinds, pair)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotSeparableWarning)
            model = Perceptron(max_iter=100).fit(X[rows], kinds[rows])
        end = "a line was found" if not len(model.mistakes_[-1]) else "no end"
        print(f"{' and '.join(pair)}: {model.n_mistakes_} mistakes in {model.n_iter_} passes, {end}")
        if folder is not None and "Iris-setosa" in pair:
            steps = perceptron_steps(model, X[rows], kinds[rows])
            name = "-".join(each.removeprefix("Iris-") for each in pair)
            plot_steps(steps, X[rows], kinds[rows])[0].figure.savefig(Path(folder) / f"perceptron-{name}.png", dpi=110)
            save_steps(steps, X[rows], kinds[rows], Path(folder) / f"perceptron-{name}.gif")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
