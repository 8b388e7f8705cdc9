"""What kinds and policies are called when people read of them."""

from __future__ import annotations

__all__ = ["MISSING", "UNSEEN", "title"]

#: Kinds whose name does not read as words by itself.
_TITLES = {
    "as-given-encoder": "Rows as they are given",
    "bernoulli-nb": "Bernoulli naive Bayes",
    "c45": "C4.5 decision tree",
    "calibrated-classifier": "Classifier with calibrated probabilities",
    "categorical-nb": "Categorical naive Bayes",
    "complement-nb": "Complement naive Bayes",
    "decision-tree-classifier": "Decision tree",
    "decision-tree-regressor": "Regression tree",
    "diagonal-lda": "Diagonal linear discriminant analysis",
    "gaussian-nb": "Gaussian naive Bayes",
    "grid-search": "Grid search",
    "halving-search": "Search by halving",
    "id3": "ID3 decision tree",
    "joint-bayes": "Joint Bayes",
    "k-neighbors-classifier": "k nearest neighbours",
    "k-neighbors-regressor": "k nearest neighbours, regression",
    "lda": "Linear discriminant analysis",
    "linear-sgd": "Linear model by stochastic gradient descent",
    "linear-svc": "Linear support vector machine",
    "log-search": "Search by doubling",
    "logistic-regression-cv": "Logistic regression, strength by cross-validation",
    "majority": "Majority class",
    "multinomial-nb": "Multinomial naive Bayes",
    "naive-bayes": "Naive Bayes",
    "nearest-centroid": "Nearest centroid",
    "nu-svc": "Support vector machine with a share of rows inside its margin",
    "one-class-svm": "Support vector machine of one class",
    "pegasos-classifier": "Support vector machine by Pegasos",
    "qda": "Quadratic discriminant analysis",
    "radius-neighbors-classifier": "Neighbours within a radius",
    "radius-neighbors-regressor": "Neighbours within a radius, regression",
    "random-search": "Random search",
    "reject": "Classifier that may decline to answer",
    "rote": "Rote learning",
    "svc": "Support vector machine",
    "svr": "Support vector regression",
    "threshold-classifier": "Classifier with a threshold",
}

#: One policy for all models (see ``margin.base.inputs.columns``).
UNSEEN = "a category that was not there at fit counts as a missing cell"
#: What becomes of missing cells, by the encoder that shows a model its rows.
MISSING = {
    "as-given-encoder": "handed on to the models inside",
    "mixed-encoder": "kept as missing; the method has its own way with them",
    "numeric-encoder": "numbers are filled with the training mean; words have none of their levels",
}


def title(kind: str) -> str:
    """What a kind is called in a heading.

    >>> title("logistic-regression"), title("svc")
    ('Logistic regression', 'Support vector machine')
    """
    return _TITLES.get(kind) or kind.replace("-", " ")[:1].upper() + kind.replace("-", " ")[1:]
