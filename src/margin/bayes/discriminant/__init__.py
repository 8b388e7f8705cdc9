"""Normal classes: linear, quadratic and diagonal discriminants."""

__all__: list[str] = []
