"""Networks on PyTorch beside the plain loop of a user: the same module, batches, epochs, optimiser and float32."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Arrays, Side, Workload, fit_and_predict
from benchmarks.linear import pictures

__all__ = ["WORKLOADS"]

#: Of pictures that are asked about at once by the plain loop.
AT_ONCE = 1024


def small_cnn() -> Any:
    """Two convolutions and two linear layers on 28 x 28."""
    from torch import nn

    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(1568, 64), nn.ReLU(), nn.Linear(64, 10),
    )  # fmt: skip


def built(name: str, stem: Any) -> Any:
    from margin.deep import architectures

    return architectures.build(name, 10, 1, 28 if stem == "published" else 32, stem=stem)


class PlainLoop:
    """What a tutorial of PyTorch says: tensors of float32, shuffled once an epoch, a batch of 1024 to predict."""

    def __init__(self, make: Callable[[], Any], batch: int, epochs: int) -> None:
        self.make, self.batch, self.epochs = make, batch, epochs

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        import torch

        torch.manual_seed(0)
        self.net = self.make()
        x, targets = self._tensor(X), torch.from_numpy(y)
        optimizer = torch.optim.Adam(self.net.parameters(), lr=0.001)
        self.net.train()
        for _ in range(self.epochs):
            order = torch.randperm(len(x))
            for first in range(0, len(order), self.batch):
                rows = order[first : first + self.batch]
                loss = torch.nn.functional.cross_entropy(self.net(x[rows]), targets[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

    def predict(self, X: np.ndarray) -> np.ndarray:
        import torch

        self.net.eval()
        x = self._tensor(X)
        with torch.inference_mode():
            made = [self.net(x[at : at + AT_ONCE]).argmax(dim=1) for at in range(0, len(x), AT_ONCE)]
        found: np.ndarray = torch.cat(made).numpy()
        return found

    def _tensor(self, X: np.ndarray) -> Any:
        import torch

        return ((torch.from_numpy(X.astype(np.float32)) / 255 - 0.2860) / 0.3530)[:, None]


def margin_of_module(make: Callable[[], Any], batch: int, epochs: int) -> Any:
    from margin import TorchClassifier

    return TorchClassifier(make(), batch_size=batch, epochs=epochs, rate=0.001, schedule="constant")


def byte_pictures(n: int, n_test: int, side: int = 28) -> Arrays:
    """Fashion-MNIST as bytes, with a frame of black where networks want 32 pixels."""
    found = pictures("float32", n, n_test)
    for part in ("X", "X_test"):
        pixels = (found[part] * 255).round().astype(np.uint8).reshape(-1, 28, 28)
        edge = (side - 28) // 2
        found[part] = np.pad(pixels, ((0, 0), (edge, edge), (edge, edge)))
    return found


class LstmLoop:
    """Names padded to the longest of their batch and packed, as PyTorch's own tutorial does."""

    def __init__(self, units: int, batch: int, epochs: int) -> None:
        self.units, self.batch, self.epochs = units, batch, epochs

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        import torch
        from torch import nn

        torch.manual_seed(0)
        self.codes = {letter: i + 1 for i, letter in enumerate(sorted(set("".join(X.tolist()))))}
        self.embedding = nn.Embedding(len(self.codes) + 1, 32)
        self.lstm, self.head = nn.LSTM(32, self.units, batch_first=True), nn.Linear(self.units, int(y.max()) + 1)
        net = nn.ModuleList([self.embedding, self.lstm, self.head])
        rows, targets = self._rows(X), torch.from_numpy(y)
        optimizer = torch.optim.Adam(net.parameters(), lr=0.003)
        for _ in range(self.epochs):
            order = torch.randperm(len(rows))
            for first in range(0, len(order), self.batch):
                chosen = order[first : first + self.batch]
                logits = self._logits([rows[i] for i in chosen.tolist()])
                loss = nn.functional.cross_entropy(logits, targets[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

    def _rows(self, X: np.ndarray) -> list[Any]:
        import torch

        return [torch.tensor([self.codes.get(letter, 0) for letter in name] or [0]) for name in X.tolist()]

    def _logits(self, rows: list[Any]) -> Any:
        import torch
        from torch.nn.utils import rnn

        padded = rnn.pad_sequence(rows, batch_first=True)
        lengths = torch.tensor([len(each) for each in rows])
        packed = rnn.pack_padded_sequence(self.embedding(padded), lengths, batch_first=True, enforce_sorted=False)
        return self.head(self.lstm(packed)[1][0][-1])

    def predict(self, X: np.ndarray) -> np.ndarray:
        import torch

        rows = self._rows(X)
        with torch.inference_mode():
            made = [self._logits(rows[at : at + AT_ONCE]).argmax(dim=1) for at in range(0, len(rows), AT_ONCE)]
        found: np.ndarray = torch.cat(made).numpy()
        return found


def margin_lstm(units: int, batch: int, epochs: int) -> Any:
    from margin import SequenceClassifier

    return SequenceClassifier(
        "lstm", units, two_biases=True, min_count=1, batch_size=batch, epochs=epochs, rate=0.003, schedule="constant"
    )


def surnames(n: int, n_test: int) -> Arrays:
    """Names drawn of syllables; of which of three lists they are is the class."""
    random = np.random.default_rng(0)
    lists = [["ka", "shi", "mo", "ta", "ya"], ["ov", "iv", "sky", "en", "ko"], ["mc", "son", "ley", "ton", "er"]]
    y = random.integers(0, 3, n + n_test)
    X = np.array(["".join(random.choice(lists[label], random.integers(2, 6))) for label in y])
    return {"X": X[:n], "y": y[:n].astype(np.int64), "X_test": X[n:], "y_test": y[n:].astype(np.int64)}


def beside(make: Callable[[], Any], batch: int, epochs: int = 1) -> tuple[Side, ...]:
    return (
        Side("margin TorchClassifier", "margin", partial(margin_of_module, make, batch, epochs)),
        Side("torch loop", "torch", partial(PlainLoop, make, batch, epochs)),
    )


FASHION = {"n": 12_000, "n_test": 10_000}
QUICK = {"n": 512, "n_test": 512}
WORKLOADS = (
    Workload("cnn 28 px, batch 128", byte_pictures, beside(small_cnn, 128), fit_and_predict, FASHION, QUICK),
    Workload(
        "lenet5, batch 64", byte_pictures, beside(partial(built, "lenet5", "published"), 64), fit_and_predict, FASHION,
        QUICK,
    ),
    Workload(
        "resnet18 32 px, batch 64", partial(byte_pictures, side=32), beside(partial(built, "resnet18", "small"), 64),
        fit_and_predict, {"n": 1_024, "n_test": 1_024}, {"n": 128, "n_test": 64},
    ),
    Workload(
        "lstm 128 on names, batch 64",
        surnames,
        (
            Side("margin SequenceClassifier", "margin", partial(margin_lstm, 128, 64, 2)),
            Side("torch loop", "torch", partial(LstmLoop, 128, 64, 2)),
        ),
        fit_and_predict,
        {"n": 16_000, "n_test": 4_000},
        {"n": 400, "n_test": 100},
    ),
)  # fmt: skip
