"""Damaged files of format 1: a zip, changed inside and packed again, or damaged as it is."""

from __future__ import annotations

import io
import json
import random
import zipfile
from typing import Any

import numpy as np

from tests.persistence.mutants import Mutant, Parts, change, damaged

__all__ = ["ZipMutants"]


class ZipMutants:
    """The mutants of one good file of format 1; packing anew gives every part its right checksum."""

    def __init__(self, good: bytes, seed: str = "0", repaired: float = 0.75) -> None:
        self._good, self._seed, self._repaired = good, seed, repaired
        with zipfile.ZipFile(io.BytesIO(good)) as archive:
            self._document = archive.read("model.json").decode()
            numbers = sum(name.startswith("arrays/") for name in archive.namelist())
            self._arrays = [np.load(io.BytesIO(archive.read(f"arrays/{i}.npy"))) for i in range(numbers)]

    def __getitem__(self, number: int) -> Mutant:
        rng = random.Random(f"{self._seed}/{number}")
        if rng.random() >= self._repaired:
            content, what = damaged(self._good, rng)
            return Mutant(content, f"file: {what}", False)
        parts = Parts(json.loads(self._document), list(self._arrays))
        done = [change(parts, rng) for _ in range(rng.choices((1, 2, 3), (8, 2, 1))[0])]
        return Mutant(_packed(parts.header, parts.arrays), "; ".join(done), True)


def _packed(document: dict[str, Any], arrays: list[np.ndarray]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.json", json.dumps(document))
        for number, array in enumerate(arrays):
            part = io.BytesIO()
            np.save(part, array, allow_pickle=False)
            archive.writestr(f"arrays/{number}.npy", part.getvalue())
    return content.getvalue()
