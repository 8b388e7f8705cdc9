"""Recurrent networks on real sets: surnames, motions of a wrist, and a text that is read on.

Run it with ``python examples/sequences_on_real_sets.py FOLDER [PART ...]``, where FOLDER holds ``names.tsv.gz``,
``timeseries/BasicMotions_TRAIN.ts.gz`` with its test part, and ``tinyshakespeare.txt.gz``; sets that are not there are
left out. Parts are names, motions and text; all of them otherwise. Seconds are of one thread.
"""

from __future__ import annotations

import gzip
import sys
import time
from pathlib import Path

import numpy as np

from margin import KNeighborsClassifier, SequenceClassifier, SequenceModel, evaluate
from margin.data import Sequences
from margin.deep import NGramModel, memory
from margin.evaluation import HoldOut

CELLS = ("rnn", "lstm", "gru")


def names(folder: Path) -> None:
    """A fifth of 20,050 surnames of 18 languages is held out, the same share of each language."""
    given = Sequences.read(folder / "names.tsv.gz")
    counts = np.unique(given.labels, return_counts=True)[1]
    print(f"names: {len(given):,} of {len(counts)} languages; the most frequent one is {counts.max() / len(given):.3f}")
    for cell in CELLS:
        begun, worked = time.perf_counter(), time.process_time()
        model = SequenceClassifier(cell, rate=0.002 if cell == "rnn" else 0.003, n_jobs=1)
        found = evaluate(model, given, given.labels, HoldOut(0.2), metrics=("accuracy",)).scores["accuracy"]
        seconds, cpu = time.perf_counter() - begun, time.process_time() - worked
        print(f"  {cell:<5} accuracy {found}, {seconds:.0f} s ({cpu:.0f} s of one core)", flush=True)


def motions(folder: Path) -> None:
    """40 recordings of 100 steps of six numbers to learn from, 40 of other people's to be asked about."""
    train, test = (Sequences.read(folder / "timeseries" / f"BasicMotions_{part}.ts.gz") for part in ("TRAIN", "TEST"))
    flat = [np.stack(list(part)).reshape(len(part), -1) for part in (train, test)]
    nearest = KNeighborsClassifier(1).fit(flat[0], train.labels).score(flat[1], test.labels)
    print(f"motions: {len(train)} to learn from, {len(test)} to be asked about; nearest neighbour {nearest:.3f}")
    for cell in CELLS:
        begun = time.perf_counter()
        model = SequenceClassifier(cell, 32, pooling="max", epochs=40, batch_size=8, rate=0.01, n_jobs=1).fit(train)
        found, seconds = model.score(test, test.labels), time.perf_counter() - begun
        told = memory(model, test[0])
        print(f"  {cell:<5} accuracy {found:.3f}, {seconds:.0f} s; half of a state is forgotten in "
              f"{told.half_life:.1f} steps")  # fmt: skip


def text(folder: Path) -> None:
    """The last tenth of the plays is read on by what has learnt from the others."""
    with gzip.open(folder / "tinyshakespeare.txt.gz", "rt") as file:
        given = file.read()
    cut = len(given) * 9 // 10
    print(f"text: {cut:,} characters to learn from, {len(given) - cut:,} to be read on")
    for order in (1, 2, 3):
        bits = NGramModel(order).fit(given[:cut]).bits_per_character(given[cut:])
        print(f"  {order} characters counted  {bits:.3f} bits a character")
    begun = time.perf_counter()
    model = SequenceModel("lstm", 128, epochs=2, n_jobs=1).fit(given[:cut])
    seconds = time.perf_counter() - begun
    print(f"  lstm of 128 units     {model.bits_per_character(given[cut:]):.3f} bits a character, {seconds:.0f} s")
    print(
        "\n".join(f"    {line}" for line in model.sample(200, temperature=0.7, start="\n", random_state=0).splitlines())
    )


PARTS = {"names": (names, "names.tsv.gz"), "motions": (motions, "timeseries"), "text": (text, "tinyshakespeare.txt.gz")}


def main() -> None:
    folder, chosen = Path(sys.argv[1]), sys.argv[2:] or list(PARTS)
    for name in chosen:
        part, needed = PARTS[name]
        if (folder / needed).exists():
            part(folder)
        else:
            print(f"{name}: {needed} is not there")


if __name__ == "__main__":
    main()
