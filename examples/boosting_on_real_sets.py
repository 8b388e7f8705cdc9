"""Gradient boosting with defaults beside LightGBM, XGBoost, CatBoost and scikit-learn's, each with its own defaults.

Run it with ``python examples/boosting_on_real_sets.py FOLDER [SET …]`` where ``pip install margin[boosters]`` has been;
FOLDER holds the files (``adult.data.gz``, ``vowel.arff.gz`` …), and sets that are not there are left out. Every table
is parted once, a third of each class for testing; all models see the same cells, nominal columns as categories. Of log
loss the 95 % interval of the mean over test rows is given, and behind each model its difference from margin's if that
is beyond chance (paired, two standard errors): ``+`` is worse than margin, ``-`` better. The area under the ROC curve
is the mean over classes, each against the others. At the end stand the mean ranks of both over all tables.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import margin
from margin.boosting import GradientBoostingClassifier
from margin.boosting.external import installed

SMALL = (
    *("vowel", "car", "credit-g", "glass", "diabetes", "heart-c", "ionosphere", "breast-w"),
    *("balance-scale", "tic-tac-toe", "heart-statlog", "vote", "soybean", "wine", "anneal"),
)
LARGE = ("spambase", "mushroom", "telco-churn", "letter", "adult", "fashion-mnist", "higgs-like", "many-levels")
#: Rows that are taken of tables that would take too long for all five: 1,500 pictures of 784 pixels, 6,000 letters.
PICTURES, LETTERS, MADE = 1_500, 6_000, 20_000

Rows = tuple[margin.Table, np.ndarray]


def rows_of(folder: Path, name: str) -> Rows | None:
    """A table and its labels; None where its file is not there."""
    if name in ("higgs-like", "many-levels"):
        return _made(name)
    if name == "fashion-mnist":
        return _pictures(folder / name)
    for path in (folder / f"{name}{end}" for end in (".arff.gz", ".csv.gz", ".data.gz")):
        if path.exists():
            table = margin.read(path)
            target = {"telco-churn": "Churn", "letter": table.schema.names[0], "wine": "class"}.get(
                name, table.schema.names[-1]
            )
            X, y = table.target(target)
            first = slice(LETTERS) if name == "letter" else slice(None)
            return X[first], np.asarray(y)[first]
    return None


def _made(name: str) -> Rows:
    rng = np.random.default_rng(0)
    if name == "higgs-like":  # 28 columns, of which products of some decide, as masses do of momenta
        X = rng.normal(size=(MADE, 28))
        score = X[:, 0] * X[:, 1] + np.sqrt(np.abs(X[:, 2] * X[:, 3])) - X[:, 4] ** 2 / 2 + X[:, 5] * (X[:, 6] > 0)
        return margin.Table({f"x{j}": X[:, j] for j in range(28)}), _drawn(score - score.mean(), rng)
    columns, score = {}, np.zeros(MADE)
    for n_levels in range(100, 1001, 100):
        code = np.minimum(rng.zipf(1.3, MADE) - 1, n_levels - 1)
        score += rng.normal(size=n_levels)[code] * 0.6
        columns[f"of_{n_levels}"] = np.array([f"v{k}" for k in code])
    return margin.Table(columns), _drawn(score - score.mean(), rng)


def _drawn(score: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.where(score + rng.logistic(size=len(score)) > 0, "yes", "no")


def _pictures(folder: Path) -> Rows | None:
    import gzip

    found = [next(iter(folder.glob(f"train-{kind}*.gz")), None) for kind in ("images", "labels")]
    if found[0] is None or found[1] is None:
        return None
    pixels = np.frombuffer(gzip.decompress(found[0].read_bytes()), np.uint8, offset=16).reshape(-1, 784)[:PICTURES]
    labels = np.frombuffer(gzip.decompress(found[1].read_bytes()), np.uint8, offset=8)[:PICTURES]
    return margin.Table({f"p{j}": pixels[:, j].astype(float) for j in range(784)}), labels.astype(int)


def parted(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows to learn from and rows to test by, a third of each class; classes of one row are learnt from."""
    rng = np.random.default_rng(0)
    test = np.concatenate([rng.permutation(np.flatnonzero(y == k))[2::3] for k in np.unique(y)])
    return np.setdiff1d(np.arange(len(y)), test), np.sort(test)


def areas(share: np.ndarray, code: np.ndarray) -> float:
    """The mean over classes of the area under the ROC curve of each against the others."""
    from sklearn.metrics import roc_auc_score

    return float(np.mean([roc_auc_score(code == k, share[:, k]) for k in np.unique(code)]))


def models() -> Iterator[tuple[str, object]]:
    """Margin's and what is installed."""
    yield "margin", GradientBoostingClassifier(random_state=0, n_jobs=1)
    for booster in installed():
        yield booster.__name__, booster(random_state=0, n_jobs=1)


def measure(X: margin.Table, y: np.ndarray) -> dict[str, tuple[np.ndarray, float, float]]:
    """For each model the losses of the test rows, the area under the curve, and seconds of CPU to fit."""
    known, new = parted(y)
    code = np.searchsorted(np.unique(y[known]), y[new])
    found = {}
    for name, model in models():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            began = time.process_time()
            model.fit(X[known], y[known])  # type: ignore[attr-defined]
            took = time.process_time() - began
            share = model.predict_proba(X[new])  # type: ignore[attr-defined]
        loss = -np.log(np.clip(share[np.arange(len(new)), code], 1e-15, 1))
        found[name] = loss, areas(share, code), took
    return found


def told(found: dict[str, tuple[np.ndarray, float, float]]) -> list[str]:
    """The cells of a row of the table."""
    ours, cells = found["margin"][0], []
    for loss, area, took in found.values():
        away = loss - ours
        error = away.std() / np.sqrt(len(away))
        mark = "+" if away.mean() > 2 * error > 0 else "-" if away.mean() < -2 * error < 0 else ""
        half = 1.96 * loss.std() / np.sqrt(len(loss))
        cells.append(f"{loss.mean():.4f}{mark} ± {half:.4f}; {area:.4f} ({took:.0f} s)")
    return cells


def ranks(values: list[list[float]]) -> np.ndarray:
    """Mean ranks, 1 for the smallest; equal values share theirs."""
    table = np.array(values)
    below = (table[:, :, None] > table[:, None, :]).sum(axis=2)
    equal = (table[:, :, None] == table[:, None, :]).sum(axis=2)
    return (below + (equal + 1) / 2).mean(axis=0)


def main(arguments: list[str]) -> int:
    """Measure set after set, print a row for each and the mean ranks."""
    folder, asked = Path(arguments[0]), arguments[1:] or [*SMALL, *LARGE]
    names = [name for name, _ in models()]
    print("| table (rows) | " + " | ".join(names) + " |\n|" + "---|" * (len(names) + 1))
    losses, turned = [], []
    for name in asked:
        rows = rows_of(folder, name)
        if rows is None:
            continue
        found = measure(*rows)
        losses.append([loss.mean() for loss, _, _ in found.values()])
        turned.append([-area for _, area, _ in found.values()])
        print(f"| {name} ({len(rows[1]):,}) | " + " | ".join(told(found)) + " |", flush=True)
    for what, values in (("log loss", losses), ("area", turned)):
        print(f"| mean rank by {what} | " + " | ".join(f"{rank:.2f}" for rank in ranks(values)) + " |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
