"""Pictures as a network meets them in training, and those it gets most wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from margin.data.images import Images
from margin.data.images.opening import open_images
from margin.errors import InputError, ParameterError
from margin.evaluation.predictions.answers import Answers
from margin.params import is_whole
from margin.plots.style import INK, figure_axes

__all__ = ["plot_batch", "plot_mistakes"]

#: Pictures in a line.
ACROSS = 8


def plot_batch(
    images: Any,
    labels: Any = None,
    axes: Any = None,
    *,
    augmentation: Mapping[str, float] | str | None = None,
    n: int = 16,
    random_state: int = 0,
) -> Any:
    """Draw pictures as a batch shows them to a network, changed by chance.

    Parameters
    ----------
    images
        Pictures of one size, as classifiers of pictures take them.
    labels
        What each shows; those of :class:`margin.data.Images` otherwise.
    axes
        A grid of axes of matplotlib; None makes a new figure.
    augmentation
        Changes as of :class:`margin.ImageClassifier`.
    n
        How many, drawn at random.
    random_state
        Decides which, and what becomes of them.

    Returns
    -------
    axes
        The grid.

    Examples
    --------
    >>> pixels = np.random.default_rng(0).integers(0, 255, (20, 8, 8), dtype=np.uint8)
    >>> plot_batch(pixels, augmentation={"flip": 0.5, "shift": 0.2}, n=4).shape
    (1, 4)
    """
    given = open_images(images, "plot_batch")
    if not is_whole(n) or n < 1:
        raise ParameterError(f"plot_batch(n={n!r}): n must be a whole number of at least 1.")
    if not len(given):
        raise InputError("plot_batch: there are no pictures.")
    told = given.labels if labels is None else np.asarray(labels)
    random = np.random.default_rng(random_state)
    rows = random.permutation(len(given))[:n]
    pixels = _changed(given.take(rows).pixels(), augmentation, random)
    return _sheet(pixels, None if told is None else [str(each) for each in told[rows]], axes, "plot_batch")


def _changed(pixels: np.ndarray, augmentation: Any, random: np.random.Generator) -> np.ndarray:
    shown = pixels / 255.0 if pixels.dtype == np.uint8 else pixels
    if augmentation is None:
        return shown
    from margin.lazy import package_of_extra

    torch = package_of_extra("torch", "plot_batch(augmentation=…)")
    from margin.deep.pictures.augmentation import changed, read_changes

    # What is moved in from outside is 0 to a network, its mean: the mean of the batch here.
    middle = shown.mean(axis=(0, 1, 2))
    x = torch.from_numpy((shown - middle).astype(np.float32)).permute(0, 3, 1, 2)
    made = changed(x, random, changes=read_changes(augmentation)).permute(0, 2, 3, 1).numpy()
    found: np.ndarray = np.clip(made + middle, 0.0, 1.0)
    return found


def plot_mistakes(images: Images, answers: Any, axes: Any = None, *, n: int = 16) -> Any:
    """Draw the pictures whose answers are wrong, those that a model was surest of first.

    Parameters
    ----------
    images
        Those that were asked about.
    answers
        An evaluation of a model on them, or a fitted classifier, which is then asked; labels are those of ``images``.
    axes
        A grid of axes of matplotlib; None makes a new figure.
    n
        How many at most.

    Returns
    -------
    axes
        The grid; without mistakes it says so.

    Examples
    --------
    >>> from margin import FeatureClassifier, KNeighborsClassifier, Pixels
    >>> pixels = np.random.default_rng(0).integers(0, 255, (20, 8, 8), dtype=np.uint8)
    >>> images = Images.from_array(pixels, ["a", "b"] * 10)
    >>> model = FeatureClassifier(Pixels(4), KNeighborsClassifier(5)).fit(images)
    >>> plot_mistakes(images, model, n=4).size <= 4
    True
    """
    if not is_whole(n) or n < 1:
        raise ParameterError(f"plot_mistakes(n={n!r}): n must be a whole number of at least 1.")
    rows, found = _answers(images, answers)
    truth, said = found.truth, found.predicted
    assert said is not None
    shares = found.probabilities if found.probabilities is not None else found.scores
    last = len(found.classes) - 1
    sure = np.zeros(len(said)) if shares is None else shares[np.arange(len(said)), said.clip(max=last)]
    wrong = np.flatnonzero((said != truth) & (said <= last))
    wrong = wrong[np.argsort(-sure[wrong], kind="stable")][:n]
    if not len(wrong):
        axes = figure_axes(axes, 1, 1, 3.0, 1.0, "plot_mistakes")
        axes[0, 0].text(0.5, 0.5, f"none of {len(said)} answers is wrong", ha="center", va="center", color=INK)
        axes[0, 0].axis("off")
        return axes
    names = found.classes
    told = [
        f"{names[said[i]]}{f' {sure[i]:.2f}' if found.probabilities is not None else ''}\nis {names[truth[i]]}"
        for i in wrong
    ]
    pictures = [np.asarray(images[int(rows[i])]) for i in wrong]
    shown = [each / 255.0 if each.dtype == np.uint8 else each for each in pictures]
    return _sheet(shown, told, axes, "plot_mistakes")


def _answers(images: Images, given: Any) -> tuple[np.ndarray, Answers]:
    """Which pictures were asked about, and what was said of them."""
    if hasattr(given, "answers") and hasattr(given, "rows"):
        rows = np.asarray(given.rows)
        if len(rows) and rows.max() >= len(images):
            raise InputError(f"plot_mistakes: the evaluation asked about other pictures than these {len(images)}.")
        return rows, given.answers
    if images.labels is None:
        raise InputError("plot_mistakes: the pictures have no labels.")
    shares = given.predict_proba(images) if hasattr(given, "predict_proba") else None
    said = given.predict(images) if shares is None else given.classes_[shares.argmax(axis=1)]
    known = None if shares is None else given.classes_
    found = Answers.of(images.labels, said, probabilities=shares, classes=known, who="plot_mistakes")
    return np.arange(len(images)), found


def _sheet(pictures: Any, told: list[str] | None, axes: Any, who: str) -> np.ndarray:
    """Pictures side by side, with a line or two over each."""
    n = len(pictures)
    across = min(ACROSS, n)
    grid = figure_axes(axes, -(-n // across), across, 1.1, 1.35, who)
    for i, ax in enumerate(grid.ravel()):
        ax.axis("off")
        if i >= n:
            continue
        picture = np.asarray(pictures[i])
        grey = picture.shape[2] == 1
        ax.imshow(picture[..., 0] if grey else picture[..., :3], cmap="gray", vmin=0, vmax=1)
        if told is not None:
            ax.set_title(told[i], fontsize=7, color=INK)
    return grid
