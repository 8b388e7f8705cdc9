"""Who gets a loan? The same fourteen customers by information gain and by gain ratio, node by node.

    python examples/lectures/09_who_gets_a_loan.py [folder]

Prints what each column is worth at the root, and both trees; with a folder, the trees and the gains as pictures.
"""

from __future__ import annotations

import sys
from pathlib import Path

from margin import DecisionTreeClassifier
from margin.data import catalog
from margin.plots import plot_gains, plot_tree


def main(folder: str | None = None) -> int:
    """Print gains and trees; write their pictures."""
    X, y = catalog.load("loan_risk").target("Risk Level")
    for criterion in ("entropy", "gain_ratio"):
        model = DecisionTreeClassifier(criterion=criterion, nominal="multiway").fit(X, y)
        gains = model.gains(X, y)
        print(f"by {criterion}", gains, model.text(), sep="\n\n", end="\n\n")
        if folder is not None:
            plot_tree(model).figure.savefig(Path(folder) / f"loan-by-{criterion}.png", dpi=110)
            plot_gains(gains).figure.savefig(Path(folder) / f"gains-by-{criterion}.png", dpi=110)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
