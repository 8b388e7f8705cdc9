"""One seed for every model of a run."""

from __future__ import annotations

from typing import Any

from margin.typing import ClassifierLike

__all__ = ["seeded"]


def seeded(model: ClassifierLike, seed: int) -> Any:
    """The model with every random state that was left open set to the seed."""
    open_states = [
        name for name, value in model.get_params().items() if name.endswith("random_state") and value is None
    ]
    return model.set_params(**dict.fromkeys(open_states, seed))
