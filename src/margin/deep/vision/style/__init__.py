"""Pictures in the style of others."""

__all__: list[str] = []
