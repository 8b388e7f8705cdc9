"""What networks on pictures share that answer with something else than a class of each: masks, sentences, proposals."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Self

from margin import params
from margin.base.estimator import TableEstimator
from margin.base.rollback import whole_or_not_at_all
from margin.deep.fitting.network_classifier import NetworkClassifier
from margin.deep.fitting.tensors import NamedTensors
from margin.deep.mlp.training import Epoch
from margin.errors import ExportError, InputError
from margin.lazy import package_of_extra
from margin.random import generator, seed_for

if TYPE_CHECKING:
    import numpy as np
    from torch import nn

    from margin.deep.training.lessons import Lessons

__all__ = ["PictureLearner", "rows_held_out_of"]


class PictureLearner(TableEstimator):
    """A network that learns from pictures and what belongs to each.

    A subclass writes ``_read(X, y, validation, who)``, which learns all that is known of pictures and gives the lessons
    to learn from and to judge by, ``_case_loss()`` and ``_network_on(device)``.

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
    early_stopping
        Whether a share of the pictures is held out to judge every epoch by; the weights of the best one are kept.
    validation_fraction
        That share.
    patience
        So many epochs without a better score (a smaller loss where nothing is held out) end training; None for all.
    ema
        Memory of the average of weights over the steps, which then answers; 0 for the last weights.
    checkpoint
        A folder where the run is written down after every epoch.
    resume
        Whether ``fit`` goes on from there; with the same ``n_jobs`` the network is that of a run never stopped.
    random_state
        Decides first weights, the order of cases and what is drawn.
    n_jobs
        Threads; None for all cores. The same number gives the same bytes.

    Attributes
    ----------
    network_
        The module of torch that answers.
    history_
        Loss, rate and score of each epoch, as a table.
    loss_curve_, learning_rates_, gradient_norms_, validation_scores_
        The same as arrays; scores are None where nothing was held out.
    best_epoch_, n_iter_
        The epoch of the best score, or of the smallest loss, counted from 1; how many there were.
    stopped_
        Whether training was stopped from outside, by Ctrl-C or by whoever left the loop.
    """

    accepts_tables = False
    takes_cases = True
    _columns: Any = None
    _encoder: Any
    _tensors: NamedTensors
    _network: nn.Module
    class_weight: Any = None
    label_smoothing: float = 0.0
    random_state: Any
    validation_fraction: float
    early_stopping: bool
    n_jobs: int | None

    # A run, what is kept of it and the module made of that are those of classifiers.
    history_: Any = NetworkClassifier.history_
    network_: Any = NetworkClassifier.network_
    _trained: Any = NetworkClassifier._trained
    _keep: Any = NetworkClassifier._keep
    _groups_of_parameters: Any = NetworkClassifier._groups_of_parameters
    _before_epoch: Any = NetworkClassifier._before_epoch
    _mixup: Any = NetworkClassifier._mixup
    _check_together: Any = NetworkClassifier._check_together
    __getstate__: Any = NetworkClassifier.__getstate__

    def _read(self, X: Any, y: Any, validation: Any, who: str) -> tuple[Lessons, Lessons | None]:
        raise TypeError(f"{type(self).__name__} must say what it learns from: def _read(self, X, y, validation, who).")

    def _network_on(self, device: str) -> nn.Module:
        raise TypeError(f"{type(self).__name__} must say what its network is: def _network_on(self, device).")

    def _case_loss(self) -> Any:
        raise TypeError(f"{type(self).__name__} must say what it minimises: def _case_loss(self).")

    def fit(self, X: Any, y: Any = None, *, validation: Any = None) -> Self:
        """Learn from pictures X and what belongs to them, y.

        ``validation``, a pair of further pictures and theirs, judges every epoch; the weights of the best one are kept.
        Ctrl-C is passed on; a network that has finished an epoch keeps what it has learnt until then (``stopped_``).
        """
        for _ in self.training(X, y, validation=validation):
            pass
        return self

    def training(self, X: Any, y: Any = None, *, validation: Any = None) -> Generator[Epoch, None, None]:
        """The same as a loop: one :class:`margin.deep.Epoch` a turn; break, and the network is as it was then."""
        who = f"{type(self).__name__}.fit"
        params.check(self)
        package_of_extra("torch", who)
        self._check_together()
        stopped = None
        with whole_or_not_at_all(self):
            if validation is not None and (not isinstance(validation, tuple) or len(validation) != 2):
                raise InputError(
                    f"{who}(validation=…): validation must be a pair of pictures and what belongs to them."
                )
            lessons, held = self._read(X, y, validation, who)
            try:
                stopped = yield from self._trained(lessons, held, who)
            except GeneratorExit:  # the run has kept what was learnt; nothing is to be put back
                return
        if stopped is not None:
            raise stopped

    def to_onnx(self, path: Any = None, *, check: Any = None) -> Any:
        """Not there: a graph for ONNX answers rows of columns."""
        raise ExportError(f"{type(self).__name__}.to_onnx: models that answer pictures cannot be written as ONNX.")

    def _first_network(self) -> nn.Module:
        return self._network_on("cpu")

    def _bare_network(self) -> nn.Module:
        return self._network_on("meta")

    def _seed(self, what: str) -> int:
        return seed_for(self.random_state, what, bits=63)


def rows_held_out_of(n: int, model: Any, who: str) -> np.ndarray:
    """Which of n pictures are held out to judge by: a share drawn by the seed of a model."""
    import numpy as np

    held = np.zeros(n, bool)
    order = generator(model.random_state, "network", "held out").permutation(n)
    held[order[: round(n * model.validation_fraction)]] = True
    if not held.any() or held.all():
        raise InputError(
            f"{who}(early_stopping=True, validation_fraction={model.validation_fraction:g}): there are too few "
            f"pictures ({n}) to hold any out."
        )
    return held
