"""A network that proposes masks of objects, whatever they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from margin.data.generated.drawing import boxes_of
from margin.data.images import Images
from margin.deep.fitting.trained_network import OptimizerName, ScheduleName
from margin.deep.mlp.parameters import Below1, Folder
from margin.deep.vision.given import PictureScale, given_pictures
from margin.deep.vision.learner import PictureLearner, rows_held_out_of
from margin.deep.vision.proposals.plan import ProposalPlan
from margin.errors import InputError, ParameterError, listing
from margin.params import Count, Flag, Jobs, NonNegative, Positive, Seed, Share, is_number, is_whole

if TYPE_CHECKING:
    from torch import nn

    from margin.deep.training.lessons import Lessons

__all__ = ["DeepMask", "Detection", "Proposal"]

#: Steps of the pyramid: each size is so much larger than the one before.
STEP = 2**0.5


@dataclass(frozen=True)
class Proposal:
    """A mask (height, width), its box (first row, first column, and those behind the last), and how sure it is."""

    mask: np.ndarray
    box: tuple[int, int, int, int]
    score: float


@dataclass(frozen=True)
class Detection:
    """A proposal with what a classifier says of it; the score is that of the proposal times the label's probability."""

    label: Any
    score: float
    box: tuple[int, int, int, int]
    mask: np.ndarray


class DeepMask(PictureLearner):
    """Learns where objects are, whatever they are, from pictures and a mask for each of their objects.

    It learns from patches: is there an object in the middle, of about half the patch's side, and if so, which pixels
    are its own? A patch without one teaches the masks nothing. A whole picture is looked at in several sizes, at every
    patch of each.

    Parameters
    ----------
    trunk
        "small" (four convolutions), or a VGG without its last halving, as published with ``patch=224, mask=56``.
    width
        Maps of the small trunk at its beginning; they double once.
    patch, mask
        Pixels of a side of the patches, and of the masks that are answered of them.
    rank
        Numbers that a mask is made of.
    patches
        Patches of each picture in an epoch, half of them with an object.
    max_overlap
        Of two proposals that share more (intersection over union) the better one is kept.

    Attributes
    ----------
    scales_
        How much a picture is enlarged in each size that is looked at, from the sizes of the training objects.

    References
    ----------
    Pinheiro, Collobert, Dollár, "Learning to segment object candidates" (2015).

    Examples
    --------
    >>> from margin.data.generators import scenes
    >>> made = scenes(20, 32, objects=(1, 1), strokes=0, seed=0)
    >>> model = DeepMask(width=4, patch=32, mask=8, rank=8, epochs=2, n_jobs=1).fit(made.pictures, made.object_masks)
    >>> found = model.propose(made.pictures[0], 3)
    >>> found[0].mask.shape, len(found) <= 3
    ((32, 32), True)
    """

    def __init__(
        self,
        trunk: Literal["small", "vgg11", "vgg13", "vgg16", "vgg19"] = "small",
        width: Count = 24,
        *,
        patch: Count = 40,
        mask: Count = 20,
        rank: Count = 64,
        patches: Count = 8,
        max_overlap: Share = 0.5,
        epochs: Count = 10,
        batch_size: Count = 64,
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
        self.trunk, self.width, self.patch, self.mask, self.rank = trunk, width, patch, mask, rank
        self.patches, self.max_overlap = patches, max_overlap
        self.epochs, self.batch_size = epochs, batch_size
        self.optimizer, self.rate, self.schedule, self.weight_decay = optimizer, rate, schedule, weight_decay
        self.early_stopping, self.validation_fraction, self.patience = early_stopping, validation_fraction, patience
        self.ema = ema
        self.checkpoint, self.resume = checkpoint, resume
        self.random_state, self.n_jobs = random_state, n_jobs

    _encoder: PictureScale
    scales_: tuple[float, ...]

    # ---- Learning.

    def _read(self, X: Any, y: Any, validation: Any, who: str) -> tuple[Lessons, Lessons | None]:
        from margin.deep.vision.proposals.patches import sizes_of

        images, objects = _paired(X, y, who)
        learnt = np.ones(len(images), bool)
        if validation is None and self.early_stopping:
            learnt = ~rows_held_out_of(len(images), self, who)
        taught = [masks for masks, one in zip(objects, learnt) if one]
        if not any(map(len, taught)):
            raise InputError(f"{who}: there is no object in any picture.")
        self._encoder = PictureScale.learnt(images.take(learnt))
        if self.plan_.map_size < 1:
            raise ParameterError(f"{type(self).__name__}(patch={self.patch}): patches are too small for the trunk.")
        sizes = sizes_of(taught)
        low, high = (self.plan_.usual / float(each) for each in (sizes.max(), sizes.min()))
        count = 1 + int(np.ceil(np.log(high / low) / np.log(STEP) - 1e-9))
        middle = (low * high) ** 0.5
        self.scales_ = tuple(float(middle * STEP ** (k - (count - 1) / 2)) for k in range(count))
        held = None
        if not learnt.all():
            held = self._lessons(images.take(~learnt), [m for m, one in zip(objects, learnt) if not one])
        elif validation is not None:
            held = self._lessons(*_paired(validation[0], validation[1], f"{who}(validation=…)"))
        return self._lessons(images.take(learnt), taught), held

    def _lessons(self, images: Images, objects: Sequence[np.ndarray]) -> Lessons:
        from margin.deep.vision.proposals.patches import PatchLessons

        return PatchLessons(
            self._encoder._coloured(images, type(self).__name__), objects, self.plan_, int(self.patches),
            self._encoder.scale, self._seed("patches"),
        )  # fmt: skip

    def _case_loss(self) -> Any:
        from margin.deep.vision.proposals.network import patch_loss

        return patch_loss

    @property
    def plan_(self) -> ProposalPlan:
        """What the network is made of."""
        channels = self._fitted("plan_")._encoder.channels
        return ProposalPlan(self.trunk, channels, int(self.patch), int(self.mask), int(self.width), int(self.rank))

    def _network_on(self, device: str) -> nn.Module:
        from margin.deep.vision.proposals.network import deepmask_net

        return deepmask_net(self.plan_, device, self._seed("first weights") if device != "meta" else 0)

    # ---- Answering.

    def propose(self, image: Any, n: int = 10) -> list[Proposal]:
        """At most n masks of one picture, those that are surest to be an object first."""
        who = f"{type(self).__name__}.propose"
        found = self._proposals(image, n, who)
        if len(found) != 1:
            raise InputError(f"{who}: there must be one picture (predict takes many).")
        return found[0]

    def predict(self, X: Any, n: int = 10) -> list[list[Proposal]]:
        """The proposals of each of many pictures."""
        return self._proposals(X, n, f"{type(self).__name__}.predict")

    def _proposals(self, X: Any, n: int, who: str) -> list[list[Proposal]]:
        import torch

        from margin.deep.training.surroundings import threads_of_torch
        from margin.deep.vision.proposals.proposing import proposed

        if not is_whole(n) or n < 1:
            raise ParameterError(f"{who}(n={n!r}): n must be a whole number of at least 1.")
        fitted = self._fitted(who.rpartition(".")[2])
        if isinstance(X, np.ndarray) and (X.ndim == 2 or (X.ndim == 3 and X.shape[2] in (1, 3, 4))):
            X = X[None]
        groups = fitted._encoder.encode(X, who)
        made = []
        with threads_of_torch(self.n_jobs), torch.inference_mode():
            for images in groups:
                for i in range(len(images)):
                    x = fitted._encoder.scale.applied(images[i : i + 1].pixels(), torch.device("cpu"))
                    masks = proposed(fitted.network_, x, fitted.scales_, int(n), float(self.max_overlap))
                    made.append([Proposal(mask, _box(mask), score) for mask, score in masks])
        return made

    def detect(self, image: Any, classifier: Any, n: int = 10, *, rim: float = 0.15) -> list[Detection]:
        """What is where in one picture: a classifier of pictures is asked about the box of each proposal.

        Boxes are widened by ``rim`` of their sides, so that the classifier sees whole objects; it should have learnt
        from such pictures, and have ``image_size=``.
        """
        who = f"{type(self).__name__}.detect"
        if not is_number(rim) or rim < 0:
            raise ParameterError(f"{who}(rim={rim!r}): rim must be a number of at least 0.")
        if not hasattr(classifier, "predict_proba"):
            raise ParameterError(f"{who}: the classifier must have predict_proba (an ImageClassifier).")
        if isinstance(image, np.ndarray) and (image.ndim == 2 or (image.ndim == 3 and image.shape[2] in (1, 3, 4))):
            image = image[None]
        proposals = self._proposals(image, n, who)
        if len(proposals) != 1:
            raise InputError(f"{who}: there must be one picture.")
        if not proposals[0]:
            return []
        picture = given_pictures(image, who)[0][0]
        shares = classifier.predict_proba([_crop(picture, each.box, rim) for each in proposals[0]])
        best = shares.argmax(axis=1)
        found = [
            Detection(classifier.classes_[k], float(each.score * share[k]), each.box, each.mask)
            for each, share, k in zip(proposals[0], shares, best, strict=True)
        ]
        return sorted(found, key=lambda each: -each.score)

    def score(self, X: Any, y: Any) -> float:
        """The mean over all objects of the best intersection over union with one of ten proposals."""
        from margin.deep.vision.proposals.report import proposal_report

        return proposal_report(y, self.predict(X)).best_iou.value


def _paired(X: Any, y: Any, who: str) -> tuple[Images, list[np.ndarray]]:
    """Pictures of one size, and masks (objects, height, width) of each."""
    groups = given_pictures(X, who)
    if len(groups) != 1 or len(groups[0]) < 2:
        raise InputError(f"{who}: there must be two pictures at least, all of one size.")
    images = groups[0]
    if y is None or isinstance(y, str) or not hasattr(y, "__len__") or len(y) != len(images):
        raise InputError(f"{who}: y must have for each of {len(images)} pictures the masks of its objects.")
    objects = []
    for i, given in enumerate(y):
        masks = np.asarray(given)
        if masks.size == 0:
            masks = np.zeros((0, *(images.image_size or (0, 0))), bool)
        if masks.ndim != 3 or masks.shape[1:] != images.image_size:
            raise InputError(f"{who}: masks of picture {i} have the shape {masks.shape}, and it {images.image_size}.")
        if masks.dtype.kind not in "biu" or (masks.dtype.kind != "b" and set(np.unique(masks).tolist()) - {0, 1}):
            raise InputError(f"{who}: masks of picture {i} must be True and False, one for each object.")
        empty = np.flatnonzero(~masks.any(axis=(1, 2))).tolist()
        if empty:
            raise InputError(f"{who}: masks of picture {i} without a pixel: {listing(empty)}.")
        objects.append(masks.astype(bool))
    return images, objects


def _box(mask: np.ndarray) -> tuple[int, int, int, int]:
    top, left, bottom, right = boxes_of(mask[None])[0].tolist()
    return top, left, bottom, right


def _crop(picture: np.ndarray, box: tuple[int, int, int, int], rim: float) -> np.ndarray:
    """The picture within a box and a rim around it, square where the picture allows."""
    top, left, bottom, right = box
    side = max(bottom - top, right - left) * (1 + 2 * rim) / 2
    row, column = (top + bottom) / 2, (left + right) / 2
    rows = slice(max(0, int(row - side)), max(1, int(np.ceil(row + side))))
    columns = slice(max(0, int(column - side)), max(1, int(np.ceil(column + side))))
    return picture[rows, columns]
