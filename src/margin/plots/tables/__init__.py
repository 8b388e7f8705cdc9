"""Pictures of the data, and of models beside each other on several tables."""

__all__: list[str] = []
