"""What margin must be able to do, by id. A test says ``@pytest.mark.golden("C3")`` which of them it shows to work."""

from __future__ import annotations

__all__ = ["CAPABILITIES"]

CAPABILITIES = {
    # Data and labels
    "A1": "one table with numeric and nominal columns, missing values included, into every classifier as it is",
    "A2": "binary, multiclass and multilabel targets of any type",
    "A3": "preparation is learnt on the training part only",
    # Instance-based
    "B1": "rote learner: an answer for an exact match only",
    "B2": "k nearest neighbours by majority vote; regression by the mean",
    "B3": "votes weighted by 1/d², 1/d, uniformly or by a function",
    "B4": "distances: Euclidean, Manhattan, Minkowski, Chebyshev, cosine, weighted, mixed",
    "B5": "scaling inside the estimator",
    "B6": "kd-tree and brute force, chosen by itself",
    "B7": "choosing k: error against k, the knee",
    "B8": "curse of dimensionality: edge length f^(1/d), and a diagnostic",
    "B9": "Voronoi and decision-region picture",
    # Generative
    "C1": "Bayes' rule helper",
    "C2": "joint Bayes classifier and its parameter count",
    "C3": "naive Bayes on nominal columns, smoothed or not; Bernoulli; multinomial",
    "C4": "naive Bayes on numeric columns with the n-1 standard deviation; mixed tables",
    "C5": "sums of logs, never products; normalised probabilities",
    "C6": "drawing new records",
    "C7": "LDA with pooled covariance and priors from data or given",
    "C8": "diagonal LDA and QDA",
    "C9": "probabilities always, calibration on request",
    # Linear
    "D1": "perceptron with its log of mistakes",
    "D2": "margin, radius and the mistake bound; voted and averaged form; online",
    "D3": "active-learning perceptron",
    "D4": "Adaline, batch and stochastic",
    "D5": "logistic regression: binary, softmax, L1, L2, elastic net, odds and logits",
    "D6": "the family view: one linear layer under different error layers",
    # Support vector machines
    "E1": "hard margin, with a clear error where data cannot be separated",
    "E2": "soft margin by penalty and by budget",
    "E3": "dual problem solved to a stated tolerance, KKT checked",
    "E4": "primal sub-gradient descent",
    "E5": "kernel SGD",
    "E6": "kernels, and a check of symmetry and positive semi-definiteness",
    "E7": "points outside, on and inside the margin; slack per point",
    "E8": "reject option: yes, no, don't know",
    "E9": "probabilities, multiclass, choice of C by cross-validation",
    "E10": "losses side by side; resilience to outliers",
    # Decision trees
    "F1": "ID3, C4.5, CART by name and as settings of one tree",
    "F2": "criteria: information gain, gain ratio, Gini, minimum error",
    "F3": "nominal, ordinal and continuous splits, discretisation",
    "F4": "golden trees",
    "F5": "stopping rules",
    "F6": "pruning on a validation part, pessimistic, cost-complexity",
    "F7": "missing values at fit and at prediction; regression trees",
    "F8": "printed tree, picture, rules, the path of a record",
    # Ensembles
    "G1": "voting, learnt weights, stacking, gating",
    "G2": "bagging of any classifier with its out-of-bag error",
    "G3": "random forest, error against the number of trees, importances",
    "G4": "correlation between trees and the variance it leaves",
    "G5": "AdaBoost with any base learner and its bounds",
    "G6": "GentleBoost, LogitBoost, LPBoost, BrownBoost",
    "G7": "gradient tree boosting with shrinkage and early stopping",
    "G8": "the methods of XGBoost, LightGBM and CatBoost in one engine",
    # Evaluation and selection
    "H1": "confusion matrix, rates, ROC, precision-recall, log loss, Brier, calibration",
    "H2": "hold-out, cross-validation in all forms, bootstrap, time-ordered split",
    "H3": "a sealed test set that opens once",
    "H4": "each estimate with its uncertainty, comparisons corrected",
    "H5": "bias² + variance + noise",
    "H6": "learning and validation curves, the knee, search, nested cross-validation",
    "H7": "the final classifier is fitted on all the data",
    # Neural networks and vision
    "I1": "layers with output and derivatives, gradient-checked",
    "I2": "multi-layer perceptron with mini-batch descent",
    "I3": "convolution and pooling",
    "I4": "published architectures by name, with their parameter counts",
    "I5": "recurrent network and LSTM on sequences of varying length",
    "I6": "transfer learning and fine-tuning",
    "I7": "segmentation, captions, style transfer",
    "I8": "GAN, DCGAN, CycleGAN",
    "I9": "deep dreaming, feature maps, what a unit responds to",
}
