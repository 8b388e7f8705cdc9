"""AdaBoost and its forms for many classes."""

__all__: list[str] = []
