"""The commands of ``margin``: a module each, with the click command as ``command``."""

__all__: list[str] = []
