"""Folders of pictures on the command line: compared, trained on, answered."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from margin.data.images import Images
from margin.data.images.decoding import ENDINGS
from margin.errors import DataError, ParameterError, closest
from margin.evaluation import evaluate
from margin.evaluation.cross_validation.result import Evaluation
from margin.evaluation.intervals.interval import Score

__all__ = [
    "PictureComparison",
    "are_pictures",
    "cases_to_answer",
    "compare_pictures",
    "evaluate_pictures",
    "models_of_pictures",
    "pictures_to_answer",
]

#: Pixels of a side that models of tables get: a row has a number for each.
PIXELS = 16


def are_pictures(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a folder, or an archive of pictures, or a picture."""
    given = Path(path)
    if given.is_dir():
        return True
    if given.suffix.lower() == ".zip" and given.is_file() and zipfile.is_zipfile(given):
        with zipfile.ZipFile(given) as archive:
            return any(Path(name).suffix.lower() in ENDINGS for name in archive.namelist())
    return given.suffix.lower() in ENDINGS and given.is_file()


@dataclass(frozen=True)
class PictureComparison:
    """Models by name with their scores on the same folds, the best first."""

    path: str
    images: Images
    results: Mapping[str, Evaluation]

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        rows = {
            name: {metric: _numbers(score) for metric, score in each.scores.items()}
            for name, each in self.results.items()
        }
        return {"path": self.path, "pictures": len(self.images), "classes": self.images.classes, "models": rows}

    def best(self) -> tuple[str, Any]:
        """The model of the best mean accuracy that is no mere yardstick, and its name, fitted on all pictures."""
        from margin.base.sklearn_classes import clone

        name = next((each for each in self.results if each != "majority"), "majority")
        return name, clone(self.results[name].estimator).fit(self.images, self.images.labels)

    def __str__(self) -> str:
        width = max(map(len, self.results))
        lines = [f"{self.path}: {self.images!r}".replace("<Images: ", "").replace(">", "")]
        for name, each in self.results.items():
            accuracy, f1 = each.scores["accuracy"], each.scores["f1"]
            lines.append(f"  {name:<{width}}  accuracy {accuracy:.3f}  f1 {f1:.3f}  {each.seconds:.1f} s")
        return "\n".join(lines)


def _numbers(score: Score) -> list[float | None]:
    """A value, and the ends of its interval."""
    found = score.interval
    return [score.value, *((None, None) if found is None else (found.low, found.high))]


def models_of_pictures(
    image_size: int, seed: int, weights: str | None = None, architecture: str = "resnet18"
) -> dict[str, Any]:
    """The majority guess, models on pixels, a small network, and with ``weights`` frozen features before an SVM."""
    from margin.baseline import MajorityClassifier
    from margin.deep import FeatureClassifier, FeatureExtractor, ImageClassifier, Pixels
    from margin.linear import LogisticRegression
    from margin.neighbors import KNeighborsClassifier
    from margin.svm import LinearSVC

    side = min(PIXELS, image_size)
    found: dict[str, Any] = {
        "majority": FeatureClassifier(Pixels(1), MajorityClassifier()),
        "pixels + logistic": FeatureClassifier(Pixels(side), LogisticRegression()),
        "pixels + knn": FeatureClassifier(Pixels(side), KNeighborsClassifier(5)),
        "pixels + svm": FeatureClassifier(Pixels(side), LinearSVC()),
        "small-net": ImageClassifier(image_size=image_size, random_state=seed),
    }
    if weights is not None:
        extractor = FeatureExtractor(architecture, weights, image_size=image_size)
        found["features + svm"] = FeatureClassifier(extractor, LinearSVC())
    return found


def compare_pictures(
    path: str, *, models: Any = (), folds: int = 5, seed: int = 0, image_size: int = 32, weights: str | None = None
) -> Iterator[tuple[str, Evaluation | PictureComparison]]:
    """Each model on the same folds of the pictures at a path, as they are done; last the comparison."""
    from margin.evaluation.protocols.stratified import StratifiedFolds

    images = Images.read(path, image_size=image_size)
    if images.labels is None:
        raise DataError(f"compare({path!r}): the pictures have no labels (put them into a folder for each class).")
    known = models_of_pictures(image_size, seed, weights)
    strange = [name for name in models if name not in known]
    if strange:
        raise ParameterError(
            f"compare(models={strange[0]!r}): for pictures there are {', '.join(known)}{closest(strange[0], known)}."
        )
    results: dict[str, Evaluation] = {}
    for name, model in known.items():
        if models and name not in models:
            continue
        results[name] = evaluate(
            model, images, images.labels, StratifiedFolds(folds, seed=seed), metrics=("accuracy", "f1")
        )
        yield name, results[name]
    best = dict(sorted(results.items(), key=lambda item: -item[1].scores["accuracy"].value))
    yield "", PictureComparison(str(path), images, best)


def evaluate_pictures(
    path: str,
    model: str,
    *,
    protocol: Any = None,
    metrics: Any = ("accuracy", "f1", "log_loss"),
    settings: Mapping[str, str] | None = None,
    seed: int = 0,
    image_size: int = 32,
    weights: str | None = None,
    jobs: int = 1,
) -> Evaluation:
    """One of :func:`models_of_pictures`, or a network by name, on the pictures at a path; settings are words."""
    from margin import params
    from margin.deep import ImageClassifier, architectures

    images = Images.read(path, image_size=image_size)
    if images.labels is None:
        raise DataError(f"evaluate({path!r}): the pictures have no labels (put them into a folder for each class).")
    known = models_of_pictures(image_size, seed, weights)
    names = [*known, *architectures.names()]
    if model not in names:
        raise ParameterError(
            f"evaluate(model={model!r}): for pictures there are {', '.join(names)}{closest(model, names)}."
        )
    chosen = known.get(model) or ImageClassifier(model, image_size=image_size, weights=weights, random_state=seed)
    if settings:
        if not isinstance(chosen, ImageClassifier):
            raise ParameterError(f"evaluate(settings=…): {model} has none (networks have: margin net list).")
        chosen.set_params(**params.from_text(ImageClassifier, settings))
    if not hasattr(chosen, "predict_proba"):
        metrics = tuple(each for each in metrics if each != "log_loss")
    return evaluate(
        chosen, images, images.labels, "10-fold" if protocol is None else protocol, metrics=tuple(metrics), n_jobs=jobs
    )


def pictures_to_answer(path: str) -> Images:
    """The pictures of a file or folder, in folders by class or not."""
    given = Path(path)
    if given.is_dir():
        paths = sorted(each for each in given.rglob("*") if each.suffix.lower() in ENDINGS and each.is_file())
        if not paths:
            raise DataError(f"{path}: there are no pictures in the folder.")
        return Images.from_files(paths)
    return Images.from_files([given]) if given.suffix.lower() in ENDINGS else Images.read(given)


def cases_to_answer(path: str, model: Any) -> tuple[Any, list[str]]:
    """What a model without columns is to answer: pictures, or the sequences of a file; and what to call each."""
    if hasattr(model, "_memory_parts"):
        from margin.data.sequences import Sequences

        found = Sequences.read(path)
        return found, [str(i + 1) for i in range(len(found))]
    images = pictures_to_answer(path)
    return images, images.names or [str(i) for i in range(len(images))]
