"""The maps of every layer for one picture, and the filters of a convolution."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from margin.errors import InputError, ParameterError
from margin.lazy import package_of_extra

__all__ = ["Activations", "LayerMaps", "activations", "filters"]

#: Maps of a layer that a page shows, and how wide a picture of them may be in pixels.
MOST_SHOWN, WIDEST = 64, 720


@dataclass(frozen=True)
class LayerMaps:
    """What one layer makes of a picture: (maps, height, width), or a row of numbers."""

    name: str
    kind: str
    values: np.ndarray


@dataclass(frozen=True)
class Activations:
    """What all layers make of one picture, in the order in which they compute; shows itself as a page."""

    picture: np.ndarray
    layers: tuple[LayerMaps, ...]
    answer: str

    def __getitem__(self, name: str) -> LayerMaps:
        for each in self.layers:
            if each.name == name:
                return each
        raise ParameterError(f"Activations[{name!r}]: the layers are {', '.join(each.name for each in self.layers)}.")

    def __iter__(self) -> Iterator[LayerMaps]:
        return iter(self.layers)

    def __len__(self) -> int:
        return len(self.layers)

    def __repr__(self) -> str:
        return f"<Activations: {len(self)} layers, answer {self.answer}>"

    def _repr_html_(self) -> str:
        parts = [_figure("picture", f"answer: {self.answer}", _png(_bytes(self.picture), 4))]
        for each in self.layers:
            shape = " x ".join(map(str, each.values.shape))
            parts.append(_figure(each.name, f"{each.kind}, {shape}", _png(_sheet(each.values), 1)))
        return "".join(parts)

    def save(self, path: str | Path, maps: Mapping[str, np.ndarray] | None = None) -> None:
        """Write a page that needs nothing beside itself; ``maps`` of places stand above those of the layers."""
        maps = {} if maps is None else maps
        style = (
            "<style>body{font:15px/1.5 system-ui,sans-serif;max-width:760px;margin:2em auto;padding:0 1em;"
            "color:#222;background:#fff}figure{margin:1.2em 0}img{max-width:100%;image-rendering:pixelated}"
            "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}}</style>"
        )
        head = "<meta charset='utf-8'><meta name='viewport' content='width=device-width'>"
        title = "<title>What each layer makes of a picture</title>"
        page = f"<!doctype html><html lang='en'>{head}{title}{style}<h1>What each layer makes of a picture</h1>"
        places = [
            _figure(name, "places that the answer rests on", _png(_sheet(m[None]), 3)) for name, m in maps.items()
        ]
        Path(path).write_text(f"{page}{''.join(places)}{self._repr_html_()}</html>", encoding="utf-8")


def activations(model: Any, image: Any, *, n_jobs: int | None = None) -> Activations:
    """Every layer's maps for one picture: those of convolutions as pictures, those of dense layers as rows.

    >>> from margin.deep import architectures, train
    >>> pixels = np.zeros((40, 8, 8), np.uint8)
    >>> pixels[::2, :4] = 255  # light above
    >>> net = architectures.build("small", n_classes=2, image_size=8)
    >>> for epoch in train(net, (pixels, np.arange(40) % 2), epochs=3, batch_size=8, n_jobs=1):
    ...     pass
    >>> found = activations(net, pixels[0], n_jobs=1)
    >>> found["features.0"].values.shape, found["classifier"].values.shape
    ((32, 8, 8), (2,))
    """
    package_of_extra("torch", "activations")
    import torch

    from margin.deep.visualize.looking import Looked

    picture = np.asarray(image)
    looked = Looked(model, picture[None], "activations", n_jobs)
    made: list[LayerMaps] = []
    hooks = []
    for name, module in looked.net.named_modules():
        if name and not list(module.children()):

            def note(layer: Any, _: Any, out: Any, name: str = name) -> None:
                if isinstance(out, torch.Tensor):  # a copy: the next layer may write its own output over it
                    made.append(LayerMaps(name, type(layer).__name__, out[0].detach().cpu().numpy().copy()))

            hooks.append(module.register_forward_hook(note))
    try:
        with looked.at_rest(), torch.no_grad():
            logits = looked.logits(looked.pixels())
    finally:
        for hook in hooks:
            hook.remove()
    best = int(logits[0].argmax())
    answer = str(best if looked.classes is None else np.asarray(looked.classes)[best])
    return Activations(looked.images[0], tuple(made), answer)


def filters(model: Any, layer: str | None = None) -> np.ndarray:
    """The weights of a convolution, (maps, channels, height, width); of the first one if no layer is named.

    >>> from margin.deep import architectures
    >>> filters(architectures.build("small", n_classes=2, image_size=8)).shape
    (32, 1, 3, 3)
    """
    package_of_extra("torch", "filters")
    from torch import nn

    from margin.deep.visualize.looking import network_of

    convolutions = {n: m for n, m in network_of(model, "filters").named_modules() if isinstance(m, nn.Conv2d)}
    if not convolutions:
        raise InputError("filters: the network has no convolution.")
    if layer is not None and layer not in convolutions:
        raise ParameterError(f"filters(layer={layer!r}): the convolutions are {', '.join(convolutions)}.")
    chosen = next(iter(convolutions.values())) if layer is None else convolutions[layer]
    found: np.ndarray = chosen.weight.detach().cpu().numpy().copy()
    return found


# ---- The page.


def _figure(title: str, below: str, png: str) -> str:
    told = f"<b>{html.escape(title)}</b> {html.escape(below)}"
    return f"<figure><figcaption>{told}</figcaption><img alt='{html.escape(title)}' src='{png}'></figure>"


def _bytes(values: np.ndarray) -> np.ndarray:
    """A picture as bytes; numbers are stretched from their smallest to their largest."""
    if values.dtype == np.uint8:
        return values
    low, high = float(values.min()), float(values.max())
    return np.rint(255 * (values - low) / max(high - low, 1e-12)).astype(np.uint8)


def _sheet(values: np.ndarray) -> np.ndarray:
    """Maps side by side with a grey line between them, each stretched by itself; numbers as a row of fields."""
    if values.ndim == 1:
        shown = values[: MOST_SHOWN * 4]
        return np.kron(_bytes(shown)[None], np.ones((12, 6), np.uint8))
    maps = values.reshape(-1, *values.shape[-2:])[:MOST_SHOWN]
    height, width = maps.shape[1:]
    factor = max(1, 40 // max(height, width))
    across = max(1, min(len(maps), WIDEST // (width * factor + 1)))
    down = -(-len(maps) // across)
    sheet = np.full((down * (height * factor + 1), across * (width * factor + 1)), 128, np.uint8)
    for k, each in enumerate(maps):
        top, left = (k // across) * (height * factor + 1), (k % across) * (width * factor + 1)
        shown = np.kron(_bytes(each), np.ones((factor, factor), np.uint8))
        sheet[top : top + height * factor, left : left + width * factor] = shown
    return sheet


def _png(pixels: np.ndarray, enlarged: int) -> str:
    package_of_extra("PIL", "Activations")
    from PIL import Image

    shown = pixels[..., 0] if pixels.ndim == 3 and pixels.shape[-1] == 1 else pixels
    made = io.BytesIO()
    image = Image.fromarray(shown)
    image.resize((image.width * enlarged, image.height * enlarged), Image.Resampling.NEAREST).save(made, "PNG")
    return "data:image/png;base64," + base64.b64encode(made.getvalue()).decode()
