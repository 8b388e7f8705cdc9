"""Other ways back through a ReLU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode

__all__ = ["Backwards", "ReluBackwards"]

Backwards = Literal["gradient", "deconvnet", "guided"]


class _Relu(torch.autograd.Function):
    """A ReLU whose way back lets through only what speaks for a unit.

    "deconvnet" takes no notice of what was let through on the way up (Zeiler, Fergus 2014), "guided" asks for both
    (Springenberg et al. 2015).
    """

    @staticmethod
    def forward(context: Any, x: torch.Tensor, guided: bool) -> torch.Tensor:
        context.guided = guided
        context.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(context: Any, *slopes: torch.Tensor) -> tuple[torch.Tensor, None]:
        (x,) = context.saved_tensors
        passed = slopes[0].clamp(min=0)
        return (passed * (x > 0) if context.guided else passed), None


_RELUS = {
    torch.relu, torch.relu_, functional.relu, torch.Tensor.relu, torch.Tensor.relu_,
}  # fmt: skip


class ReluBackwards(TorchFunctionMode):
    """Inside a ``with`` block every ReLU, module or function, has this way back."""

    def __init__(self, way: Backwards) -> None:
        super().__init__()
        self.way = way

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func in _RELUS and self.way != "gradient":
            return _Relu.apply(args[0], self.way == "guided")  # type: ignore[no-untyped-call]
        return func(*args, **(kwargs or {}))
