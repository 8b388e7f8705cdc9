"""What the best model goes by: the columns it needs, what they do to its answers, and what it has learnt."""

__all__: list[str] = []
