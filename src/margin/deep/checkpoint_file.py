"""The file of a run that may be gone on with: written whole or not at all, and read as numbers and words alone."""

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

from margin.deep.mlp.training import Epoch
from margin.errors import TrainingError

__all__ = ["UNREADABLE", "CheckpointFile", "as_json", "curve_of", "told_curve"]

NAME = "checkpoint.npz"


@dataclass
class CheckpointFile:
    """``network`` and ``data`` say which network on which rows a run belongs to."""

    folder: Path
    who: str
    network: str
    data: str

    @classmethod
    def within(cls, folder: Any, who: str, network: str, data: str) -> CheckpointFile:
        """In a folder that is made where there is none."""
        path = Path(folder)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TrainingError(f"{who}: the folder cannot be made ({_why(error)}).") from None
        return cls(path, who, network, data)

    def write(self, epoch: int, told: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Write to a file of another name first: the last checkpoint stays until the next one is whole."""
        words = json.dumps({**told, "network": self.network, "data": self.data})
        unfinished = ""
        try:
            with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".unfinished", delete=False) as file:
                unfinished = file.name
                np.savez(file, told=np.array(words), **arrays)  # type: ignore[arg-type]
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, self.folder / NAME)
        except OSError as error:
            raise TrainingError(
                f"{self.who}: epoch {epoch} cannot be written ({_why(error)}); the last checkpoint that was "
                "written whole is still there, to go on from with resume=True."
            ) from None
        finally:
            with contextlib.suppress(OSError):
                os.unlink(unfinished)

    def read(self) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
        """What was written last, if it is of this network on these rows; None where there is nothing yet."""
        path = self.folder / NAME
        if not path.exists():
            return None
        try:
            with np.load(path, allow_pickle=False) as file:
                told = json.loads(str(file["told"]))
                arrays = {name: file[name] for name in file.files if name != "told"}
            if not isinstance(told, dict):
                raise ValueError("it says nothing of a run")
        except UNREADABLE as error:
            raise self.unreadable(error) from None
        self._check(told)
        return told, arrays

    def unreadable(self, error: Exception) -> TrainingError:
        return TrainingError(f"{self.who}: {NAME} is no checkpoint that can be read ({_why(error)}).")

    def _check(self, told: dict[str, Any]) -> None:
        if told.get("data") != self.data:
            raise TrainingError(
                f"{self.who}: the checkpoint is of a run on other rows or targets; give those it was made with, or "
                "resume=False to begin anew."
            )
        if told.get("network") != self.network:
            try:
                theirs, ours = (json.loads(each)[0] for each in (told["network"], self.network))
                other = [f"{n}={theirs.get(n)!r}" for n in sorted({*theirs, *ours}) if theirs.get(n) != ours.get(n)]
            except UNREADABLE as error:
                raise self.unreadable(error) from None
            what = f"{', '.join(other)} there" if other else "other layers"
            raise TrainingError(
                f"{self.who}: the checkpoint is of another network ({what}); give its parameters, or resume=False to "
                "begin anew."
            )


#: What reading a file may end in that was damaged, or never was a checkpoint.
UNREADABLE = (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, EOFError, zipfile.BadZipFile)


def told_curve(curve: list[Epoch]) -> list[dict[str, Any]]:
    return [asdict(epoch) for epoch in curve]


def curve_of(told: list[dict[str, Any]]) -> list[Epoch]:
    return [Epoch(**each) for each in told]


def as_json(value: Any) -> Any:
    """A parameter as JSON has it; what JSON has not, as it is written."""
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError):
        return repr(value)


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
