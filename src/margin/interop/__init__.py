"""Models of other packages as margin's own."""

from margin.interop.converting import from_sklearn

__all__ = ["from_sklearn"]
