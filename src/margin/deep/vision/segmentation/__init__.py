"""A class for each pixel: networks, masks, losses, and what is said of them."""

__all__: list[str] = []
