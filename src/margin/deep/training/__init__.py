"""Networks of torch trained by a loop that yields, and asked for answers."""

__all__: list[str] = []
