"""Pictures of forests, bags and boosted trees."""

__all__: list[str] = []
