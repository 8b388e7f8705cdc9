"""What all classifiers on PyTorch share: one fit, one way to be kept, one way to answer.

No torch is imported here before a network is fitted or asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from margin.base import Classifier
from margin.base.representations.representation import Learnt, TrainingRows
from margin.base.softmax import softmax
from margin.base.targets.class_weight import class_factors
from margin.deep.fitting.trained_network import TrainedNetwork
from margin.deep.mlp.splitting import codes_among, rows_held_out
from margin.deep.mlp.training import Epoch
from margin.errors import InputError, LabelError, listing
from margin.typing import LabelsLike, WeightsLike

if TYPE_CHECKING:
    from margin.deep.training.lessons import Lessons

__all__ = ["NetworkClassifier"]


class NetworkClassifier(TrainedNetwork, Classifier):
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
    early_stopping
        Whether a share of the cases is held out to judge every epoch by; the weights of the best one are kept.
    validation_fraction
        That share, of each class.
    class_weight
        Factors of the classes, or "balanced".

    Attributes
    ----------
    validation_scores_
        Accuracy of every epoch on the cases held out; None without.
    """

    #: It learns from cases that have no columns, and is handed them as they come.
    takes_cases = True
    class_weight: Any

    # ---- What a subclass says.

    def _open_rows(self, X: Any, sample_weight: WeightsLike | None, who: str, like: Any = None) -> TrainingRows:
        raise TypeError(f"{type(self).__name__} must say what its cases are: def _open_rows(self, X, …).")

    def _learn_input(self, rows: TrainingRows, who: str) -> Learnt:
        raise TypeError(f"{type(self).__name__} must say how it sees cases: def _learn_input(self, rows, who).")

    def _lessons(self, cases: Any, codes: np.ndarray, weight: np.ndarray | None, learning: bool) -> Lessons:
        raise TypeError(f"{type(self).__name__} must say what its batches are: def _lessons(self, cases, …).")

    def _logits(self, cases: Any) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must say how it answers: def _logits(self, cases).")

    def _own_labels(self, X: Any) -> Any:
        """The labels that cases bring along, where none are given."""
        return getattr(X, "labels", None)

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
        return self._learnt_by(X, y, sample_weight, validation)

    def _read_lessons(
        self, X: Any, y: Any, sample_weight: WeightsLike | None, who: str, validation: Any
    ) -> tuple[Lessons, Lessons | None]:
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

    # ---- The fitted network.

    def _encoded(self, X: Any, method: str) -> Any:
        return self._fitted(method)._encoder.encode(X, f"{type(self).__name__}.{method}")

    def _scores(self, X: Any) -> np.ndarray:
        return np.zeros((0, len(self.classes_))) if X.shape[0] == 0 else self._logits(X)

    def _proba(self, scores: np.ndarray) -> np.ndarray:
        return softmax(scores)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.sparse = tags.input_tags.string = False
        return tags
