"""What a file says of itself, read without its model."""

__all__: list[str] = []
