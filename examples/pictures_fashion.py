"""Fashion-MNIST by two small networks: examples/pictures_fashion.py ../shared/data/fashion-mnist [lenet5|small]."""

import sys
import time
from pathlib import Path

from margin import ImageClassifier
from margin.data import Images

#: Network, passes over the 60,000 training pictures, learning rate.
RUNS = (("lenet5", 3, 0.003), ("small", 4, 0.003))


def main(folder: str, *chosen: str) -> None:
    learning = Images.read(Path(folder) / "train-images-idx3-ubyte.gz")
    judged = Images.read(Path(folder) / "t10k-images-idx3-ubyte.gz")
    for name, epochs, rate in RUNS:
        if chosen and name not in chosen:
            continue
        begun, worked = time.perf_counter(), time.process_time()
        model = ImageClassifier(name, epochs=epochs, rate=rate, n_jobs=1).fit(learning)
        n = sum(each.size for each in model._tensors.values() if each.ndim)
        seconds, cpu = time.perf_counter() - begun, time.process_time() - worked
        print(
            f"{name}: {n:,} numbers, {epochs} epochs, {seconds:.0f} s ({cpu:.0f} s of one core), "
            f"accuracy on {len(judged):,} test pictures {model.score(judged):.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
