"""JSON files that are one value: a list of records, or an object of columns."""

from __future__ import annotations

import json

from margin.data.frames.in_memory import is_records, table_from_records
from margin.data.readers.file import Request, Source
from margin.data.readers.ndjson import read_ndjson
from margin.data.readers.typed_frame import of_request
from margin.data.table import Table

__all__ = ["read_json"]


def read_json(source: Source, request: Request) -> Table:
    """The table of ``[{"age": 31}, …]`` or ``{"age": [31, …]}``; of records a line where it is neither."""
    try:
        content = json.loads(source.text())
    except RecursionError:
        raise source.refusal("the values are nested too deeply for a table.") from None
    except json.JSONDecodeError as error:
        if source.data.lstrip()[:1] == b"{":  # more than one value: a record in each line
            return read_ndjson(source, request)
        raise source.refusal(f"line {error.lineno} is not JSON ({error.msg}).") from None
    of_columns = isinstance(content, dict) and all(isinstance(cells, list) for cells in content.values())
    if not is_records(content) or (isinstance(content, dict) and not of_columns) or not content:
        raise source.refusal('a table must be a list of records, [{"age": 31}, …], or columns, {"age": [31, …]}.')
    return table_from_records(content, source.who, of_request(request))
