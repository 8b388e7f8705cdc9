"""A network with the scale of its pixels, looked at from outside: layers by name, answers, gradients along pixels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import nn

from margin.data.images import Images
from margin.deep.training.batches import PixelScale, images_of, outputs_of
from margin.deep.training.surroundings import threads_of_torch
from margin.deep.training.train import pixel_scale_of
from margin.errors import InputError, ParameterError, closest, listing

__all__ = ["Looked", "network_of"]


def network_of(model: Any, who: str) -> nn.Module:
    """The module of a model that was fitted, or the module itself."""
    found = getattr(model, "network_", model)
    if not isinstance(found, nn.Module):
        raise InputError(f"{who}: {type(model).__name__} is no network of PyTorch, and holds none.")
    return found


class Looked:
    """A network and the pictures that it is asked about.

    Pictures are kept as numbers between 0 and 1, (n, channels, height, width); the scale of the network is part of what
    is looked at, so that gradients are those along pixels.
    """

    def __init__(self, model: Any, images: Any, who: str, n_jobs: int | None) -> None:
        self.net, self.who, self.n_jobs = network_of(model, who), who, n_jobs
        self.images: Images = images_of(images, who)
        # A fitted classifier knows the scale of its pixels; a network alone knows it if margin trained it.
        known = getattr(getattr(model, "_encoder", None), "scale", None)
        if not isinstance(known, PixelScale) or len(known.mean) != self.images.channels:
            known = pixel_scale_of(self.net, self.images.channels, who)
        self.scale: PixelScale = known
        self.device = next(self.net.parameters()).device
        self.classes = getattr(model, "classes_", getattr(self.net, "classes_", None))
        outputs_of(self.net, self.images, self.scale, self.device, who)

    def pixels(self) -> torch.Tensor:
        """All pictures."""
        given = self.images.pixels()
        unit = 255.0 if given.dtype == np.uint8 else 1.0
        return torch.from_numpy(given.astype(np.float32) / np.float32(unit)).permute(0, 3, 1, 2).to(self.device)

    def logits(self, pixels: torch.Tensor) -> torch.Tensor:
        """What the network answers to pixels between 0 and 1."""
        mean, std = (pixels.new_tensor(each)[:, None, None] for each in (self.scale.mean, self.scale.std))
        made: torch.Tensor = self.net((pixels - mean) / std)
        return made

    @contextmanager
    def at_rest(self) -> Iterator[None]:
        """The network as it answers, its weights without gradients; afterwards it is as it was."""
        training = {module: module.training for module in self.net.modules()}
        wanted = {each: each.requires_grad for each in self.net.parameters()}
        self.net.eval()
        for each in wanted:
            each.requires_grad_(False)
        try:
            with threads_of_torch(self.n_jobs), torch.enable_grad():
                yield
        finally:
            for module, was in training.items():
                module.training = was
            for each, was in wanted.items():
                each.requires_grad_(was)

    def targets(self, target: Any, logits: torch.Tensor) -> torch.Tensor:
        """The output that is asked about: that of a class, one for each picture, or each picture's own answer."""
        n, outputs = logits.shape
        if target is None:
            return logits.argmax(dim=1)
        known = list(range(outputs)) if self.classes is None else [*np.asarray(self.classes).tolist()]
        given = list(target) if isinstance(target, list | tuple | np.ndarray) else [target] * n
        if len(given) != n:
            raise ParameterError(f"{self.who}: target must be a class, or one for each of {n} pictures.")
        places = []
        for label in given:
            label = label.item() if isinstance(label, np.generic) else label
            if label not in known:
                raise ParameterError(f"{self.who}(target={label!r}): the classes are {listing(known)}.")
            places.append(known.index(label))
        return torch.tensor(places, device=logits.device)

    def layer(self, name: str | None) -> nn.Module:
        """A layer by its name; the last convolution if none is named."""
        modules = dict(self.net.named_modules())
        if name is None:
            convolutions = [each for each in modules.values() if isinstance(each, nn.Conv2d)]
            if not convolutions:
                raise InputError(f"{self.who}: the network has no convolution; say which layer= is meant.")
            return convolutions[-1]
        if name not in modules or name == "":
            known = [each for each in modules if each]
            raise ParameterError(
                f"{self.who}(layer={name!r}): the network has no layer of that name{closest(str(name), known)} "
                "(margin.deep.summary lists them)."
            )
        return modules[name]

    def heard(self, layer: nn.Module, pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """What a layer makes of pixels, and what the network answers to them."""
        caught: list[torch.Tensor] = []

        def keep(_: nn.Module, __: Any, made: Any) -> Any:
            caught.append(made)
            # What follows gets a copy: a ReLU may write its own output over it.
            return made.clone() if isinstance(made, torch.Tensor) else made

        hook = layer.register_forward_hook(keep)
        try:
            logits = self.logits(pixels)
        finally:
            hook.remove()
        if not caught or not isinstance(caught[-1], torch.Tensor):
            raise InputError(f"{self.who}: the layer made no single tensor of the pictures.")
        return caught[-1], logits

    def in_pieces(
        self, pixels: torch.Tensor, ask: Callable[[torch.Tensor], torch.Tensor], size: int = 64
    ) -> torch.Tensor:
        """The same for some pictures at a time, so that memory does not grow with their number."""
        return torch.cat([ask(pixels[first : first + size]) for first in range(0, len(pixels), size)])
