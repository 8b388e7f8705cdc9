"""The family of metrics: each is one function."""

__all__: list[str] = []
