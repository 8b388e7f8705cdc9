"""The family view: perceptron, Adaline, logistic regression and support vector machines are one linear layer under
different error layers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import margin._core as _core
from margin.errors import InputError, closest

__all__ = ["Loss", "LossCurves", "LossFamily", "link_of", "loss_family"]


class _Traits(NamedTuple):
    model: str = "LinearSGD"
    step: str = "w - η slope(m) y x"
    probability: str = ""
    #: How scores become probabilities (``LinearClassifier._link``); empty where they do not.
    link: str = ""


# The list of losses and their formulas stand in the core; here is what a person wants to know beside them, and which
# scores are probabilities. A loss that is not named here is any other one.
_TRAITS = {
    "perceptron": _Traits("Perceptron", "w + η y x if m ≤ 0"),
    "squared_error": _Traits("Adaline", "w + η (y - f) x"),
    "log_loss": _Traits("LogisticRegression", "w + η y x / (1 + exp(m))", "1 / (1 + exp(-f))", "one_vs_rest"),
    "hinge": _Traits("SVM (soft margin)", "w + η y x if m < 1"),
    "squared_hinge": _Traits("SVM (squared)", "w + 2η (1 - m) y x if m < 1"),
    "modified_huber": _Traits(
        "LinearSGD", "w + 2η min(2, 1 - m) y x if m < 1", "(1 + f) / 2 clipped", "modified_huber"
    ),
    "exponential": _Traits("AdaBoost", "w + η exp(-m) y x"),
}


def link_of(loss: str) -> str:
    """How the scores of a model with this loss become probabilities; empty where they do not.

    >>> link_of("log_loss"), link_of("hinge")
    ('one_vs_rest', '')
    """
    return _TRAITS.get(loss, _Traits()).link


@dataclass(frozen=True)
class Loss:
    """One member of the family.

    ``formula`` is a function of the margin m; ``step`` is what the weights become after a step of size η on one row;
    ``probability`` is that of the class +1, or empty where the score is none.

    >>> loss_family()["hinge"].formula
    'max(0, 1 - m)'
    """

    name: str
    model: str
    formula: str
    step: str
    probability: str

    @property
    def gives_probabilities(self) -> bool:
        """Whether the scores of a model with this loss stand for probabilities."""
        return bool(self.probability)


@dataclass(frozen=True, eq=False)
class LossCurves:
    """What every loss is at the same margins: the data of the picture.

    Attributes
    ----------
    margins
        Ascending margins m = y f(x).
    value, slope
        For each loss, by name: the loss at each margin, and how steep it is there (from the left at a corner).
    zero_one
        What all of them stand in for: 1 for a wrong answer (m ≤ 0), else 0.
    """

    margins: np.ndarray
    value: Mapping[str, np.ndarray]
    slope: Mapping[str, np.ndarray]
    zero_one: np.ndarray


@dataclass(frozen=True)
class LossFamily:
    """The error layers that can stand on the linear layer f(x) = w · x + b."""

    losses: tuple[Loss, ...]

    def __getitem__(self, name: str) -> Loss:
        return {loss.name: loss for loss in self.losses}[name]

    def only(self, *names: str) -> LossFamily:
        """Some of the losses side by side, in the order given.

        >>> [loss.formula for loss in loss_family().only("hinge", "log_loss", "exponential").losses]
        ['max(0, 1 - m)', 'log(1 + exp(-m))', 'exp(-m)']
        """
        known = [loss.name for loss in self.losses]
        for name in names:
            if name not in known:
                raise InputError(
                    f"LossFamily.only({name!r}): a loss must be one of {', '.join(map(repr, known))}"
                    f"{closest(name, known)}."
                )
        return LossFamily(tuple(self[name] for name in names))

    def table(self) -> list[dict[str, str]]:
        """One row per loss: its name, the model that uses it, its formula, a step of descent, and its probability.

        >>> [row["model"] for row in loss_family().table()][:3]
        ['Perceptron', 'Adaline', 'LogisticRegression']
        """
        return [
            {
                "loss": loss.name,
                "model": loss.model,
                "formula": loss.formula,
                "w after a step": loss.step,
                "P(y = +1)": loss.probability or "none",
            }
            for loss in self.losses
        ]

    def curves(self, margins: Any = None) -> LossCurves:
        """Values and slopes of all losses at some margins; from -2 to 3, unless others are given.

        >>> loss_family().curves([-1.0, 0.0, 2.0]).value["hinge"]
        array([2., 1., 0.])
        """
        at = np.linspace(-2, 3, 501) if margins is None else np.asarray(margins, dtype=np.float64)
        if at.ndim != 1 or not np.isfinite(at).all():
            raise InputError("LossFamily.curves: margins must be a list of finite numbers.")
        found = {loss.name: _core.linear.loss_at(loss.name, np.ascontiguousarray(at)) for loss in self.losses}
        return LossCurves(
            margins=at,
            value={name: value for name, (value, _, _) in found.items()},
            slope={name: slope for name, (_, slope, _) in found.items()},
            zero_one=(at <= 0).astype(np.float64),
        )

    def __str__(self) -> str:
        rows = self.table()
        widths = {head: max(len(head), *(len(row[head]) for row in rows)) for head in rows[0]}
        lines = [dict(zip(widths, widths)), {head: "-" * width for head, width in widths.items()}, *rows]
        return "\n".join(
            [
                "One linear layer, f = w · x + b, under different error layers; classes y = +1 and -1, margin m = y f.",
                "A step of size η on one row makes w - η · (slope of the loss at m) · y x out of w.",
                "",
                *("  ".join(f"{line[head]:<{width}}" for head, width in widths.items()).rstrip() for line in lines),
            ]
        )


def loss_family() -> LossFamily:
    """Perceptron, Adaline, logistic regression, support vector machines: what they share and where they differ.

    All compute f(x) = w · x + b and learn by going down a loss of the margin m = y f(x). The loss decides what a
    row pulls: the perceptron only listens to wrong answers, the hinge also to right ones that are too close, the
    logistic loss to all of them a little, and the squared error also to those that are more than right.

    >>> print(loss_family())  # doctest: +ELLIPSIS +NORMALIZE_WHITESPACE
    One linear layer, f = w · x + b, under different error layers; classes y = +1 and -1, margin m = y f.
    ...
    perceptron      Perceptron  max(0, -m)  w + η y x if m ≤ 0  none
    ...
    """
    known = [(name, formula, _TRAITS.get(name, _Traits())) for name, formula in _core.linear.losses()]
    return LossFamily(tuple(Loss(name, of.model, formula, of.step, of.probability) for name, formula, of in known))
