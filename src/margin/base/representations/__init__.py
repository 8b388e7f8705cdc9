"""The forms in which models see rows: mixed columns, one matrix, or as they were given."""

__all__: list[str] = []
