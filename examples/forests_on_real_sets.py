"""Random forests on real sets: out of bag beside scikit-learn's, and on test rows beside Breiman's table of 2001.

Run it with ``python examples/forests_on_real_sets.py FOLDER``, where FOLDER holds Weka's files (``glass.arff.gz`` …);
sets that are not there are left out. Both forests have 100 trees. A row of the first table is good where the two means
lie no further apart than their spreads over seeds allow.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier as SklearnForest

import margin
from margin import RandomForestClassifier

SETS = (
    "glass",
    "vowel",
    "ionosphere",
    "diabetes",
    "breast-w",
    "credit-g",
    "heart-statlog",
    "balance-scale",
    "heart-c",
    "segment-challenge",
)
#: Errors in percent of "selection" in table 2 of Breiman (2001): 100 trees, the better of two numbers of columns.
BREIMAN = {"glass": 20.6, "sonar": 15.9, "vowel": 3.4}
SEEDS, REPEATS = 5, 20


def rows_of(folder: Path, name: str) -> tuple[margin.Table, np.ndarray] | None:
    """A set with its class, the last column; None where it is not there."""
    path = folder / f"{name}.arff.gz"
    if not path.exists():
        return None
    table = margin.read(path)
    X, y = table.target(table.schema.names[-1])
    return X, np.asarray(y)


def as_numbers(X: margin.Table) -> np.ndarray:
    """Columns as scikit-learn takes them: levels by their codes, missing cells as NaN."""
    cells = [np.asarray(X.values(name)) for name in X.schema.names]
    found = []
    for column, cell in zip(X.schema, cells, strict=True):
        if column.is_numeric:
            found.append(cell.astype(float))
        else:
            known = {level: k for k, level in enumerate(column.levels)}
            found.append(np.array([known.get(value, np.nan) for value in cell.tolist()], dtype=float))
    return np.column_stack(found)


def out_of_bag(X: margin.Table, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Accuracies out of bag over seeds: ours and scikit-learn's."""
    cells = as_numbers(X)
    ours = [RandomForestClassifier(random_state=s).fit(X, y).oob_score_ for s in range(SEEDS)]
    theirs = [
        SklearnForest(100, oob_score=True, random_state=s, n_jobs=-1).fit(cells, y).oob_score_ for s in range(SEEDS)
    ]
    return np.array(ours), np.array(theirs)


def test_error(X: margin.Table, y: np.ndarray) -> float:
    """As Breiman measured: a tenth of the rows for testing, of two forests the one that is better out of bag."""
    errors = []
    for repeat in range(REPEATS):
        order = np.random.default_rng(repeat).permutation(len(y))
        test, train = order[: len(y) // 10], order[len(y) // 10 :]
        wide = int(np.log2(len(X.schema.names)) + 1)
        forests = [RandomForestClassifier(max_features=m, random_state=repeat) for m in (1, wide)]
        best = max((forest.fit(X.take(train), y[train]) for forest in forests), key=lambda forest: forest.oob_score_)
        errors.append(1 - best.score(X.take(test), y[test]))
    return float(np.mean(errors))


def main(folder: Path) -> None:
    """Print both tables."""
    print(f"accuracy out of bag, {SEEDS} seeds   margin            scikit-learn")
    for name in SETS:
        if (found := rows_of(folder, name)) is not None:
            ours, theirs = out_of_bag(*found)
            means = [f"{found.mean():.4f} ± {found.std(ddof=1):.4f}" for found in (ours, theirs)]
            print(f"{name:<28} {means[0]}   {means[1]}")
    print(f"\nerror on test rows, {REPEATS} parts   margin   Breiman (2001)")
    for name, known in BREIMAN.items():
        if (found := rows_of(folder, name)) is not None:
            print(f"{name:<28} {100 * test_error(*found):5.1f} %  {known:5.1f} %")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("../shared/data"))
