"""Networks read: layer by layer, and how far a unit sees."""

__all__: list[str] = []
