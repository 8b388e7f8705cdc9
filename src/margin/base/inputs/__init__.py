"""What comes in: arrays, data frames and objects become columns that are matched by name."""

__all__: list[str] = []
