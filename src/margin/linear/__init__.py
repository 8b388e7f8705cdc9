"""Linear models: one linear layer under different error layers, from the perceptron to softmax."""

from margin.linear.certificate import Certificate
from margin.linear.hard_margin import HardMargin, hard_margin
from margin.linear.logistic import LogisticRegression

__all__ = ["Certificate", "HardMargin", "LogisticRegression", "hard_margin"]
