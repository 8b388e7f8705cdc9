"""Real and made cases side by side, and what a classifier of margin's own says of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.base.targets.labels import encode_labels
from margin.data.images import Images
from margin.data.images.opening import open_images
from margin.errors import InputError
from margin.lazy import package_of_extra
from margin.typing import SeedLike

__all__ = ["Cases", "read_cases"]

#: Epochs of the classifier whose last features pictures are compared in.
EPOCHS = 15
#: Cases of one line of a report, at least.
FEWEST = 20


@dataclass
class Cases:
    """Rows of numbers: pixels between 0 and 1, or columns of deviation 1.

    ``shown`` makes what baselines draw into cases that can be; ``features`` and ``classes_of`` say what the classifier
    sees; ``codes`` are the classes of the training cases.
    """

    real: np.ndarray
    made: np.ndarray
    training: np.ndarray
    trained_on_real: bool
    codes: np.ndarray | None
    n_classes: int
    shown: Callable[[np.ndarray], np.ndarray]
    features: Callable[[np.ndarray], np.ndarray]
    classes_of: Callable[[np.ndarray], np.ndarray]


def read_cases(
    real: Any, labels: Any, made: Any, training: Any, training_labels: Any, classifier: Any, who: str,
    random_state: SeedLike, n_jobs: int | None,
) -> Cases:  # fmt: skip
    """All of it, read as pictures or as rows."""
    on_real = training is None
    labels = getattr(real, "labels", None) if labels is None else labels
    if on_real:
        training, training_labels = real, labels
    elif training_labels is None:
        training_labels = getattr(training, "labels", None)
    pictures = isinstance(real, Images) or not hasattr(real, "ndim") or real.ndim > 2
    if isinstance(real, list | tuple) and len(real) and np.ndim(real[0]) < 2 and not isinstance(real[0], str):
        pictures = False
    if pictures:
        package_of_extra("torch", who)
        return _of_pictures(real, made, training, training_labels, classifier, on_real, who, random_state, n_jobs)
    return _of_rows(real, made, training, training_labels, classifier, on_real, who)


def _codes(labels: Any, n: int, who: str) -> tuple[np.ndarray | None, int]:
    if labels is None:
        return None, 0
    classes, codes = encode_labels(labels, n, who)
    return codes.astype(np.int64), len(classes)


def _of_rows(
    real: Any, made: Any, training: Any, training_labels: Any, classifier: Any, on_real: bool, who: str
) -> Cases:
    tables = [_matrix(each, who, name) for each, name in ((real, "real"), (made, "made"), (training, "training"))]
    _enough(len(tables[0]), len(tables[1]), who)
    widths = [each.shape[1] for each in tables]
    if len(set(widths)) > 1:
        raise InputError(f"{who}: real, made and training cases have {', '.join(map(str, widths))} columns.")
    center, spread = tables[2].mean(axis=0), tables[2].std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    rows = [(each - center) / spread for each in tables]
    codes, n_classes = _codes(training_labels, len(tables[2]), who)
    places = None if codes is None else np.array([rows[2][codes == k].mean(axis=0) for k in range(n_classes)])

    def classes_of(cases: np.ndarray) -> np.ndarray:
        if classifier is not None:
            answers = classifier.predict(cases * spread + center)
            return np.searchsorted(classifier.classes_, answers)
        assert places is not None
        return np.asarray(((cases[:, None] - places) ** 2).sum(axis=2).argmin(axis=1))

    if classifier is not None:
        n_classes = len(classifier.classes_)
    same = _as_they_are
    return Cases(rows[0], rows[1], rows[2], on_real, codes, n_classes, same, same, classes_of)


def _enough(real: int, made: int, who: str) -> None:
    if real < 2 * FEWEST or made < FEWEST:
        raise InputError(
            f"{who}: there are {real} real and {made} made cases; {2 * FEWEST} and {FEWEST} are the least."
        )


def _as_they_are(cases: np.ndarray) -> np.ndarray:
    return cases


def _matrix(given: Any, who: str, name: str) -> np.ndarray:
    try:
        made = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{who}({name}): rows must be numbers.") from None
    if made.ndim != 2 or not made.size or not np.isfinite(made).all():
        raise InputError(f"{who}({name}): there must be rows of finite numbers, all of one length.")
    return made


def _of_pictures(
    real: Any, made: Any, training: Any, training_labels: Any, classifier: Any, on_real: bool, who: str,
    random_state: SeedLike, n_jobs: int | None,
) -> Cases:  # fmt: skip
    from margin.deep.architectures.cards import card
    from margin.deep.pictures.image_classifier import ImageClassifier
    from margin.deep.pictures.last_layer import last_features

    given = [open_images(each, who) for each in (real, made, training)]
    shapes = [each.shape[1:] for each in given]
    if len(set(shapes)) > 1 or len(shapes[0]) != 3:
        told = ", ".join(" x ".join(map(str, each)) or "several sizes" for each in shapes)
        raise InputError(f"{who}: real, made and training pictures must have one size and colours, not {told}.")
    _enough(len(given[0]), len(given[1]), who)
    codes, _ = _codes(training_labels, len(given[2]), who)
    if classifier is None:
        if codes is None:
            raise InputError(
                f"{who}: features are those of a classifier; give labels= to train one, or classifier= that is fitted."
            )
        network = "lenet5" if min(shapes[0][:2]) >= card("lenet5").smallest else "small"
        classifier = ImageClassifier(network, epochs=EPOCHS, random_state=random_state, n_jobs=n_jobs)
        classifier.fit(given[2], codes)
    elif not isinstance(classifier, ImageClassifier):
        raise InputError(f"{who}(classifier=…): pictures need a fitted ImageClassifier.")
    rows = [_pixels(each) for each in given]
    unit = last_features(classifier, given[2], n_jobs).std(axis=0)
    unit = np.where(unit > 0, unit, 1.0)

    def images(cases: np.ndarray) -> Images:
        return Images.from_array(cases.reshape(len(cases), *shapes[0]).astype(np.float32))

    def classes_of(cases: np.ndarray) -> np.ndarray:
        return np.asarray(classifier.predict_proba(images(cases)).argmax(axis=1))

    return Cases(
        rows[0], rows[1], rows[2], on_real, codes, len(classifier.classes_), lambda cases: cases.clip(0, 1),
        lambda cases: last_features(classifier, images(cases), n_jobs) / unit, classes_of,
    )  # fmt: skip


def _pixels(images: Images) -> np.ndarray:
    rows = images.matrix()
    return rows / 255.0 if rows.dtype == np.uint8 else rows.astype(np.float64)
