"""Sub-gradient descent on the hinge, with and without a kernel."""

__all__: list[str] = []
