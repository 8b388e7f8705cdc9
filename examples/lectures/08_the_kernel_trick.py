"""The kernel trick: (1 + x·z)² is the product of six features that nobody has to compute, and a ring becomes a plane.

    python examples/lectures/08_the_kernel_trick.py [folder]

Prints the kernel beside the product of its features, and how well a line and kernels tell a ring from what is inside
it; with a folder, their margins, slacks and support vectors.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from margin import SVC
from margin.plots import plot_margin

MACHINES = {
    "a line": SVC(kernel="linear"),
    "(1 + x·z)²": SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0),
    "RBF": SVC(kernel="rbf", gamma=1.0),
}


def six_features(X: np.ndarray) -> np.ndarray:
    """The map φ with φ(x)·φ(z) = (1 + x·z)²."""
    a, b = X.T
    root = np.sqrt(2.0)
    return np.column_stack([np.ones(len(X)), root * a, root * b, a * a, b * b, root * a * b])


def ring(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points inside a circle, and others on a ring around it."""
    random = np.random.default_rng(seed)
    inner = np.arange(n) % 2
    angle, radius = random.uniform(0, 2 * np.pi, n), np.where(inner, 0.7, 1.7) + random.normal(0, 0.2, n)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), np.where(inner, "inside", "ring")


def main(folder: str | None = None) -> int:
    """Print kernel and features, then the answers of the machines."""
    X, y = ring(120, seed=0)
    unseen, expected = ring(400, seed=1)
    kernel, product = (1 + X @ X.T) ** 2, six_features(X) @ six_features(X).T
    print(f"(1 + x·z)² and φ(x)·φ(z) differ by at most {np.abs(kernel - product).max():.0e} over {kernel.size:,} pairs")
    for name, machine in MACHINES.items():
        model = machine.fit(X, y)
        right = np.mean(model.predict(unseen) == expected)
        print(f"{name}: {right:.3f} right, {len(model.support_)} of {len(X)} rows are support vectors")
        if folder is not None:
            ax = plot_margin(model, X, y)
            ax.figure.suptitle(name)
            ax.figure.savefig(Path(folder) / f"margin-{list(MACHINES).index(name) + 1}.png", dpi=110)
    by_hand = SVC(kernel="linear").fit(six_features(X)[:, 1:], y)  # the intercept stands for the feature that is 1
    same = np.mean(by_hand.predict(six_features(unseen)[:, 1:]) == MACHINES["(1 + x·z)²"].predict(unseen))
    print(f"a plane over these features answers as the kernel does in {same:.3f} of the cases")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
