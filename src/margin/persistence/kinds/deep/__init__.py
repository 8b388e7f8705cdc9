"""Networks: perceptrons on tables, and networks of PyTorch as tensors by name."""

__all__: list[str] = []
