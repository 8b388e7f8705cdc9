"""What tensors carry along on their way through a network: how far they see, and what was multiplied for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode

__all__ = ["Field", "Tracking", "field_of"]


@dataclass(frozen=True)
class Field:
    """How many pixels of the input one cell of a map depends on, and how many lie between two cells, by direction.

    ``start`` is the first pixel of the first cell, below 0 where that reaches beyond the edge.
    ``None`` in place of a field is one that cannot be told: cells of different places were mixed.
    """

    size: tuple[float, float] = (1.0, 1.0)
    step: tuple[float, float] = (1.0, 1.0)
    start: tuple[float, float] = (0.0, 0.0)

    def through(
        self, window: tuple[float, float], stride: tuple[float, float], padding: tuple[float, float] = (0, 0)
    ) -> Field:
        """The field behind a window that is moved over the maps."""
        size = tuple(s + (w - 1) * j for s, w, j in zip(self.size, window, self.step, strict=True))
        step = tuple(j * s for j, s in zip(self.step, stride, strict=True))
        start = tuple(b - p * j for b, p, j in zip(self.start, padding, self.step, strict=True))
        return Field((size[0], size[1]), (step[0], step[1]), (start[0], start[1]))

    def box(self, cell: tuple[int, int], sides: tuple[int, ...]) -> tuple[int, int, int, int]:
        """What a cell (row, column) sees of a picture: first row, first column, and those behind the last."""
        first = [math.floor(b + c * j) for b, c, j in zip(self.start, cell, self.step, strict=True)]
        last = [math.ceil(b + c * j + s) for b, c, j, s in zip(self.start, cell, self.step, self.size, strict=True)]
        top, left = (max(0, each) for each in first)
        bottom, right = (min(side, each) for side, each in zip(sides, last, strict=True))
        return top, left, bottom, right


def field_of(tensor: torch.Tensor) -> Field | None:
    return getattr(tensor, "_margin_field", None)


def _pair(given: Any) -> tuple[int, int]:
    if isinstance(given, int):
        return given, given
    return (given[0], given[0]) if len(given) == 1 else (given[0], given[1])


def _argument(args: tuple[Any, ...], kwargs: dict[str, Any], place: int, name: str, default: Any) -> Any:
    return args[place] if len(args) > place else kwargs.get(name, default)


def _convolution(field: Field, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Field:
    weight = _argument(args, kwargs, 1, "weight", None)
    stride = _pair(_argument(args, kwargs, 3, "stride", 1))
    dilation = _pair(_argument(args, kwargs, 5, "dilation", 1))
    high, wide = ((n - 1) * d + 1 for n, d in zip(weight.shape[2:], dilation, strict=True))
    padding = _argument(args, kwargs, 4, "padding", 0)
    if isinstance(padding, str):
        padding = ((high - 1) // 2, (wide - 1) // 2) if padding == "same" else 0
    return field.through((high, wide), stride, _pair(padding))


def _pooling(field: Field, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Field:
    window = _pair(_argument(args, kwargs, 1, "kernel_size", 1))
    stride = _argument(args, kwargs, 2, "stride", None)
    padding = _pair(_argument(args, kwargs, 3, "padding", 0))
    return field.through(window, _pair(window if stride in (None, [], ()) else stride), padding)


def _adaptive(field: Field, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Field:
    sides, wanted = args[0].shape[2:], _pair(_argument(args, kwargs, 1, "output_size", 1))
    window = tuple(math.ceil(n / m) for n, m in zip(sides, wanted, strict=True))
    stride = tuple(max(1.0, n / m) for n, m in zip(sides, wanted, strict=True))
    return field.through((window[0], window[1]), (stride[0], stride[1]))


Rule = Callable[[Field, tuple[Any, ...], dict[str, Any]], Field]
#: Functions that look at more than one place of a map; all others hand on the widest field of what they are given.
_WINDOWS: dict[Any, Rule] = {
    torch.conv2d: _convolution, functional.conv2d: _convolution,
    functional.max_pool2d: _pooling, torch.max_pool2d: _pooling, functional.avg_pool2d: _pooling,
    functional.adaptive_avg_pool2d: _adaptive,
}  # fmt: skip
_MIXING = {torch.flatten, torch.Tensor.flatten, torch.reshape, torch.Tensor.reshape, torch.Tensor.view}


class Tracking(TorchFunctionMode):
    """Inside a ``with`` block: fields of tensors are kept up to date, and multiplications with weights are counted."""

    def __init__(self) -> None:
        super().__init__()
        self.multiply_adds = 0

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        made = list(_tensors([out]))
        if not made:
            return out
        self._count(func, args, kwargs, made[0])
        known = [field for each in _tensors([*args, *kwargs.values()]) if (field := field_of(each)) is not None]
        if known:
            field = _widest(known)
            if func in _WINDOWS:
                field = _WINDOWS[func](field, args, kwargs)
            mixed = func in _MIXING and max(args[0].shape[2:], default=1) > 1
            for each in made:
                each._margin_field = None if mixed else field  # type: ignore[attr-defined]
        return out

    def _count(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], out: torch.Tensor) -> None:
        if func in (functional.linear, torch.conv2d, functional.conv2d, torch.conv1d, functional.conv1d):
            weight = _argument(args, kwargs, 1, "weight", None)
            self.multiply_adds += out.numel() // len(out) * weight[0].numel()


def _tensors(values: Iterable[Any]) -> Iterator[torch.Tensor]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, list | tuple):
            yield from _tensors(value)


def _widest(fields: list[Field]) -> Field:
    sizes, steps = [each.size for each in fields], [each.step for each in fields]
    starts = [each.start for each in fields]
    return Field(
        (max(s[0] for s in sizes), max(s[1] for s in sizes)),
        (max(s[0] for s in steps), max(s[1] for s in steps)),
        (min(s[0] for s in starts), min(s[1] for s in starts)),
    )
