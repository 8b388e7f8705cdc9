"""Recurrent networks: classes of sequences, and what comes next in a text."""

__all__: list[str] = []
