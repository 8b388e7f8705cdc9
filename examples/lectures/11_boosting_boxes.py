"""Three rounds of AdaBoost on ten points: the weights, the rules and what they say together.

    python examples/lectures/11_boosting_boxes.py [folder]

Prints ε, α and both bounds of each round; with a folder, the rounds as boxes, and errors, bounds and margins.
"""

from __future__ import annotations

import sys
from pathlib import Path

from margin import AdaBoostClassifier
from margin.data import catalog
from margin.plots import plot_boosting_bounds, plot_boosting_boxes, plot_boosting_margins


def main(folder: str | None = None) -> int:
    """Print the rounds; write the pictures."""
    X, y = catalog.load("boosting_toy").target("class")
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    for number, each in enumerate(model.rounds_, start=1):
        told = f"ε {each.epsilon:.2f}, α {each.alpha:.2f}, Z {each.z:.2f}"
        print(f"round {number}: {told}, training error {each.training_error:.2f}, at most {each.bound:.3f}")
    print(f"all three: {model.score(X, y):.2f} right")
    if folder is not None:
        pictures = {
            "boosting-boxes": plot_boosting_boxes(model, X, y),
            "boosting-bounds": plot_boosting_bounds(model),
            "boosting-margins": plot_boosting_margins(model),
        }
        for name, ax in pictures.items():
            ax.figure.savefig(Path(folder) / f"{name}.png", dpi=110)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
