"""Pictures of networks: how they are trained, what they are made of, and what their layers make of rows."""

__all__: list[str] = []
