"""Where a run is, written to a folder after every epoch, whole or not at all, and read again to go on from there."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from margin.deep.mlp.rates import OF_LENGTH
from margin.deep.mlp.training import Epoch, State, Training
from margin.errors import TrainingError

__all__ = ["Checkpoint"]

NAME = "checkpoint.npz"
#: Parameters that may be others when a run goes on.
FREE = frozenset({"checkpoint", "resume", "n_jobs", "warm_start"})
ARRAYS = ("weights", "first", "second", "average", "norms")


@dataclass
class Checkpoint:
    """The file of one run; ``network`` and ``data`` say which network on which rows it belongs to."""

    folder: Path
    who: str
    network: str
    data: str

    @classmethod
    def of(cls, model: Any, run: Training, folder: Any) -> Checkpoint:
        """For a run of a model, in a folder that is made where there is none."""
        who = f"{type(model).__name__}.fit(checkpoint={str(folder)!r})"
        path = Path(folder)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TrainingError(f"{who}: the folder cannot be made ({_why(error)}).") from None
        free = FREE if model.learning_rate in OF_LENGTH else FREE | {"max_iter"}
        settings = {name: _plain(value) for name, value in model.get_params().items() if name not in free}
        return cls(path, who, json.dumps([settings, model.units_], sort_keys=True), run.rows.digest())

    def write(self, run: Training) -> None:
        """Write to a file of another name first: the last checkpoint stays until the next one is whole."""
        state = State.of(run.trainer)
        told = {
            "network": self.network,
            "data": self.data,
            "steps": state.steps,
            "seen": run.seen,
            "settled": run.settled,
            "patience": [run.patience.best, run.patience.best_epoch, run.patience.waited],
            "cuts": run.schedule.cuts,
            "curve": [asdict(epoch) for epoch in run.curve],
        }
        arrays = {name: getattr(state, name) for name in ARRAYS if getattr(state, name) is not None}
        if run.best_weights is not None:
            arrays["best"] = run.best_weights
        unfinished = ""
        try:
            with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".unfinished", delete=False) as file:
                unfinished = file.name
                np.savez(file, told=np.array(json.dumps(told)), **arrays)
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, self.folder / NAME)
        except OSError as error:
            raise TrainingError(
                f"{self.who}: epoch {len(run.curve)} cannot be written ({_why(error)}); the last checkpoint that was "
                "written whole is still there, to go on from with resume=True."
            ) from None
        finally:
            with contextlib.suppress(OSError):
                os.unlink(unfinished)

    def read_into(self, run: Training) -> None:
        """Put a run where the last checkpoint was; nothing if there is none yet."""
        path = self.folder / NAME
        if not path.exists():
            return
        try:
            with np.load(path, allow_pickle=False) as file:
                told = json.loads(str(file["told"]))
                arrays = {name: file[name] for name in file.files if name != "told"}
            curve = [Epoch(**each) for each in told["curve"]]
            memory = arrays.get("first"), arrays.get("second"), int(told["steps"])
            state = State(arrays["weights"], *memory, arrays.get("average"), arrays.get("norms"))
            patience, seen, settled, cuts = told["patience"], told["seen"], told["settled"], told["cuts"]
        except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
            raise TrainingError(f"{self.who}: {NAME} is no checkpoint that can be read ({_why(error)}).") from None
        self._check(told)
        state.give(run.trainer, state.weights.dtype)
        run.curve, run.best_weights = curve, arrays.get("best")
        run.seen, run.settled, run.schedule.cuts = seen, settled, cuts
        run.patience.best, run.patience.best_epoch, run.patience.waited = patience

    def _check(self, told: dict[str, Any]) -> None:
        if told.get("data") != self.data:
            raise TrainingError(
                f"{self.who}: the checkpoint is of a run on other rows or targets; give those it was made with, or "
                "resume=False to begin anew."
            )
        if told.get("network") != self.network:
            theirs, ours = (json.loads(each)[0] for each in (told["network"], self.network))
            other = [f"{n}={theirs.get(n)!r}" for n in sorted({*theirs, *ours}) if theirs.get(n) != ours.get(n)]
            what = f"{', '.join(other)} there" if other else "other layers"
            raise TrainingError(
                f"{self.who}: the checkpoint is of another network ({what}); give its parameters, or resume=False to "
                "begin anew."
            )


def _plain(value: Any) -> Any:
    """A parameter as JSON has it; what JSON has not, as it is written."""
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError):
        return repr(value)


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
