"""Where a run of torch is, written to a folder after every epoch and read again: the same bytes come out as without."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from margin.deep.checkpoint_file import UNREADABLE, CheckpointFile, as_json, curve_of, told_curve
from margin.deep.mlp.rates import OF_LENGTH
from margin.deep.training.loop import Loop, take_weights

__all__ = ["Checkpoint"]

#: Parameters that may be others when a run goes on.
FREE = frozenset({"checkpoint", "resume", "n_jobs", "device"})


@dataclass
class Checkpoint:
    """The file of one run."""

    file: CheckpointFile

    @classmethod
    def of(cls, model: Any, run: Loop, folder: Any) -> Checkpoint:
        """For a run of a model, in a folder that is made where there is none."""
        free = FREE if model.schedule in OF_LENGTH else FREE | {"epochs"}
        settings = {name: as_json(value) for name, value in model.get_params().items() if name not in free}
        shapes = [[name, list(each.shape)] for name, each in run.net.state_dict().items()]
        held = "" if run.held_out is None else run.held_out.digest()
        who = f"{type(model).__name__}.fit(checkpoint={str(folder)!r})"
        network = json.dumps([settings, shapes], sort_keys=True)
        return cls(CheckpointFile.within(folder, who, network, run.lessons.digest() + held))

    def write(self, run: Loop) -> None:
        arrays = _named("net", run.net.state_dict())
        arrays |= _named("best", run.best or {})
        arrays["random"] = run.random.state.numpy()
        if run.average is not None:
            arrays |= _named("average", run.average.tensors)
        for number, parameter in enumerate(_learning(run)):
            remembered = run.optimizer.state.get(parameter, {})
            for name, each in remembered.items():
                if each is not None:
                    arrays[f"optimizer/{number}/{name}"] = torch.as_tensor(each).detach().cpu().contiguous().numpy()
        told = {
            "curve": told_curve(run.curve),
            "patience": [run.patience.best, run.patience.best_epoch, run.patience.waited],
            "averaged": 0 if run.average is None else run.average.steps,
        }
        self.file.write(len(run.curve), told, arrays)

    def read_into(self, run: Loop) -> None:
        """Put a run where the last checkpoint was; nothing if there is none yet."""
        if (found := self.file.read()) is None:
            return
        told, arrays = found
        try:
            curve, patience, averaged = curve_of(told["curve"]), told["patience"], int(told["averaged"])
            net, best = _tensors("net", arrays), _tensors("best", arrays)
            take_weights(run.net, net)
            _remember(run, arrays)
            run.random.state = torch.from_numpy(arrays["random"].copy())
            if run.average is not None:
                run.average.steps, run.average.tensors = averaged, _tensors("average", arrays)
            run.patience.best, run.patience.best_epoch, run.patience.waited = patience
        except (*UNREADABLE, RuntimeError) as error:
            raise self.file.unreadable(error) from None
        run.curve, run.best = curve, best or None


def _learning(run: Loop) -> list[torch.nn.Parameter]:
    """The parameters of the optimiser in their order."""
    return [each for group in run.optimizer.param_groups for each in group["params"]]


def _named(prefix: str, tensors: dict[str, torch.Tensor]) -> dict[str, np.ndarray]:
    return {f"{prefix}/{name}": each.detach().cpu().contiguous().numpy() for name, each in tensors.items()}


def _tensors(prefix: str, arrays: dict[str, np.ndarray]) -> dict[str, torch.Tensor]:
    start = f"{prefix}/"
    return {
        name.removeprefix(start): torch.from_numpy(each.copy())
        for name, each in arrays.items()
        if name.startswith(start)
    }


def _remember(run: Loop, arrays: dict[str, np.ndarray]) -> None:
    """Give an optimiser what it remembered of each parameter, laid out in memory as the parameter is."""
    for number, parameter in enumerate(_learning(run)):
        for name, each in _tensors(f"optimizer/{number}", arrays).items():
            like = torch.empty_like(parameter) if each.shape == parameter.shape else torch.empty_like(each)
            run.optimizer.state[parameter][name] = like.detach().copy_(each)
