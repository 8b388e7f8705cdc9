"""What is told of a model and of the rows it was asked about, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Branch", "CellRows", "ColumnWorth", "Cutoffs", "Effect", "EffectLine", "Mistake", "Portrait", "Weight"]


@dataclass(frozen=True)
class ColumnWorth:
    """How far the model falls where the cells of a column are shuffled among the rows, with a 95 % interval."""

    name: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class EffectLine:
    """The mean probability of a class at each value of a column."""

    label: str
    mean: tuple[float, ...]


@dataclass(frozen=True)
class Effect:
    """What a model says as one column changes and the others stay: partial dependence.

    ``values`` are those the column was set to, in words; ``numbers`` are the same as numbers, and empty for levels.
    """

    name: str
    values: tuple[str, ...]
    numbers: tuple[float, ...]
    lines: tuple[EffectLine, ...]


@dataclass(frozen=True)
class Branch:
    """A node of a tree as it is drawn: how it is reached, what it asks or answers, and the classes of its cases."""

    parent: int
    depth: int
    edge: str
    title: str
    is_answer: bool
    cases: str
    share: float
    shares: tuple[float, ...]
    x: float
    below: str = ""


@dataclass(frozen=True)
class Weight:
    """A coefficient of a linear model: what a column adds to the score of a class, with its interval where known."""

    name: str
    label: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Portrait:
    """What a model goes by.

    ``worths`` are of the columns, the greatest first, found on ``n_asked`` sealed rows; they are differences of the
    probability of the true class, or of the share of right answers where ``of`` is ``"answers"``. ``branches`` are the
    upper levels of a tree, in preorder, ``weights`` the largest of a linear model, both empty for other models;
    ``unit`` says what a step of a column is to the weights, ``odds`` whether these are of the log-odds of a class, and
    ``n_weights`` how many there are, of all classes. ``labels`` are the classes.
    """

    labels: tuple[str, ...]
    n_asked: int = 0
    of: str = "probability"
    worths: tuple[ColumnWorth, ...] = ()
    effects: tuple[Effect, ...] = ()
    branches: tuple[Branch, ...] = ()
    weights: tuple[Weight, ...] = ()
    n_weights: int = 0
    unit: str = ""
    odds: bool = False


@dataclass(frozen=True)
class CellRows:
    """The rows behind a cell of the confusion matrix: the first of them, the surest answers first.

    ``rows`` count from 1, as lines of the table do; ``names`` are their identifiers, where a column has some.
    """

    true: str
    given: str
    n: int
    rows: tuple[int, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mistake:
    """A wrong answer, how sure it was, and the cells of the columns that the model needs most."""

    row: int
    name: str
    true: str
    given: str
    share: float | None
    cells: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cutoffs:
    """What each threshold from 0 to 1 in steps of 0.01 would do to the sealed rows of two classes.

    ``found`` counts the cases of the class ``label`` that are called so, ``false`` those of the other class.
    """

    label: str
    other: str
    positives: int
    negatives: int
    found: tuple[int, ...]
    false: tuple[int, ...]
