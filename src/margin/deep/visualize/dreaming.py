"""Pictures changed, or made from noise, until a layer or a unit responds more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.errors import InputError, ParameterError
from margin.lazy import package_of_extra
from margin.random import generator
from margin.typing import SeedLike

__all__ = ["Dream", "deep_dream", "maximize"]


@dataclass(frozen=True)
class Dream:
    """A picture on its way.

    Attributes
    ----------
    step, octave
        Steps taken in all, and which size of the picture, from the smallest on.
    response
        What is made large, before the step: half the squared length of the layers' maps, or the mean of a unit.
    picture
        (height, width, channels), numbers between 0 and 1.
    """

    step: int
    octave: int
    response: float
    picture: np.ndarray


def deep_dream(
    model: Any,
    image: Any,
    layer: str | Sequence[str] | None = None,
    *,
    steps: int = 20,
    rate: float = 0.03,
    octaves: int = 3,
    octave_scale: float = 1.4,
    jitter: int = 4,
    blur: float = 0.0,
    random_state: SeedLike = 0,
    n_jobs: int | None = None,
) -> Iterator[Dream]:
    """Change a picture so that it holds more of what some layers see: a loop that yields a :class:`Dream` a step.

    Half the squared length of the maps of ``layer`` (one or several; the last convolution if None) is climbed: the
    gradient that is put there are the maps themselves (Mordvintsev et al. 2015). With ``octaves`` the picture is small
    first, and what was dreamt there is carried on to larger ones; ``jitter`` moves it by some pixels before each step,
    and ``blur`` (a standard deviation in pixels) smooths each step. Steps have the mean magnitude ``rate``. Leave the
    loop when it pleases; with ``steps=0`` nothing is yielded and nothing changes.

    >>> from margin.deep import architectures, train
    >>> pixels = np.zeros((40, 8, 8), np.uint8)
    >>> pixels[::2, :4] = 255  # light above
    >>> net = architectures.build("small", n_classes=2, image_size=8)
    >>> for epoch in train(net, (pixels, np.arange(40) % 2), epochs=3, batch_size=8, n_jobs=1):
    ...     pass
    >>> dreams = list(deep_dream(net, pixels[0] // 2 + 60, "features.0", steps=5, octaves=1, jitter=0, n_jobs=1))
    >>> dreams[-1].response > dreams[0].response, dreams[-1].picture.shape
    (True, (8, 8, 1))
    """
    package_of_extra("torch", "deep_dream")
    _check("deep_dream", steps, rate, octaves, octave_scale, jitter, blur)
    from margin.deep.visualize.looking import Looked

    looked = Looked(model, np.asarray(image)[None], "deep_dream", n_jobs)
    names = [layer] if layer is None or isinstance(layer, str) else list(layer)
    places = [looked.layer(name) for name in names]

    def response(x: Any) -> Any:
        return sum(0.5 * (looked.heard(place, x)[0] ** 2).sum() for place in places)

    sides = looked.images.shape[1:3]
    sizes = [_smaller(sides, octave_scale ** (octaves - 1 - k)) for k in range(octaves)]
    random = generator(random_state, "jitter of dreams")
    return _climb(looked, looked.pixels(), response, sizes, steps, rate, jitter, blur, random)


def maximize(
    model: Any,
    unit: Any,
    *,
    layer: str | None = None,
    image_size: int | tuple[int, int] | None = None,
    steps: int = 64,
    rate: float = 0.03,
    jitter: int = 2,
    blur: float = 0.5,
    random_state: SeedLike = 0,
    n_jobs: int | None = None,
) -> Iterator[Dream]:
    """What a unit wants to see: from noise on, a picture to which it responds more and more.

    Without ``layer`` the unit is a class, by its label, whose logit is climbed; with one it is a map of that layer, by
    its number, whose mean is climbed.

    >>> from margin.deep import architectures, train
    >>> pixels = np.zeros((40, 8, 8), np.uint8)
    >>> pixels[::2, :4] = 255  # light above
    >>> net = architectures.build("small", n_classes=2, image_size=8)
    >>> for epoch in train(net, (pixels, np.arange(40) % 2), epochs=3, batch_size=8, n_jobs=1):
    ...     pass
    >>> wanted = list(maximize(net, 0, steps=20, n_jobs=1))
    >>> wanted[-1].response > wanted[0].response
    True
    """
    package_of_extra("torch", "maximize")
    _check("maximize", steps, rate, 1, 2.0, jitter, blur)
    from margin.deep.visualize.looking import Looked, network_of
    from margin.deep.visualize.units import map_of

    net = network_of(model, "maximize")
    plan: Any = getattr(net, "plan", None)
    size = image_size if image_size is not None or plan is None else plan.image_size
    if size is None:
        raise InputError("maximize: say image_size=, which the network does not.")
    height, width = (size, size) if isinstance(size, int) else size
    scale = getattr(net, "pixel_scale", None)
    channels = plan.channels if plan is not None else len(scale.mean) if scale is not None else 3
    random = generator(random_state, "noise to begin with")
    noise = 0.5 + 0.05 * random.standard_normal((1, height, width, channels))
    looked = Looked(model, noise.clip(0, 1), "maximize", n_jobs)
    place = None if layer is None else looked.layer(layer)

    def response(x: Any) -> Any:
        if place is not None:
            return map_of(looked.heard(place, x)[0], unit, "maximize", str(layer)).mean()
        logits = looked.logits(x)
        return logits.gather(1, looked.targets(unit, logits)[:, None]).sum()

    return _climb(looked, looked.pixels(), response, [(height, width)], steps, rate, jitter, blur, random)


def _check(who: str, steps: Any, rate: float, octaves: Any, scale: float, jitter: Any, blur: float) -> None:
    for name, given, least in ("steps", steps, 0), ("octaves", octaves, 1), ("jitter", jitter, 0):
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < least:
            raise ParameterError(f"{who}({name}={given!r}): {name} must be a whole number from {least} up.")
    if not 0 < rate < np.inf or not 1 < scale < np.inf or not 0 <= blur < np.inf:
        raise ParameterError(f"{who}: rate must be above 0, octave_scale above 1, and blur from 0 up.")


def _smaller(sides: Sequence[int], by: float) -> tuple[int, int]:
    return max(1, round(sides[0] / by)), max(1, round(sides[1] / by))


def _climb(
    looked: Any, start: Any, response: Callable[[Any], Any], sizes: list[tuple[int, int]], steps: int, rate: float,
    jitter: int, blur: float, random: np.random.Generator,
) -> Iterator[Dream]:  # fmt: skip
    import torch
    from torch.nn import functional

    def resized(x: Any, size: tuple[int, int]) -> Any:
        return x if tuple(x.shape[2:]) == size else functional.interpolate(
            x, size=size, mode="bilinear", align_corners=False, antialias=True
        )  # fmt: skip

    detail, taken = None, 0
    for octave, size in enumerate(sizes):
        base = resized(start, size)
        picture = base if detail is None else (base + resized(detail, size)).clamp(0, 1)
        for _ in range(steps):
            shift = [int(s) for s in random.integers(-jitter, jitter + 1, 2)]
            with looked.at_rest():
                x = torch.roll(picture, shift, (2, 3)).detach().clone().requires_grad_(True)
                value = response(x)
                slope = torch.roll(torch.autograd.grad(value, x)[0], [-s for s in shift], (2, 3))
                if blur > 0:
                    slope = _blurred(slope, blur)
                length = float(slope.abs().mean())
                picture = (picture + rate / max(length, 1e-12) * slope).clamp(0, 1).detach()
            taken += 1
            yield Dream(taken, octave, float(value.detach()), picture[0].permute(1, 2, 0).cpu().numpy().copy())
        detail = picture - base


def _blurred(x: Any, deviation: float) -> Any:
    import torch
    from torch.nn import functional

    reach = min(max(1, round(3 * deviation)), *(side - 1 for side in x.shape[2:])) if min(x.shape[2:]) > 1 else 0
    at = torch.arange(-reach, reach + 1, dtype=x.dtype, device=x.device)
    line = torch.exp(-0.5 * (at / deviation) ** 2)
    line = (line / line.sum()).expand(x.shape[1], 1, 1, -1)
    wide = functional.conv2d(functional.pad(x, (reach, reach, 0, 0), mode="reflect"), line, groups=x.shape[1])
    return functional.conv2d(
        functional.pad(wide, (0, 0, reach, reach), mode="reflect"), line.transpose(2, 3), groups=x.shape[1]
    )
