"""How many labels does a perceptron need if it may choose which to ask for?

Run it with ``python examples/active_labels.py``. Rows are spread evenly over the unit sphere in 25 dimensions, and a
half-space through the origin decides their labels. The passive perceptron looks at every label, the active one only at
those of rows near its boundary.
"""

from __future__ import annotations

import numpy as np

from margin import ActivePerceptron, Perceptron

COLUMNS, ROWS = 25, 40_000
ERRORS = (0.2, 0.1, 0.05, 0.03, 0.02)


def sphere(seed: int, n: int = ROWS, d: int = COLUMNS) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows on the unit sphere, their labels, and the direction that decides them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    u = rng.normal(size=d)
    return X, X @ u > 0, u / np.linalg.norm(u)


def angle_error(w: np.ndarray, u: np.ndarray) -> float:
    """The share of the sphere on which two half-spaces disagree."""
    return float(np.arccos(np.clip(w @ u / np.linalg.norm(w), -1, 1)) / np.pi)


def active_labels(X: np.ndarray, y: np.ndarray, u: np.ndarray) -> dict[float, int]:
    """Labels asked for until the error was below each of some bounds."""
    model = ActivePerceptron(fit_intercept=False).update(X[0], y[0], classes=[False, True])
    needed: dict[float, int] = {}
    for x, label in zip(X[1:], y[1:]):
        if model.query(x):
            model.update(x, label)
            error = angle_error(model.coef_[0], u)
            needed |= {bound: model.labels_used_ for bound in ERRORS if error <= bound and bound not in needed}
            if len(needed) == len(ERRORS):
                break
    return needed


def passive_labels(X: np.ndarray, y: np.ndarray, u: np.ndarray, step: int = 20) -> dict[float, int]:
    """Labels looked at until the error was below each of some bounds, looked up every few rows."""
    model = Perceptron(fit_intercept=False)
    needed: dict[float, int] = {}
    for first in range(0, len(X), step):
        model.partial_fit(X[first : first + step], y[first : first + step], classes=[False, True])
        error = angle_error(model.coef_[0], u)
        needed |= {bound: first + step for bound in ERRORS if error <= bound and bound not in needed}
        if len(needed) == len(ERRORS):
            break
    return needed


def main() -> None:
    X, y, u = sphere(seed=0)
    asked, looked_at = active_labels(X, y, u), passive_labels(X, y, u)
    print(f"labels needed, {COLUMNS} dimensions\nerror   active  passive  ratio")
    for bound in ERRORS:
        active, passive = asked.get(bound), looked_at.get(bound)
        ratio = f"{passive / active:.1f}" if active and passive else "-"
        print(f"{bound:<6} {active or '-':>7}  {passive or f'>{ROWS}':>7}  {ratio:>5}")


if __name__ == "__main__":
    main()
