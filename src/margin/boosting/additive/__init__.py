"""Additive logistic regression: scores that are sums of shallow trees, made one round at a time."""

__all__: list[str] = []
