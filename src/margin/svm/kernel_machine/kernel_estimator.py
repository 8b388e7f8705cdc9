"""What every machine with a kernel reads: the kernel, its parameters, and rows in the form that it takes."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from margin import parallel
from margin.base import Numeric
from margin.base.estimator import SupervisedEstimator
from margin.base.inputs.columns import Columns
from margin.base.representations.representation import TrainingRows
from margin.errors import ConvergenceWarning, InputError, ParameterError, warn
from margin.params import Rule, choice, is_number, is_whole
from margin.svm.kernel_machine.chosen_kernel import ChosenKernel
from margin.svm.kernel_machine.learner import Learner
from margin.svm.kernel_machine.machine import Machine
from margin.svm.kernel_machine.multiclass import Layout
from margin.svm.kernel_machine.solve import FEW, Solver
from margin.svm.kernels.function import KERNELS, KernelFunction, traits_of, unheard_below
from margin.svm.kernels.matrix import values_of
from margin.svm.kernels.object_kernel import ObjectKernel, objects_of
from margin.svm.kernels.spectrum import SpectrumKernel
from margin.typing import Encoded, TableLike, WeightsLike

__all__ = ["Iterations", "KernelEstimator", "KernelName", "Number", "variance_of_cells"]

# Below so many cells one thread is quicker than asking how many there are.
SMALL = 2_000
# Gaps below this want kernel values in double precision.
SINGLE = 1e-5


def _is_iterations(value: object) -> bool:
    return is_whole(value) and (value == -1 or value >= 1)


Iterations = Annotated[int, Rule("a whole number of at least 1, or -1 for no limit", _is_iterations, int)]
Number = Annotated[float, Rule("a number", is_number, float)]
KernelName = Annotated[str, choice(*KERNELS)]


class KernelEstimator(SupervisedEstimator):
    r"""An estimator whose decisions are sums of kernels over support vectors.

    Parameters
    ----------
    kernel
        "linear", "poly", "rbf", "sigmoid"; "gaussian" is "rbf" with sigma; "precomputed" where X holds kernel values
        (at fit among the training rows, later of new rows with them); a function of two sets of rows that gives the
        matrix of kernel values; an :class:`ObjectKernel` of a function of two objects, and then X is a list of objects
        of any kind; or a :class:`SpectrumKernel`, and then X is a list of texts or of lists of tokens.
    degree
        Of the polynomial kernel :math:`(\gamma\, x \cdot z + r)^d`.
    gamma
        Of poly, rbf :math:`e^{-\gamma \|x - z\|^2}` and sigmoid: a number, "auto" (1 / columns) or "scale"
        (1 / (columns · variance of all cells, with their rows' weights)).
    sigma
        Another way to say gamma: the width of the Gaussian :math:`e^{-\|x - z\|^2 / 2\sigma^2}`.
    coef0
        r of the polynomial kernel and of the sigmoid :math:`\tanh(\gamma\, x \cdot z + r)`.
    scale
        "standard" or "range" to put numeric columns on one scale first; None takes them as they are.
    tol
        Largest share of the objective by which it may miss the optimum (the duality gap).
    max_iter
        Pairs of weights that are changed at most; -1 for no limit but the solver's own.
    cache_size
        Megabytes for kernel values.
    n_jobs
        Threads; None for all cores. The answer does not depend on it.
    """

    # What all of them are told.
    kernel: Any
    degree: Any
    gamma: Any
    sigma: Any
    coef0: Any
    scale: Any
    tol: Any
    max_iter: Any
    cache_size: Any
    n_jobs: Any

    #: None where there is nothing to decide.
    _machine: Machine | None
    #: Which of how many given rows took part; None stands for all.
    _kept: np.ndarray | None
    _n_given: int
    #: The dictionary of pieces; there with a spectrum kernel only.
    _spectrum: SpectrumKernel
    #: The training objects; there with a kernel of objects only.
    _objects: np.ndarray
    #: The training rows that are support vectors.
    support_: np.ndarray
    #: gamma in use.
    gamma_: float

    @property
    def representation(self) -> Numeric:
        return Numeric(scale=self.scale, sparse=True, keep_float32=True, largest=1e100)

    def _unheard_below(self) -> float:
        gamma = self.gamma if self.sigma is None else 0.5 / float(self.sigma) ** 2
        C = float(getattr(self, "C", 1.0))
        return 0.0 if self.scale is not None else unheard_below(self._chosen_kernel.name, gamma, C)

    @property
    def _chosen_kernel(self) -> ChosenKernel:
        return ChosenKernel(self.kernel)

    def _warn_of_constant_columns(self, constant: list[str], n_rows: int, who: str) -> None:
        if not self._chosen_kernel.is_matrix:  # kernel values are no columns
            super()._warn_of_constant_columns(constant, n_rows, who)

    def _open_rows(
        self, X: Encoded, sample_weight: WeightsLike | None, who: str, like: Columns | None = None
    ) -> TrainingRows:
        if isinstance(self.kernel, SpectrumKernel):
            self._spectrum = SpectrumKernel(**self.kernel.get_params())
            X = self._spectrum.fit_transform(X)
        elif isinstance(self.kernel, ObjectKernel):
            self._objects = objects_of(X, who)
            X = self.kernel.among(self._objects)
        return super()._open_rows(X, sample_weight, who, like)

    def _encoded(self, X: TableLike, method: str) -> Any:
        spectrum = self._fitted(method).__dict__.get("_spectrum")
        if spectrum is not None:
            X = spectrum.transform(X)
        elif isinstance(self.kernel, ObjectKernel):
            X = self._values_with_support(objects_of(X, f"{type(self).__name__}.{method}"))
        encoded = super()._encoded(X, method)
        if self.kernel == "precomputed":
            refuse_missing(X, f"{type(self).__name__}.{method}")
        return encoded

    def _values_with_support(self, X: np.ndarray) -> np.ndarray:
        """Kernel values of new objects with all training objects; only those with support vectors are ever read."""
        values = np.zeros((len(X), self._n_given))
        assert isinstance(self.kernel, ObjectKernel)
        values[:, self.support_] = self.kernel(X, self._objects[self.support_])
        return values

    def _learner(self, X: Encoded, rows: TrainingRows, layout: Layout) -> Learner:
        """Everything about a fit that stays the same for any part of the rows."""
        chosen = self._chosen_kernel
        self.gamma_ = self._gamma_of(X, rows.weight)
        kernel = KernelFunction(chosen.name, self.gamma_, float(self.coef0), float(self.degree))
        if chosen.is_matrix:
            X = self._square(X, rows)
        values = X if chosen.function is None else values_of(chosen.function, X, X, type(self).__name__)
        source = kernel.source(values, "auto" if self.tol >= SINGLE else False)
        threads = parallel.n_threads(self.n_jobs)
        few = X.shape[0] <= FEW
        solver = Solver(source, float(self.tol), int(self.max_iter), float(self.cache_size), threads, few)
        return Learner(kernel, X, chosen.function, solver, layout)

    def _square(self, X: Encoded, rows: TrainingRows) -> np.ndarray:
        """The kernel values among the rows that count."""
        who = f"{type(self).__name__}.fit"
        if X.shape[1] != rows.n_given:
            raise InputError(
                f"{who}: a precomputed kernel must be square at fit, the values of all rows with each other, but X has "
                f"{rows.n_given} rows and {X.shape[1]} columns."
            )
        if not isinstance(X, np.ndarray):
            refuse_missing(rows.source, who)
            X = X.toarray()
        elif self._encoder.filled:
            raise InputError(f"{who}: a precomputed kernel must have no missing values.")
        return np.ascontiguousarray(X if rows.kept is None else X[:, rows.kept], dtype=np.float64)

    def _gamma_of(self, X: Encoded, weight: np.ndarray | None) -> float:
        if self.sigma is not None:
            return 0.5 / float(self.sigma) ** 2
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        if "gamma" not in traits_of(self._chosen_kernel.name).parameters:
            return 1.0
        spread = X.shape[1] * (1.0 if self.gamma == "auto" else variance_of_cells(X, weight, self.scale == "standard"))
        return 1.0 / spread if spread > 0 else 1.0

    def _decisions(self, X: Encoded) -> np.ndarray:
        """Rows × problems, for rows that have been checked, filled and scaled."""
        assert self._machine is not None
        small = X.shape[0] * X.shape[1] < SMALL
        return self._machine.decisions(X, 1 if small else parallel.n_threads(self.n_jobs))

    @property
    def support_vectors_(self) -> Any:
        """The support vectors, as the kernel sees them: filled, scaled, nominal columns one-hot."""
        self._fitted("support_vectors_")
        return np.empty((0, 0)) if self._machine is None else self._machine.vectors

    @property
    def coef_(self) -> np.ndarray:
        """Coefficients of each problem, with the linear kernel; other kernels have none."""
        self._fitted("coef_")
        if self._chosen_kernel.name != "linear":
            raise AttributeError(f"{type(self).__name__}.coef_: only kernel='linear' has coefficients of columns.")
        if self._machine is None or self._machine.planes is None:
            return np.zeros((0, len(self._encoder.names_out())))
        return self._machine.planes

    @property
    def coef_names_(self) -> list[str]:
        """What the columns of ``support_vectors_`` and ``coef_`` are called."""
        if "_spectrum" in self.__dict__:
            return [str(piece) for piece in self._spectrum.get_feature_names_out()]
        return self._fitted("coef_names_")._encoder.names_out()

    def _check_kernel(self) -> None:
        name = type(self).__name__
        if self.kernel == "gaussian" and self.sigma is None:
            raise ParameterError(
                f"{name}(kernel='gaussian'): a Gaussian needs its width sigma (or kernel='rbf' gamma)."
            )
        if self.sigma is not None and (self._chosen_kernel.name != "rbf" or self.gamma != "scale"):
            raise ParameterError(f"{name}(sigma={self.sigma!r}): sigma is for a Gaussian kernel without gamma.")

    def _warn_of_gaps(self, gaps: list[float]) -> None:
        worst = max(gaps)
        if worst > self.tol:
            several = f" in {sum(gap > self.tol for gap in gaps)} of {len(gaps)} problems" if len(gaps) > 1 else ""
            warn(
                f"{type(self).__name__}.fit: the objective may be {worst:.2g} of itself above its optimum{several}, "
                f"where tol={self.tol:g} was asked for (let max_iter be larger, put the columns on one scale with "
                "scale='standard', or let C be smaller).",
                ConvergenceWarning,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def refuse_missing(X: Encoded, who: str) -> None:
    """A missing kernel value is nothing that a mean could stand for."""
    try:
        cells = X.data if hasattr(X, "indptr") else np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{who}: a precomputed kernel must have numbers for values.") from None
    if np.isnan(cells).any():
        raise InputError(f"{who}: a precomputed kernel must have no missing values.")


def variance_of_cells(X: Encoded, weight: np.ndarray | None, within_columns: bool = False) -> float:
    """The variance of all cells together, every row with its weight; or the mean of the variances of columns.

    The latter does not depend on the means of columns, which sparse rows keep where dense ones are moved to 0.
    """
    n, d = X.shape
    if n == 0 or d == 0:
        return 0.0
    w = np.ones(n) if weight is None else weight
    total = float(w.sum())
    means = np.asarray(w @ X, dtype=np.float64).ravel() / total
    if not within_columns:
        means = np.full(d, means.mean())
    if isinstance(X, np.ndarray):
        return float(w @ np.square(X - means).sum(axis=1, dtype=np.float64)) / (total * d)
    per_cell = np.repeat(w, np.diff(X.indptr))
    away = float(per_cell @ np.square(X.data - means[X.indices]))
    unstored = total - np.bincount(X.indices, per_cell, d)
    return (away + float(unstored @ np.square(means))) / (total * d)
