"""XOR by a network: two linear layers are one and cannot; a bend between them folds the space until a line can.

    python examples/lectures/12_space_that_bends.py [folder]

Prints how many of a hundred starts solve it, without a bend and with 2, 3, 4 and 8 bent units; with a folder, the space
before and after the hidden layer, with its line.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

from margin import MLPClassifier
from margin.errors import ConvergenceWarning
from margin.plots import plot_transformed_space

X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
Y = np.array([0, 1, 1, 0])
STARTS = 100


def solved(units: int, activation: str) -> list[MLPClassifier]:
    """The networks that answer all four corners rightly, of a hundred starts."""
    found = []
    for seed in range(STARTS):
        model = MLPClassifier(
            hidden_layer_sizes=(units,), activation=activation, solver="lbfgs", alpha=0.0, random_state=seed
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, Y)
        if (model.predict(X) == Y).all():
            found.append(model)
    return found


def main(folder: str | None = None) -> int:
    """Print the counts; write the picture."""
    print(f"two linear layers: {len(solved(4, 'identity'))} of {STARTS} starts solve XOR")
    for units in (2, 3, 4, 8):
        found = solved(units, "tanh")
        print(f"{units} units of tanh: {len(found)} of {STARTS}")
        if folder is not None and units == 2:
            before, _ = plot_transformed_space(found[0], X, Y)
            before.figure.savefig(Path(folder) / "space-that-bends.png", dpi=110)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
