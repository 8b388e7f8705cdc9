"""What a comparison of models found: places, pairs, and what can be said about their differences."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from margin.errors import ParameterError, closest, listing
from margin.evaluation.comparing.bayesian import Posterior
from margin.evaluation.comparing.selection_optimism import Optimism, selection_optimism
from margin.evaluation.comparing.significance import Significance
from margin.evaluation.cross_validation.result import Evaluation
from margin.evaluation.intervals.interval import Score

__all__ = ["Comparison", "PairTest", "Standing"]


@dataclass(frozen=True, slots=True)
class PairTest:
    """Two models on the same folds or cases: their difference and how easily chance would give one as large.

    ``p`` is of this pair alone, ``corrected`` allows for all pairs that were tested, and ``differs`` says whether it is
    small enough. ``test`` holds the effect with its interval; ``posterior`` is there where a region of practical
    equivalence was given.
    """

    first: str
    second: str
    difference: float
    p: float
    corrected: float = 1.0
    differs: bool = False
    test: Significance | None = None
    posterior: Posterior | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """A model's place: its score, and whether it really differs from the best (``p`` is corrected).

    ``pair`` is its test against the best, ``None`` for the best itself.
    """

    name: str
    score: Score
    p: float
    differs: bool
    pair: PairTest | None = None

    @property
    def method(self) -> str:
        """The test against the best; empty for the best itself."""
        return self.pair.test.method if self.pair is not None and self.pair.test is not None else ""

    @property
    def behind(self) -> Score | None:
        """The difference of the best from this model, with its interval; ``None`` for the best itself."""
        return self.pair.test.effect if self.pair is not None and self.pair.test is not None else None


@dataclass(frozen=True)
class Comparison:
    """Models from best to worst, with what can be said about their differences.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from margin.evaluation import compare_scores, evaluate
    >>> X, y = load_iris(return_X_y=True)
    >>> found = compare_scores({"bayes": evaluate(GaussianNB(), X, y), "guess": evaluate(DummyClassifier(), X, y)})
    >>> found.best, found["guess"].differs
    ('bayes', True)
    """

    metric: str
    confidence: float
    standings: tuple[Standing, ...]
    pairs: tuple[PairTest, ...]
    method: str
    evaluations: Mapping[str, Evaluation] = field(default_factory=dict, repr=False, compare=False)

    @property
    def best(self) -> str:
        """The model with the best score."""
        return self.standings[0].name

    @property
    def names(self) -> tuple[str, ...]:
        """The models, best first."""
        return tuple(standing.name for standing in self.standings)

    @property
    def as_good_as_best(self) -> tuple[str, ...]:
        """The models, the best included, that the test cannot tell from the best."""
        return tuple(standing.name for standing in self.standings if not standing.differs)

    @property
    def p_values(self) -> np.ndarray:
        """Corrected p-values of all pairs, rows and columns in the order of ``names``; 1 on the diagonal."""
        at = {name: place for place, name in enumerate(self.names)}
        matrix = np.ones((len(at), len(at)))
        for pair in self.pairs:
            i, j = at[pair.first], at[pair.second]
            matrix[i, j] = matrix[j, i] = pair.corrected
        return matrix

    @cached_property
    def optimism(self) -> Optimism:
        """How much the best model's score is flattered by having been chosen for it, found by drawing cases anew."""
        return selection_optimism(self.evaluations, self.metric, confidence=self.confidence)

    def __getitem__(self, name: str) -> Standing:
        for standing in self.standings:
            if standing.name == name:
                return standing
        known = list(self.names)
        raise ParameterError(f"Comparison[{name!r}]: no such model; there are {listing(known)}{closest(name, known)}.")

    def __str__(self) -> str:
        width = max(len(standing.name) for standing in self.standings)
        lines = [f"{self.metric}, best first ({self.method})"]
        lines += [
            f"{standing.name:<{width}}  {standing.score}  {self._verdict(standing)}" for standing in self.standings
        ]
        return "\n".join(lines)

    def _verdict(self, standing: Standing) -> str:
        if standing.name == self.best:
            return "best"
        by = f" by {standing.behind}" if standing.behind is not None and standing.differs else ""
        what = f"differs from the best{by}" if standing.differs else "not told apart from the best"
        return f"{what} (p = {standing.p:.3g}{self._beliefs(standing)})"

    def _beliefs(self, standing: Standing) -> str:
        posterior = standing.pair.posterior if standing.pair is not None else None
        if posterior is None:
            return ""
        return f"; equivalent within {posterior.rope:g} with probability {posterior.equivalent:.3f}"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{html.escape(standing.name)}</th><td>{standing.score}</td><td>{self._verdict(standing)}</td></tr>"
            for standing in self.standings
        )
        said = f"<p>{html.escape(self.metric)}; {html.escape(self.method)}</p>"
        return f"<table>{rows}</table>{said}{self._html_of_pairs()}"

    def _html_of_pairs(self) -> str:
        """The matrix of corrected p-values, those of real differences in bold."""
        if len(self.names) < 3:
            return ""
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.names)
        body = ""
        for i, (name, row) in enumerate(zip(self.names, self.p_values)):
            cells = "".join(_cell(p, i == j, 1 - self.confidence) for j, p in enumerate(row))
            body += f"<tr><th>{html.escape(name)}</th>{cells}</tr>"
        return f"<table><tr><th>corrected p</th>{head}</tr>{body}</table>"


def _cell(p: float, own: bool, level: float) -> str:
    if own:
        return "<td></td>"
    return f"<td><b>{p:.3g}</b></td>" if p < level else f"<td>{p:.3g}</td>"
