"""The arrays of a workload on disk: made once, read by every side."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.harness.workload import Arrays

__all__ = ["load", "save"]


def save(arrays: Arrays, folder: Path) -> None:
    """Write each array to its own file; sparse matrices keep their form."""
    for name, array in arrays.items():
        if hasattr(array, "tocsr"):
            import scipy.sparse

            scipy.sparse.save_npz(folder / f"{name}.npz", array, compressed=False)
        else:
            np.save(folder / f"{name}.npy", array, allow_pickle=False)


def load(folder: Path) -> Arrays:
    """Read what :func:`save` wrote, into memory of this process."""
    arrays: Arrays = {path.stem: np.load(path) for path in sorted(folder.glob("*.npy"))}
    for path in sorted(folder.glob("*.npz")):
        import scipy.sparse

        arrays[path.stem] = scipy.sparse.load_npz(path)
    return arrays
