"""Boosting: weak rules, each learnt under weights that its predecessors' mistakes have made, vote together."""

__all__: list[str] = []
