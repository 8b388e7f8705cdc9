"""A race for one target: each model is evaluated with all metrics, and the answers to all rows are kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from margin import zoo
from margin.errors import MarginError
from margin.evaluation import Evaluation, SealedTest, evaluate_steps
from margin.experiment.read_out import rank
from margin.experiment.result import Pair, Score, Standing
from margin.experiment.running.race import Race
from margin.experiment.running.run_log import Log
from margin.experiment.running.seeding import seeded
from margin.experiment.spec import Spec

__all__ = ["LabelRace"]


class LabelRace(Race[Evaluation]):
    """All models for one target; what is found of each is its evaluation."""

    def __init__(
        self,
        spec: Spec,
        log: Log,
        entries: Mapping[str, zoo.Entry],
        sealed: SealedTest,
        protocol: Any,
        positive: Any = None,
    ) -> None:
        super().__init__(spec, log, entries, protocol.n_fits)
        self.sealed, self.protocol, self.positive = sealed, protocol, positive
        self._train = sealed.train

    def _folds(self, name: str) -> Iterator[tuple[int, int, float | None]]:
        model = seeded(self.entries[name].model(), self.spec.seed)
        told = {"metrics": self.spec.metrics, "positive": self.positive, "n_jobs": self.spec.jobs}
        steps = evaluate_steps(model, *self._train, self.protocol, **told)
        while True:
            with self._heard(name):
                step = next(steps)
            if isinstance(step, Evaluation):
                break
            yield step.number, step.of, step.scores.get(self.spec.sort)
        for warning in step.warnings:
            self.log.warn(warning, name)
        if self.spec.sort not in step.scores:
            raise MarginError(f"gives no probabilities, which {self.spec.sort} needs.")
        self.found[name] = step

    def _measured(self, name: str) -> dict[str, Any]:
        scores = {
            metric: Score(float(score.value), *((score.interval.low, score.interval.high) if score.interval else ()))
            for metric, score in self.found[name].scores.items()
        }
        return {"scores": scores}

    def leaderboard(self) -> tuple[tuple[Standing, ...], tuple[Pair, ...], str]:
        """The models from best to worst, what was compared with what, and by which test."""
        self.refuse_none()
        return rank(self.entries, self.found, self.errors, self.spec.sort)

    def told(self, method: str) -> str:
        """How the models were compared, in sentences."""
        begin = f"{self.protocol.describe()} "
        if len(self.found) == 1:
            return f"{begin}The folds were made of the {self.sealed.n_train:,} training rows."
        begin += f"All models met the same folds of the {self.sealed.n_train:,} training rows."
        return f"{begin} Differences were tested by {method}." if method else begin
