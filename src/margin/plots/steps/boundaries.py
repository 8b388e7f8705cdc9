"""The boundaries that training leads through: after each mistake of a perceptron, after each step down a gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.errors import InputError, InputTypeError, ParameterError
from margin.linear import Perceptron
from margin.plots.margins import two_columns

__all__ = ["Boundary", "gradient_steps", "perceptron_steps"]


@dataclass(frozen=True)
class Boundary:
    """The line ``w · x + b = 0`` after a step; ``row`` is the one that caused it, -1 for all of them together."""

    w: np.ndarray
    b: float
    row: int
    says: str


def perceptron_steps(model: Perceptron, X: Any, y: Any) -> tuple[Boundary, ...]:
    """The boundary before training and after each mistake of a fitted perceptron of two classes and two columns.

    They are replayed from ``mistakes_``, and end where the model does.

    Examples
    --------
    >>> X, y = [[2.0, 1.0], [1.0, 3.0], [-1.0, -1.0], [-2.0, 0.0]], ["in", "in", "out", "out"]
    >>> steps = perceptron_steps(Perceptron().fit(X, y), X, y)
    >>> [step.row for step in steps], steps[-1].w.tolist()
    ([-1, 0], [-2.0, -1.0])
    """
    if not isinstance(model, Perceptron) or not hasattr(model, "coef_"):
        raise InputTypeError(f"perceptron_steps(model={type(model).__name__}): must be a fitted Perceptron.")
    cells, _, _ = two_columns(X, "perceptron_steps")
    labels = np.asarray(y)
    if len(model.classes_) != 2:
        raise InputError(f"perceptron_steps: the model must know two classes, but knows {len(model.classes_)}.")
    side = np.where(labels == model.classes_[1], 1.0, -1.0)
    w, b = np.zeros(2), 0.0
    steps = [Boundary(w, b, -1, "before the first mistake")]
    for number, mistakes in enumerate(model.mistakes_, 1):
        for row in mistakes.tolist():
            w = w + model.eta0 * side[row] * cells[row]
            b = b + (model.eta0 * side[row] if model.fit_intercept else 0.0)
            steps.append(Boundary(w, b, row, f"mistake {len(steps)}, pass {number}"))
    if not np.allclose(w, model.coef_[0], atol=1e-9 * max(1.0, float(np.abs(w).max()))):
        raise InputError(
            "perceptron_steps: the mistakes do not lead to the model (it must be plain, begin with zeros, and have "
            "learnt from just these rows, unscaled and unweighted)."
        )
    return tuple(steps)


def gradient_steps(X: Any, y: Any, *, rate: float = 0.5, steps: int = 30) -> tuple[Boundary, ...]:
    """The boundary of logistic regression after each step of gradient descent, from 0, on two standardised columns.

    Each step goes against the gradient of the mean log loss, ``rate`` times as far as it is long.

    Examples
    --------
    >>> found = gradient_steps([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]], [0, 0, 1, 1], steps=5)
    >>> [step.says for step in found][:2]
    ['step 0, log loss 0.693', 'step 1, log loss 0.518']
    """
    if steps < 1 or rate <= 0:
        raise ParameterError(f"gradient_steps(rate={rate}, steps={steps}): both must be above 0.")
    cells, _, _ = two_columns(X, "gradient_steps")
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    if len(classes) != 2:
        raise InputError(f"gradient_steps: there must be two classes, but there are {len(classes)}.")
    middle, spread = cells.mean(axis=0), cells.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    scaled, side = (cells - middle) / spread, np.where(codes == 1, 1.0, -1.0)
    w, b, found = np.zeros(2), 0.0, []
    for number in range(steps + 1):
        margins = side * (scaled @ w + b)
        loss = float(np.logaddexp(0.0, -margins).mean())
        found.append(Boundary(w / spread, b - float(w / spread @ middle), -1, f"step {number}, log loss {loss:.3f}"))
        pull = side / (1 + np.exp(np.clip(margins, -700, 700)))
        w, b = w + rate * (pull[:, None] * scaled).mean(axis=0), b + rate * float(pull.mean())
    return tuple(found)
