"""Networks on PyTorch."""

__all__: list[str] = []
