"""Support vector machines: the widest margin between classes, in the space of a kernel."""

__all__: list[str] = []
