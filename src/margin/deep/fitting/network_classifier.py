"""What all classifiers on PyTorch share: one fit, one way to be kept, one way to answer.

No torch is imported here before a network is fitted or asked.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from margin import params
from margin.base import Classifier
from margin.base.representations.representation import Learnt, TrainingRows
from margin.base.rollback import whole_or_not_at_all
from margin.base.softmax import softmax
from margin.base.targets.class_weight import class_factors
from margin.data.table import Table
from margin.deep.fitting.tensors import NamedTensors
from margin.deep.mlp.splitting import codes_among, rows_held_out
from margin.deep.mlp.training import Epoch
from margin.errors import InputError, LabelError, ParameterError, listing
from margin.lazy import package_of_extra
from margin.params import is_whole
from margin.typing import LabelsLike, WeightsLike

if TYPE_CHECKING:
    from torch import nn

    from margin.deep.training.lessons import Lessons
    from margin.deep.training.loop import Loop

__all__ = ["NetworkClassifier", "OptimizerName", "ScheduleName"]

OptimizerName = Literal["adam", "adamw", "sgd", "nesterov", "rmsprop"]
ScheduleName = Literal["constant", "step", "cosine", "one_cycle", "warm_up", "invscaling"]


class NetworkClassifier(Classifier):
    """A network of PyTorch as a classifier.

    A subclass writes

    - ``_open_rows(X, sample_weight, who)``: cases of any make as ``TrainingRows`` whose source has a ``shape`` and
      gives some of its cases by ``source[rows]``;
    - ``_learn_input(rows, who)``: sets ``_encoder``, which knows what later cases must be, and gives ``Learnt``;
    - ``_lessons(cases, codes, weight, learning)``: the batches of such cases, to learn from or to judge by;
    - ``_first_network()``, ``_bare_network()``: the network with first weights, and the same without memory;
    - ``_logits(cases)``: what the fitted network says of encoded cases.

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
        Whether a share of the cases is held out to judge every epoch by; the weights of the best one are kept.
    validation_fraction
        That share, of each class.
    patience
        So many epochs without a better score (a smaller loss where nothing is held out) end training; None for all.
    label_smoothing
        The share of every label that is spread over all classes.
    ema
        Memory of the average of weights over the steps, which then answers; 0 for the last weights.
    class_weight
        Factors of the classes, or "balanced".
    checkpoint
        A folder where the run is written down after every epoch.
    resume
        Whether ``fit`` goes on from there; with the same ``n_jobs`` the network is that of a run never stopped.
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
        Accuracy of every epoch on the cases held out; None without.
    history_
        The same as a table, an epoch a row.
    best_epoch_, n_iter_
        The epoch of the best score, or of the smallest loss, counted from 1; how many there were.
    stopped_
        Whether training was stopped from outside, by Ctrl-C or by whoever left the loop.
    """

    accepts_tables = False
    #: It learns from cases that have no columns, and is handed them as they come.
    takes_cases = True
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
    label_smoothing: float
    ema: float
    class_weight: Any
    checkpoint: Any
    resume: bool
    random_state: Any
    n_jobs: int | None

    # ---- What a subclass says.

    def _open_rows(self, X: Any, sample_weight: WeightsLike | None, who: str, like: Any = None) -> TrainingRows:
        raise TypeError(f"{type(self).__name__} must say what its cases are: def _open_rows(self, X, …).")

    def _learn_input(self, rows: TrainingRows, who: str) -> Learnt:
        raise TypeError(f"{type(self).__name__} must say how it sees cases: def _learn_input(self, rows, who).")

    def _lessons(self, cases: Any, codes: np.ndarray, weight: np.ndarray | None, learning: bool) -> Lessons:
        raise TypeError(f"{type(self).__name__} must say what its batches are: def _lessons(self, cases, …).")

    def _first_network(self) -> nn.Module:
        raise TypeError(f"{type(self).__name__} must say what its network is: def _first_network(self).")

    def _bare_network(self) -> nn.Module:
        raise TypeError(f"{type(self).__name__} must say what its network is: def _bare_network(self).")

    def _logits(self, cases: Any) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must say how it answers: def _logits(self, cases).")

    def _own_labels(self, X: Any) -> Any:
        """The labels that cases bring along, where none are given."""
        return getattr(X, "labels", None)

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

    # ---- Fitting.

    def fit(
        self, X: Any, y: LabelsLike | None = None, sample_weight: WeightsLike | None = None, *, validation: Any = None
    ) -> Self:
        """Learn from cases X with labels y (their own where there are any and none are given).

        ``validation``, a pair of further cases and their labels, judges progress: the weights of the best epoch are
        kept, as with ``early_stopping``, and no cases are held out. Ctrl-C is passed on; a network that has finished
        an epoch keeps what it has learnt until then (``stopped_``).
        """
        for _ in self.training(X, y, sample_weight, validation=validation):
            pass
        return self

    def training(
        self, X: Any, y: LabelsLike | None = None, sample_weight: WeightsLike | None = None, *, validation: Any = None
    ) -> Iterator[Epoch]:
        """The same as a loop: one :class:`margin.deep.Epoch` a turn.

        Whoever breaks out of the loop has the network as it was then.
        """
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

    def _read_lessons(
        self, X: Any, y: Any, sample_weight: WeightsLike | None, who: str, validation: Any
    ) -> tuple[Lessons, Lessons | None]:
        """What is learnt from, and what progress is judged by. All that is known of cases comes from the former."""
        y = self._labels_of(X, y, who)
        rows = self._open_rows(X, sample_weight, who)
        codes = rows.of(self._read_targets(y, rows.n_given, who)).astype(np.int64)
        self._check_classes(codes, who)
        judged: Lessons | None = None
        if validation is None and self.early_stopping:
            held = rows_held_out(self, codes, who)
            keep, out = np.flatnonzero(~held), np.flatnonzero(held)
            kept = rows.as_given(keep)
            weight = None if rows.weight is None else rows.weight[keep]
            inner = replace(rows, source=rows.source[keep], kept=kept, weight=weight)
            learnt, taught = self._learn_input(inner, who), codes[keep]
            self._encoder = learnt.encoder
            judged = self._lessons(
                self._encoder.encode(rows.source[out], who), codes[out],
                None if rows.weight is None else rows.weight[out], False,
            )  # fmt: skip
        else:
            inner, taught = rows, codes
            learnt = self._learn_input(rows, who)
            self._encoder = learnt.encoder
            judged = None if validation is None else self._further(validation, who)
        return self._lessons(learnt.data, taught, self._relative(taught, inner), True), judged

    def _labels_of(self, X: Any, y: Any, who: str) -> Any:
        found = self._own_labels(X) if y is None else y
        if found is None:
            raise InputError(f"{who}: there are no labels (give y, one for each case).")
        return found

    def _check_classes(self, codes: np.ndarray, who: str) -> None:
        counts = np.bincount(codes, minlength=len(self.classes_))
        if (counts > 0).sum() < 2:
            there = self.classes_[counts > 0].tolist()
            raise LabelError(f"{who}: all labels are {listing(there)}; there must be two classes at least.")

    def _relative(self, codes: np.ndarray, rows: TrainingRows) -> np.ndarray | None:
        """Weights relative to their mean; None where every case counts the same."""
        weight = rows.weights()
        if self.class_weight is not None:
            totals = np.bincount(codes, weight, len(self.classes_))
            weight = weight * class_factors(self.class_weight, self.classes_, totals, type(self).__name__)[codes]
        return None if (weight == weight[0]).all() else (weight / weight.mean()).astype(np.float32)

    def _further(self, validation: Any, who: str) -> Lessons:
        """Further cases to judge by, with labels among those that were learnt."""
        pair = validation if isinstance(validation, tuple) else (validation, None)
        if len(pair) != 2:
            raise InputError(f"{who}(validation=…): validation must be a pair of cases and their labels, (X, y).")
        where = f"{who}(validation=…)"
        y = self._labels_of(*pair, where)
        cases = self._encoder.encode(pair[0], where)
        n = cases.shape[0]
        if n == 0:
            raise InputError(f"{where}: there are no cases to judge by.")
        return self._lessons(cases, codes_among(self, y, n, where).astype(np.int64), None, False)

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

    def _encoded(self, X: Any, method: str) -> Any:
        return self._fitted(method)._encoder.encode(X, f"{type(self).__name__}.{method}")

    def _scores(self, X: Any) -> np.ndarray:
        return np.zeros((0, len(self.classes_))) if X.shape[0] == 0 else self._logits(X)

    def _proba(self, scores: np.ndarray) -> np.ndarray:
        return softmax(scores)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the module, which is made again of its numbers."""
        state = super().__getstate__()
        return {name: each for name, each in state.items() if name != "_network"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = tags.input_tags.string = False
        return tags
