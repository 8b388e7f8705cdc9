"""Pictures with labels: folders, archives, IDX files, lists of paths and arrays, decoded when they are asked for."""

from margin.data.images.collection import Images

__all__ = ["Images"]
