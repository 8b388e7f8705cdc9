"""margin: classification that takes tables as they are, says how sure it is, and shows its work."""

from margin.lazy import attach

__version__ = "0.1.0"

_names = {
    "base": ("TableEncoder",),
    "baseline": ("MajorityClassifier",),
    "bayes": (
        "BernoulliNB",
        "CalibratedClassifier",
        "CategoricalNB",
        "ComplementNB",
        "DiagonalLinearDiscriminantAnalysis",
        "GaussianNB",
        "JointBayes",
        "LinearDiscriminantAnalysis",
        "MultinomialNB",
        "NaiveBayes",
        "QuadraticDiscriminantAnalysis",
        "bayes_rule",
    ),
    "data": ("Table", "read"),
    "evaluation": ("evaluate", "risk_coverage"),
    "experiment": (),
    "explain": (),
    "linear": (
        "ActivePerceptron",
        "Adaline",
        "LinearSGD",
        "LogisticRegression",
        "LogisticRegressionCV",
        "Perceptron",
        "hard_margin",
        "logistic_path",
        "loss_family",
        "odds",
        "separation",
    ),
    "neighbors": (
        "KNeighborsClassifier",
        "KNeighborsRegressor",
        "NearestCentroid",
        "RadiusNeighborsClassifier",
        "RadiusNeighborsRegressor",
        "RoteClassifier",
        "choose_k",
        "curse",
        "decision_regions",
        "edge_length",
        "voronoi_edges",
    ),
    "persistence": (),
    "plots": (
        "plot_coefficients",
        "plot_curse",
        "plot_k_choice",
        "plot_losses",
        "plot_margin",
        "plot_path",
        "plot_regions",
        "plot_risk_coverage",
        "plot_tree",
    ),
    "report": (),
    "selection": ("audit",),
    "svm": (
        "LinearSVC",
        "PegasosClassifier",
        "Reject",
        "SVC",
        "SpectrumKernel",
        "check_kernel",
        "choose_C",
        "explicit_map",
        "kernel_matrix",
        "svm_path",
    ),
    "tree": ("C45", "ID3", "DecisionTreeClassifier", "DecisionTreeRegressor", "Discretizer"),
    "zoo": (),
}
_homes = {name: f"margin.{part}" for part, names in _names.items() for name in (*names, part)}

__all__ = sorted(_homes)
__getattr__, __dir__ = attach(__name__, _homes)
