"""A network that learns a class for each pixel."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from margin.data.images import Images
from margin.deep.fitting.trained_network import OptimizerName, ScheduleName
from margin.deep.mlp.parameters import Below1, Folder
from margin.deep.pictures.augmentation import Changes, read_changes
from margin.deep.pictures.image_classifier import WeightFile
from margin.deep.vision.given import PictureScale, given_pictures
from margin.deep.vision.learner import PictureLearner, rows_held_out_of
from margin.deep.vision.room import free_memory, refuse_too_large
from margin.deep.vision.segmentation.masks import codes_of_masks, given_masks
from margin.deep.vision.segmentation.plan import SegmentationPlan
from margin.errors import DataWarning, InputError, LabelError, listing, warn
from margin.params import Count, Flag, Jobs, NonNegative, Positive, Rule, Seed, Share, is_whole, none_of_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import nn

    from margin.deep.training.lessons import Lessons

__all__ = ["Segmenter"]

LabelOrNone = Annotated[
    int | None,
    Rule(
        "None or a whole number", lambda v: v is None or is_whole(v), lambda t: None if t.lower() == "none" else int(t)
    ),
]
ClassList = Annotated[
    Sequence[Any] | None,
    Rule("None, or a list of labels", lambda v: v is None or (np.ndim(v) == 1 and len(v) >= 2), none_of_text),
]


class Segmenter(PictureLearner):
    """Learns which class each pixel belongs to, from pictures and their masks.

    Pictures that are learnt from have one size, or ``crop`` says how large the windows are that are cut from them;
    pictures that are answered have any size. Large ones are answered in overlapping tiles, whose seams are below
    rounding. An epoch costs three passes of all pictures through the network.

    Parameters
    ----------
    architecture
        "unet" (each level on the way up sees that on the way down), "fcn32", "fcn16", "fcn8" (classes told on coarse
        maps, with 0, 1 or 2 finer ones added), "encoder_decoder" (a U-Net without its skips).
    width
        Maps at full size; each halving doubles them.
    depth
        Halvings. None for 4 ("fcn…": 5, so that their names say the stride), fewer for small pictures.
    weights
        A file of weights on this machine to begin with; all but the layers of the classes are taken.
    loss
        "cross_entropy", "dice" (1 - the share that both masks have, each class alike) or "focal" (pixels that are right
        already count little).
    ignore
        A label whose pixels do not count; they are not learnt from and not judged.
    classes
        The labels there are; None for those of the training masks.
    augmentation
        Changes that pictures undergo with their masks, anew in every epoch, as in
        :class:`~margin.deep.ImageClassifier`.
    crop
        Pixels of a side of the windows that are learnt from; None for whole pictures.
    tile
        Pixels of a side that are answered at once in larger pictures.

    Attributes
    ----------
    classes_
        The labels, sorted.

    References
    ----------
    Ronneberger, Fischer, Brox (2015); Long, Shelhamer, Darrell (2015); Milletari et al. (2016); Lin et al. (2017).

    Examples
    --------
    >>> from margin.data.generators import scenes
    >>> made = scenes(40, 16, objects=(1, 1), strokes=0, seed=0)
    >>> model = Segmenter(width=4, epochs=8, batch_size=8, rate=0.01, n_jobs=1)
    >>> model = model.fit(made.pictures, made.class_masks > 0)
    >>> model.predict(made.pictures[:2]).shape, model.predict_proba(made.pictures[:2]).shape
    ((2, 16, 16), (2, 2, 16, 16))
    """

    classes_: np.ndarray

    def __init__(
        self,
        architecture: Literal["unet", "fcn32", "fcn16", "fcn8", "encoder_decoder"] = "unet",
        width: Count = 16,
        depth: Count | None = None,
        *,
        weights: WeightFile = None,
        loss: Literal["cross_entropy", "dice", "focal"] = "cross_entropy",
        ignore: LabelOrNone = None,
        classes: ClassList = None,
        augmentation: Changes = None,
        crop: Count | None = None,
        tile: Count = 256,
        epochs: Count = 20,
        batch_size: Count = 16,
        optimizer: OptimizerName = "adam",
        rate: Positive = 3e-3,
        schedule: ScheduleName = "one_cycle",
        weight_decay: NonNegative = 0.0,
        early_stopping: Flag = False,
        validation_fraction: Share = 0.1,
        patience: Count | None = None,
        ema: Below1 = 0.0,
        checkpoint: Folder = None,
        resume: Flag = False,
        random_state: Seed = 0,
        n_jobs: Jobs = None,
    ) -> None:
        self.architecture, self.width, self.depth = architecture, width, depth
        self.weights, self.loss, self.ignore, self.classes = weights, loss, ignore, classes
        self.augmentation, self.crop, self.tile = augmentation, crop, tile
        self.epochs, self.batch_size = epochs, batch_size
        self.optimizer, self.rate, self.schedule, self.weight_decay = optimizer, rate, schedule, weight_decay
        self.early_stopping, self.validation_fraction, self.patience = early_stopping, validation_fraction, patience
        self.ema = ema
        self.checkpoint, self.resume = checkpoint, resume
        self.random_state, self.n_jobs = random_state, n_jobs

    _encoder: PictureScale
    _plan: SegmentationPlan

    # ---- Learning.

    def _read(self, X: Any, y: Any, validation: Any, who: str) -> tuple[Lessons, Lessons | None]:
        groups, masks = self._paired(X, y, who)
        held = None
        if validation is None and self.early_stopping:
            out = rows_held_out_of(len(masks), self, who)
            held = [each.take(out[at]) for each, at in _places(groups)], [m for m, o in zip(masks, out) if o]
            groups = [kept for each, at in _places(groups) if len(kept := each.take(~out[at]))]
            masks = [mask for mask, o in zip(masks, out, strict=True) if not o]
        if len(masks) < 2:
            raise InputError(f"{who}: there must be two pictures at least to learn from.")
        self._check_sizes(groups, who)
        self.classes_ = self._classes_of(masks, who)
        self._encoder = _scale_of(groups)
        codes = codes_of_masks(masks, self.classes_, self.ignore, who)
        self._check_counted(codes, who)
        side = int(self.crop or min(min(each.image_size or (1, 1)) for each in groups))
        self._plan = SegmentationPlan.of(
            self.architecture, self._encoder.channels, len(self.classes_), int(self.width),
            None if self.depth is None else int(self.depth), side,
        )  # fmt: skip
        self._check_together_with(side, groups, who)
        if validation is not None:
            held = self._paired(validation[0], validation[1], f"{who}(validation=…)")
        return self._lessons(groups, codes, True), None if held is None else self._judged(*held, who)

    def _paired(self, X: Any, y: Any, who: str) -> tuple[list[Images], list[np.ndarray]]:
        """Pictures by size, and a mask for each; a folder may hold both, in ``pictures`` and ``masks``."""
        if y is None and isinstance(X, str | os.PathLike) and os.path.isdir(os.path.join(X, "masks")):
            X, y = os.path.join(X, "pictures"), os.path.join(X, "masks")
        groups = given_pictures(X, who)
        if not groups:
            raise InputError(f"{who}: there are no pictures.")
        sizes = [(int(h), int(w)) for each in groups for h, w in each.sizes]
        names = [name for each in groups for name in each.names or ()]
        return groups, given_masks(y, sizes, names or None, who)

    def _check_sizes(self, groups: list[Images], who: str) -> None:
        if len({each.channels for each in groups}) > 1:
            raise InputError(f"{who}: some pictures are grey and some coloured (make them one: Images.framed).")
        if len(groups) > 1 and self.crop is None:
            sizes = sorted({" x ".join(map(str, each.image_size or ())) for each in groups})
            raise InputError(
                f"{who}: pictures have several sizes, {listing(sizes)} (crop= learns from windows of one)."
            )

    def _classes_of(self, masks: list[np.ndarray], who: str) -> np.ndarray:
        found = np.unique(np.concatenate([np.unique(mask) for mask in masks]))
        if self.ignore is not None:
            found = found[found != self.ignore]
        if self.classes is None:
            if len(found) < 2:
                raise LabelError(
                    f"{who}: all pixels are {listing(found.tolist())}; there must be two classes at least."
                )
            return found
        known = np.unique(np.asarray(self.classes))
        lost = sorted(set(known.tolist()) - set(found.tolist()))
        if lost:
            warn(f"{who}: no pixel of the training masks is {listing(lost)}; it is never answered well.", DataWarning)
        return known

    def _check_counted(self, codes: list[np.ndarray], who: str) -> None:
        if not any((each >= 0).any() for each in codes):
            raise LabelError(f"{who}(ignore={self.ignore!r}): no pixel counts.")

    def _check_together_with(self, side: int, groups: list[Images], who: str) -> None:
        """Whether the maps of a step have room, in pixels and in memory."""
        stride = 2**self._plan.depth
        height, width = (side, side) if self.crop is not None else groups[0].image_size or (side, side)
        if height % stride or width % stride:
            windows = f"crop={side - side % stride} learns from windows that can, or " if side >= stride else ""
            raise InputError(
                f"{who}: pictures of {height} x {width} pixels cannot be halved {self._plan.depth} times ({windows}give"
                " a smaller depth)."
            )
        refuse_too_large(
            f"{who}(batch_size={self.batch_size})", "a step",
            lambda n: self._plan.memory(n, height, width), int(self.batch_size), "batch_size",
        )  # fmt: skip

    def _judged(self, groups: list[Images], masks: list[np.ndarray], who: str) -> Lessons:
        kept = [self._encoder._coloured(each, who) for each in groups if len(each)]
        return self._lessons(kept, codes_of_masks(masks, self.classes_, self.ignore, who), False)

    def _lessons(self, groups: list[Images], codes: list[np.ndarray], learning: bool) -> Lessons:
        from margin.deep.vision.segmentation.lessons import MaskLessons

        return MaskLessons(
            groups, codes, len(self.classes_), self._encoder.scale,
            read_changes(self.augmentation) if learning else {}, int(self.crop) if self.crop else None, int(self.tile),
        )  # fmt: skip

    def _case_loss(self) -> Any:
        from margin.deep.vision.segmentation.losses import LOSSES

        return LOSSES[self.loss]

    def _network_on(self, device: str) -> nn.Module:
        from margin.deep.vision.segmentation.networks import segmentation_net

        return segmentation_net(self._plan, device, self._seed("first weights") if device != "meta" else 0)

    def _first_network(self) -> nn.Module:
        from margin.deep.weights.files import load_weights

        net = self._network_on("cpu")
        if self.weights is not None:
            load_weights(net, self.weights, head="replace")
        return net

    # ---- Answering.

    def predict(self, X: Any) -> Any:
        """The label of each pixel: (n, height, width), or a list of masks where pictures have several sizes."""
        from margin.deep.vision.segmentation.answering import codes_of_pictures

        fitted, who = self._fitted("predict"), f"{type(self).__name__}.predict"
        found = [
            fitted.classes_[codes]
            for images in fitted._encoder.encode(X, who)
            for codes in codes_of_pictures(fitted.network_, images, fitted._encoder.scale, int(self.tile), self.n_jobs)
        ]
        return _together(found, (0, 0, 0), fitted.classes_.dtype)

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class for each pixel: (n, classes, height, width), or a list of such arrays."""
        fitted, who = self._fitted("predict_proba"), f"{type(self).__name__}.predict_proba"
        groups = fitted._encoder.encode(X, who)
        needed = sum(int(h) * int(w) for each in groups for h, w in each.sizes) * len(fitted.classes_) * 8 * 2
        if needed > (room := free_memory()):
            raise InputError(
                f"{who}: the probabilities would take {needed / 2**30:.1f} GiB, and {room / 2**30:.1f} GiB are free "
                "(ask about fewer pictures at once, or predict)."
            )
        found = [each for images in groups for each in fitted._shares(images)]
        return _together(found, (0, len(fitted.classes_), 0, 0), np.dtype(np.float64))

    def _shares(self, images: Images) -> Iterator[np.ndarray]:
        from margin.deep.vision.segmentation.answering import logits_of_pictures

        scale = self._encoder.scale
        for logits in logits_of_pictures(self.network_, images, scale, int(self.tile), self.n_jobs):
            yield logits.double().softmax(dim=0).numpy()

    def score(self, X: Any, y: Any = None) -> float:
        """The mean over the classes of intersection over union, of all pixels together."""
        from margin.deep.vision.segmentation.report import segmentation_report

        fitted = self._fitted("score")
        groups, masks = fitted._paired(X, y, f"{type(self).__name__}.score")
        answers = [mask for each in groups for mask in fitted.predict(each)]
        return segmentation_report(masks, answers, classes=fitted.classes_, ignore=self.ignore).mean_iou.value


def _places(groups: list[Images]) -> list[tuple[Images, slice]]:
    """Collections, and where their pictures are among all."""
    firsts = np.cumsum([0, *map(len, groups)]).tolist()
    return [(each, slice(a, b)) for each, a, b in zip(groups, firsts, firsts[1:])]


def _scale_of(groups: list[Images]) -> PictureScale:
    if len(groups) == 1:
        return PictureScale.learnt(groups[0])
    parts = [PictureScale.learnt(each) for each in groups]
    weight = np.array([float(each.sizes.prod(axis=1).sum()) for each in groups])
    weight /= weight.sum()
    mean = weight @ np.array([each.mean for each in parts])
    squares = weight @ np.array([np.square(each.std) + np.square(each.mean) for each in parts])
    std = np.sqrt(np.maximum(squares - mean**2, 1e-12))
    return PictureScale(parts[0].channels, tuple(mean.tolist()), tuple(std.tolist()))


def _together(found: list[np.ndarray], empty: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """One array where all have one shape."""
    if not found:
        return np.zeros(empty, dtype)
    return np.stack(found) if len({each.shape for each in found}) == 1 else found
