"""Classifiers of pictures, features of networks, and changes that pictures may undergo."""

__all__: list[str] = []
