"""What stands beside the score: what it rests on, what decided, from which probability on to answer."""

__all__: list[str] = []
