"""Placeholder until the index is merged."""

__all__ = ["SparseRows"]


class SparseRows:
    """Placeholder until the index is merged."""

    name = "sparse_rows"
