"""Pictures of trees: the tree itself, what its columns gain, and how large it should be."""

__all__: list[str] = []
