"""Weights of networks in files of tensors by name, as others write them and read them."""

__all__: list[str] = []
