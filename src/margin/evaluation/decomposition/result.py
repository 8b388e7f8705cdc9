"""Bias, variance and noise of a model, and along a curve of models, as results that print."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.evaluation.decomposition.terms import Terms
from margin.evaluation.intervals.interval import Score

__all__ = ["BiasVariance", "BiasVarianceCurve"]


_HOW = {"squared": "squared loss", "domingos": "0/1 loss, Domingos", "kohavi_wolpert": "0/1 loss, Kohavi–Wolpert"}


@dataclass(frozen=True, eq=False)
class BiasVariance:
    """The error of a model over training sets, taken apart: ``error = bias + variance + noise``.

    Attributes
    ----------
    model, loss, decomposition
        What was taken apart, and how. ``bias`` is bias² for squared loss and Kohavi and Wolpert's.
    error, bias, variance, noise
        Means over the cases with intervals over the training sets. For Domingos ``variance`` is the net variance
        and ``noise`` the effect of noise on the error.
    unbiased_variance, biased_variance
        For Domingos: variance that adds to the error, and variance that takes away from it.
    cases
        The same terms of each case, as arrays.
    main
        The mean (or for 0/1 loss the most frequent) answer to each case.
    noise_known
        Where it is not, noise is inside the bias.
    times
        Training sets drawn.
    """

    model: str
    loss: str
    decomposition: str
    error: Score
    bias: Score
    variance: Score
    noise: Score
    cases: Terms
    main: np.ndarray
    noise_known: bool
    times: int
    unbiased_variance: Score | None = None
    biased_variance: Score | None = None

    def _rows(self) -> list[tuple[str, Score, str]]:
        squared = self.decomposition != "domingos"
        inside = "" if self.noise_known else "noise is not known and inside of it"
        rows = [("bias²" if squared else "bias", self.bias, inside)]
        rows.append(("variance" if squared else "net variance", self.variance, ""))
        if self.unbiased_variance is not None and self.biased_variance is not None:
            rows.append(("  unbiased", self.unbiased_variance, "adds to the error"))
            rows.append(("  biased", self.biased_variance, "takes away from it"))
        if self.noise_known:
            rows.append(("noise", self.noise, ""))
        return [*rows, ("error", self.error, "their sum")]

    def _headline(self) -> str:
        return f"{self.model}: {_HOW[self.decomposition]}; {self.times} training sets, {len(self.cases.error)} cases"

    def __str__(self) -> str:
        lines = [f"{name:<12}  {score!s:<22}  {remark}".rstrip() for name, score, remark in self._rows()]
        return "\n".join([self._headline(), *lines])

    def __repr__(self) -> str:
        return f"<BiasVariance of {self.model}: bias {self.bias}, variance {self.variance}, error {self.error}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{name}</th><td>{score}</td><td>{remark}</td></tr>" for name, score, remark in self._rows()
        )
        return f"<p>{html.escape(self._headline())}</p><table>{rows}</table>"


_COLUMNS = ("variance", "noise", "error")


@dataclass(frozen=True, eq=False)
class BiasVarianceCurve:
    """Bias, variance and noise along a parameter, from the same training sets throughout.

    ``points`` holds the full result for each of ``values``; ``bias``, ``variance``, ``noise`` and ``error`` are their
    means as arrays.
    """

    parameter: str
    values: tuple[Any, ...]
    points: tuple[BiasVariance, ...]

    @property
    def bias(self) -> np.ndarray:
        return self._means("bias")

    @property
    def variance(self) -> np.ndarray:
        return self._means("variance")

    @property
    def noise(self) -> np.ndarray:
        return self._means("noise")

    @property
    def error(self) -> np.ndarray:
        return self._means("error")

    def _means(self, name: str) -> np.ndarray:
        return np.array([getattr(point, name).value for point in self.points])

    @property
    def best(self) -> Any:
        """The value with the least error."""
        return self.values[int(self.error.argmin())]

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (str(value), f"{point.bias.value:.4f}", f"{point.variance.value:.4f}", f"{point.noise.value:.4f}",
             f"{point.error:.4f}", "least error" if value == self.best else "")
            for value, point in zip(self.values, self.points)
        ]  # fmt: skip

    @property
    def _heads(self) -> tuple[str, ...]:
        return self.parameter, "bias" if self.points[0].decomposition == "domingos" else "bias²", *_COLUMNS

    def __str__(self) -> str:
        table = [(*self._heads, ""), *self._rows()]
        widths = [max(len(row[column]) for row in table) for column in range(6)]
        return "\n".join("  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths)).rstrip() for row in table)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self._heads)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in self._rows()
        )
        return f"<table><tr>{head}</tr>{body}</table>"
