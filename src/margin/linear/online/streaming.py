"""Models that learn row by row, and so from rows that come in parts."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from margin import params
from margin.base.inputs.arrays import row_count
from margin.base.representations.representation import TrainingRows
from margin.base.rollback import further_or_not_at_all, whole_or_not_at_all
from margin.base.targets.class_weight import class_factors
from margin.base.targets.labels import encode_labels, named_classes
from margin.data.labels import codes_of
from margin.errors import InputError, LabelError, ParameterError, listing
from margin.linear.linear_classifier import LinearClassifier
from margin.typing import Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["StreamingClassifier"]


class StreamingClassifier(LinearClassifier):
    """A linear model that goes on from where it was when further rows come.

    Beside ``_fit(X, y, rows)``, which begins anew and may pass over the rows many times, a subclass writes

    - ``_begin(n_columns)``: the state before the first row, as attributes.
    - ``_go_on(X, y, rows)``: what one pass over further rows makes of that state. It replaces attributes and never
      changes an array in place, so that a pass that fails leaves the model as it was.

    The first call of ``partial_fit`` learns columns, categories, what fills gaps, the scale and the classes; all later
    rows are seen through them.

    Parameters
    ----------
    random_state
        Seed of the random orders: 0 for the same model each time, None for another.
    """

    class_weight: Any

    def _begin(self, n_columns: int) -> None:
        raise TypeError(f"{type(self).__name__} must say what it begins with: def _begin(self, n_columns).")

    def _go_on(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        raise TypeError(f"{type(self).__name__} must say how it goes on: def _go_on(self, X, y, rows).")

    def partial_fit(
        self, X: TableLike, y: LabelsLike, classes: Any = None, sample_weight: WeightsLike | None = None
    ) -> Self:
        """Learn from further rows, in the order in which they come, by one pass over them.

        ``classes`` names all labels at the first call; without it the labels of that call are all there are. Columns
        are matched by name, and a category that the first call did not hold counts as missing.
        """
        who = f"{type(self).__name__}.partial_fit"
        params.check(self)
        self._refuse_balance(who)
        if self.__sklearn_is_fitted__():
            with further_or_not_at_all(self):
                self._go_on(*self._further_rows(X, y, classes, sample_weight, who))
        else:
            with whole_or_not_at_all(self):
                data, codes, rows = self._first_rows(X, y, classes, sample_weight, who)
                self._begin(data.shape[1])
                self._go_on(data, codes, rows)
        return self

    def _first_rows(
        self, X: Encoded, y: LabelsLike, classes: Any, sample_weight: WeightsLike | None, who: str
    ) -> tuple[Any, np.ndarray, TrainingRows]:
        """Learn columns, encoder and classes; the rows to pass over as the model sees them, their codes, and which."""
        rows = self._open_rows(X, sample_weight, who)
        codes = self._read_targets(y, rows.n_given, who)
        if classes is not None:
            found, self.classes_ = self.classes_, named_classes(classes, who)
            codes = self._places_of(found, who)[codes]
        codes = rows.of(codes)
        rows = self._with_targets(rows, codes)
        return self._learn_input(rows, who).data, codes, rows

    def _further_rows(
        self, X: Encoded, y: LabelsLike, classes: Any, sample_weight: WeightsLike | None, who: str
    ) -> tuple[Any, np.ndarray, TrainingRows]:
        """Rows as the columns and the encoder of the first call see them."""
        self._refuse_other_classes(classes, who)
        source = self._columns.read(X, who, self._encoder.largest)
        n_given = row_count(source)
        if n_given == 0:
            raise InputError(f"{who}: X has no rows to learn from: 0 sample(s) while a minimum of 1 is required.")
        found, codes = encode_labels(y, n_given, who)
        codes = self._places_of(found, who)[codes]
        rows = TrainingRows.that_count(source, sample_weight, who)
        codes = rows.of(codes)
        rows = self._with_targets(rows, codes)
        return self._encoder.encode(rows.source, who), codes, rows

    def _places_of(self, labels: np.ndarray, who: str) -> np.ndarray:
        """Where each of some labels stands among the classes; labels that are none of them are refused."""
        same_kind = (labels.dtype.kind == "b") == (self.classes_.dtype.kind == "b")  # True is not the label 1
        known = set(self.classes_.tolist()) if same_kind else set()
        strange = [label for label in labels.tolist() if label not in known]
        if strange:
            raise LabelError(
                f"{who}: label {listing(strange)} is not one of the classes {listing(self.classes_.tolist())} "
                "(name all labels to come in classes= at the first call)."
            )
        return codes_of(labels, self.classes_).astype(np.int32)

    def _refuse_other_classes(self, classes: object, who: str) -> None:
        if classes is None:
            return
        named = named_classes(classes, who)
        if named.tolist() != self.classes_.tolist():
            raise LabelError(
                f"{who}: classes={listing(named.tolist())} is not the same as on last call to partial_fit, "
                f"{listing(self.classes_.tolist())}."
            )

    def _refuse_balance(self, who: str) -> None:
        if isinstance(getattr(self, "class_weight", None), str):
            raise ParameterError(
                f"{type(self).__name__}(class_weight='balanced'): partial_fit must know how much each class counts "
                "before it sees all rows (give a mapping from labels to numbers)."
            )

    def _with_class_weight(self, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Weights of the rows times those of their classes."""
        if self.class_weight is None:
            return weight
        totals = np.bincount(y, weight, len(self.classes_))
        return weight * class_factors(self.class_weight, self.classes_, totals, type(self).__name__)[y]
