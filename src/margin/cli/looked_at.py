"""A network that commands look into: a model of margin's, or a file of weights with the name of its network."""

from __future__ import annotations

from typing import Any

from margin.errors import DataError, ParameterError

__all__ = ["frame_of", "network_from"]


def network_from(path: str, network: str) -> Any:
    """A fitted model that holds a network, or a network with the weights of a file."""
    from pathlib import Path

    from margin import persistence
    from margin.deep import architectures, load_weights

    if not Path(path).exists():
        raise DataError(f"{path}: there is no such file.")
    if path.endswith(".margin"):
        found = persistence.load(path)
        if getattr(type(found), "network_", None) is None:
            raise ParameterError(f"{path}: the model is a {type(found).__name__}, which holds no network for pictures.")
        return found
    net = architectures.build(network)
    load_weights(net, path)
    return net.eval()


def frame_of(model: Any) -> tuple[int, int] | None:
    """Height and width that a network takes; None where it takes any."""
    encoder, plan = getattr(model, "_encoder", None), getattr(model, "plan", None)
    size = encoder.size if encoder is not None and hasattr(encoder, "size") else getattr(plan, "image_size", None)
    return None if size is None else (int(size[0]), int(size[1]))
