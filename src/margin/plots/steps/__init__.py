"""Training one step after another: what perceptrons and gradient descent do to a boundary, and a film of it."""

__all__: list[str] = []
