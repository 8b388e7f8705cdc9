"""Objects as nodes and arrays: kinds, their fields, packed and unpacked."""

__all__: list[str] = []
