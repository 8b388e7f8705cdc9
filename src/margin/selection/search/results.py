"""What a search found: every setting with its scores, and which of them cannot be told from the best."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.evaluation.comparing.multiple_testing import holm
from margin.evaluation.comparing.significance import corrected_t_test
from margin.evaluation.intervals.interval import Interval, Score, corrected_t_interval, proportion_interval
from margin.evaluation.scoring.over_folds import share_over_folds
from margin.selection.search.simplicity import simplest

__all__ = ["SearchResults", "setting_text"]

#: So many settings are printed.
SHOWN = 20


def setting_text(setting: Mapping[str, Any]) -> str:
    """A setting in short.

    >>> setting_text({"C": 0.125, "kernel": "rbf"})
    "C=0.125, kernel='rbf'"
    """
    shown = [
        f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value!r}" for name, value in setting.items()
    ]
    return ", ".join(shown) or "as it is"


@dataclass(frozen=True, eq=False)
class SearchResults:
    """Settings, in the order tried, with the score of each on every fold.

    Attributes
    ----------
    metric, greater_is_better
        What was measured, and which way is better.
    settings
        The parameters of each.
    fold_scores
        Settings × folds; NaN where a fit failed, or where the setting was dropped before.
    fit_seconds
        Seconds for each setting, over all folds; work that is shared is shared out.
    errors
        The first error of each setting; empty where all went well.
    dropped
        Which settings were given up before all folds (or all rows) were tried.
    test_to_train
        Rows of a test part over rows of a training part, which the intervals need.
    resource
        Rows, or the value of the resource, that each setting was tried with last; None outside of halving.
    n_cases
        How many cases a score is a share of, over all folds; None where it is no share, or cases have weights.
    """

    metric: str
    greater_is_better: bool
    bounds: tuple[float, float]
    settings: tuple[Mapping[str, Any], ...]
    fold_scores: np.ndarray
    fit_seconds: np.ndarray
    errors: tuple[str, ...]
    dropped: np.ndarray
    test_to_train: float
    confidence: float = 0.95
    resource: np.ndarray | None = None
    n_cases: int | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Without the times: the same search of the same data is the same bytes on every machine."""
        return {**self.__dict__, "fit_seconds": np.full(len(self.settings), np.nan)}

    def __len__(self) -> int:
        return len(self.settings)

    @property
    def mean(self) -> np.ndarray:
        """The score of each setting: the mean over folds; NaN where a fold failed or it was dropped."""
        return self.fold_scores.mean(axis=1) if self.fold_scores.shape[1] else np.full(len(self), np.nan)

    @property
    def standard_error(self) -> np.ndarray:
        """Of each mean, as if folds were independent: what the one-standard-error rule goes by."""
        n = self.fold_scores.shape[1]
        if n < 2:
            return np.zeros(len(self))
        return self.fold_scores.std(axis=1, ddof=1) / math.sqrt(n)

    @property
    def _merit(self) -> np.ndarray:
        """Larger is better; -inf for what cannot be chosen."""
        merit = self.mean if self.greater_is_better else -self.mean
        return np.where(np.isnan(merit) | self.dropped, -np.inf, merit)

    @property
    def best(self) -> int:
        """The setting with the best score; of several the first."""
        return int(np.argmax(self._merit))

    @property
    def rank(self) -> np.ndarray:
        """1 for the best; equal scores share a rank. What failed or was dropped comes last."""
        merit = self._merit
        return 1 + (merit[None, :] > merit[:, None]).sum(axis=1)

    def within_one_standard_error(self, simpler: Any = None, who: str = "SearchResults") -> int:
        """The simplest setting whose score is at most one standard error below the best (Breiman et al. 1984)."""
        best = self.best
        near = np.flatnonzero(self._merit >= self._merit[best] - self.standard_error[best])
        return simplest(self.settings, near, best, simpler, who)

    @property
    def p(self) -> np.ndarray:
        """How easily chance would set a setting so far from the best: corrected resampled t, Holm's correction.

        1 for the best, NaN where there is nothing to compare: failed or dropped settings, a single split.
        """
        p_values = np.full(len(self), np.nan)
        merit, best = self._merit, self.best
        if self.fold_scores.shape[1] < 2 or merit[best] == -np.inf:
            return p_values
        others = [i for i in np.flatnonzero(merit > -np.inf).tolist() if i != best]
        leads = [self.fold_scores[best] - self.fold_scores[i] for i in others]
        raw = [corrected_t_test(lead, test_to_train=self.test_to_train).p for lead in leads]
        p_values[others] = holm(raw)
        p_values[best] = 1.0
        return p_values

    @property
    def as_good_as_best(self) -> np.ndarray:
        """Which settings, the best included, are not told apart from the best."""
        with np.errstate(invalid="ignore"):
            return self.p >= 1 - self.confidence

    def score(self, i: int) -> Score:
        """The score of one setting with its interval."""
        value, n = float(self.mean[i]), self.fold_scores.shape[1]
        interval: Interval | None = None
        if self.n_cases is not None and n == 1 and not math.isnan(value):
            interval = proportion_interval(round(value * self.n_cases), self.n_cases, self.confidence)
            return Score(value, interval, f"on {self.n_cases} cases; {100 * self.confidence:g} % interval, exact")
        if n < 2 or math.isnan(value):
            return Score(value, None, "no interval")
        interval = corrected_t_interval(self.fold_scores[i].tolist(), self.test_to_train, self.confidence)
        assert interval is not None
        if self.n_cases is not None:
            interval = share_over_folds(interval, value, self.n_cases)
        how = f"mean of {n} folds; {100 * self.confidence:g} % interval, {interval.method}"
        return Score(value, interval.clipped(*self.bounds), how)

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary a setting, best first: for a data frame of any make."""
        p, rank = self.p, self.rank
        return [
            {
                **{f"setting_{name}": value for name, value in self.settings[i].items()},
                "rank": int(rank[i]),
                "score": float(self.mean[i]),
                "standard_error": float(self.standard_error[i]),
                "p": float(p[i]),
                "seconds": float(self.fit_seconds[i]),
                "dropped": bool(self.dropped[i]),
                "error": self.errors[i],
            }
            for i in np.argsort(rank, kind="stable").tolist()
        ]

    def as_columns(self) -> dict[str, Any]:
        """Arrays by scikit-learn's names for them (``cv_results_``), settings in the order in which they were tried.

        Losses have their sign turned, so that larger is better, as there.
        """
        sign = 1.0 if self.greater_is_better else -1.0
        names = list(dict.fromkeys(name for setting in self.settings for name in setting))
        of = {name: np.array([name not in setting for setting in self.settings]) for name in names}
        values = {name: np.empty(len(self), dtype=object) for name in names}
        for name in names:
            values[name][:] = [setting.get(name) for setting in self.settings]
        n = self.fold_scores.shape[1]
        return {
            "params": [dict(setting) for setting in self.settings],
            **{f"param_{name}": np.ma.MaskedArray(values[name], of[name]) for name in names},
            **{f"split{k}_test_score": sign * self.fold_scores[:, k] for k in range(n)},
            "mean_test_score": sign * self.mean,
            "std_test_score": self.fold_scores.std(axis=1) if n else np.full(len(self), np.nan),
            "rank_test_score": self.rank.astype(np.int32),
            "mean_fit_time": self.fit_seconds,
        }

    def _verdict(self, i: int, p: np.ndarray) -> str:
        if self.errors[i]:
            return f"failed: {self.errors[i]}"
        if self.dropped[i]:
            return "dropped"
        if i == self.best:
            return "best"
        if math.isnan(p[i]):
            return ""
        return f"{'differs from' if p[i] < 1 - self.confidence else 'not told apart from'} the best (p = {p[i]:.3g})"

    def _lines(self) -> list[tuple[str, str, str]]:
        p, order = self.p, np.argsort(self.rank, kind="stable")[:SHOWN].tolist()
        return [(setting_text(self.settings[i]), str(self.score(i)), self._verdict(i, p)) for i in order]

    def __str__(self) -> str:
        lines = self._lines()
        widths = [max(len(line[column]) for line in lines) for column in (0, 1)]
        shown = [f"{len(self)} settings, {self.metric}, best first"]
        shown += [f"{name:<{widths[0]}}  {score:<{widths[1]}}  {verdict}".rstrip() for name, score, verdict in lines]
        return "\n".join(shown + ([f"… and {len(self) - SHOWN} more"] if len(self) > SHOWN else []))

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in line)}</tr>" for line in self._lines()
        )
        return f"<table><caption>{html.escape(self.metric)}, best first</caption>{rows}</table>"
