"""Where a run is, written to a folder after every epoch, whole or not at all, and read again to go on from there."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.deep.checkpoint_file import UNREADABLE, CheckpointFile, as_json, curve_of, told_curve
from margin.deep.mlp.rates import OF_LENGTH
from margin.deep.mlp.training import State, Training

__all__ = ["Checkpoint"]

#: Parameters that may be others when a run goes on.
FREE = frozenset({"checkpoint", "resume", "n_jobs", "warm_start"})
ARRAYS = ("weights", "first", "second", "average", "norms")


@dataclass
class Checkpoint:
    """The file of one run."""

    file: CheckpointFile

    @classmethod
    def of(cls, model: Any, run: Training, folder: Any) -> Checkpoint:
        """For a run of a model, in a folder that is made where there is none."""
        free = FREE if model.learning_rate in OF_LENGTH else FREE | {"max_iter"}
        settings = {name: as_json(value) for name, value in model.get_params().items() if name not in free}
        who = f"{type(model).__name__}.fit(checkpoint={str(folder)!r})"
        network = json.dumps([settings, model.units_], sort_keys=True)
        return cls(CheckpointFile.within(folder, who, network, run.rows.digest()))

    def write(self, run: Training) -> None:
        state = State.of(run.trainer)
        told = {
            "steps": state.steps,
            "seen": run.seen,
            "settled": run.settled,
            "patience": [run.patience.best, run.patience.best_epoch, run.patience.waited],
            "cuts": run.schedule.cuts,
            "curve": told_curve(run.curve),
        }
        arrays: dict[str, np.ndarray] = {
            name: getattr(state, name) for name in ARRAYS if getattr(state, name) is not None
        }
        if run.best_weights is not None:
            arrays["best"] = run.best_weights
        self.file.write(len(run.curve), told, arrays)

    def read_into(self, run: Training) -> None:
        """Put a run where the last checkpoint was; nothing if there is none yet."""
        if (found := self.file.read()) is None:
            return
        told, arrays = found
        try:
            curve = curve_of(told["curve"])
            memory = arrays.get("first"), arrays.get("second"), int(told["steps"])
            state = State(arrays["weights"], *memory, arrays.get("average"), arrays.get("norms"))
            patience, seen, settled, cuts = told["patience"], told["seen"], told["settled"], told["cuts"]
        except UNREADABLE as error:
            raise self.file.unreadable(error) from None
        state.give(run.trainer, state.weights.dtype)
        run.curve, run.best_weights = curve, arrays.get("best")
        run.seen, run.settled, run.schedule.cuts = seen, settled, cuts
        run.patience.best, run.patience.best_epoch, run.patience.waited = patience
