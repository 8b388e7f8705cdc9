"""Sentences about pictures, and answers to questions about them."""

__all__: list[str] = []
