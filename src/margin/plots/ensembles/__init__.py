"""Pictures of forests and bags."""

__all__: list[str] = []
