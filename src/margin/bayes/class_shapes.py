"""What a generative model holds of each class in a column or two: densities, shares, means and covariances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.bayes.column_blocks import Block
from margin.bayes.discriminant.diagonal import DiagonalLinearDiscriminantAnalysis
from margin.bayes.discriminant.normal_classes import NormalClasses
from margin.bayes.distributions.categorical import CategoricalNumbers
from margin.bayes.distributions.gaussian import Gaussian
from margin.bayes.distributions.kernel_density import KernelDensity
from margin.bayes.distributions.standard import Bernoulli, Poisson
from margin.bayes.naive import NaiveBayes
from margin.errors import InputError, InputTypeError

__all__ = ["ColumnDensities", "class_ellipses", "class_means", "column_densities", "fitted_classes", "log_normal"]

# A density is followed so many deviations to each side, and at so many places in each class.
REACH, PLACES = 3.5, 257
# Of more whole numbers than this a picture tells no two apart.
MOST_NUMBERS = 400


@dataclass(frozen=True)
class ColumnDensities:
    """One column as the model has it in each class.

    Attributes
    ----------
    distribution
        What it is called.
    discrete
        Whether the values are the probabilities of the numbers ``at``, and not densities there.
    at
        Places on the column, ascending, from where the densities begin to where they end.
    values
        One row for each class; NaN for a class that does not vary and so has no density.
    """

    distribution: str
    discrete: bool
    at: np.ndarray
    values: np.ndarray


def fitted_classes(model: Any, who: str) -> NaiveBayes | NormalClasses:
    """The model itself, if it is one whose classes have densities and it has learnt them."""
    if not isinstance(model, NaiveBayes | NormalClasses):
        raise InputTypeError(
            f"{who}(model={type(model).__name__}): model must be a NaiveBayes, GaussianNB or discriminant analysis."
        )
    return model._fitted(who)


def column_densities(model: NaiveBayes | NormalClasses, name: str, who: str) -> ColumnDensities:
    """The densities of a numeric column in the classes, or the shares of its numbers.

    >>> model = NaiveBayes().fit([[1.0], [3.0], [7.0], [9.0]], ["low", "low", "high", "high"])
    >>> found = column_densities(model, "x0", "example")
    >>> found.at[found.values.argmax(axis=1)].round(1)
    array([8., 2.])
    """
    block, j = (None, 0) if isinstance(model, NormalClasses) else _block_of(model, name, who)
    distribution = None if block is None else block.distribution
    if distribution is None or isinstance(distribution, Gaussian):
        mean, covariance = class_ellipses(model, (name,), who)
        beyond = REACH * np.sqrt(covariance[:, 0])
        at = _places(np.hstack([mean - beyond, mean + beyond]))
        with np.errstate(under="ignore"):
            values = np.array([np.exp(log_normal(at[:, None], m, v)) for m, v in zip(mean, covariance)])
        return ColumnDensities("gaussian", False, at, values)
    assert block is not None
    if isinstance(distribution, KernelDensity):
        at = _places(_ends_of_bumps(distribution, j))
        values = _likelihoods(block, j, at, len(model.classes_))
        values[distribution.width[j] == 0] = np.nan
        return ColumnDensities("kernel", False, at, values)
    if isinstance(distribution, CategoricalNumbers):
        at = distribution.values[j]
    elif isinstance(distribution, Poisson):
        at = _counts_around(distribution.rate[:, j])
    else:
        raise InputError(
            f"{who}: column {name!r} is {distribution.name}, which has no density of the column's numbers; it must be "
            "gaussian, kernel, poisson or numbers taken as categories."
        )
    return ColumnDensities(distribution.name, True, at, _likelihoods(block, j, at, len(model.classes_)))


def class_ellipses(
    model: NaiveBayes | NormalClasses, names: tuple[str, ...], who: str
) -> tuple[np.ndarray, np.ndarray]:
    """Means (class by column) and covariances (class by column by column) of some normal columns.

    >>> from margin.bayes import LinearDiscriminantAnalysis
    >>> model = LinearDiscriminantAnalysis().fit([[1.0, 5.0], [3.0, 5.5], [7.0, 4.0], [9.0, 3.5]], [0, 0, 1, 1])
    >>> class_ellipses(model, ("x1",), "example")
    (array([[5.25],
           [3.75]]), array([[[0.125]],
    <BLANKLINE>
           [[0.125]]]))
    """
    if isinstance(model, NaiveBayes):
        found = [_normal_column(*_block_of(model, name, who), name, who) for name in names]
        mean, variance = np.stack([m for m, _ in found], axis=1), np.stack([v for _, v in found], axis=1)
        return mean, variance[:, :, None] * np.eye(len(names))
    _refuse_words(model, names, who)
    at = [model._encoder.names_out().index(name) for name in names]
    return model.means_[:, at], _covariances(model, who)[(..., *np.ix_(at, at))]


def class_means(model: NaiveBayes | NormalClasses, who: str) -> np.ndarray:
    """The mean of each numeric column (columns) in each class (rows).

    >>> class_means(NaiveBayes().fit([[1.0, 0.0], [3.0, 0.5], [7.0, 1.0]], ["low", "low", "high"]), "example")
    array([[7.  , 1.  ],
           [2.  , 0.25]])
    """
    _refuse_words(model, model._columns.described().names, who)
    if isinstance(model, NormalClasses):
        return model.means_
    means = np.zeros((len(model.classes_), model._columns.n))
    for block in model._blocks:
        means[:, block.positions] = _means_of(block, who)
    return means


def log_normal(points: np.ndarray, mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Logarithms of a normal density; NaN everywhere where the covariance leaves a direction without variance.

    >>> log_normal(np.array([[0.0], [1.0]]), np.zeros(1), np.eye(1)).round(4)
    array([-0.9189, -1.4189])
    """
    scale = np.sqrt(np.diagonal(covariance))
    if not (scale > 0).all():
        return np.full(len(points), np.nan)
    try:
        root = np.linalg.cholesky(covariance / scale[:, None] / scale)
    except np.linalg.LinAlgError:
        return np.full(len(points), np.nan)
    away = np.linalg.solve(root, ((points - mean) / scale).T)
    volume = np.log(np.diagonal(root)).sum() + np.log(scale).sum() + 0.5 * len(scale) * np.log(2 * np.pi)
    return -0.5 * (away**2).sum(axis=0) - volume


def _block_of(model: NaiveBayes, name: str, who: str) -> tuple[Block, int]:
    """The block that a numeric column stands in, and its place there."""
    _refuse_words(model, (name,), who)
    place = model._columns.described().names.index(name)
    block = next(block for block in model._blocks if place in block.positions)
    return block, int(np.flatnonzero(block.positions == place)[0])


def _refuse_words(model: NaiveBayes | NormalClasses, names: Any, who: str) -> None:
    schema = model._columns.described()
    for name in names:
        if not schema[name].is_numeric:
            raise InputError(f"{who}: column {name!r} must be numeric, but is {schema[name].kind}.")


def _normal_column(block: Block, j: int, name: str, who: str) -> tuple[np.ndarray, np.ndarray]:
    """Means and variances in the classes."""
    normal = block.distribution
    if not isinstance(normal, Gaussian):
        raise InputError(f"{who}: column {name!r} must be gaussian, but is {normal.name}.")
    unit = normal.unit[j]
    return normal.mean[:, j] * unit, normal.variance[:, j] * unit**2


def _covariances(model: NormalClasses, who: str) -> np.ndarray:
    """One for each class, or one that is seen as many times."""
    n_classes, d = model.means_.shape
    if isinstance(model, DiagonalLinearDiscriminantAnalysis):
        found = np.diag(model.var_)
    elif hasattr(model, "covariance_"):
        found = np.asarray(model.covariance_)
    else:  # taken over from a package that did not keep it
        raise InputError(f"{who}: the model does not know its covariance (it was fitted elsewhere; fit margin's own).")
    return np.broadcast_to(found, (n_classes, d, d))


def _means_of(block: Block, who: str) -> np.ndarray:
    found = block.distribution
    if isinstance(found, Gaussian):
        return found.mean * found.unit
    if isinstance(found, Poisson):
        return found.rate
    if isinstance(found, Bernoulli):
        return np.exp(found.present).T
    raise InputError(f"{who}: columns must be gaussian, poisson or bernoulli for a mean, but are {found.name}.")


def _likelihoods(block: Block, j: int, at: np.ndarray, n_classes: int) -> np.ndarray:
    """P(x | k) of column j of the block (rows: classes); its other columns are missing."""
    cells = np.full((len(at), len(block.positions)), np.nan)
    cells[:, j] = at
    scores = np.zeros((len(at), n_classes))
    block.distribution.add(cells, scores)
    offset = block.distribution.offset(cells)
    with np.errstate(under="ignore"):
        return np.exp(scores + (0.0 if offset is None else offset[:, None])).T


def _ends_of_bumps(kernel: KernelDensity, j: int) -> np.ndarray:
    """From where to where the density of each class reaches."""
    n_classes = kernel.width.shape[1]
    ends = np.full((n_classes, 2), kernel.constant[j])
    for k in range(n_classes):
        part = kernel.values[slice(*kernel.start[j * n_classes + k :][:2])]
        if len(part):
            beyond = REACH * kernel.width[j, k]
            ends[k] = part.min() - beyond, part.max() + beyond
    return ends * kernel.unit[j]


def _places(ends: np.ndarray) -> np.ndarray:
    """Places over all of it, and as many where each class is: a narrow one beside a wide one keeps its shape.

    Those of a class go on until nothing is left of it, for its density is to be 0 at the next place.
    """
    ends = ends[np.isfinite(ends).all(axis=1)]
    if not len(ends):
        return np.zeros(1)
    low, high = ends[:, 0].min(), ends[:, 1].max()
    beyond = 0.5 * (ends[:, 1] - ends[:, 0])
    wide = np.column_stack([np.maximum(ends[:, 0] - beyond, low), np.minimum(ends[:, 1] + beyond, high)])
    return np.unique(np.concatenate([np.linspace(first, last, PLACES) for first, last in ((low, high), *wide)]))


def _counts_around(rates: np.ndarray) -> np.ndarray:
    """Whole numbers from where the first class has any probability to speak of to where the last one has."""
    reach = REACH * np.sqrt(rates)
    low, high = np.floor(max((rates - reach).min(), 0.0)), np.ceil((rates + reach + 3 * (rates > 0)).max())
    return np.unique(np.round(np.linspace(low, high, min(int(high - low) + 1, MOST_NUMBERS))))
