"""Votes of neighbours: who is asked, how ties are shared, who wins."""

__all__: list[str] = []
