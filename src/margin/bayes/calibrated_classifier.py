"""Probabilities that can be taken at their word, for any classifier."""

from __future__ import annotations

import warnings
from typing import Annotated, Any, Literal

import numpy as np

from margin.base import AsGiven, Classifier
from margin.base.meta.calibration_maps import MAPS, CalibrationMap
from margin.base.meta.cross_fitting import splits_of
from margin.base.meta.inner_model import Estimator, Folds, frozen, last_step, on_tables, take_over, weights_for
from margin.base.meta.keeping_groups import KeepsGroups
from margin.base.representations.representation import TrainingRows
from margin.base.sklearn_classes import clone
from margin.bayes.naive import NaiveBayes
from margin.data.rows import ready_for
from margin.data.splits import Part, Split
from margin.data.table import Table
from margin.data.weights import cases_per_weight, count_repeats, group_arguments
from margin.errors import ConstantColumnWarning, InputError, ParameterError, listing
from margin.params import Flag, Seed, choice
from margin.typing import Encoded, TableLike

__all__ = ["CalibratedClassifier", "CalibratedModel"]

#: Added to probabilities before their logarithm is taken for a temperature, as scikit-learn does: one row that a model
#: is boundlessly and wrongly sure of would otherwise decide alone.
LEAST = 1e-12
#: Log-odds beyond this are as good as certain, and exp() of them would not be a number.
SUREST = 700.0
CANNOT = "so its probabilities cannot be calibrated for weighted rows"


Method = Annotated[str, choice(known=lambda: tuple(MAPS))]


class CalibratedModel:
    """A fitted classifier and the map that makes probabilities of its scores.

    ``places`` says which of all classes the classifier knows, in the order of its columns.
    """

    def __init__(self, model: Any, places: np.ndarray, method: str, scores: str) -> None:
        self.model = model
        self.places = places
        self.method = method
        self.scores = scores
        self.map: CalibrationMap | None = None

    def learn(self, scores: np.ndarray, y: np.ndarray, weight: np.ndarray) -> CalibratedModel:
        """Learn the map from rows that the classifier has not learnt from, less those of classes unknown to it."""
        columns = np.full(max(int(y.max()), int(self.places.max())) + 1, -1)
        columns[self.places] = np.arange(len(self.places))
        known = columns[y] >= 0
        self.map = MAPS[self.method]().learn(scores[known], columns[y[known]], weight[known])
        return self

    def scores_of(self, X: TableLike) -> np.ndarray:
        """The classifier's scores: a column for each of its classes, or one, the second's, where it knows two."""
        X = ready_for(self.model, X)
        densities = getattr(last_step(self.model), "decisions_are_densities", False)
        if hasattr(self.model, "decision_function") and not densities:
            scores = np.asarray(self.model.decision_function(X), dtype=np.float64)
            return self._checked(scores[:, None] if scores.ndim == 1 else scores)
        if self.method == "temperature":
            logs = np.log(np.asarray(self.model.predict_proba(X), dtype=np.float64) + LEAST)
            return logs[:, 1:] - logs[:, :1] if logs.shape[1] == 2 else logs
        if self.scores == "log_odds" or densities:
            scores = _log_odds(self.model, X)
        else:
            scores = np.asarray(self.model.predict_proba(X), dtype=np.float64)
        return scores[:, 1:] if scores.shape[1] == 2 else scores

    def _checked(self, scores: np.ndarray) -> np.ndarray:
        expected = 1 if len(self.places) == 2 else len(self.places)
        if scores.shape[1] != expected:
            raise ParameterError(
                f"CalibratedClassifier(estimator={self.model!r}): decision_function must give one column for each of "
                f"the {len(self.places)} classes, not {scores.shape[1]} (decision_function_shape='ovr' does)."
            )
        return scores

    def probabilities(self, X: TableLike, n_rows: int, n_classes: int) -> np.ndarray:
        found = np.zeros((n_rows, n_classes))
        if self.map is None:  # it knows a single class
            found[:, self.places] = 1.0
        elif n_rows:
            found[:, self.places] = self.map.shares(self.scores_of(X))
        return found


def _log_odds(model: Any, X: Encoded) -> np.ndarray:
    """log p - log(1 - p) for each class, the latter as the sum of the others', which loses no digits near 1."""
    with np.errstate(divide="ignore"):
        if hasattr(model, "predict_log_proba"):
            logs = np.asarray(model.predict_log_proba(X), dtype=np.float64)
        else:
            logs = np.log(np.asarray(model.predict_proba(X), dtype=np.float64))
    logs = np.maximum(logs, -2 * SUREST)
    rest = [np.logaddexp.reduce(np.delete(logs, k, axis=1), axis=1) for k in range(logs.shape[1])]
    return np.clip(logs - np.column_stack(rest), -SUREST, SUREST)


class CalibratedClassifier(KeepsGroups, Classifier):
    r"""Any classifier, with probabilities that come true as often as they say.

    The classifier learns from all folds but one and scores the rows of that one; on such scores, never on those of rows
    it has learnt from, a map from scores to probabilities is learnt:

    - ``"sigmoid"``, Platt's curve: two numbers a class, good from a few dozen rows on;
    - ``"isotonic"``, any curve that never falls: better, and in need of a thousand rows or so;
    - ``"temperature"``, one number for all classes that leaves every answer as it was.

    Sigmoid and isotonic curves set each class against the rest and are brought to the sum 1. Costs ``cv`` fits of the
    classifier. Calibration mends sureness, not knowledge: classes that the scores do not tell apart stay so.

    Parameters
    ----------
    estimator
        The classifier, of margin or of scikit-learn; None is ``NaiveBayes()``. One that takes no tables gets them
        through ``TableEncoder``. It sees the labels as the numbers 0, 1, ….
    method
        The map: ``"sigmoid"``, ``"isotonic"`` or ``"temperature"``.
    cv
        Number of folds, or the splits themselves: a list of (training rows, test rows), a protocol of
        ``margin.evaluation`` or a splitter of scikit-learn. There are only as many folds as the rarest class has rows;
        a class of a single row stays in every training part. ``"prefit"`` takes the classifier as fitted already, and
        the rows given to ``fit`` must be others than it has learnt from.
    ensemble
        True keeps the classifier and the map of each fold and averages their probabilities; False fits the classifier
        once more on all rows and learns one map from the scores of all folds. ``"auto"`` is True.
    scores
        What the maps are learnt from where the classifier has no ``decision_function``: ``"auto"`` takes its
        probabilities, as scikit-learn does; ``"log_odds"`` their log-odds, which suit a sigmoid better and tell apart
        what is all but 0 or 1, as naive Bayes often is. Makes no difference to a temperature. Discriminants of margin
        always give log-odds: their decisions are log-densities, which say little of one class against the rest.
    random_state
        None deals rows to folds in the order in which they stand; a seed shuffles them first.

    Attributes
    ----------
    calibrated_
        The fitted classifiers (``model``), each with its ``map``.

    References
    ----------
    Platt (1999); Zadrozny, Elkan (2002); Niculescu-Mizil, Caruana (2005); Guo, Pleiss, Sun, Weinberger (2017).

    Examples
    --------
    >>> from margin.data import catalog
    >>> from margin.evaluation import HoldOut, evaluate
    >>> X, y = catalog.load("credit").target("risk")
    >>> plain = evaluate(NaiveBayes(), X, y, HoldOut(), metrics=["log_loss"])
    >>> mended = evaluate(CalibratedClassifier(NaiveBayes()), X, y, HoldOut(), metrics=["log_loss"])
    >>> mended.scores["log_loss"].value < plain.scores["log_loss"].value
    True
    """

    representation = AsGiven()

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        method: Method = "sigmoid",
        cv: Folds = 5,
        ensemble: Flag | Literal["auto"] = "auto",
        scores: Literal["auto", "log_odds"] = "auto",
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.ensemble = ensemble
        self.scores = scores
        self.random_state = random_state

    def _fit(self, X: Encoded, y: np.ndarray, rows: TrainingRows) -> None:
        model = NaiveBayes() if self.estimator is None else self.estimator
        fitted = frozen(model, self.cv, "CalibratedClassifier", "estimator")
        if fitted is not None:
            self.calibrated_ = [self._calibrate_fitted(fitted, X, y, rows)]
            return
        classes = np.unique(y)
        if len(classes) == 1:
            self.calibrated_ = [self._uncalibrated(None, classes)]
            return
        if isinstance(X, Table):
            model = on_tables(model)
        splits = splits_of(self.cv, y, rows, self.random_state, type(self).__name__)
        learn = self._learn_together if self.ensemble in (False, np.False_) or not splits else self._learn_apart
        try:
            self.calibrated_ = learn(model, X, y, rows, splits)
        except InputError:
            clone(model).fit(X, y)  # refuses the same cell, and names its row as it was given
            raise

    def _learn_apart(
        self, model: Any, X: Encoded, y: np.ndarray, rows: TrainingRows, splits: list[Split]
    ) -> list[CalibratedModel]:
        """A classifier and a map for each split."""
        worth = _case_factor(rows.weights())
        found = []
        for train, test in splits:
            fitted = self._fitted_on(model, X, y, train, rows)
            if len(fitted.places) > 1:
                fitted.learn(fitted.scores_of(X[test.rows]), y[test.rows], test.weights * worth)
            found.append(fitted)
        return found

    def _learn_together(
        self, model: Any, X: Encoded, y: np.ndarray, rows: TrainingRows, splits: list[Split]
    ) -> list[CalibratedModel]:
        """One classifier of all rows, and one map from the scores that others gave to rows they had not learnt from."""
        weight = rows.weights()
        everything = Part.weighted(np.arange(len(y)), weight)
        whole = self._fitted_on(model, X, y, everything, rows)
        scores = []
        for i, (train, test) in enumerate(splits):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConstantColumnWarning)  # all rows have had their say; a part need not
                fitted = self._fitted_on(model, X, y, train, rows)
            if len(fitted.places) < len(whole.places):
                lost = self.classes_[np.setdiff1d(whole.places, fitted.places)]
                raise ParameterError(
                    f"CalibratedClassifier(cv=…): the training part of split {i} must hold every class, but lacks "
                    f"{listing(lost.tolist())} (or let ensemble be True)."
                )
            scores.append(fitted.scores_of(X[test.rows]))
        if not splits:
            # Not one class has two rows: there is nothing else to learn the map from than the rows themselves.
            scores, splits = [whole.scores_of(X)], [(everything, everything)]
        judged = np.concatenate([test.rows for _, test in splits])
        held = np.concatenate([test.weights for _, test in splits])
        return [whole.learn(np.vstack(scores), y[judged], held * _case_factor(weight))]

    def _fitted_on(self, model: Any, X: Encoded, y: np.ndarray, part: Part, rows: TrainingRows) -> CalibratedModel:
        fresh = clone(model)
        settings = {} if part.weight is None else weights_for(fresh, part.weight, "CalibratedClassifier", CANNOT)
        settings |= group_arguments(fresh, rows.groups_of(part.rows))
        fresh.fit(X[part.rows], y[part.rows], **settings)
        places = getattr(fresh, "classes_", None)
        return self._uncalibrated(fresh, np.unique(y[part.rows]) if places is None else np.asarray(places))

    def _uncalibrated(self, model: Any, places: np.ndarray) -> CalibratedModel:
        return CalibratedModel(model, places.astype(np.intp), self.method, self.scores)

    def _calibrate_fitted(self, model: Any, X: Encoded, y: np.ndarray, rows: TrainingRows) -> CalibratedModel:
        """The map alone; the classes and columns are those that the classifier knows."""
        weight = rows.weights()
        codes = take_over(self, model, y, rows)
        n_classes = len(self.classes_)
        found = self._uncalibrated(model, np.arange(n_classes))
        return found if n_classes == 1 else found.learn(found.scores_of(X), codes, weight * _case_factor(weight))

    def uncalibrated_proba(self, X: TableLike) -> np.ndarray | None:
        """What the classifiers say themselves, averaged over the folds; None where they give no probabilities."""
        source = self._encoded(X, "uncalibrated_proba")
        found = []
        for each in self.calibrated_:
            if not hasattr(each.model, "predict_proba"):
                return None
            shares = np.zeros((source.shape[0], len(self.classes_)))
            shares[:, each.places] = each.model.predict_proba(ready_for(each.model, source))
            found.append(shares)
        return np.mean(found, axis=0)

    def _scores(self, X: Encoded) -> np.ndarray:
        n_classes = len(self.classes_)
        shares = [each.probabilities(X, X.shape[0], n_classes) for each in self.calibrated_]
        return shares[0] if len(shares) == 1 else np.mean(shares, axis=0)


def _case_factor(weight: np.ndarray) -> float:
    return cases_per_weight(weight.sum(), (weight**2).sum(), count_repeats(weight))
