"""Different models for one task: they vote, are weighed, or are learnt from in turn."""

__all__: list[str] = []
