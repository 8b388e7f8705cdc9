"""Who is moved by outliers? Discriminant analysis is; support vector machines and logistic regression hardly.

    python examples/lectures/07_who_is_moved_by_outliers.py [folder]

Prints how far each boundary moves; with a folder, a picture. Two clouds of rows lie side by side. Then some rows of the
right-hand class turn up far away, on the side where they belong: no boundary between the clouds is wrong about them.
Discriminant analysis takes its means and its covariance from all rows, and so from them, too. A support vector machine
only listens to rows near its margin (hinge loss: 0 beyond it), and logistic regression to rows far from its boundary
hardly at all (log loss: next to 0 there).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from margin import LinearDiscriminantAnalysis, LinearSVC, LogisticRegression

MODELS = {
    "discriminant analysis": LinearDiscriminantAnalysis(),
    "support vector machine": LinearSVC(loss="hinge"),
    "logistic regression": LogisticRegression(),
}
OUTLIERS = (1, 5, 20)


def clouds(seed: int = 0, n: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """Two clouds around (-2, 0) and (2, 0), the second of class 1."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n)
    return rng.normal(size=(2 * n, 2)) + np.where(y[:, None] == 1, [2.0, 0.0], [-2.0, 0.0]), y


def with_outliers(X: np.ndarray, y: np.ndarray, n: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """The same rows, and n more of class 1 around (12, 16)."""
    far = np.random.default_rng(seed).normal(size=(n, 2)) + np.array([12.0, 16.0])
    return np.vstack([X, far]), np.append(y, np.ones(n, dtype=y.dtype))


def boundary(model: Any) -> tuple[float, float]:
    """The direction in which the score of class 1 rises, in degrees, and how far the boundary is from the origin."""
    w, b = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    return float(np.degrees(np.arctan2(w[1], w[0]))), -b / float(np.linalg.norm(w))


def moves(X: np.ndarray, y: np.ndarray, n_outliers: int) -> dict[str, tuple[float, float, int]]:
    """By how many degrees and how far each boundary moves, and how many of the first rows it is then wrong about."""
    found = {}
    for name, model in MODELS.items():
        angle, offset = boundary(model.fit(X, y))
        new_angle, new_offset = boundary(model.fit(*with_outliers(X, y, n_outliers)))
        wrong = int((model.predict(X) != y).sum())
        found[name] = (abs(new_angle - angle), abs(new_offset - offset), wrong)
    return found


def draw(X: np.ndarray, y: np.ndarray, n_outliers: int, path: Path) -> None:
    """Rows and boundaries: dashed without the outliers, solid with them."""
    from margin.plots.style import INK, PALETTE, axes_of

    ax = axes_of(None, 7.5, 5.5)
    more, labels = with_outliers(X, y, n_outliers)
    for k, (mark, what) in enumerate([("o", "class 0"), ("s", "class 1")]):
        ax.scatter(*more[labels == k].T, s=14, marker=mark, color=PALETTE[7 - 3 * k], alpha=0.6, lw=0, label=what)
    ax.annotate("outliers", (12, 16), xytext=(0, -42), textcoords="offset points", ha="center", color=INK)
    heights = np.array([-4.5, 20.0])
    for colour, (name, model) in zip([PALETTE[5], PALETTE[0], PALETTE[2]], MODELS.items()):
        for given, style, label in (((X, y), (0, (3, 3)), None), ((more, labels), "solid", name)):
            w, b = np.ravel(model.fit(*given).coef_), float(np.ravel(model.intercept_)[0])
            ax.plot(-(w[1] * heights + b) / w[0], heights, color=colour, linestyle=style, lw=1.6, label=label)
    ax.set(xlim=(-10, 16), ylim=(-4.5, 20), xlabel="first column", ylabel="second column")
    ax.set_title(f"boundaries without (dashed) and with {n_outliers} outliers", loc="left", fontsize=11)
    ax.legend(frameon=False, fontsize=9, loc="upper left")
    ax.figure.savefig(path, dpi=110)


def main(folder: str | None = None) -> int:
    """Print how far boundaries move; write the picture."""
    X, y = clouds()
    print("how far boundaries move\noutliers  model                   degrees  offset  then wrong of 200")
    for n in OUTLIERS:
        for name, (angle, offset, wrong) in moves(X, y, n).items():
            print(f"{n:>8}  {name:<22}  {angle:>7.2f}  {offset:>6.3f}  {wrong:>17}")
    if folder is not None:
        draw(X, y, OUTLIERS[-1], Path(folder) / "moved-by-outliers.png")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
