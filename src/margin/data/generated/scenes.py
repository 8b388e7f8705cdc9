"""Pictures of coloured shapes, with masks, boxes, captions and questions from the same draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from margin.data.generated.drawing import COLOURS, SHAPES, boxes_of, inside, with_strokes
from margin.errors import ParameterError

__all__ = ["Question", "Scenes", "scenes"]

#: Draws of a place that does not touch what is there, before a scene is begun anew.
PLACES = 50


class Question(NamedTuple):
    """A question about a picture, and its answer in a word."""

    picture: int
    question: str
    answer: str


class _Thing(NamedTuple):
    """A shape of a colour, its centre and its half width in pixels."""

    shape: int
    colour: int
    row: float
    column: float
    radius: float

    @property
    def name(self) -> str:
        return f"{list(COLOURS)[self.colour]} {SHAPES[self.shape]}"


@dataclass(frozen=True)
class Scenes:
    """Pictures and all that is true of them.

    Attributes
    ----------
    pictures
        (n, size, size, 3) bytes.
    class_masks
        (n, size, size): 0 for the ground, and what shape is there, counted from 1 in the order of ``classes[1:]``.
    object_masks
        For each picture a mask for each object: (objects, size, size).
    boxes
        For each picture (objects, 4): first row, first column, and those behind the last.
    labels
        For each picture the shapes of its objects, as in ``class_masks``.
    captions
        One sentence for each picture, about its first two objects.
    questions
        Four for each picture.
    """

    pictures: np.ndarray
    class_masks: np.ndarray
    object_masks: tuple[np.ndarray, ...]
    boxes: tuple[np.ndarray, ...]
    labels: tuple[np.ndarray, ...]
    captions: tuple[str, ...]
    questions: tuple[Question, ...]
    classes: tuple[str, ...] = ("ground", *SHAPES)

    def __len__(self) -> int:
        return len(self.pictures)

    def __repr__(self) -> str:
        height, width = self.pictures.shape[1:3]
        return f"<Scenes: {len(self)} pictures, {height} x {width}, {sum(map(len, self.labels))} objects>"


def scenes(
    n: int,
    size: int = 32,
    *,
    objects: tuple[int, int] = (2, 3),
    noise: float = 0.05,
    strokes: int = 3,
    seed: int = 0,
) -> Scenes:
    """Coloured circles, squares and triangles on a plain ground, with strokes and noise.

    Parameters
    ----------
    n, size
        Pictures, and pixels of a side, from 16 up.
    objects
        The smallest and the largest number of objects of a picture; they do not touch each other.
    noise
        Standard deviation of what is added to each pixel, as a share of the range from black to white.
    strokes
        Thin lines of any colour, behind the objects.
    seed
        The same scenes for the same seed everywhere. The first of many are not those of few.

    Examples
    --------
    >>> made = scenes(3, seed=1)
    >>> made
    <Scenes: 3 pictures, 32 x 32, 7 objects>
    >>> made.captions[0]
    'a green circle above a blue circle'
    >>> made.questions[1]
    Question(picture=0, question='how many objects are there', answer='2')
    """
    _check(n, size, objects, noise, strokes)
    random = np.random.Generator(np.random.Philox(seed))
    pictures = np.empty((n, size, size, 3), np.uint8)
    class_masks = np.zeros((n, size, size), np.uint8)
    object_masks, captions, questions, labels = [], [], [], []
    for i in range(n):
        things = _placed(random, int(random.integers(objects[0], objects[1] + 1)), size)
        masks = np.array([inside(SHAPES[t.shape], t.row, t.column, t.radius, size) for t in things])
        ground = np.full((size, size, 3), random.uniform(0.55, 0.9))
        picture = with_strokes(ground, strokes, random)
        for thing, mask in zip(things, masks, strict=True):
            picture[mask] = list(COLOURS.values())[thing.colour]
            class_masks[i][mask] = thing.shape + 1
        picture += noise * random.standard_normal(picture.shape)
        pictures[i] = np.rint(255 * picture.clip(0, 1))
        object_masks.append(masks)
        labels.append(np.array([t.shape + 1 for t in things]))
        captions.append(_caption(things))
        questions += [Question(i, *each) for each in _questions(things, size, random)]
    boxes = tuple(boxes_of(masks) for masks in object_masks)
    return Scenes(pictures, class_masks, tuple(object_masks), boxes, tuple(labels), tuple(captions), tuple(questions))


def _check(n: int, size: int, objects: tuple[int, int], noise: float, strokes: int) -> None:
    for name, given, least in ("n", n, 1), ("size", size, 16), ("strokes", strokes, 0):
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < least:
            raise ParameterError(f"scenes({name}={given!r}): {name} must be a whole number from {least} up.")
    if len(objects) != 2 or not 1 <= objects[0] <= objects[1] <= 4:
        raise ParameterError(f"scenes(objects={objects!r}): objects must be two numbers from 1 to 4, in order.")
    if not 0 <= noise < np.inf:
        raise ParameterError(f"scenes(noise={noise!r}): noise must be a number from 0.")


def _placed(random: np.random.Generator, n: int, size: int) -> list[_Thing]:
    """Objects that do not touch; where there is no room for the last of them all are placed anew."""
    while True:
        things: list[_Thing] = []
        for _ in range(PLACES):
            radius = size * random.uniform(0.11, 0.17)
            row, column = random.uniform(radius + 1, size - radius - 1, 2)
            far = [np.hypot(t.row - row, t.column - column) > 1.45 * (t.radius + radius) for t in things]
            if all(far):
                shape, colour = int(random.integers(len(SHAPES))), int(random.integers(len(COLOURS)))
                things.append(_Thing(shape, colour, float(row), float(column), float(radius)))
            if len(things) == n:
                return things


def _caption(things: list[_Thing]) -> str:
    """Where the first two objects stand to each other: 2 x 12 x 12 sentences; of one object its name."""
    if len(things) == 1:
        return f"a {things[0].name}"
    one, other = things[:2]
    beside = abs(one.column - other.column) >= abs(one.row - other.row)
    first, second = sorted((one, other), key=lambda t: t.column if beside else t.row)
    return f"a {first.name} {'left of' if beside else 'above'} a {second.name}"


def _questions(things: list[_Thing], size: int, random: np.random.Generator) -> list[tuple[str, str]]:
    """Of each kind one: what colour, how many, what shape, which side; objects that are asked for are the only ones."""
    colours = list(COLOURS)

    def alone(kind: str) -> _Thing:
        values = [getattr(t, kind) for t in things]
        single = [t for t in things if values.count(getattr(t, kind)) == 1]
        return single[int(random.integers(len(single)))] if single else things[0]

    by_shape, by_colour = alone("shape"), alone("colour")
    one = things[int(random.integers(len(things)))]
    side = "left" if one.column < size / 2 else "right"
    return [
        (f"what colour is the {SHAPES[by_shape.shape]}", colours[by_shape.colour]),
        ("how many objects are there", str(len(things))),
        (f"what shape is {colours[by_colour.colour]}", SHAPES[by_colour.shape]),
        (f"on which side is the {one.name}", side),
    ]
