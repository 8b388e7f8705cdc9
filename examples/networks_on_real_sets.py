"""Networks on real sets beside scikit-learn's: the same layers, solver, batches and epochs, over several seeds.

Run it with ``python examples/networks_on_real_sets.py FOLDER [SEEDS]``, where FOLDER holds ``letter.csv.gz``,
``adult.data.gz``, ``adult.test.gz`` and ``optdigits.arff.gz``; sets that are not there are left out. Both sides get the
same matrix: one-hot columns and numbers of mean 0 and deviation 1. Seeds decide weights and batches, never the rows.
The interval is Student's, of the difference of the means over seeds.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import stats
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.neural_network import MLPClassifier as SklearnMLP
from sklearn.preprocessing import StandardScaler

import margin
from margin import MLPClassifier, TableEncoder

#: Hidden units and epochs of each set; all else is the default of both.
SETTINGS = {"letter": (100, 50), "adult": (100, 10), "optdigits": (100, 50)}
Parts = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def letter(folder: Path) -> Parts:
    table = margin.read(folder / "letter.csv.gz")
    X, y = table.target(next(column.name for column in table.schema if not column.is_numeric))
    return in_parts(X, np.asarray(y), np.arange(16_000), np.arange(16_000, len(y)))


def optdigits(folder: Path) -> Parts:
    X, y = margin.read(folder / "optdigits.arff.gz").target("class")
    order = np.random.default_rng(0).permutation(len(y))
    return in_parts(X, np.asarray(y), order[:3823], order[3823:])


def adult(folder: Path) -> Parts:
    (X, y), (Z, z) = (last_column(margin.read(folder / f"adult.{part}.gz")) for part in ("data", "test"))
    encoder = TableEncoder().fit(X)
    cut = np.char.rstrip(z.astype(str), ".")
    return on_one_scale(encoder.transform(X), y.astype(str), encoder.transform(Z), cut)


def last_column(table: margin.Table) -> tuple[margin.Table, np.ndarray]:
    X, y = table.target(table.schema.names[-1])
    return X, np.asarray(y)


def in_parts(X: margin.Table, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> Parts:
    encoder = TableEncoder().fit(X.take(train))
    return on_one_scale(encoder.transform(X.take(train)), y[train], encoder.transform(X.take(test)), y[test])


def on_one_scale(X: np.ndarray, y: np.ndarray, Z: np.ndarray, z: np.ndarray) -> Parts:
    varies = np.ptp(X, axis=0) > 0
    scaler = StandardScaler().fit(X[:, varies])
    return scaler.transform(X[:, varies]), y, scaler.transform(Z[:, varies]), z


def figures(model: MLPClassifier | SklearnMLP, parts: Parts) -> tuple[float, float]:
    """Accuracy and log loss on the test rows."""
    X, y, Z, z = parts
    shares = model.fit(X, y).predict_proba(Z)
    return float((model.classes_[shares.argmax(axis=1)] == z).mean()), float(log_loss(z, shares, labels=model.classes_))


def compared(name: str, parts: Parts, seeds: int) -> str:
    units, epochs = SETTINGS[name]
    common = {"hidden_layer_sizes": (units,), "max_iter": epochs}
    ours = np.array([figures(MLPClassifier(scale=None, random_state=s, **common), parts) for s in range(seeds)])
    theirs = np.array([figures(SklearnMLP(random_state=s, **common), parts) for s in range(seeds)])
    told = []
    for k in (0, 1):
        found = stats.ttest_ind(ours[:, k], theirs[:, k], equal_var=False).confidence_interval()
        told.append(f"{ours[:, k].mean():8.4f} {theirs[:, k].mean():8.4f}  {found.low:+.4f} to {found.high:+.4f}")
    return f"{name:10} {told[0]}   {told[1]}"


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    warnings.simplefilter("ignore", ConvergenceWarning)  # epochs are few on purpose
    warnings.simplefilter("ignore", margin.errors.ConvergenceWarning)
    print(f"{seeds} seeds; ours, scikit-learn's, 95 % interval of the difference")
    print(f"{'set':10} {'accuracy':^38}   {'log loss':^38}")
    readers: dict[str, Callable[[Path], Parts]] = {"letter": letter, "adult": adult, "optdigits": optdigits}
    for name, read in readers.items():
        try:
            parts = read(folder)
        except (FileNotFoundError, margin.errors.DataError) as error:
            print(f"{name:10} left out: {error}")
            continue
        print(compared(name, parts, seeds), flush=True)


if __name__ == "__main__":
    main()
