"""Which model, which setting: search, knees, curves and nested validation."""

__all__: list[str] = []
