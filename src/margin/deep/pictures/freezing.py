"""Which layers of a network learn, and at which rates: its head alone, all of it, or all from some layer on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import nn

from margin.errors import ParameterError, closest, listing

__all__ = ["freeze_layers", "groups_of", "head_of", "only_head"]


def head_of(net: nn.Module, who: str) -> str:
    """The name of the layer that answers: what the network says, or the last one that has weights."""
    if isinstance(said := getattr(net, "head", None), str):
        return said
    layers = [name for name, each in net.named_modules() if name and any(True for _ in each.parameters(recurse=False))]
    if not layers:
        raise ParameterError(f"{who}: {type(net).__name__} has no layers with weights.")
    return layers[-1]


def freeze_layers(net: nn.Module, freeze: str | None, who: str) -> None:
    """Let layers be as they are: "features" are all but the head, the name of a layer stands for it and those before.

    Their batch normalisation keeps its statistics, see :func:`only_head`.
    """
    if freeze is None:
        return
    head = head_of(net, who)
    names = [name for name, _ in net.named_parameters()]
    if freeze == "features":
        frozen = [name for name in names if not _inside(name, head)]
    else:
        layers = [name for name, _ in net.named_modules() if name]
        inside = [i for i, name in enumerate(names) if _inside(name, freeze)]
        if freeze not in layers or not inside:
            raise ParameterError(
                f"{who}(freeze={freeze!r}): freeze must be 'features', None or the name of a layer with weights, "
                f"such as {listing([name for name in layers if '.' not in name])}{closest(freeze, layers)}."
            )
        frozen = names[: max(inside) + 1]
    for name in frozen:
        net.get_parameter(name).requires_grad_(False)


def only_head(net: nn.Module, alone: bool, learning: frozenset[str], who: str) -> None:
    """Before an epoch: only the head learns, or all that is to learn; statistics of layers that do not learn stay."""
    head = head_of(net, who)
    for name, parameter in net.named_parameters():
        parameter.requires_grad_(name in learning and (not alone or _inside(name, head)))
    for module in net.modules():
        own = list(module.parameters(recurse=False))
        if isinstance(module, nn.modules.batchnorm._BatchNorm) and own and not any(each.requires_grad for each in own):
            module.eval()


def groups_of(net: nn.Module, rates: Any, who: str) -> list[dict[str, Any]]:
    """Parameters by the factor of their rate: one factor for all but the head, or one by the beginning of a name."""
    head = head_of(net, who)
    factors = rates if isinstance(rates, Mapping) else {}
    names = [name for name, _ in net.named_parameters()]
    for prefix in factors:
        if not any(_inside(name, prefix) for name in names):
            raise ParameterError(
                f"{who}(layer_rates={dict(factors)!r}): there is no layer {prefix!r}"
                f"{closest(prefix, [name for name, _ in net.named_modules() if name])}."
            )
    by_factor: dict[float, list[nn.Parameter]] = {}
    for name, parameter in net.named_parameters():
        if not parameter.requires_grad:
            continue
        fitting = [prefix for prefix in factors if _inside(name, prefix)]
        factor = 1.0 if rates is None or _inside(name, head) else 1.0 if isinstance(rates, Mapping) else float(rates)
        factor = float(factors[max(fitting, key=len)]) if fitting else factor
        by_factor.setdefault(factor, []).append(parameter)
    return [{"params": each, "factor": factor} for factor, each in by_factor.items()]


def _inside(name: str, layer: str) -> bool:
    return name == layer or name.startswith(f"{layer}.")
