r"""The table of coefficients: standard errors, z, p-values, odds ratios and intervals from the observed information.

Without a penalty this is the classical table: the covariance of the coefficients is the inverse H⁻¹ of the second
derivatives of the summed loss. With a penalty it is the sandwich A⁻¹ H A⁻¹ with A the second derivatives of the
penalised loss: the spread of the penalised coefficients around their own mean, which the penalty pulls towards 0, so
that intervals are about the shrunken coefficients. With L1 only columns that are in the model count, as if they had
been chosen beforehand.
"""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from margin.errors import InputError, listing
from margin.linear.logistic.certificate import Point, curvature
from margin.linear.logistic.solve import MOST_PARAMETERS, Curved, generalised_inverse, is_cheap
from margin.linear.logistic.told_words import Told, as_they_are, words_against_the_most_frequent
from margin.linear.odds import reference_place
from margin.linear.presolve import Reduced
from margin.linear.problem import Problem

if TYPE_CHECKING:
    from margin.linear.logistic.regression import LogisticModel

__all__ = ["Evidence", "Summary", "evidence_of", "summary_of"]

# The 97.5 % point of the normal distribution.
Z95 = 1.959963984540054


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a summary needs of the training rows.

    ``curvature`` are the second derivatives of the mean loss in the columns and classes that were left, in their units;
    None where it was too dear to find. ``totals`` are the weights of the classes, ``shares`` those of words among the
    rows, for the columns that were left; None where all columns are numbers.
    """

    curvature: np.ndarray | None
    columns: np.ndarray
    unit: np.ndarray
    classes: np.ndarray
    totals: np.ndarray
    n_rows: int
    loss: float
    l1: float
    l2: float
    intercept: bool
    shares: np.ndarray | None = None

    @property
    def total(self) -> float:
        """Sum of the weights."""
        return float(self.totals.sum())


def evidence_of(
    problem: Problem, part: Reduced, point: Point, curved: Curved | None, at_any_cost: bool, words: slice
) -> Evidence:
    """Gather it at a solution; second derivatives are found anew where they are not known and cheap, or asked for.

    ``words`` are the columns of the whole matrix that stand for words.
    """
    hessian = None if curved is None else curved.curvature
    if hessian is None and problem.n_classes > 1 and (at_any_cost or is_cheap(problem)):
        hessian = curvature(problem, point.p)
    totals = np.zeros(part.n_classes)
    totals[part.classes] = np.bincount(problem.y, problem.weight, problem.n_classes)
    kept = (part.columns, part.unit, part.classes, totals)
    shares = None
    if hessian is not None and words.start < words.stop:
        there = (part.columns >= words.start) & (part.columns < words.stop)
        weight = np.ones(len(problem.y)) if problem.weight is None else problem.weight
        shares = np.where(there, np.asarray(weight @ problem.X) / weight.sum(), 0.0)
    return Evidence(hessian, *kept, len(problem.y), point.loss, problem.l1, problem.l2, problem.intercept, shares)


@dataclass(frozen=True, eq=False)
class Summary:
    """Coefficients and what is known of them; ``str()`` is the table for people, ``table`` the one for programs.

    Attributes
    ----------
    table
        Arrays by name, one entry per coefficient: ``class``, ``column``, ``coefficient``, ``standard_error``, ``z``,
        ``p_value``, ``odds_ratio`` and the ends of its 95 % interval, ``low`` and ``high``. NaN where nothing is known.
    reference
        The class that the log-odds are against.
    against
        What the words of each column are compared with: its most frequent one.
    null_deviance, deviance
        Twice the summed loss without columns, and with them.
    parameters
        Free parameters, which a penalty makes fewer than there are coefficients: the trace of A⁻¹H.
    aic
        Deviance plus twice the parameters (Akaike).
    pseudo_r2
        1 - deviance / null deviance (McFadden).
    notes
        How the errors were found, and what could not be told.
    """

    table: dict[str, np.ndarray]
    reference: Any
    against: dict[str, str]
    n_rows: int
    null_deviance: float
    deviance: float
    parameters: float
    aic: float
    pseudo_r2: float
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(_printed(self))

    def _repr_html_(self) -> str:
        lines, last = [], object()
        for i, (name, label) in enumerate(zip(self.table["column"], self.table["class"])):
            if label != last:
                told = html.escape(f"log-odds of {label!r} against {self.reference!r}")
                lines.append(f"<tr><th>{told}</th>{''.join(f'<th>{text}</th>' for text in HEADINGS)}</tr>")
                last = label
            cells = "".join(f'<td style="text-align: right">{cell}</td>' for cell in _row_cells(self.table, i))
            lines.append(f'<tr><td style="text-align: left">{html.escape(str(name))}</td>{cells}</tr>')
        notes = "".join(f"<p>{html.escape(line)}</p>" for line in [_fit_line(self), *self.notes])
        return f"<table>{''.join(lines)}</table>{notes}"


def summary_of(model: LogisticModel, evidence: Evidence, reference: object, words: str, who: str) -> Summary:
    """The summary of a fitted model."""
    classes = model.classes_.tolist()
    if len(evidence.classes) < 2:
        raise InputError(f"{who}: all training rows are of one class, so that there are no coefficients to judge.")
    if evidence.curvature is None:
        raise InputError(
            f"{who}: second derivatives were not kept with the model, since they are dear beside the fit or there are "
            f"more than {MOST_PARAMETERS} coefficients; give the training rows again: summary(X, y)."
        )
    first = int(evidence.classes[0]) if reference is None else reference_place(model.classes_, reference, who)
    if first not in evidence.classes:
        raise InputError(f"{who}(reference={reference!r}): no training row was of this class.")
    spread = _Spread(evidence, model.coef_, model.intercept_)
    told = _told(model, evidence, words)
    parts = [_rows_against(model, evidence, spread, told.sums, int(k), first) for k in evidence.classes if k != first]
    values = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    others = [k for k in evidence.classes.tolist() if k != first]
    labels = np.array([classes[k] for k in others for _ in told.names], dtype=object)
    table = {"class": labels, "column": np.array(told.names * len(others), dtype=object), **values}
    deviance, null = 2 * evidence.total * evidence.loss, _null_deviance(evidence)
    better = 1 - deviance / null if null > 0 else math.nan
    notes = _notes(evidence, model, table, told)
    aic = deviance + 2 * spread.parameters
    fit = (evidence.n_rows, null, deviance, spread.parameters, aic, better)
    return Summary(table, classes[first], told.against, *fit, notes)


def _told(model: LogisticModel, evidence: Evidence, words: str) -> Told:
    if evidence.shares is None or words == "missing":
        return as_they_are(model._encoder.names_out(), evidence.intercept)
    shares = np.zeros(model.coef_.shape[1])
    shares[evidence.columns] = evidence.shares
    return words_against_the_most_frequent(model._encoder, shares, evidence.intercept)


class _Spread:
    """Covariance of the coefficients that were left, and the directions of which nothing is known."""

    def __init__(self, evidence: Evidence, coef: np.ndarray, intercept: np.ndarray) -> None:
        H = evidence.curvature
        assert H is not None
        self.width = len(evidence.columns) + evidence.intercept
        self.n_scores = len(H) // self.width
        penalty = np.tile(
            np.append(np.full(len(evidence.columns), evidence.l2), [0.0] * evidence.intercept), self.n_scores
        )
        active = np.ones(len(H), dtype=bool)
        if evidence.l1 > 0:
            active = self._in_model(evidence, coef)
        H = H[np.ix_(active, active)]
        inverse, flat = generalised_inverse(H + np.diag(penalty[active]))
        self.parameters = float((inverse * H).sum())
        inner = inverse @ H @ inverse if evidence.l1 > 0 or evidence.l2 > 0 else inverse
        self.covariance = np.zeros((len(active), len(active)))
        self.covariance[np.ix_(active, active)] = inner / evidence.total
        self.flat = np.zeros((len(active), flat.shape[1]))
        self.flat[active] = flat / np.maximum(np.abs(flat).max(axis=0, initial=0.0), 1e-300)
        self.unknown = ~active

    def _in_model(self, evidence: Evidence, coef: np.ndarray) -> np.ndarray:
        found = coef[:, evidence.columns] if len(coef) == self.n_scores else coef[evidence.classes][:, evidence.columns]
        if len(found) != self.n_scores:
            found = found[:1]
        always = np.ones((len(found), 1), dtype=bool)
        return np.column_stack([found != 0, always] if evidence.intercept else [found != 0]).ravel()

    def errors(self, contrast: np.ndarray) -> np.ndarray:
        """Standard errors of sums of coefficients, one per row of a matrix; NaN where they cannot be told."""
        variance = ((contrast @ self.covariance) * contrast).sum(axis=1)
        blurred = np.abs(contrast @ self.flat).max(axis=1, initial=0.0) > 1e-6
        absent = (contrast[:, ~self.unknown] == 0).all(axis=1)
        return np.where(blurred | absent | (variance <= 0), np.nan, np.sqrt(np.maximum(variance, 0.0)))


def _rows_against(
    model: LogisticModel, evidence: Evidence, spread: _Spread, sums: np.ndarray, k: int, first: int
) -> dict[str, np.ndarray]:
    """The lines of the table for one class against the reference."""
    place = {int(c): i for i, c in enumerate(evidence.classes)}
    sides = np.zeros(max(spread.n_scores, 2))
    sides[place[k]], sides[place[first]] = 1.0, -1.0
    if spread.n_scores == 1:
        sides = sides[1:]
    left = sums[:, evidence.columns] / evidence.unit
    errors = spread.errors(np.kron(sides, np.column_stack([left, sums[:, -1]]) if evidence.intercept else left))
    if len(model.coef_) == 1:
        coef, at_zero = sides[0] * model.coef_[0], sides[0] * model.intercept_[0]
    else:
        coef, at_zero = model.coef_[k] - model.coef_[first], model.intercept_[k] - model.intercept_[first]
    coef = sums @ np.append(coef, at_zero)
    z = coef / errors
    with np.errstate(over="ignore"):
        return {
            "coefficient": coef,
            "standard_error": errors,
            "z": z,
            "p_value": np.array([math.erfc(abs(value) / math.sqrt(2)) for value in z]),
            "odds_ratio": np.exp(coef),
            "low": np.exp(coef - Z95 * errors),
            "high": np.exp(coef + Z95 * errors),
        }


def _null_deviance(evidence: Evidence) -> float:
    totals = evidence.totals[evidence.classes]
    if not evidence.intercept:
        return float(2 * evidence.total * math.log(len(totals)))
    return float(2 * (totals * np.log(evidence.total / totals)).sum())


def _notes(evidence: Evidence, model: LogisticModel, table: dict[str, np.ndarray], told: Told) -> tuple[str, ...]:
    found = []
    if told.against:
        each = ", ".join(f"{name}: {word}" for name, word in told.against.items())
        found.append(f"Words are compared with the most frequent one of their column ({each}).")
    if evidence.l1 > 0:
        found.append(
            "Errors are those of the columns in the model as if they had been chosen beforehand (sandwich of the "
            "penalised information): too small, since the choice is not counted."
        )
    elif evidence.l2 > 0:
        found.append(
            "The penalty pulls coefficients towards 0; errors (sandwich of the penalised information) are about the "
            "shrunken coefficients, not the true ones. C=inf gives the classical table."
        )
    if getattr(model, "scale", None) is not None:
        what = "deviation" if model.scale == "standard" else "range"
        found.append(f"Numeric columns were scaled: an odds ratio is that of one {what} of the column.")
    lost = [name for name, error in zip(table["column"], table["standard_error"]) if np.isnan(error)]
    if lost and evidence.l1 == 0:
        found.append(
            f"No error for {listing(dict.fromkeys(lost))}: constant, or told apart from no sum of other columns "
            "(leave one of them out, or use a penalty)."
        )
    return tuple(found)


HEADINGS = ("coefficient", "std. error", "z", "p", "odds ratio", "95 % interval")


def _printed(summary: Summary) -> list[str]:
    table = summary.table
    names = [str(name) for name in table["column"]]
    cells = [_row_cells(table, i) for i in range(len(names))]
    wide = max(len(name) for name in names)
    widths = [max(len(row[j]) for row in [HEADINGS, *cells]) for j in range(len(HEADINGS))]
    lines: list[str] = []
    last: Any = object()
    for name, label, row in zip(names, table["class"], cells):
        if label != last:
            heading = "  ".join(text.rjust(width) for text, width in zip(HEADINGS, widths))
            lines += [
                "",
                f"log-odds of {label!r} against {summary.reference!r}",
                " " * (wide + 2) + heading,
            ]
            last = label
        lines.append(f"{name.ljust(wide)}  " + "  ".join(text.rjust(width) for text, width in zip(row, widths)))
    return [*lines[1:], "", _fit_line(summary), *summary.notes]


def _fit_line(summary: Summary) -> str:
    """How well the model fits, in a line."""
    return (
        f"{summary.n_rows:,} rows; null deviance {summary.null_deviance:.6g}, residual deviance "
        f"{summary.deviance:.6g}; AIC {summary.aic:.6g} with {summary.parameters:.4g} parameters; "
        f"pseudo-R² {summary.pseudo_r2:.4g}"
    )


def _row_cells(table: dict[str, np.ndarray], i: int) -> tuple[str, ...]:
    p = float(table["p_value"][i])
    chance = "<1e-16" if p < 1e-16 else f"{p:.3g}"
    if np.isnan(table["standard_error"][i]):
        return (f"{table['coefficient'][i]:.6g}", "-", "-", "-", f"{table['odds_ratio'][i]:.4g}", "-")
    return (
        f"{table['coefficient'][i]:.6g}",
        f"{table['standard_error'][i]:.4g}",
        f"{table['z'][i]:.3f}",
        chance,
        f"{table['odds_ratio'][i]:.4g}",
        f"{table['low'][i]:.4g} … {table['high'][i]:.4g}",
    )
