"""What the parameters of a network may be."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import margin._core as _core
from margin.deep.mlp.rates import SCHEDULES
from margin.params import Rule, choice, is_list_of, is_number, is_whole, no_text

__all__ = ["ActivationName", "Below1", "Folder", "HiddenLayers", "Initial", "RateName", "SolverName"]


def _is_width(value: Any) -> bool:
    return is_whole(value) and value >= 1


def _parse_widths(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.strip("()[] ").replace(",", " ").split())


def _is_weights(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2


HiddenLayers = Annotated[
    Sequence[int] | int,
    Rule(
        "a whole number of at least 1, or a list of such numbers",
        lambda v: _is_width(v) or is_list_of(v, _is_width) or (isinstance(v, (tuple, list)) and len(v) == 0),
        _parse_widths,
    ),
]
ActivationName = Annotated[str, choice(known=lambda: tuple(_core.deep.activations()))]
SolverName = Annotated[str, choice(known=lambda: ("lbfgs", *_core.deep.optimizers()))]
Below1 = Annotated[float, Rule("a number from 0 to below 1", lambda v: is_number(v) and 0 <= v < 1, float)]
Folder = Annotated[
    Any, Rule("a folder, or None", lambda v: v is None or isinstance(v, (str, os.PathLike)), lambda text: text)
]
RateName = Annotated[str, choice(*SCHEDULES)]
Initial = (
    Literal["glorot", "he"]
    | Annotated[Any, Rule("a pair of lists, weights and intercepts of each layer", _is_weights, no_text)]
)
