"""A picture with the content of one and the style of others."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from margin import params
from margin.base.sklearn_classes import BaseEstimator
from margin.data.images.decoding import Frame
from margin.data.images.reframing import reframed
from margin.deep.architectures.cards import card, names
from margin.deep.pictures.image_classifier import WeightFile
from margin.deep.vision.given import given_pictures
from margin.deep.vision.room import refuse_too_large
from margin.errors import ConvergenceWarning, DataWarning, InputError, ParameterError, TrainingError, warn
from margin.lazy import package_of_extra
from margin.params import Count, Flag, Jobs, NonNegative, Positive, Rule, Seed, choice
from margin.random import generator

if TYPE_CHECKING:
    import torch

    from margin.deep.vision.style.losses import Targets

__all__ = ["StyleStep", "StyleTransfer"]

Layers = Annotated[
    Sequence[Any] | None,
    Rule(
        "None, or a list of names or numbers of layers",
        lambda v: v is None or (isinstance(v, list | tuple) and all(isinstance(each, str | int) for each in v)),
        lambda text: None if text.lower() == "none" else tuple(part.strip() for part in text.split(",")),
    ),
]
#: Layers of VGG, as Gatys, Ecker, Bethge took them.
CONTENT, STYLE = ("conv4_2",), ("conv1_1", "conv2_1", "conv3_1", "conv4_1", "conv5_1")
#: The smallest side that five stages of halvings leave something of.
SMALLEST = 16
#: Brightness of red, green and blue (ITU-R 601).
LUMA = np.array([0.299, 0.587, 0.114])


@dataclass(frozen=True)
class StyleStep:
    """A step: its number from 1, the losses that it began with, and the picture it made, (height, width, 3) bytes.

    ``loss`` is the weighted sum of the others. ``scale`` counts the sizes from coarse to fine, from 1.
    """

    number: int
    scale: int
    loss: float
    content_loss: float
    style_loss: float
    tv_loss: float
    picture: np.ndarray


class StyleTransfer(BaseEstimator):
    """Changes a picture until deep layers of a network see in it the content of one picture and the style of others.

    Content is what each map of a deep layer is at each place; style is how the maps of a layer go together, whatever is
    where: the Gram matrix F Fᵀ / (C·H·W). The picture is what is learnt; weights are frozen, targets worked out once. A
    step costs about three passes of the picture through the network.

    Without a file the weights are drawn at random by the seed. Those carry colours and textures but no strokes, and a
    warning says so.

    Parameters
    ----------
    architecture
        The name of the network; what its layers have learnt decides what is style.
    weights
        A file of weights on this machine (``.safetensors``, or one of torch).
    content_layers, style_layers
        Layers by name ("conv4_2", "features.21") or number; None for those of the paper: conv4_2, and conv1_1 to
        conv5_1.
    content_weight, style_weight, tv_weight
        How much content, style and smoothness (squares of differences between neighbours) count.
    pooling
        "avg" has means in the place of maxima, which makes smoother pictures; "max" as the network was learnt.
    optimizer
        "lbfgs" or "adam".
    rate
        The length of a step of "adam".
    init
        What is begun with: the "content" or "noise".
    preserve_colour
        Whether only brightness is changed, and the colours of the content stay.
    scales
        Sizes from coarse to fine, each twice the one before: large pictures get large strokes, and sooner.
    steps
        Steps of each size.
    random_state
        Decides random weights and noise.
    n_jobs
        Threads; None for all cores.

    References
    ----------
    Gatys, Ecker, Bethge (2016); Gatys et al., "Controlling perceptual factors" (2017).

    Examples
    --------
    >>> import warnings
    >>> from margin.data.generators import scenes, textures
    >>> content, style = scenes(1, 32).pictures[0], textures(1, 32)[0]
    >>> layers = {"style_layers": ["conv1_1", "conv2_1"], "content_layers": ["conv2_1"]}
    >>> made = StyleTransfer("vgg11", **layers, steps=3, n_jobs=1)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # random weights
    ...     steps = list(made.transfer(content, style))
    >>> steps[-1].picture.shape, bool(steps[-1].style_loss < steps[0].style_loss)
    ((32, 32, 3), True)
    """

    def __init__(
        self,
        architecture: Annotated[str, choice(known=lambda: tuple(names()))] = "vgg19",
        *,
        weights: WeightFile = None,
        content_layers: Layers = None,
        style_layers: Layers = None,
        content_weight: NonNegative = 1.0,
        style_weight: NonNegative = 100.0,
        tv_weight: NonNegative = 0.0,
        pooling: Literal["avg", "max"] = "avg",
        optimizer: Literal["lbfgs", "adam"] = "lbfgs",
        rate: Positive = 0.05,
        init: Literal["content", "noise"] = "content",
        preserve_colour: Flag = False,
        scales: Count = 1,
        steps: Count = 60,
        random_state: Seed = 0,
        n_jobs: Jobs = None,
    ) -> None:
        self.architecture, self.weights = architecture, weights
        self.content_layers, self.style_layers = content_layers, style_layers
        self.content_weight, self.style_weight, self.tv_weight = content_weight, style_weight, tv_weight
        self.pooling, self.optimizer, self.rate = pooling, optimizer, rate
        self.init, self.preserve_colour = init, preserve_colour
        self.scales, self.steps = scales, steps
        self.random_state, self.n_jobs = random_state, n_jobs

    def transfer(
        self, content: Any, style: Any, *, style_weights: Sequence[float] | None = None
    ) -> Iterator[StyleStep]:
        """Step by step; break when it pleases, every step has its picture.

        Parameters
        ----------
        content
            A picture: an array (height, width) or (height, width, channels), or a file.
        style
            A picture of any size, or a list of such.
        style_weights
            How much each of several styles counts; alike otherwise.
        """
        who = f"{type(self).__name__}.transfer"
        params.check(self)
        package_of_extra("torch", who)
        subject = _picture(content, f"{who}, content")
        styles = [_picture(each, f"{who}, style") for each in (style if isinstance(style, list | tuple) else [style])]
        shares = _shares(style_weights, len(styles), who)
        if not self.content_weight and not self.style_weight:
            raise ParameterError(f"{who}: content_weight and style_weight are 0; there is nothing to come near to.")
        smallest = SMALLEST * 2 ** (int(self.scales) - 1)
        for what, each in [("content", subject), *(("style", each) for each in styles)]:
            if min(each.shape[:2]) < smallest:
                raise InputError(
                    f"{who}: the {what} is {each.shape[0]} x {each.shape[1]} pixels; sides must have {smallest} at "
                    f"least with scales={self.scales}."
                )
            height, width = each.shape[:2]
            refuse_too_large(
                who, f"a step on {what} of {height} x {width} pixels",
                lambda side, h=height, w=width: int(side * side * w / h) * 64 * 4 * 16, height, "height",  # type: ignore[misc]
            )  # fmt: skip
        if self.weights is None:
            warn(
                f"{who}: without a file of weights (weights=) the network is random: it carries colours and textures, "
                "and no strokes.",
                DataWarning,
            )
        # Everything is looked at now, and not when the first step is asked for.
        return self._steps(subject, styles, shares, self._network(who), who)

    def losses(self, picture: Any, content: Any, style: Any) -> tuple[float, float]:
        """How far a picture is from the content of one and the style of another, as the steps of ``transfer`` say it.

        The picture has the size of the content.
        """
        from margin.deep.vision.style.losses import Targets

        who = f"{type(self).__name__}.losses"
        params.check(self)
        package_of_extra("torch", who)
        made, subject, example = (_picture(each, who) for each in (picture, content, style))
        if made.shape != subject.shape:
            raise InputError(f"{who}: the picture is {made.shape[:2]} pixels, and the content {subject.shape[:2]}.")
        net, content_layers, style_layers = self._network(who)
        x, targets = self._tensor(made), (self._tensor(subject), [(1.0, self._tensor(example))])
        near, like = Targets.of(net, *targets, content_layers, style_layers).losses(net, x)
        return float(near), float(like)

    def _network(self, who: str) -> tuple[Any, list[str], list[str]]:
        from margin.deep.vision.style.network import layer_names, stylist

        net = stylist(self.architecture, self.weights, self.pooling, self.random_state)
        if not self.architecture.startswith("vgg") and (self.content_layers is None or self.style_layers is None):
            raise ParameterError(
                f"{who}(architecture={self.architecture!r}): name content_layers and style_layers, which are known by "
                "default for networks of VGG alone (margin net show lists layers)."
            )
        content = layer_names(
            net, CONTENT if self.content_layers is None else self.content_layers, "content_layers", who
        )
        style = layer_names(net, STYLE if self.style_layers is None else self.style_layers, "style_layers", who)
        if not content and not style:
            raise ParameterError(f"{who}: content_layers and style_layers are empty; there is nothing to come near to.")
        return net, content, style

    def _steps(
        self, content: np.ndarray, styles: list[np.ndarray], shares: np.ndarray,
        network: tuple[Any, list[str], list[str]], who: str,
    ) -> Iterator[StyleStep]:  # fmt: skip
        import torch

        from margin.deep.training.surroundings import threads_of_torch
        from margin.deep.vision.style.losses import Targets

        net, content_layers, style_layers = network
        seen = [_grey(each) if self.preserve_colour else each for each in (content, *styles)]
        x: torch.Tensor | None = None
        for scale in range(int(self.scales)):
            part = 2 ** (int(self.scales) - 1 - scale)
            subject, *examples = (self._tensor(_smaller(each, part)) for each in seen)
            with threads_of_torch(self.n_jobs):
                targets = Targets.of(net, subject, list(zip(shares, examples)), content_layers, style_layers)
                x = self._begun(subject, x)
            run = self._run(net, targets, x, who)
            for number in range(1, int(self.steps) + 1):
                with threads_of_torch(self.n_jobs):
                    told = next(run, None)
                if told is None:
                    break
                with torch.no_grad():
                    yield StyleStep(number, scale + 1, *told, self._shown(x, _smaller(content, part)))

    def _begun(self, content: torch.Tensor, coarser: torch.Tensor | None) -> torch.Tensor:
        """The picture to begin with: the coarser one enlarged, the content, or noise."""
        import torch

        if coarser is not None:
            made = torch.nn.functional.interpolate(
                coarser.detach(), size=content.shape[2:], mode="bilinear", align_corners=False
            )
        elif self.init == "noise":
            noise = generator(self.random_state, "noise").standard_normal(tuple(content.shape))
            made = torch.from_numpy(noise.astype(np.float32)) * 0.5
        else:
            made = content.clone()
        return made.contiguous().requires_grad_(True)

    def _run(
        self, net: Any, targets: Targets, x: torch.Tensor, who: str
    ) -> Iterator[tuple[float, float, float, float]]:
        """Losses step by step, of the picture as it is before each; a loss that is not finite ends it."""
        import torch

        from margin.deep.vision.style.losses import roughness

        make: Any = {
            "adam": lambda: torch.optim.Adam([x], lr=float(self.rate)),
            "lbfgs": lambda: torch.optim.LBFGS(
                [x], max_iter=1, max_eval=8, history_size=20, line_search_fn="strong_wolfe"
            ),
        }
        optimizer: Any = make[self.optimizer]()
        told: list[tuple[float, float, float, float]] = []
        low, high = (self._tensor(np.full((1, 1, 3), end, np.float32)) for end in (0.0, 1.0))

        def closure() -> torch.Tensor:
            optimizer.zero_grad(set_to_none=True)
            content, style = targets.losses(net, x)
            tv = roughness(x) if self.tv_weight else x.new_zeros(())
            loss = self.content_weight * content + self.style_weight * style + self.tv_weight * tv
            loss.backward()  # type: ignore[no-untyped-call]
            told.append((float(loss.detach()), float(content.detach()), float(style.detach()), float(tv.detach())))
            return loss

        while True:
            told.clear()
            before = x.detach().clone()
            optimizer.step(closure)
            if not np.isfinite(told[0][0]) or not bool(torch.isfinite(x).all()):
                with torch.no_grad():
                    x.copy_(before)
                text = f"{who}: the loss was not finite any more (try a smaller style_weight, or optimizer='adam')"
                if not np.isfinite(told[0][0]):
                    raise TrainingError(f"{text}.")
                warn(f"{text}; the picture before it is kept.", ConvergenceWarning)
                return
            with torch.no_grad():  # what no picture can show is no style
                x.clamp_(low, high)
            yield told[0]

    def _scale(self) -> tuple[np.ndarray, np.ndarray]:
        known, noted = card(self.architecture), None
        if self.weights is not None:
            from margin.deep.weights.files import noted_scale

            noted = noted_scale(self.weights, f"StyleTransfer(weights={os.fspath(self.weights)!r})")
        if noted is None and known.mean is not None and known.std is not None:
            noted = known.mean, known.std
        mean, std = noted if noted is not None else ((0.5,) * 3, (0.25,) * 3)
        return np.array(mean, np.float32), np.array(std, np.float32)

    def _tensor(self, picture: np.ndarray) -> torch.Tensor:
        import torch

        mean, std = self._scale()
        given = ((picture - mean) / std).astype(np.float32).transpose(2, 0, 1)[None]
        return torch.from_numpy(np.ascontiguousarray(given))

    def _shown(self, x: torch.Tensor, content: np.ndarray) -> np.ndarray:
        mean, std = self._scale()
        made = x.detach()[0].permute(1, 2, 0).numpy() * std + mean
        if self.preserve_colour:  # brightness of what was made, colours of the content
            made = content + (made @ LUMA - content @ LUMA)[..., None]
        return np.rint(255 * made.clip(0, 1)).astype(np.uint8)


def _picture(given: Any, who: str) -> np.ndarray:
    """One picture as (height, width, 3) of numbers between 0 and 1; what is transparent lies on white."""
    if isinstance(given, np.ndarray) and given.ndim in (2, 3):
        given = given[None]
    groups = given_pictures(given, who)
    if len(groups) != 1 or len(groups[0]) != 1:
        raise InputError(f"{who}: there must be one picture.")
    pixels = np.asarray(groups[0][0])
    unit = pixels.astype(np.float32) / 255 if pixels.dtype == np.uint8 else pixels.astype(np.float32)
    if unit.shape[2] == 4:
        unit = unit[..., :3] * unit[..., 3:] + (1 - unit[..., 3:])
    return unit.repeat(3, axis=2) if unit.shape[2] == 1 else unit


def _shares(given: Sequence[float] | None, n: int, who: str) -> np.ndarray:
    if n == 0:
        raise InputError(f"{who}: there is no style.")
    found = np.ones(n) if given is None else np.asarray(given, dtype=np.float64)
    if found.shape != (n,) or not np.isfinite(found).all() or (found < 0).any() or not found.any():
        raise ParameterError(f"{who}(style_weights={given!r}): there must be a number from 0 for each of {n} styles.")
    return found / found.sum()


def _grey(picture: np.ndarray) -> np.ndarray:
    return (picture @ LUMA).astype(np.float32)[..., None].repeat(3, axis=2)


def _smaller(picture: np.ndarray, part: int) -> np.ndarray:
    """A part of each side."""
    if part == 1:
        return picture
    size = (picture.shape[0] // part, picture.shape[1] // part)
    return reframed([picture], Frame(size, 3), "StyleTransfer")[0]
