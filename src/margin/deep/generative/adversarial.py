"""What models share that learn by a game between networks: one fit, one way to be kept."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from margin import params
from margin.base.estimator import TableEstimator
from margin.base.inputs.arrays import NotEnoughMemoryError
from margin.base.rollback import whole_or_not_at_all
from margin.data.table import Table
from margin.deep.fitting.tensors import NamedTensors
from margin.deep.generative.round import Round
from margin.errors import MarginError, ParameterError, TrainingError
from margin.lazy import package_of_extra
from margin.params import is_whole
from margin.random import seed_for

if TYPE_CHECKING:
    from torch import nn

    from margin.deep.generative.rounds import Game, Rounds

__all__ = ["AdversarialModel"]


class AdversarialModel(TableEstimator):
    """A model that learns by a game between networks.

    A subclass writes ``_game(given, who)``, which reads what was given and lays out networks; ``_players(seed)``, its
    networks by name; and ``_settle(run, who)``, what is warned of at the end.

    Parameters
    ----------
    steps
        How often the generator learns.
    batch_size
        Cases of a step.
    checkpoint
        A folder where the run is written down every fifty steps.
    resume
        Whether ``fit`` goes on from there; with the same ``n_jobs`` the networks are those of a run never stopped.
    random_state
        Decides first weights, orders and latent vectors: 0 for the same networks each time.
    n_jobs
        Threads; None for all cores. The same number gives the same bytes; another one moves last digits.

    Attributes
    ----------
    value_
        V(D, G) at every step: what the discriminator reached before it learnt, without penalties.
    generator_losses_, discriminator_losses_
        The losses of every step.
    history_
        The same as a table, a step a row.
    n_iter_
        How many steps there were.
    stopped_
        Whether training was stopped from outside, by Ctrl-C or by whoever left the loop.
    """

    accepts_tables = False
    _columns: Any = None
    _tensors: NamedTensors
    #: While it learns.
    _run: Rounds
    #: Once they have been asked for.
    _modules: nn.ModuleDict
    #: Parameters that a run that goes on may have otherwise.
    _free_to_change: tuple[str, ...] = ("steps",)

    steps: int
    batch_size: int
    checkpoint: Any
    resume: bool
    random_state: Any
    n_jobs: int | None

    def _game(self, given: tuple[Any, ...], who: str) -> tuple[Game, bytes]:
        raise TypeError(f"{type(self).__name__} must say what is played: def _game(self, given, who).")

    def _players(self, seed: int | None) -> nn.ModuleDict:
        raise TypeError(f"{type(self).__name__} must say what its networks are: def _players(self, seed).")

    def _settle(self, run: Rounds, who: str) -> None:
        """Refuse or warn of a run that went wrong."""

    def _finish(self, run: Rounds) -> None:
        """The weights that are to answer."""

    def _played(self, given: tuple[Any, ...]) -> Generator[Round, None, None]:
        """Learn; whoever leaves the loop, by break or by Ctrl-C after a step, has the networks as they were then."""
        who = f"{type(self).__name__}.fit"
        params.check(self)
        package_of_extra("torch", who)
        self._check_resuming()
        from margin.deep.generative.rounds import Rounds
        from margin.deep.generative.saving import RunFile

        stopped: KeyboardInterrupt | None = None
        with whole_or_not_at_all(self):
            game, digest = self._game(given, who)
            run = Rounds(game, int(self.steps), self.n_jobs)
            if self.checkpoint is not None:
                run.keeper = RunFile.of(self, run, hashlib.sha256(digest).hexdigest())
                if self.resume:
                    run.keeper.read_into(run)
            left, self._run = False, run
            try:
                yield from run.play()
            except GeneratorExit:
                left = True
            except KeyboardInterrupt as interrupt:
                if not run.curve:
                    raise
                stopped = interrupt
            except (RuntimeError, ValueError, TypeError, IndexError) as error:
                if isinstance(error, MarginError):
                    raise
                raise TrainingError(f"{who}: the networks cannot learn from these cases ({error}).") from error
            finally:
                self.__dict__.pop("_run", None)
            self._keep(run, left or stopped is not None)
            if not left and stopped is None:
                self._settle(run, who)
        if stopped is not None:
            raise stopped

    def _check_resuming(self) -> None:
        name = type(self).__name__
        if self.resume and self.checkpoint is None:
            raise ParameterError(f"{name}(resume=True): resume goes on from a checkpoint (give checkpoint=folder).")
        if self.resume and not is_whole(self.random_state):
            raise ParameterError(
                f"{name}(resume=True, random_state={self.random_state!r}): a run can only be gone on with where a "
                "whole number says what it drew (try random_state=0)."
            )

    def _first_players(self, who: str) -> nn.ModuleDict:
        """The networks with first weights; what would not fit into memory is refused before it is allocated."""
        laid_out = self._players(None)
        # A number, its gradient, and two that Adam remembers of it.
        need = 16 * sum(each.numel() for each in laid_out.parameters())
        have = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        if need > have / 2:
            width = getattr(self, "width", None)
            fits = "fewer units" if width is None else f"width={max(1, int(width * math.sqrt(have / 2 / need)))}"
            raise NotEnoughMemoryError(
                f"{who}: the networks would take {need / 2**30:,.1f} GiB to learn, of the {have / 2**30:,.1f} GiB here "
                f"({fits} would fit)."
            )
        return self._players(self._seed("first weights"))

    def _keep(self, run: Rounds, stopped: bool) -> None:
        self._finish(run)
        self._tensors = NamedTensors.of(run.game.players)
        self.__dict__.pop("_modules", None)
        self.value_ = np.array([each.value for each in run.curve])
        self.generator_losses_ = np.array([each.generator_loss for each in run.curve])
        self.discriminator_losses_ = np.array([each.discriminator_loss for each in run.curve])
        self.n_iter_, self.stopped_ = len(run.curve), stopped

    def _seed(self, what: str) -> int:
        return seed_for(self.random_state, what, bits=63)

    @property
    def networks_(self) -> nn.ModuleDict:
        """The fitted networks by name, as modules of torch that answer."""
        fitted = self._fitted("networks_")
        if "_modules" not in fitted.__dict__:
            players = fitted._players(None)
            fitted._tensors.put_into(players)
            fitted._modules = players.eval().requires_grad_(False)
        return fitted._modules

    @property
    def history_(self) -> Table:
        fitted = self._fitted("history_")
        columns = {
            "step": np.arange(1.0, fitted.n_iter_ + 1), "value": fitted.value_,
            "generator_loss": fitted.generator_losses_, "discriminator_loss": fitted.discriminator_losses_,
        }  # fmt: skip
        return Table.from_columns(columns, name="history")

    def _fitted(self, method: str) -> Self:
        if "_tensors" not in self.__dict__:
            from margin.base.rollback import NotYetFittedError

            raise NotYetFittedError(f"{type(self).__name__}.{method}: nothing was learnt yet; call fit first.")
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return "_tensors" in self.__dict__

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the modules, which are made again of their numbers."""
        state = super().__getstate__()
        return {name: each for name, each in state.items() if name not in ("_modules", "_run")}
