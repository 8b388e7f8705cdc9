"""Answers of networks: by the gradients along columns, and by leaving out tokens."""

__all__: list[str] = []
