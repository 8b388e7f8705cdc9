"""Decision trees: ID3, C4.5 and CART as settings of one engine."""

__all__: list[str] = []
