"""What all networks on PyTorch share: how a run becomes what is kept, and the module that answers is made of that.

No torch is imported here before a network is fitted or asked.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from margin import params
from margin.base.estimator import TableEstimator
from margin.base.rollback import whole_or_not_at_all
from margin.data.table import Table
from margin.deep.fitting.tensors import NamedTensors
from margin.deep.mlp.training import Epoch
from margin.errors import ParameterError
from margin.lazy import package_of_extra
from margin.params import Rule, is_whole

if TYPE_CHECKING:
    import torch
    from torch import nn

    from margin.deep.training.lessons import Lessons
    from margin.deep.training.loop import Loop

__all__ = ["Device", "OptimizerName", "PrecisionName", "ScheduleName", "TrainedNetwork"]

OptimizerName = Literal["adam", "adamw", "sgd", "nesterov", "rmsprop"]
ScheduleName = Literal["constant", "step", "cosine", "one_cycle", "warm_up", "invscaling"]
PrecisionName = Literal["float32", "bfloat16", "auto"]
Device = Annotated[
    str, Rule("'cpu', 'auto' or a device of torch such as 'cuda:0'", lambda v: isinstance(v, str) and bool(v), str)
]


class TrainedNetwork(TableEstimator):
    """A network of PyTorch that learns epoch by epoch.

    A subclass says what it learns from and what its network is: ``_first_network()`` has first weights,
    ``_bare_network()`` is the same without memory, ``_read_lessons(…)`` makes batches of cases.

    Parameters
    ----------
    epochs
        Passes over the training cases, at most.
    batch_size
        Cases of a step.
    optimizer
        "adam", "adamw", "sgd" (with momentum), "nesterov", "rmsprop".
    rate, schedule
        The learning rate, and what becomes of it: "constant", "step", "cosine", "one_cycle", "warm_up", "invscaling".
    weight_decay
        How strongly weights are pulled to 0.
    validation_fraction
        The share that ``early_stopping`` holds out.
    patience
        So many epochs without a better score (a smaller loss where nothing is held out) end training; None for all.
    label_smoothing
        The share of every answer that is spread over all classes.
    ema
        Memory of the average of weights over the steps, which then answers; 0 for the last weights.
    checkpoint
        A folder where the run is written down after every epoch.
    resume
        Whether ``fit`` goes on from there; with the same ``n_jobs`` the network is that of a run never stopped.
    device
        Where the network learns and answers: "cpu", a device of torch, or "auto" for a graphics card if there is one.
    precision
        Numbers that products are made of in training: "float32", or "bfloat16", half as wide. "auto" measures
        three batches of each and takes bfloat16 where it is quicker, so that other machines may learn other weights.
    random_state
        Decides first weights, orders, what is dropped, changed and held out: 0 for the same network each time.
    n_jobs
        Threads; None for all cores. The same number gives the same bytes; another one moves last digits.

    Attributes
    ----------
    network_
        The module of torch that answers.
    loss_curve_, learning_rates_, gradient_norms_
        Of every epoch: the mean loss of the cases, each before it was learnt; the rate of its last batch; the mean
        length of its gradients.
    validation_scores_
        The score of every epoch on the cases held out; None without.
    history_
        The same as a table, an epoch a row.
    best_epoch_, n_iter_
        The epoch of the best score, or of the smallest loss, counted from 1; how many there were.
    stopped_
        Whether training was stopped from outside, by Ctrl-C or by whoever left the loop.
    """

    accepts_tables = False
    #: Columns are what tables have; these models know none.
    _columns: Any = None
    _encoder: Any
    _tensors: NamedTensors
    _network: nn.Module

    epochs: int
    batch_size: int
    optimizer: str
    rate: float
    schedule: str
    weight_decay: float
    early_stopping: bool
    validation_fraction: float
    patience: int | None
    label_smoothing: float = 0.0
    ema: float
    checkpoint: Any
    resume: bool
    device: str = "cpu"
    precision: str = "float32"
    random_state: Any
    n_jobs: int | None

    def _take_parameters(self, given: Mapping[str, Any]) -> None:
        """Keep what a constructor was given, each parameter under its name."""
        for name in self._get_param_names():
            setattr(self, name, given[name])

    # ---- What a subclass says.

    def _read_lessons(
        self, X: Any, y: Any, sample_weight: Any, who: str, validation: Any
    ) -> tuple[Lessons, Lessons | None]:
        """What is learnt from, and what progress is judged by. All that is known of cases comes from the former."""
        raise TypeError(f"{type(self).__name__} must say what it learns from: def _read_lessons(self, X, …).")

    def _first_network(self) -> nn.Module:
        raise TypeError(f"{type(self).__name__} must say what its network is: def _first_network(self).")

    def _bare_network(self) -> nn.Module:
        raise TypeError(f"{type(self).__name__} must say what its network is: def _bare_network(self).")

    def _groups_of_parameters(self, net: nn.Module) -> list[dict[str, Any]]:
        """Parameters to learn, each group with the ``factor`` of its rate."""
        return [{"params": [each for each in net.parameters() if each.requires_grad]}]

    def _before_epoch(self, net: nn.Module, number: int) -> None:
        """What is to be done with a network in training mode before every epoch, counted from 0."""

    def _mixup(self) -> float:
        return 0.0

    def _case_loss(self) -> Any:
        """The loss of each case, a function of what the network says of a batch and of its targets."""
        from margin.deep.fitting.runs import cross_entropy

        return cross_entropy(float(self.label_smoothing))

    def _device(self, who: str) -> torch.device:
        """Where the network learns and answers."""
        from margin.deep.training.devices import device_of

        return device_of(self.device, who)

    # ---- Fitting.

    def _learnt_by(self, X: Any, y: Any = None, sample_weight: Any = None, validation: Any = None) -> Iterator[Epoch]:
        """The epochs of a run over such cases."""
        who = f"{type(self).__name__}.fit"
        params.check(self)
        package_of_extra("torch", who)
        self._check_together()
        stopped = None
        with whole_or_not_at_all(self):
            lessons, held = self._read_lessons(X, y, sample_weight, who, validation)
            try:
                stopped = yield from self._trained(lessons, held, who)
            except GeneratorExit:  # the run has kept what was learnt; nothing is to be put back
                return
        if stopped is not None:
            raise stopped

    def _check_together(self) -> None:
        """Parameters that exclude each other."""
        name = type(self).__name__
        if self.resume and self.checkpoint is None:
            raise ParameterError(f"{name}(resume=True): resume goes on from a checkpoint (give checkpoint=folder).")
        if self.resume and not is_whole(self.random_state):
            raise ParameterError(
                f"{name}(resume=True, random_state={self.random_state!r}): a run can only be gone on with where a "
                "whole number says what it drew (try random_state=0)."
            )

    def _trained(
        self, lessons: Lessons, held: Lessons | None, who: str
    ) -> Generator[Epoch, None, KeyboardInterrupt | None]:
        """Learn; what is returned is the Ctrl-C to pass on, if there was one after an epoch was finished."""
        from margin.deep.fitting.runs import run_of, settled, watched

        run = run_of(self, lessons, held)
        stopped, left = None, False
        try:
            yield from watched(run, who)
        except GeneratorExit:  # the caller has seen enough: what was learnt until now is the network
            left = True
        except KeyboardInterrupt as interrupt:
            if not run.curve:
                raise
            stopped = interrupt
        if not left and stopped is None:
            settled(run, who)
        self._keep(run)
        self.stopped_ = left or stopped is not None
        return stopped

    def _keep(self, run: Loop) -> None:
        """What is left of a run: the numbers of the network, and how it went."""
        self._tensors = NamedTensors.of(run.net)
        self.__dict__.pop("_network", None)
        curve = run.curve
        self.loss_curve_ = np.array([epoch.loss for epoch in curve])
        self.learning_rates_ = np.array([epoch.rate for epoch in curve])
        self.gradient_norms_ = np.array([epoch.gradient_norm for epoch in curve])
        scored = run.held_out is not None
        self.validation_scores_ = np.array([epoch.validation_score for epoch in curve], float) if scored else None
        self.best_epoch_, self.n_iter_ = run.patience.best_epoch, len(curve)

    # ---- The fitted network.

    @property
    def network_(self) -> nn.Module:
        fitted = self._fitted("network_")
        if "_network" not in fitted.__dict__:
            net = fitted._bare_network()
            fitted._tensors.put_into(net)
            device = fitted._device(type(self).__name__)
            import torch

            # Laid out once and for all; who answers by it need not look at every layer each time.
            net = net.to(device).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
            net.is_laid_out = True
            fitted._network = net.eval().requires_grad_(False)
        return fitted._network

    @property
    def history_(self) -> Table:
        fitted = self._fitted("history_")
        columns: dict[str, Any] = {"epoch": np.arange(1.0, fitted.n_iter_ + 1), "loss": fitted.loss_curve_}
        if fitted.validation_scores_ is not None:
            columns["validation_score"] = fitted.validation_scores_
        return Table.from_columns(
            {**columns, "rate": fitted.learning_rates_, "gradient_norm": fitted.gradient_norms_}, name="history"
        )

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the module, which is made again of its numbers."""
        state = super().__getstate__()
        return {name: each for name, each in state.items() if name != "_network"}
