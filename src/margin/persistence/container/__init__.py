"""The bytes of a file: prelude, header, buffers, digests, read and written."""

__all__: list[str] = []
