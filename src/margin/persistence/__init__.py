"""Fitted models as files that hold data only: loading one runs nothing that the file brings along."""

from margin.persistence.archive import FORMAT, Header, header, load, save
from margin.persistence.files import write_whole

__all__ = ["FORMAT", "Header", "header", "load", "save", "write_whole"]
