"""Networks on tables, and on PyTorch: the same layers, batches, epochs and float32 on every side, each with Adam."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks import _deep_torch
from benchmarks.bayes import new, numeric
from benchmarks.harness import Side, Workload, fit_and_predict
from benchmarks.linear import pictures

__all__ = ["WORKLOADS"]


def torch_network(X: np.ndarray, y: np.ndarray, hidden: int) -> Any:
    from torch import nn

    return nn.Sequential(nn.Linear(X.shape[1], hidden), nn.ReLU(), nn.Linear(hidden, int(y.max()) + 1))


class TorchLoop:
    """A plain PyTorch loop: rows shuffled once an epoch and sliced, the fused optimiser."""

    def __init__(self, hidden: int, batch: int, epochs: int) -> None:
        self.hidden, self.batch, self.epochs = hidden, batch, epochs

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        import torch

        torch.manual_seed(0)
        rows, labels = torch.from_numpy(X), torch.from_numpy(y.astype(np.int64))
        self.net = torch_network(X, y, self.hidden)
        optimizer = torch.optim.Adam(self.net.parameters(), lr=0.001, fused=True)
        for _ in range(self.epochs):
            order = torch.randperm(len(rows))
            for begin in range(0, len(rows), self.batch):
                chosen = order[begin : begin + self.batch]
                loss = torch.nn.functional.cross_entropy(self.net(rows[chosen]), labels[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

    def predict(self, X: np.ndarray) -> np.ndarray:
        import torch

        with torch.inference_mode():
            answers: np.ndarray = self.net(torch.from_numpy(X)).argmax(dim=1).numpy()
        return answers


class Skorch:
    """skorch's classifier around the same module, without held-out rows and without printing."""

    def __init__(self, hidden: int, batch: int, epochs: int) -> None:
        self.hidden, self.batch, self.epochs = hidden, batch, epochs

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        import torch
        from skorch import NeuralNetClassifier

        torch.manual_seed(0)
        self.model = NeuralNetClassifier(
            torch_network(X, y, self.hidden),
            criterion=torch.nn.CrossEntropyLoss,
            optimizer=torch.optim.Adam,
            lr=0.001,
            batch_size=self.batch,
            max_epochs=self.epochs,
            train_split=None,
            iterator_train__shuffle=True,
            verbose=0,
        )
        self.model.fit(X, y.astype(np.int64))

    def predict(self, X: np.ndarray) -> np.ndarray:
        answers: np.ndarray = self.model.predict(X)
        return answers


def sides(hidden: int, batch: int, epochs: int) -> tuple[Side, ...]:
    common: dict[str, Any] = {
        "hidden_layer_sizes": (hidden,),
        "batch_size": batch,
        "max_iter": epochs,
        "n_iter_no_change": epochs,
        "random_state": 0,
    }
    return (
        Side("margin MLPClassifier", "margin", partial(new, "margin", "MLPClassifier", scale=None, **common)),
        Side("sklearn MLPClassifier", "sklearn", partial(new, "sklearn.neural_network", "MLPClassifier", **common)),
        Side("torch loop", "torch", partial(TorchLoop, hidden, batch, epochs)),
        Side("skorch", "skorch", partial(Skorch, hidden, batch, epochs)),
    )


SMALL = {"n": 20_000, "d": 30, "n_test": 5_000, "n_classes": 5, "dtype": "float32"}
QUICK = {"n": 1_000, "n_test": 300}

WORKLOADS = (
    Workload("mlp 30-64-5, batch 64", numeric, sides(64, 64, 5), fit_and_predict, size=SMALL, quick=QUICK),
    Workload("mlp 30-64-5, batch 200", numeric, sides(64, 200, 5), fit_and_predict, size=SMALL, quick=QUICK),
    Workload(
        "mlp 784-256-10, batch 128",
        pictures,
        sides(256, 128, 1),
        fit_and_predict,
        size={"dtype": "float32", "n": 60_000, "n_test": 10_000},
        quick={"n": 2_000, "n_test": 500},
    ),
    *_deep_torch.WORKLOADS,
)
