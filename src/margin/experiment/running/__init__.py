"""How a run goes: rows parted, models racing on the same folds, a log of it all."""

__all__: list[str] = []
