"""margin: classification that takes tables as they are, says how sure it is, and shows its work."""

from margin.lazy import attach

__version__ = "0.1.0"

_homes = {
    "DiagonalLinearDiscriminantAnalysis": "margin.bayes",
    "KNeighborsClassifier": "margin.neighbors",
    "LinearDiscriminantAnalysis": "margin.bayes",
    "MajorityClassifier": "margin.baseline",
    "NaiveBayes": "margin.bayes",
    "QuadraticDiscriminantAnalysis": "margin.bayes",
    "RoteClassifier": "margin.neighbors",
    "Table": "margin.data",
    "TableEncoder": "margin.base",
    "evaluate": "margin.evaluation",
    "read": "margin.data",
    **{
        part: f"margin.{part}" for part in ("base", "bayes", "data", "evaluation", "experiment", "explain", "neighbors")
    },
    **{part: f"margin.{part}" for part in ("persistence", "report", "zoo")},
}

__all__ = sorted(_homes)
__getattr__, __dir__ = attach(__name__, _homes)
