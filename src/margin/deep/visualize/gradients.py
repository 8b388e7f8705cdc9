"""Which pixels an answer rests on, by gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from margin.errors import InputError, ParameterError, closest
from margin.lazy import package_of_extra
from margin.random import generator
from margin.typing import SeedLike

__all__ = ["Attributions", "integrated_gradients", "saliency"]

METHODS = ("gradient", "guided", "smooth")
#: How far integrated gradients may be from the difference that they are to add up to.
ENOUGH = 0.005


def saliency(
    model: Any,
    images: Any,
    target: Any = None,
    *,
    method: Literal["gradient", "guided", "smooth"] = "gradient",
    draws: int = 25,
    noise: float = 0.15,
    random_state: SeedLike = 0,
    n_jobs: int | None = None,
) -> np.ndarray:
    """How much each pixel moves the logit of a class: (n, height, width), the largest magnitude over the colours.

    Parameters
    ----------
    model
        A network of PyTorch that margin trained, or a fitted model that holds one.
    images
        :class:`~margin.data.Images`, or an array of pictures.
    target
        A class, or one for each picture; None asks about each picture's own answer.
    method
        "gradient" (Simonyan, Vedaldi, Zisserman 2014); "guided", where ReLUs hand back only what speaks for the class
        and was let through (Springenberg et al. 2015); "smooth", the mean gradient of noisy copies (Smilkov et al.
        2017).
    draws, noise
        Of "smooth": the copies of a picture, and the standard deviation of their noise as a share of black to white.
    random_state
        Decides the noise.

    Examples
    --------
    >>> from margin.deep import architectures, train
    >>> pixels = np.zeros((40, 8, 8), np.uint8)
    >>> pixels[::2, :4] = 255  # light above
    >>> net = architectures.build("small", n_classes=2, image_size=8)
    >>> for epoch in train(net, (pixels, np.arange(40) % 2), epochs=3, batch_size=8, n_jobs=1):
    ...     pass
    >>> saliency(net, pixels[:3], n_jobs=1).shape
    (3, 8, 8)
    """
    package_of_extra("torch", "saliency")
    import torch

    from margin.deep.visualize.looking import Looked
    from margin.deep.visualize.relu import ReluBackwards

    if method not in METHODS:
        raise ParameterError(
            f"saliency(method={method!r}): method must be one of {', '.join(METHODS)}{closest(str(method), METHODS)}."
        )
    if draws < 1 or not 0 <= noise < np.inf:
        raise ParameterError(f"saliency(draws={draws!r}, noise={noise!r}): there must be a draw, and noise from 0 up.")
    looked = Looked(model, images, "saliency", n_jobs)
    with looked.at_rest():
        pixels = looked.pixels()
        with torch.no_grad():
            asked = looked.targets(target, looked.in_pieces(pixels, looked.logits))
        total = torch.zeros_like(pixels)
        random = generator(random_state, "noise of saliency")
        for _ in range(draws if method == "smooth" else 1):
            x = pixels
            if method == "smooth":
                drawn = random.standard_normal(tuple(pixels.shape), dtype=np.float32)
                x = pixels + noise * torch.from_numpy(drawn).to(pixels.device)
            with ReluBackwards("guided" if method == "guided" else "gradient"):
                total += _slopes(looked, x, asked)
        found: np.ndarray = total.abs().amax(dim=1).cpu().numpy() / (draws if method == "smooth" else 1)
    return found


@dataclass(frozen=True)
class Attributions:
    """What each pixel adds to a logit, beside a picture without contents.

    Attributes
    ----------
    values
        (n, height, width, channels); they add up to ``difference``.
    difference
        For each picture the logit less that of the baseline.
    gap
        How far the sums are from the differences, as a share of them: what more steps would mend.
    """

    values: np.ndarray
    difference: np.ndarray

    @property
    def gap(self) -> np.ndarray:
        total = self.values.reshape(len(self.values), -1).sum(axis=1)
        found: np.ndarray = np.abs(total - self.difference) / np.maximum(np.abs(self.difference), 1e-12)
        return found

    @property
    def map(self) -> np.ndarray:
        """The sum over the colours, (n, height, width)."""
        found: np.ndarray = self.values.sum(axis=-1)
        return found


def integrated_gradients(
    model: Any,
    images: Any,
    target: Any = None,
    *,
    baseline: float | np.ndarray = 0.0,
    steps: int | Literal["auto"] = "auto",
    n_jobs: int | None = None,
) -> Attributions:
    """What each pixel adds to the logit of a class on the straight way from a baseline (Sundararajan et al. 2017).

    ``baseline`` is a brightness between 0 (black) and 1, or a picture of such numbers, (height, width, channels).
    The mean gradient along the way is taken at the middles of ``steps`` equal pieces; "auto" doubles these, up to 1024,
    until what is added up is within half a percent of the difference (:attr:`Attributions.gap`).

    >>> from margin.deep import architectures, train
    >>> pixels = np.zeros((40, 8, 8), np.uint8)
    >>> pixels[::2, :4] = 255  # light above
    >>> net = architectures.build("small", n_classes=2, image_size=8)
    >>> for epoch in train(net, (pixels, np.arange(40) % 2), epochs=3, batch_size=8, n_jobs=1):
    ...     pass
    >>> found = integrated_gradients(net, pixels[:1], n_jobs=1)
    >>> found.values.shape, bool(found.gap.max() < 0.01), float(found.map[0, 5:].sum())
    ((1, 8, 8, 1), True, 0.0)
    """
    package_of_extra("torch", "integrated_gradients")
    import torch

    from margin.deep.visualize.looking import Looked

    if steps != "auto" and (isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 1):
        raise ParameterError(
            f"integrated_gradients(steps={steps!r}): steps must be a whole number from 1 up, or 'auto'."
        )
    looked = Looked(model, images, "integrated_gradients", n_jobs)
    with looked.at_rest():
        pixels = looked.pixels()
        start = _baseline(baseline, pixels)
        with torch.no_grad():
            logits = looked.in_pieces(pixels, looked.logits)
            asked = looked.targets(target, logits)
            from_there = looked.in_pieces(start.expand_as(pixels), looked.logits)
            difference = (logits - from_there).gather(1, asked[:, None])[:, 0].double()
        for n in (32, 64, 128, 256, 512, 1024) if steps == "auto" else (int(steps),):
            total = torch.zeros_like(pixels, dtype=torch.float64)
            for k in range(n):
                total += _slopes(looked, start + (k + 0.5) / n * (pixels - start), asked).double() / n
            values = (total * (pixels - start)).permute(0, 2, 3, 1).cpu().numpy()
            found = Attributions(values, difference.cpu().numpy())
            if (found.gap <= ENOUGH).all():
                break
    return found


def _baseline(given: Any, pixels: Any) -> Any:
    import torch

    array = np.asarray(given, dtype=np.float32)
    _, channels, height, width = pixels.shape
    if array.shape not in ((), (height, width, channels)) or not np.isfinite(array).all():
        raise InputError(
            f"integrated_gradients: baseline must be a number, or a picture of shape {(height, width, channels)}."
        )
    full = np.broadcast_to(array, (height, width, channels)).copy()
    return torch.from_numpy(full).permute(2, 0, 1)[None].to(pixels.device)


def _slopes(looked: Any, pixels: Any, asked: Any) -> Any:
    """The gradient of each picture's logit along its pixels."""
    import torch

    found = []
    for first in range(0, len(pixels), 64):
        x = pixels[first : first + 64].detach().clone().requires_grad_(True)
        wanted = looked.logits(x).gather(1, asked[first : first + 64, None]).sum()
        found.append(torch.autograd.grad(wanted, x)[0])
    return torch.cat(found)
