"""The bootstrap: learn from rows drawn with replacement, ask about those that were not drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from margin.errors import DataError, ParameterError, closest
from margin.evaluation.protocols.stratified import Judged, Split, Splits, _groups, check_count, check_seed
from margin.random import generator

__all__ = ["Bootstrap"]

Estimate = Literal[".632+", ".632", "out-of-bag"]


@dataclass(frozen=True)
class Bootstrap(Splits):
    r"""Draws as many rows as there are, with replacement, and asks about the rows left over; many times.

    A draw holds about 63.2 % of the different rows, so a model learnt from it is worse than one learnt from all. The
    estimates differ in what they make of that:

    ``"out-of-bag"``
        The score on the rows left over: pessimistic, as of a model learnt from fewer rows. For metrics that are means
        over cases, each case's loss is averaged over the draws without it first (the leave-one-out bootstrap).
    ``".632"``
        .368 × the score on the training data + .632 × out-of-bag (Efron 1983): right where a model fits its training
        data moderately, optimistic where it learns them by heart.
    ``".632+"``
        The weight of out-of-bag grows from .632 to 1 with the relative overfitting
        :math:`R = (\text{oob} - \text{training}) / (\gamma - \text{training})`, where the no-information rate
        :math:`\gamma` is the score if answers and truth had nothing to do with each other (Efron, Tibshirani 1997).

    Metrics that are no mean over cases (F1, ROC AUC) are put together in the same way from their value on the training
    data, their mean over the replicates and their value without information.

    Parameters
    ----------
    times
        Replicates, one fit each (and one fit on all rows, unless the estimate is ``"out-of-bag"``).
    estimate
        One of the three above.
    stratified
        Whether every draw has as many rows of each class as the data.
    seed
        Of the draws.

    Examples
    --------
    >>> protocol = Bootstrap(times=2)
    >>> [(drawn.tolist(), left.tolist()) for drawn, left in protocol.split(["a", "b", "a", "b"])]
    [([0, 2, 3, 3], [1]), ([0, 0, 1, 2], [3])]
    """

    times: int = 200
    estimate: Estimate = ".632+"
    stratified: bool = False
    seed: int = 0

    judged_by: ClassVar[Judged] = "replicates"

    def __post_init__(self) -> None:
        check_count("Bootstrap", "times", self.times, least=2)
        check_seed("Bootstrap", self.seed)
        known = get_args(Estimate)
        if self.estimate not in known:
            raise ParameterError(
                f"Bootstrap(estimate={self.estimate!r}): estimate must be one of {', '.join(map(repr, known))}"
                f"{closest(self.estimate, known)}."
            )

    @property
    def name(self) -> str:
        return f"bootstrap {self.estimate}, {self.times} replicates"

    @property
    def n_fits(self) -> int:
        return self.times + self.asks_training_data

    @property
    def asks_training_data(self) -> bool:
        """Whether one more model is learnt from all rows and asked about the same rows."""
        return self.estimate != "out-of-bag"

    def split(self, y: Any) -> Iterator[Split]:
        """Rows drawn, ascending and with repeats, and rows left over, for each replicate."""
        classes = _groups("Bootstrap", y, least=2)
        if self.stratified and np.bincount(classes).max() == 1:
            raise DataError(
                "Bootstrap(stratified=True): every class has a single case, so every draw is all of them "
                "(leave stratified=False)."
            )
        members = np.argsort(classes, kind="stable")
        sizes = np.bincount(classes)[classes[members]]
        starts = np.searchsorted(classes[members], classes[members])
        for replicate in range(self.times):
            yield self._draw(generator(self.seed, "bootstrap", replicate), members, starts, sizes)

    def _draw(self, random: np.random.Generator, members: np.ndarray, starts: np.ndarray, sizes: np.ndarray) -> Split:
        n = len(members)
        while True:
            drawn = members[starts + random.integers(sizes)] if self.stratified else random.integers(n, size=n)
            times = np.bincount(drawn, minlength=n)
            left = np.flatnonzero(times == 0)
            if len(left):  # among very few rows a draw may take all of them, and there is nothing to ask
                return np.repeat(np.arange(n), times), left

    def describe(self) -> str:
        drawn = "with replacement, class by class" if self.stratified else "with replacement"
        beside = {
            ".632+": ", weighed against the training data by how much the model overfits",
            ".632": ", weighed .632 to .368 against the training data",
            "out-of-bag": "",
        }[self.estimate]
        return f"{self.times} times rows were drawn {drawn} to learn from, and those left over asked about{beside}."
