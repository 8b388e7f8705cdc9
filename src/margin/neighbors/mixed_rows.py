"""Placeholder until the index is merged."""

__all__ = ["MixedRows"]


class MixedRows:
    """Placeholder until the index is merged."""

    name = "mixed_rows"
