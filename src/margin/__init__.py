"""margin: classification that takes tables as they are, says how sure it is, and shows its work."""

__version__ = "0.1.0"
