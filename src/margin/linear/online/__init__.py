"""Models that learn row by row: perceptrons, Adaline, stochastic gradient descent."""

__all__: list[str] = []
