"""With which settings estimators are tried beside their defaults."""

import margin

MACHINE_AND_BAYES = [("svm", margin.LinearSVC(tol=1e-12)), ("bayes", margin.NaiveBayes())]
SEED = {"random_state": 0}
DRAWN_COLUMNS = {"n_estimators": 9, "max_features": 1.0, "bootstrap_features": True, **SEED}
# Settings that take another way through the code than the defaults do.
OTHER_SETTINGS = {
    "ActivePerceptron": [{"max_iter": 5, "scale": "standard"}],
    "Adaline": [
        {"method": "stochastic", "random_state": 0},
        {"method": "stochastic", "batch_size": 8, "scale": "standard", "shuffle": False, "max_iter": 100},
    ],
    "AdaBoostClassifier": [
        {"estimator": margin.DecisionStump(), "n_estimators": 3, **SEED},
        {"max_depth": 2, "n_estimators": 8, "learning_rate": 0.5, "max_bins": 255},
        {"algorithm": "M2", "n_estimators": 8},
        # A tree of one question: deeper ones have no errors on few rows, and learn from rows drawn by chance then.
        {"estimator": margin.DecisionStump(), "algorithm": "SAMME.R", "n_estimators": 5, **SEED},
    ],
    "AdaBoostMHClassifier": [
        {"max_depth": 2, "n_estimators": 6},
        {"max_depth": 2, "n_estimators": 8, "learning_rate": 0.5},
    ],
    "AdaBoostRegressor": [
        {"estimator": margin.DecisionTreeRegressor(max_depth=2), "n_estimators": 4, "loss": "square", **SEED},
    ],
    "BaggingClassifier": [
        {"estimator": margin.LinearSVC(scale="standard", tol=1e-12), "n_estimators": 5, "balanced": True, **SEED},
        {"estimator": margin.NaiveBayes(), "bootstrap": False, "max_samples": 0.7, "voting": "hard", **DRAWN_COLUMNS},
    ],
    "BaggingRegressor": [{"estimator": margin.KNeighborsRegressor(3), "oob_score": False, **DRAWN_COLUMNS}],
    "BrownBoostClassifier": [
        {"estimator": margin.DecisionTreeClassifier(max_depth=2), "target_error": 0.02, "n_estimators": 5}
    ],
    "LPBoostClassifier": [{"estimator": margin.NaiveBayes(), "nu": 0.3, "n_estimators": 4}],
    "RUSBoostClassifier": [{"sampling": None, "weights": "equal", "n_estimators": 5}],
    "CalibratedClassifier": [
        {"method": "isotonic"},
        {"method": "temperature", "ensemble": False},
        {"scores": "log_odds", "ensemble": False, "cv": 2},
    ],
    "ClassifierChain": [
        {"estimator": margin.LogisticRegression(), "order": "random", "random_state": 0},
        {"cv": 3, "feed": "probabilities", "n_chains": 2, "random_state": 0},
    ],
    "ErrorCorrectingCodes": [
        {"estimator": margin.LinearSVC(scale="standard", tol=1e-12), "decoding": "hamming"},
        {"estimator": margin.DecisionTreeClassifier(max_depth=3), "code": "random", "n_bits": 3, "random_state": 0},
    ],
    "StackingClassifier": [
        {"passthrough": True, "final_estimator": margin.DecisionTreeClassifier(max_depth=3), "cv": 2},
        {
            "estimators": MACHINE_AND_BAYES,
            "stack_method": "predict",
            "cv": 2,
        },
    ],
    "StackingRegressor": [{"passthrough": True, "final_estimator": margin.DecisionTreeRegressor(max_depth=3), "cv": 2}],
    "VotingClassifier": [
        {"weights": "learnt"},
        {"estimators": MACHINE_AND_BAYES, "weights": [1, 2]},
    ],
    "VotingRegressor": [{"weights": "learnt"}],
    "GentleBoostClassifier": [{"n_estimators": 12, "max_depth": 2}],
    "LogitBoostClassifier": [{"n_estimators": 12, "max_depth": 2, "max_bins": 255}],
    "GatedClassifier": [
        {"gate": "softmax", "cv": 2},
        {"estimators": MACHINE_AND_BAYES, "gate": margin.NaiveBayes(), "cv": 2},
    ],
    "JointBayes": [{"alpha": 0.0}],
    "KNeighborsClassifier": [
        {"weights": "inverse_square", "scale": "standard"},
        {"metric": "chebyshev", "scale": "range", "n_neighbors": 1},
    ],
    "KNeighborsRegressor": [
        {"weights": "inverse_square", "scale": "standard"},
        {"metric": "chebyshev", "scale": "range", "n_neighbors": 1},
    ],
    "RadiusNeighborsClassifier": [{"scale": "standard", "weights": "distance"}],
    "RadiusNeighborsRegressor": [{"scale": "standard", "weights": "distance"}],
    "NearestCentroid": [
        {"metric": "manhattan", "priors": "empirical"},
        {"shrink_threshold": 0.5, "scale": "standard"},
    ],
    "C45": [
        {"prune": False, "binary_splits": True},
        {"collapse": False, "raise_branches": False},
        {"reduced_error": True, "n_folds": 4, "random_state": 0},
    ],
    "DecisionTreeClassifier": [
        {"criterion": "entropy", "nominal": "multiway", "missing": "fractional", "min_samples_leaf": 3},
        {"criterion": "gain_ratio", "nominal": "one_vs_rest", "numeric": "mdl", "max_p": 0.2},
        {"criterion": "error", "missing": "surrogate", "max_leaf_nodes": 8},
        {"missing": "surrogate_all", "min_impurity_split": 0.1},
        {"splitter": "random", "max_features": 0.5, "random_state": 0},
        {"numeric": "equal_count", "discretize": "dynamic", "max_intervals": 4},
        {"numeric": "equal_width", "max_features": 0.5, "random_state": 0},
        {"prune": "reduced_error", "random_state": 0},
        {"prune": "pessimistic", "missing": "fractional"},
        {"prune": "cost_complexity", "n_folds": 3, "random_state": 0},
        {"max_bins": 255},
    ],
    "DecisionTreeRegressor": [
        {"criterion": "absolute_error", "max_depth": 4, "nominal": "one_vs_rest"},
        {"missing": "fractional", "nominal": "multiway", "min_samples_leaf": 0.1},
        {"missing": "surrogate", "max_leaf_nodes": 8, "splitter": "random", "random_state": 0},
        {"prune": "reduced_error", "random_state": 0},
        {"prune": "cost_complexity", "n_folds": 3, "random_state": 0},
        {"max_bins": 255},
    ],
    "Discretizer": [{"method": "equal_width"}, {"method": "mdl"}],
    "ID3": [{"criterion": "gain_ratio", "numeric": "equal_count", "missing": "fractional"}],
    "BernoulliNB": [{"binarize": 4.0}],
    "NaiveBayes": [
        {"alpha": 0.0},
        {"distributions": "categorical"},
        {"distributions": {"numeric": "kernel"}},
        {"distributions": {"numeric": "mdl"}},
        {"distributions": {"numeric": "poisson"}},
        {"distributions": "multinomial"},
    ],
    "LogisticRegression": [
        {"scale": "standard"},
        {"scale": "range", "solver": "lbfgs"},
        {"C": 0.1, "solver": "truncated_newton"},
        {"l1_ratio": 1.0, "scale": "standard"},
        {"l1_ratio": 0.5, "C": 0.5, "tol": 1e-6},
    ],
    "LogisticRegressionCV": [{"Cs": (1.0,), "n_folds": 2, "l1_ratios": (0.0, 1.0), "scale": "standard"}],
    "LinearSVC": [
        {"loss": "hinge", "scale": "standard", "tol": 1e-12},
        {"dual": True, "C": 0.1, "scale": "standard", "tol": 1e-12, "max_iter": 10_000},
        {"penalty": "l1", "scale": "range", "tol": 1e-8},
        {"multi_class": "crammer_singer", "C": 0.1, "scale": "standard", "tol": 1e-12, "max_iter": 10_000},
    ],
    "LinearSVR": [
        {"epsilon": 0.3, "scale": "standard", "tol": 1e-12, "max_iter": 10_000},
        {"loss": "squared_epsilon_insensitive", "C": 0.1, "scale": "range", "tol": 1e-12},
        {"dual": True, "C": 0.1, "scale": "standard", "tol": 1e-12, "max_iter": 10_000},
    ],
    "LinearSGD": [
        {"loss": "hinge", "scale": "standard", "l1_ratio": 0.5},
        {"loss": "modified_huber", "average": True, "learning_rate": "invscaling", "shuffle": False},
        {"loss": "squared_error", "scale": "range", "learning_rate": "adaptive"},
    ],
    "MLPClassifier": [
        {"hidden_layer_sizes": (5, 4), "activation": "tanh", "solver": "lbfgs", "max_iter": 30, "scale": "range"},
        {"hidden_layer_sizes": (6,), "solver": "sgd", "learning_rate_init": 0.05, "max_iter": 15, "shuffle": False},
        {
            **{"hidden_layer_sizes": (8,), "nominal": "embedding", "batch_norm": True, "ema": 0.9},
            **{"learning_rate_init": 0.05, "max_iter": 60},
        },
        {
            "hidden_layer_sizes": (8,),
            "scale": None,
            "learning_rate_init": 0.05,
            "learning_rate": "warm_up",
            "max_iter": 60,
        },
    ],
    "MLPRegressor": [
        {"hidden_layer_sizes": (5, 4), "activation": "tanh", "solver": "lbfgs", "max_iter": 30},
        {
            **{"hidden_layer_sizes": (8,), "nominal": "embedding", "batch_norm": True, "scale": "range"},
            **{"learning_rate_init": 0.05, "max_iter": 60},
        },
    ],
    "OneVsOne": [
        {"estimator": margin.LinearSVC(scale="standard", tol=1e-12)},
        {"decide": "probabilities"},
    ],
    "OneVsRest": [{"estimator": margin.LinearSVC(scale="standard", tol=1e-12)}],
    "PegasosClassifier": [
        {"kernel": "rbf", "scale": "standard", "max_iter": 30},
        {"kernel": "poly", "degree": 2, "coef0": 1.0, "scale": "range", "batch_size": 8, "max_iter": 5},
        {"project": True, "average": "last_half", "replace": True, "scale": "standard"},
    ],
    "Perceptron": [
        {"variant": "averaged", "scale": "standard"},
        {"variant": "voted", "shuffle": True, "random_state": 0, "max_iter": 20},
    ],
    "LinearDiscriminantAnalysis": [{"shrinkage": "auto"}, {"solver": "eigen"}],
    "QuadraticDiscriminantAnalysis": [{"unbiased": True}],
    "Reject": [{"model": margin.LinearDiscriminantAnalysis(), "confidence": "margin"}],
    "PolynomialFeatures": [{"degree": 3, "interaction_only": True}],
    "QuadraticFeatures": [{"nominal": "cross"}],
    "ExtraTreesClassifier": [
        {"n_estimators": 7, "criterion": "entropy", "bootstrap": True, "oob_score": True, "random_state": 0},
        {"n_estimators": 7, "nominal": "one_vs_rest", "max_features": None, "max_depth": 6, "random_state": 0},
    ],
    "ExtraTreesRegressor": [{"n_estimators": 7, "bootstrap": True, "oob_score": True, "random_state": 0}],
    "GradientBoostingClassifier": [
        {"n_estimators": 5, "min_samples_leaf": 2, "growth": "depth", "max_depth": 3, "random_state": 0},
        {"n_estimators": 5, "min_samples_leaf": 1, "l2": 0.0, "max_leaf_nodes": 4, "random_state": 0},
    ],
    "GradientBoostingRegressor": [
        {"n_estimators": 5, "min_samples_leaf": 2, "growth": "depth", "learning_rate": 0.5, "random_state": 0},
        {"n_estimators": 3, "engine": "exact", "max_leaf_nodes": 4, "min_samples_leaf": 1, "learning_rate": 1.0},
    ],
    "RandomForestClassifier": [
        {"n_estimators": 7, "criterion": "entropy", "bootstrap": False, "nominal": "one_vs_rest", "random_state": 0},
        {"n_estimators": 7, "max_bins": 255, "max_depth": 6, "oob_score": False, "random_state": 0},
    ],
    "RandomForestRegressor": [{"n_estimators": 7, "bootstrap": False, "max_bins": 255, "random_state": 0}],
    "SVC": [
        {"C": 10.0, "multiclass": "one_vs_rest", "scale": "standard"},
        {"kernel": "linear", "probability": "sigmoid", "scale": "range"},
    ],
    "SVR": [{"epsilon": 0.3, "kernel": "linear", "scale": "range"}],
    "TableEncoder": [{"scale": "standard"}],
}
# What stands for the defaults of models that fit many others: fewer of them. Of a solver that stops within a tolerance
# a smaller one, where its answers are compared to more digits.
FEWER = {
    "BrownBoostClassifier": {"n_estimators": 10},
    "GatedClassifier": {"cv": 2},
    "LPBoostClassifier": {"n_estimators": 10},
    "RUSBoostClassifier": {"n_estimators": 8, "random_state": 0},
    "StackingClassifier": {"cv": 2},
    "StackingRegressor": {"cv": 2},
    "AdaBoostClassifier": {"n_estimators": 10},
    "AdaBoostMHClassifier": {"n_estimators": 10},
    "AdaBoostRegressor": {"n_estimators": 10},
    "BaggingClassifier": {"n_estimators": 10, "random_state": 0},
    "BaggingRegressor": {"n_estimators": 10, "random_state": 0},
    "GentleBoostClassifier": {"n_estimators": 10},
    "LinearSVR": {"tol": 1e-12, "max_iter": 10_000},
    "LogitBoostClassifier": {"n_estimators": 10},
    "LogisticRegressionCV": {"Cs": 2, "n_folds": 2},
    "ExtraTreesClassifier": {"n_estimators": 10, "random_state": 0},
    "ExtraTreesRegressor": {"n_estimators": 10, "random_state": 0},
    "GradientBoostingClassifier": {"n_estimators": 10, "min_samples_leaf": 5, "random_state": 0},
    "GradientBoostingRegressor": {"n_estimators": 10, "min_samples_leaf": 5, "random_state": 0},
    "RandomForestClassifier": {"n_estimators": 10, "random_state": 0},
    "RandomForestRegressor": {"n_estimators": 10, "random_state": 0},
    "MLPClassifier": {"hidden_layer_sizes": (8,), "max_iter": 40, "learning_rate_init": 0.02},
    "MLPRegressor": {"hidden_layer_sizes": (8,), "max_iter": 40, "learning_rate_init": 0.02},
    "GridSearch": {"cv": 2},
    "RandomSearch": {"cv": 2, "n": 2},
    "HalvingSearch": {"cv": 2, "grid": {"max_depth": [1, 3]}, "factor": 2},
    "LogSearch": {"cv": 2, "bounds": {"max_depth": (2, 4)}, "patience": 0, "refine": 0},
}
