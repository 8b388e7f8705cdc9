"""Fitted scikit-learn models as margin's own: one table says what is taken, another what is not yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from margin.errors import ConversionError, InputTypeError, closest
from margin.interop import bayes, discriminants, linear, neighbors, svm, trees, wrappers
from margin.interop.features import Preparation, plain_preparation
from margin.interop.steps import after

__all__ = ["MODELS", "REFUSED", "from_sklearn"]


def _calibrated(fitted: Any, seen: Preparation) -> Any:
    return wrappers.calibrated(fitted, seen, _model)


#: How each model is taken, by the name of its class: a function of the fitted model and of what it sees.
MODELS: dict[str, Callable[[Any, Preparation], Any]] = {
    "BernoulliNB": bayes.bernoulli,
    "CalibratedClassifierCV": _calibrated,
    "CategoricalNB": bayes.categorical,
    "ComplementNB": bayes.complement,
    "DecisionTreeClassifier": trees.classifier,
    "DecisionTreeRegressor": trees.regressor,
    "DummyClassifier": wrappers.majority,
    "ExtraTreeClassifier": trees.classifier,
    "ExtraTreeRegressor": trees.regressor,
    "GaussianNB": bayes.gaussian,
    "KNeighborsClassifier": neighbors.nearest_classifier,
    "KNeighborsRegressor": neighbors.nearest_regressor,
    "LinearDiscriminantAnalysis": discriminants.lda,
    "LinearSVC": linear.linear_svc,
    "LogisticRegression": linear.logistic,
    "LogisticRegressionCV": linear.logistic_cv,
    "MultinomialNB": bayes.multinomial,
    "NearestCentroid": discriminants.centroid,
    "OneVsRestClassifier": linear.one_vs_rest,
    "Perceptron": linear.perceptron,
    "QuadraticDiscriminantAnalysis": discriminants.qda,
    "RadiusNeighborsClassifier": neighbors.radius_classifier,
    "RadiusNeighborsRegressor": neighbors.radius_regressor,
    "RidgeClassifier": linear.ridge,
    "RidgeClassifierCV": linear.ridge,
    "SGDClassifier": linear.sgd,
    "SVC": svm.svc,
}

_NO_FOREST = "forests are not converted yet (fit margin's own of the same name, or keep the model where it is)"
_NO_BOOSTING = (
    "boosted trees are not converted yet (fit margin.GradientBoostingClassifier, or keep the model where it is)"
)
#: What is refused with a sentence of its own.
REFUSED: dict[str, str] = {
    "RandomForestClassifier": _NO_FOREST,
    "RandomForestRegressor": _NO_FOREST,
    "ExtraTreesClassifier": _NO_FOREST,
    "ExtraTreesRegressor": _NO_FOREST,
    "HistGradientBoostingClassifier": _NO_BOOSTING,
    "HistGradientBoostingRegressor": _NO_BOOSTING,
    "GradientBoostingClassifier": _NO_BOOSTING,
    "GradientBoostingRegressor": _NO_BOOSTING,
    "GridSearchCV": "a search is no model; give its best_estimator_",
    "RandomizedSearchCV": "a search is no model; give its best_estimator_",
    "NuSVC": "margin's SVC has no nu; fit SVC(C=…)",
}


def from_sklearn(fitted: Any) -> Any:
    """The margin model that answers as a fitted scikit-learn model does.

    Nothing is learnt anew: the model is made of what scikit-learn's fitted attributes say. It can be saved, shown and
    explained like any other of margin's; what only training rows can tell (certificates, lists of mistakes) it does not
    know, and says so when asked. A pipeline of scalers, imputers and encoders becomes margin's own preparation, so that
    the model takes raw tables.

    Parameters
    ----------
    fitted
        A fitted model of scikit-learn, or a ``Pipeline`` that ends in one.

    Returns
    -------
    A fitted model of margin. Its parameters are the nearest that margin has.

    Raises
    ------
    ConversionError
        Where no model of margin would give the same answers; the message says why and what to do.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> theirs = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"])
    >>> ours = from_sklearn(theirs)
    >>> type(ours).__module__, ours.predict([[0.2], [2.9]]).tolist()
    ('margin.linear.logistic.regression', ['low', 'high'])
    """
    _check_fitted(fitted)
    return _model(fitted, None)


def _check_fitted(fitted: Any) -> None:
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    if isinstance(fitted, type) or not hasattr(fitted, "fit"):
        raise InputTypeError(f"from_sklearn({fitted!r}): a fitted model of scikit-learn is needed.")
    try:
        check_is_fitted(fitted)
    except NotFittedError:
        raise ConversionError(
            f"from_sklearn({type(fitted).__name__}): the model must be fitted; call fit(X, y) first."
        ) from None


def _model(fitted: Any, seen: Preparation | None) -> Any:
    """A model, with the preparation that stands before it; None where it sees the table itself."""
    name = type(fitted).__name__
    ours = type(fitted).__module__.startswith("margin.")
    if not type(fitted).__module__.startswith("sklearn."):
        told = "it is one of margin's already" if ours else f"known are {', '.join(MODELS)}"
        raise ConversionError(f"from_sklearn({name}): must be a model of scikit-learn; {told}.")
    if name == "Pipeline":
        return _pipeline(fitted, seen)
    if name == "FrozenEstimator":
        return _model(fitted.estimator, seen)
    if name in REFUSED:
        raise ConversionError(f"from_sklearn({name}): cannot be taken: {REFUSED[name]}.")
    if name not in MODELS:
        raise ConversionError(
            f"from_sklearn({name}): cannot be taken; known are {', '.join(MODELS)}, alone or at the end of a Pipeline"
            f"{closest(name, MODELS)}."
        )
    return MODELS[name](fitted, _seen_by(fitted) if seen is None else seen)


def _pipeline(fitted: Any, seen: Preparation | None) -> Any:
    *before, (_, last) = fitted.steps
    if last is None or isinstance(last, str):
        raise ConversionError("from_sklearn(Pipeline): the last step must be a model, but passes rows on.")
    if not before:
        return _model(last, seen)
    seen = _seen_by(fitted) if seen is None else seen
    features = seen.features
    for _, step in before:
        features = tuple(after(step, features))
    return _model(last, Preparation(seen.n, seen.names, features))


def _seen_by(fitted: Any) -> Preparation:
    if hasattr(fitted, "steps"):  # a pipeline knows its columns by the first step that looks at them
        fitted = next(step for _, step in fitted.steps if step is not None and not isinstance(step, str))
    n = getattr(fitted, "n_features_in_", None)
    if n is None and hasattr(fitted, "_BaseLibSVM__Xfit"):  # a machine with a user's kernel keeps the rows alone
        n = np.shape(fitted._BaseLibSVM__Xfit)[1]
    if n is None:
        raise ConversionError(
            f"from_sklearn({type(fitted).__name__}): does not know how many columns it was fitted on (fit it on a "
            "table or an array of two dimensions)."
        )
    return plain_preparation(int(n), getattr(fitted, "feature_names_in_", None))
