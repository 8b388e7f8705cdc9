"""Why one case is answered as it is, for any model: by its columns, by what would change the answer, by its place."""

__all__: list[str] = []
