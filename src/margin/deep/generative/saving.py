"""Where a game is, written to a folder from time to time and read again: the same bytes come out as without."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from margin.deep.checkpoint_file import UNREADABLE, CheckpointFile, as_json
from margin.deep.generative.round import Round
from margin.deep.training.loop import take_weights

if TYPE_CHECKING:
    from margin.deep.generative.rounds import Rounds

__all__ = ["RunFile"]

#: Parameters that may be others when a run goes on.
FREE = frozenset({"checkpoint", "resume", "n_jobs"})


@dataclass
class RunFile:
    """The file of one run."""

    file: CheckpointFile

    @classmethod
    def of(cls, model: Any, run: Rounds, digest: str) -> RunFile:
        """For a run of a model, in the folder that it names."""
        free = FREE | set(model._free_to_change)
        settings = {name: as_json(value) for name, value in model.get_params().items() if name not in free}
        shapes = [[name, list(each.shape)] for name, each in run.game.players.state_dict().items()]
        who = f"{type(model).__name__}.fit(checkpoint={str(model.checkpoint)!r})"
        network = json.dumps([settings, shapes], sort_keys=True)
        return cls(CheckpointFile.within(model.checkpoint, who, network, digest))

    def write(self, run: Rounds) -> None:
        arrays = {f"net/{name}": _plain(each) for name, each in run.game.players.state_dict().items()}
        arrays |= {f"game/{name}": each for name, each in run.game.memory().items()}
        for player, optimizer in run.game.optimizers.items():
            for number, parameter in enumerate(_learning(optimizer)):
                for name, each in optimizer.state.get(parameter, {}).items():
                    arrays[f"optimizer/{player}/{number}/{name}"] = _plain(torch.as_tensor(each))
        self.file.write(len(run.curve), {"curve": [list(asdict(each).values()) for each in run.curve]}, arrays)

    def read_into(self, run: Rounds) -> None:
        """Put a run where the last checkpoint was; nothing if there is none yet."""
        if (found := self.file.read()) is None:
            return
        told, arrays = found
        try:
            curve = [Round(*each) for each in told["curve"]]
            take_weights(run.game.players, {n[4:]: torch.from_numpy(a) for n, a in arrays.items() if n[:4] == "net/"})
            run.game.remember({n[5:]: a for n, a in arrays.items() if n[:5] == "game/"})
            for player, optimizer in run.game.optimizers.items():
                for number, parameter in enumerate(_learning(optimizer)):
                    start = f"optimizer/{player}/{number}/"
                    for name, each in ((n.removeprefix(start), a) for n, a in arrays.items() if n.startswith(start)):
                        like = torch.empty_like(parameter) if each.shape == parameter.shape else torch.empty(each.shape)
                        optimizer.state[parameter][name] = like.detach().copy_(torch.from_numpy(each))
        except (*UNREADABLE, RuntimeError) as error:
            raise self.file.unreadable(error) from None
        run.curve = curve


def _plain(tensor: torch.Tensor) -> np.ndarray:
    made: np.ndarray = tensor.detach().cpu().contiguous().numpy().copy()
    return made


def _learning(optimizer: torch.optim.Optimizer) -> list[torch.nn.Parameter]:
    return [each for group in optimizer.param_groups for each in group["params"]]
