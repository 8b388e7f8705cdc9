"""A model evaluated under a protocol: fold by fold, collected, sealed where it matters."""

__all__: list[str] = []
