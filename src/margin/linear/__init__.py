"""Linear models: one linear layer under different error layers, from the perceptron to softmax."""

from margin.linear.logistic import LogisticRegression

__all__ = ["LogisticRegression"]
