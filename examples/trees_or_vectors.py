"""Several classes: a tree for each in every round, or one tree whose leaves hold a number for each?

Run it with ``python examples/trees_or_vectors.py FOLDER [SET …]`` where XGBoost is installed, which can do both with
everything else alike: steps of 0.1, 31 leaves, all cells as numbers. Two thirds of each class are learnt, a fifth of
these says how many of at most 600 rounds are kept, the other third is answered. Printed: mean log loss, trees that were
kept, seconds of CPU.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from boosting_on_real_sets import parted, rows_of

SETS = ("vowel", "glass", "balance-scale", "segment", "car", "soybean", "letter")
MOST_ROWS = 4_000


def as_numbers(table: object) -> np.ndarray:
    """Numbers, and levels by their place."""
    columns = [table[name] for name in table.schema.names]  # type: ignore[attr-defined,index]
    found = [np.asarray(c) for c in columns]
    return np.column_stack(
        [c if c.dtype.kind == "f" else np.unique(c.astype(str), return_inverse=True)[1] for c in found]
    )


def main(arguments: list[str]) -> int:
    """A row for each set and way."""
    import xgboost

    print("| table | a tree for each class | leaves with a number for each |\n|---|---|---|")
    for name in arguments[1:] or SETS:
        rows = rows_of(Path(arguments[0]), name)
        if rows is None:
            continue
        X, y = as_numbers(rows[0])[:MOST_ROWS], np.unique(rows[1][:MOST_ROWS], return_inverse=True)[1]
        known, new = parted(y)
        grown, watched = known[np.arange(len(known)) % 5 > 0], known[np.arange(len(known)) % 5 == 0]
        cells = []
        for way in ("one_output_per_tree", "multi_output_tree"):
            model = xgboost.XGBClassifier(
                n_estimators=600, max_leaves=31, max_depth=0, grow_policy="lossguide", learning_rate=0.1, n_jobs=1,
                tree_method="hist", multi_strategy=way, early_stopping_rounds=20, eval_metric="mlogloss",
            )  # fmt: skip
            began = time.process_time()
            model.fit(X[grown], y[grown], eval_set=[(X[watched], y[watched])], verbose=False)
            took = time.process_time() - began
            share = model.predict_proba(X[new])[np.arange(len(new)), y[new]]
            trees = (model.best_iteration + 1) * (1 if way == "multi_output_tree" else len(np.unique(y)))
            cells.append(f"{-np.log(np.maximum(share, 1e-15)).mean():.4f} ({trees} trees, {took:.1f} s)")
        print(f"| {name} | {cells[0]} | {cells[1]} |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
