"""The table of a network's layers."""

from __future__ import annotations

import copy
import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from margin.deep.reading.tracking import Field, Tracking, field_of
from margin.errors import InputError

__all__ = ["LayerRow", "Summary", "field_behind", "table_of"]


@dataclass(frozen=True)
class LayerRow:
    """One layer.

    Attributes
    ----------
    name, kind
        Its place in the network, as in names of tensors, and its class.
    output_shape
        The shape of what it makes of one case.
    parameters, trainable
        Numbers it has learnt or will learn, and those of them that are not frozen.
    multiply_adds
        Products with weights for one case.
    receptive_field
        Height and width in pixels of what one cell of its maps depends on; None where cells are mixed.
    """

    name: str
    kind: str
    output_shape: tuple[int, ...]
    parameters: int
    trainable: int
    multiply_adds: int
    receptive_field: tuple[int, int] | None


_HEADINGS = ("layer", "kind", "output", "parameters", "trainable", "multiply-adds", "sees")


@dataclass(frozen=True)
class Summary:
    """The layers of a network in the order in which they compute, and their sums. Prints as a table."""

    title: str
    input_shape: tuple[int, ...]
    layers: tuple[LayerRow, ...]
    parameters: int
    trainable: int
    multiply_adds: int

    def _cells(self) -> list[tuple[str, ...]]:
        def sides(shape: tuple[int, ...] | None) -> str:
            return " x ".join(map(str, shape or ()))

        def numbers(row: LayerRow | Summary) -> tuple[str, ...]:
            return tuple(f"{n:,}" for n in (row.parameters, row.trainable, row.multiply_adds))

        rows = [
            (row.name, row.kind, sides(row.output_shape), *numbers(row), sides(row.receptive_field))
            for row in self.layers
        ]
        return [*rows, ("", "", "", *numbers(self), "")]

    def __str__(self) -> str:
        cells = [_HEADINGS, *self._cells()]
        widths = [max(len(row[i]) for row in cells) for i in range(len(_HEADINGS))]
        lines = [
            "  ".join(cell.rjust(w) if 3 <= i <= 5 else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths)))
            for row in cells
        ]
        shape = " x ".join(map(str, self.input_shape))
        return "\n".join(line.rstrip() for line in (f"{self.title}, input {shape}", *lines))

    def _repr_html_(self) -> str:
        def line(cells: Sequence[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        shape = " x ".join(map(str, self.input_shape))
        body = "".join(line(row, "td") for row in self._cells())
        caption = f"<caption>{html.escape(self.title)}, input {shape}</caption>"
        return f"<table>{caption}<thead>{line(_HEADINGS, 'th')}</thead><tbody>{body}</tbody></table>"


def _numbers(module: nn.Module, trainable: bool = False) -> int:
    return sum(each.numel() for each in module.parameters() if each.requires_grad or not trainable)


def _is_row(module: nn.Module) -> bool:
    """A layer with no layers inside; and one with weights of its own beside them."""
    return not list(module.children()) or any(True for _ in module.parameters(recurse=False))


def table_of(net: nn.Module, input_shape: tuple[int, ...]) -> Summary:
    """Runs a copy of the network without memory on one case without contents."""
    rows: list[LayerRow] = []
    tracking = Tracking()
    ghost = _ghost(net)
    before: list[int] = []

    def enter(module: nn.Module, given: Any) -> None:
        before.append(tracking.multiply_adds)

    def leave(name: str) -> Any:
        def note(module: nn.Module, given: Any, made: Any) -> None:
            out = made
            while isinstance(out, list | tuple):
                out = out[0]
            shape = tuple(out.shape[1:])
            seen = field_of(out) if len(shape) == 3 else None
            cost = tracking.multiply_adds - before.pop()
            own = _numbers(module), _numbers(module, trainable=True)
            rows.append(LayerRow(name, type(module).__name__, shape, *own, cost, _pixels(seen)))

        return note

    for name, module in ghost.named_modules():
        if _is_row(module):
            module.register_forward_pre_hook(enter)
            module.register_forward_hook(leave(name))
    case = torch.empty(1, *input_shape, device="meta", dtype=torch.float32)
    case._margin_field = Field()  # type: ignore[attr-defined]
    try:
        with torch.no_grad(), tracking:
            ghost(case)
    except Exception as error:
        raise InputError(
            f"summary(input_shape={input_shape}): {type(net).__name__} cannot take a case of that shape ({error})."
        ) from None
    title = getattr(getattr(net, "plan", None), "name", type(net).__name__)
    return Summary(
        title, input_shape, tuple(rows), _numbers(net), _numbers(net, trainable=True), tracking.multiply_adds
    )


def field_behind(net: nn.Module, layer: str, input_shape: tuple[int, ...]) -> Field | None:
    """What the cells of a layer's maps see of a case of this shape; None where cells are mixed."""
    ghost, caught = _ghost(net), []
    module = dict(ghost.named_modules())[layer]
    module.register_forward_hook(lambda _, __, made: caught.append(field_of(made)))
    case = torch.empty(1, *input_shape, device="meta", dtype=torch.float32)
    case._margin_field = Field()  # type: ignore[attr-defined]
    with torch.no_grad(), Tracking():
        ghost(case)
    return caught[-1]


def _pixels(field: Field | None) -> tuple[int, int] | None:
    return None if field is None else (round(field.size[0]), round(field.size[1]))


def _ghost(net: nn.Module) -> nn.Module:
    """A copy on the meta device, without copying a number first."""
    memo: dict[int, Any] = {}
    for tensor in (*net.parameters(), *net.buffers()):
        ghost = torch.empty_like(tensor, device="meta")
        kept = nn.Parameter(ghost, tensor.requires_grad) if isinstance(tensor, nn.Parameter) else ghost
        memo[id(tensor)] = kept
    return copy.deepcopy(net, memo).eval()
