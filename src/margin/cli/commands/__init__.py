"""The commands of ``margin``: a module each, with the click command as ``command``."""
