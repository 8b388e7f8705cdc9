"""The reject option: yes, no, or don't know, for any classifier."""

from __future__ import annotations

import math
import warnings
from typing import Any, Literal

import numpy as np

from margin import params
from margin.base import AsGiven
from margin.base.meta.confidence import answers_with_confidence, confidence_kind
from margin.base.meta.cross_fitting import splits_of
from margin.base.meta.delegating import PassesOn
from margin.base.meta.inner_model import Estimator, Folds, frozen, on_tables, take_over, weights_for
from margin.base.meta.keeping_groups import KeepsGroups
from margin.base.representations.representation import TrainingRows
from margin.base.sklearn_classes import clone
from margin.bayes.naive import NaiveBayes
from margin.data.splits import Part, Split
from margin.data.table import Table
from margin.data.weights import group_arguments
from margin.errors import AbstentionWarning, ConstantColumnWarning, ParameterError, warn
from margin.evaluation.curves.risk_coverage import RiskCoverage, ThresholdChoice, risk_coverage
from margin.evaluation.metrics.definitions import accuracy
from margin.evaluation.predictions.from_model import is_pairwise
from margin.params import NonNegative, Seed, Share
from margin.typing import ClassifierLike, Encoded, LabelsLike, TableLike, WeightsLike

__all__ = ["Reject"]


class Reject(KeepsGroups, PassesOn):
    r"""Any classifier, with the right to say "don't know".

    An answer is given only where the classifier's confidence is above a threshold :math:`t`; else it is ``None``. For a
    score :math:`f` of two classes that reads: yes if :math:`f > t`, no if :math:`f < -t`, don't know between. The
    threshold is given, or found from what is wanted:

    - ``target_error``: the smallest threshold that keeps the error among the answered below the target. Rows that the
      classifier has not learnt from decide, and not the error seen on them but an upper bound of it;
    - ``cost`` of abstaining, where a wrong answer costs 1. With probabilities no rows are needed (Chow's rule): answer
      if :math:`1 - \max p` is below the cost. With scores, the threshold of the least cost on held-out rows.

    Without any of the three it always answers. Costs one fit of the classifier, and ``cv`` more where held-out rows are
    needed. Confidence that says nothing about being right makes it answer less, not better: look at ``curve_``.

    Parameters
    ----------
    model
        The classifier, of margin or of scikit-learn; None is ``NaiveBayes()``. One that takes no tables gets them
        through ``TableEncoder``.
    threshold
        Confidence that an answer must exceed.
    target_error
        Largest share of wrong answers among those given.
    cost
        What an abstention costs, if a wrong answer costs 1 and a right one nothing.
    confidence
        ``"probability"``, that of the class answered; ``"margin"``, how far its score is above the best other one (for
        two classes the distance of the score from 0, for decisions of pairs the least distance in the pairs of the
        class); ``"auto"``, the first where the classifier has it. Chow's rule takes probabilities at their word:
        ``CalibratedClassifier`` makes them keep it.
    cv
        Where held-out rows come from: a number of folds, each judged by a classifier of the others; a list of (training
        rows, test rows), a protocol such as ``HoldOut()`` or a splitter of scikit-learn. The classifier that answers is
        then fitted on all rows, so the threshold is that of its slightly less informed likes. ``"prefit"`` takes the
        classifier as fitted already; rows given to ``fit`` must be others than it has learnt from, and what
        is promised of the error then holds for this very classifier.
    level
        How surely the error stays below ``target_error``; None takes the error seen on held-out rows at its word.
    random_state
        None deals rows to folds in the order in which they stand; a seed shuffles them first.

    Attributes
    ----------
    model_
        The fitted classifier.
    threshold_
        The threshold in use; it may be replaced.
    choice_
        How it was chosen: coverage and error at it on held-out rows, the bound, the reason in words; None where no rows
        were needed.
    curve_
        Error against coverage on the held-out rows (:class:`margin.evaluation.RiskCoverage`), or None.

    References
    ----------
    Chow (1970); Wiens (2003); El-Yaniv, Wiener (2010); Geifman, El-Yaniv (2017).

    Examples
    --------
    >>> from margin import LogisticRegression
    >>> X, y = [[-3.0], [-2.0], [-0.1], [0.1], [2.0], [3.0]], ["no", "no", "yes", "no", "yes", "yes"]
    >>> model = Reject(LogisticRegression(), threshold=0.8).fit(X, y)
    >>> model.predict([[-2.5], [0.0], [2.5]])
    array(['no', None, 'yes'], dtype=object)
    """

    representation = AsGiven()

    def __init__(
        self,
        model: Estimator = None,
        *,
        threshold: NonNegative | None = None,
        target_error: Share | None = None,
        cost: NonNegative | None = None,
        confidence: Literal["auto", "probability", "margin"] = "auto",
        cv: Folds = 5,
        level: Share | None = 0.95,
        random_state: Seed = None,
    ) -> None:
        self.model = model
        self.threshold = threshold
        self.target_error = target_error
        self.cost = cost
        self.confidence = confidence
        self.cv = cv
        self.level = level
        self.random_state = random_state

    def _model(self) -> Any:
        return NaiveBayes() if self.model is None else self.model

    # ---- Learning.

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        wishes = {name: getattr(self, name) for name in ("threshold", "target_error", "cost")}
        given = [f"{name}={value!r}" for name, value in wishes.items() if value is not None]
        if len(given) > 1:
            raise ParameterError(
                f"Reject({', '.join(given)}): only one of threshold, target_error and cost can be had."
            )
        model, weight = self._model(), rows.weights()
        fitted = frozen(model, self.cv, "Reject", "model")
        if fitted is not None:
            y = take_over(self, fitted, y, rows)
        elif isinstance(X, Table):
            model = on_tables(model)
        # All rows first: a cell that the classifier refuses is then named by the row it was given in.
        self.model_ = (
            self._fitted_on(model, X, y, Part.weighted(np.arange(len(y)), weight), rows) if fitted is None else fitted
        )
        self.curve_: RiskCoverage | None = None
        self.choice_: ThresholdChoice | None = None
        if self._needs_rows():
            self.curve_ = self._judged(model, X, y, rows, fitted)
        self.threshold_ = self._chosen()

    def _fitted_on(self, model: ClassifierLike, X: Encoded, y: np.ndarray, part: Part, rows: TrainingRows) -> Any:
        fresh = clone(model)
        settings = {}
        if part.weight is not None:
            settings = weights_for(fresh, part.weight, "Reject", "so it cannot be wrapped for weighted rows")
        settings |= group_arguments(fresh, rows.groups_of(part.rows))
        return fresh.fit(_block(fresh, X, part.rows, part.rows), self.classes_[y[part.rows]], **settings)

    def _needs_rows(self) -> bool:
        if self._kind() == "probability" and self.cost is not None:
            return False  # Chow's rule
        return self.target_error is not None or self.cost is not None

    def _judged(
        self, model: ClassifierLike, X: Encoded, y: np.ndarray, rows: TrainingRows, fitted: Any
    ) -> RiskCoverage:
        """Answers to rows by classifiers that have not learnt from them."""
        weight = rows.weights()
        if fitted is not None:
            held = [Part.weighted(np.arange(len(y)), weight)]
            found = [self._confident(fitted, X)]
        else:
            splits = splits_of(self.cv, y, rows, self.random_state, "Reject")
            held = [test for _, test in splits]
            found = [self._held_out(model, X, y, split, rows) for split in splits]
        level = 0.95 if self.level is None else self.level
        if not held:  # not one class has two rows: nothing can be held out, and nothing is known of the error
            return risk_coverage([], [], [], level=level)
        return risk_coverage(
            self.classes_[y[np.concatenate([part.rows for part in held])]].astype(object),
            np.concatenate([said.astype(object) for said, _ in found]),
            np.concatenate([sure for _, sure in found]),
            sample_weight=np.concatenate([part.weights for part in held]),
            level=level,
        )

    def _held_out(
        self, model: ClassifierLike, X: Encoded, y: np.ndarray, split: Split, rows: TrainingRows
    ) -> tuple[np.ndarray, np.ndarray]:
        """Answers and confidences on rows of a test part."""
        train, test = split
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConstantColumnWarning)  # all rows have had their say; a part need not
            fitted = self._fitted_on(model, X, y, train, rows)
        return self._confident(fitted, _block(fitted, X, test.rows, train.rows))

    def _chosen(self) -> float:
        if self.threshold is not None:
            return float(self.threshold)
        if self.curve_ is None:
            return -math.inf if self.cost is None else 1.0 - self.cost
        if self.target_error is not None:
            self.choice_ = self.curve_.for_error(self.target_error, self.level)
        else:
            assert self.cost is not None
            self.choice_ = self.curve_.for_cost(self.cost)
        if self.choice_.threshold == math.inf:
            warn(f"Reject.fit: {self.choice_}.", AbstentionWarning)
        return self.choice_.threshold

    # ---- Answering.

    def _kind(self) -> Any:
        return confidence_kind(self.model_, self.confidence, "Reject")

    def _confident(self, model: ClassifierLike, X: Encoded) -> tuple[np.ndarray, np.ndarray]:
        return answers_with_confidence(model, X, self._kind(), "Reject")

    def _asked(self, X: Encoded, method: str) -> tuple[np.ndarray, np.ndarray]:
        """What the classifier would answer, in the type of the labels, and how sure it is."""
        encoded = self._encoded(X, method)
        params.check(self)  # what is asked of a fitted model may have been changed since
        said, sure = self._confident(self.model_, encoded)
        return said.astype(object) if np.isneginf(sure).any() else said.astype(self.classes_.dtype), sure

    def predict(self, X: TableLike) -> np.ndarray:
        """The class of each row, or ``None`` where the classifier is not sure enough.

        Where it may abstain, labels come as objects; where it always answers, in the type they came in.
        """
        said, sure = self._asked(X, "predict")
        if self.threshold_ == -math.inf and self.target_error is None and self.cost is None:
            return said
        answers = said.astype(object)
        answers[~(sure > self.threshold_)] = None
        return answers

    def confidences(self, X: TableLike) -> np.ndarray:
        """How sure the classifier is of what it would answer, on the scale of the threshold."""
        return self._asked(X, "confidences")[1]

    def risk_coverage(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> RiskCoverage:
        """Error against coverage on rows that were not learnt from."""
        said, sure = self._asked(X, "risk_coverage")
        return risk_coverage(y, said, sure, sample_weight=sample_weight)

    def score(self, X: TableLike, y: LabelsLike, sample_weight: WeightsLike | None = None) -> float:
        """Share of the rows answered rightly; no answer is not a right answer."""
        return accuracy(y, self.predict(X), sample_weight=sample_weight)


def _block(model: ClassifierLike, X: Encoded, rows: np.ndarray, learnt: np.ndarray) -> Any:
    """Some rows; of a matrix of kernel values only their columns with the rows that were learnt from."""
    return X[rows][:, learnt] if is_pairwise(model) else X[rows]
