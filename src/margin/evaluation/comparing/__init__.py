"""Whether one model is really better than another: tests, corrections, and many data sets."""

__all__: list[str] = []
