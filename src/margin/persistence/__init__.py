"""Fitted models as files that hold data only: loading one runs nothing that the file brings along."""

from margin.persistence.archive import Header, from_bytes, header, load, save, to_bytes, verify
from margin.persistence.container import FORMAT
from margin.persistence.files import write_whole

__all__ = ["FORMAT", "Header", "from_bytes", "header", "load", "save", "to_bytes", "verify", "write_whole"]
