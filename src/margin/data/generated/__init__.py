"""Data that are drawn: pictures with all that is true of them."""

__all__: list[str] = []
