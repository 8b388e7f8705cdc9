"""Networks of torch inside estimators: how they are fitted, kept, and gone on with."""

__all__: list[str] = []
