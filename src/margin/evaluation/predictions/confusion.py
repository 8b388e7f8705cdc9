"""The confusion matrix: which classes were taken for which, and every ratio that is read off it."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

import numpy as np

from margin.data.labels import distinct, label_array, position_of
from margin.errors import LabelError, listing
from margin.evaluation.predictions.answers import Answers

__all__ = [
    "ConfusionMatrix",
    "answered",
    "confusion",
    "f1_by_class",
    "in_columns",
    "precision_by_class",
    "ratio",
    "recall_by_class",
    "support",
    "true_positives",
]

#: Beyond this many classes the text shows the most frequent confusions instead of the whole square.
_WIDEST = 15


# ---- Ratios by class. Tables have one row a class, one column a class and one more for abstentions where there are
# ---- some; leading axes are many tables at once, as the bootstrap needs them.


def ratio(part: np.ndarray | float, whole: np.ndarray | float) -> np.ndarray:
    """part / whole, and 0 where the whole is 0: a ratio of nothing earns nothing."""
    part, whole = np.broadcast_arrays(np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64))
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)


def true_positives(table: np.ndarray) -> np.ndarray:
    """Right answers by class: the diagonal."""
    n = table.shape[-2]
    return table[..., np.arange(n), np.arange(n)]


def support(table: np.ndarray) -> np.ndarray:
    """Cases of each class: the sums of the rows, abstentions included."""
    return table.sum(axis=-1)


def answered(table: np.ndarray) -> np.ndarray:
    """Answers for each class, right or wrong: the sums of the columns, abstentions left out."""
    return table.sum(axis=-2)[..., : table.shape[-2]]


def precision_by_class(table: np.ndarray) -> np.ndarray:
    """Of the answers for each class, the share that is right."""
    return ratio(true_positives(table), answered(table))


def recall_by_class(table: np.ndarray) -> np.ndarray:
    """Of the cases of each class, the share answered rightly."""
    return ratio(true_positives(table), support(table))


def f1_by_class(table: np.ndarray) -> np.ndarray:
    """The harmonic mean of the two."""
    return ratio(2 * true_positives(table), support(table) + answered(table))


@dataclass(frozen=True, eq=False)
class ConfusionMatrix:
    """Cases counted by true class (rows) and answered class (columns).

    An abstention, a prediction of ``None``, is counted in ``abstained`` and not in ``counts``. It is not a right
    answer: it lowers accuracy and recall, and leaves precision alone. A ratio of nothing (the precision of a class
    that was never answered, the recall of a class without cases) is 0.

    Attributes
    ----------
    counts
        One row and one column per class: how many cases of the row's class were answered as the column's class.
        Sums of weights where weights were given.
    abstained
        Cases of each class that got no answer.
    labels
        The classes, in their own type and in order.

    Examples
    --------
    >>> matrix = confusion(["spam", "ham", "ham", "spam"], ["spam", "ham", "spam", "spam"])
    >>> print(matrix)
    truth \\ answer    ham   spam  recall
    ham                 1      1   0.500
    spam                0      2   1.000
    precision       1.000  0.667
    3 of 4 right: accuracy 0.750
    >>> matrix.accuracy
    0.75
    >>> matrix.of("spam")["fpr"]
    0.5
    """

    counts: np.ndarray
    abstained: np.ndarray
    labels: np.ndarray

    @classmethod
    def of_answers(cls, answers: Answers) -> ConfusionMatrix:
        table = answers.counts
        return cls(table[:, :-1], table[:, -1], answers.classes)

    @property
    def table(self) -> np.ndarray:
        """The counts with abstentions as one more column."""
        return np.column_stack([self.counts, self.abstained])

    @property
    def total(self) -> float:
        """All cases, or the sum of their weights."""
        return (self.counts.sum() + self.abstained.sum()).item()

    @property
    def accuracy(self) -> float:
        """Share of the cases answered rightly."""
        return ratio(np.trace(self.counts), self.total).item()

    @property
    def error(self) -> float:
        """Share of the cases answered wrongly or not at all."""
        return ratio(self.total - np.trace(self.counts), self.total).item()

    @property
    def coverage(self) -> float:
        """Share of the cases that got an answer."""
        return ratio(self.counts.sum(), self.total).item()

    @property
    def selective_error(self) -> float:
        """Share of the answered cases that were answered wrongly."""
        return ratio(self.counts.sum() - np.trace(self.counts), self.counts.sum()).item()

    @property
    def support(self) -> np.ndarray:
        """Cases of each class."""
        return support(self.table)

    @property
    def precision(self) -> np.ndarray:
        """By class: of the cases answered as this class, the share that are."""
        return precision_by_class(self.table)

    @property
    def recall(self) -> np.ndarray:
        """By class: of the cases of this class, the share answered so. Also the true positive rate."""
        return recall_by_class(self.table)

    tpr = recall

    @property
    def fpr(self) -> np.ndarray:
        """By class: of the cases of other classes, the share answered as this class."""
        return ratio(answered(self.table) - true_positives(self.table), self.total - self.support)

    @property
    def specificity(self) -> np.ndarray:
        """By class: of the cases of other classes, the share not answered as this class."""
        others = self.total - self.support
        return ratio(others - answered(self.table) + true_positives(self.table), others)

    @property
    def f1(self) -> np.ndarray:
        """By class: the harmonic mean of precision and recall."""
        return f1_by_class(self.table)

    def of(self, label: Any) -> dict[str, float]:
        """The ratios of one class, taken as the positive one against all others."""
        at = position_of(label, self.labels, "ConfusionMatrix.of")
        names = ("precision", "recall", "fpr", "specificity", "f1", "support")
        return {name: getattr(self, name)[at].item() for name in names}

    def __str__(self) -> str:
        body = _square(self) if len(self.labels) <= _WIDEST else _by_class(self)
        hits = f"{_amount(np.trace(self.counts))} of {_amount(self.total)} right: accuracy {self.accuracy:.3f}"
        silent = f", {_amount(self.abstained.sum())} without an answer" if self.abstained.any() else ""
        return f"{body}\n{hits}{silent}"

    def __repr__(self) -> str:
        return (
            f"<ConfusionMatrix: {len(self.labels)} classes, {_amount(self.total)} cases, accuracy {self.accuracy:.3f}>"
        )

    def _repr_html_(self) -> str:
        headings = [*map(str, self.labels.tolist()), *_abstention_heading(self), "recall"]
        head = "".join(f"<th>{html.escape(text)}</th>" for text in headings)
        rows = "".join(_html_row(self, at) for at in range(len(self.labels)))
        foot = "".join(f"<td>{value:.3f}</td>" for value in self.precision)
        return (
            f"<table><tr><th>truth \\ answer</th>{head}</tr>{rows}<tr><th>precision</th>{foot}</tr></table>"
            f"<p>accuracy {self.accuracy:.3f} on {_amount(self.total)} cases</p>"
        )


def confusion(y_true: Any, y_pred: Any, labels: Any = None, sample_weight: Any = None) -> ConfusionMatrix:
    """Count cases by true and answered class.

    Parameters
    ----------
    y_true, y_pred
        Labels of any type; ``None`` among the predictions is an abstention.
    labels
        The classes and their order. Without it: all that occur, ascending. Every label must be among them.
    sample_weight
        How much each case counts; once, without it.

    Examples
    --------
    >>> confusion([0, 1, 1], [0, 1, 0], labels=[1, 0]).counts.tolist()
    [[1, 1], [0, 1]]
    """
    answers = Answers.of(y_true, y_pred, classes=labels, sample_weight=sample_weight, who="confusion")
    matrix = ConfusionMatrix.of_answers(answers)
    return matrix if labels is None else _reordered(matrix, label_array(labels, "confusion"))


def _reordered(matrix: ConfusionMatrix, labels: np.ndarray) -> ConfusionMatrix:
    given, known = labels.tolist(), matrix.labels.tolist()
    if len(distinct(labels)) < len(given):
        raise LabelError(f"confusion(labels={given!r}): each class must stand there once.")
    if len(given) < len(known):
        left_out = [label for label in known if label not in given]
        raise LabelError(f"confusion(labels={given!r}): every label must be listed, but {listing(left_out)} is not.")
    order = [known.index(label) for label in given]
    return ConfusionMatrix(matrix.counts[np.ix_(order, order)], matrix.abstained[order], labels)


# ---- Pictures of it in text and HTML.


def _amount(number: float) -> str:
    return f"{number:g}" if float(number).is_integer() and abs(number) < 1e6 else f"{number:,.6g}"


def _short(label: Any, most: int = 16) -> str:
    text = str(label)
    return text if len(text) <= most else text[: most - 1] + "…"


def _abstention_heading(matrix: ConfusionMatrix) -> list[str]:
    return ["no answer"] if matrix.abstained.any() else []


def _square(matrix: ConfusionMatrix) -> str:
    names = [_short(label) for label in matrix.labels.tolist()]
    table = matrix.table if matrix.abstained.any() else matrix.counts
    lines = [["truth \\ answer", *names, *_abstention_heading(matrix), "recall"]]
    for name, row, recall in zip(names, table, matrix.recall):
        lines.append([name, *map(_amount, row.tolist()), f"{recall:.3f}"])
    lines.append(["precision", *(f"{value:.3f}" for value in matrix.precision)])
    return in_columns(lines)


def _by_class(matrix: ConfusionMatrix) -> str:
    lines = [["class", "cases", "precision", "recall", "F1"]]
    for label, cases, *values in zip(
        matrix.labels.tolist(), matrix.support.tolist(), matrix.precision, matrix.recall, matrix.f1
    ):
        lines.append([_short(label, 30), _amount(cases), *(f"{value:.3f}" for value in values)])
    wrong = matrix.counts - np.diag(np.diag(matrix.counts))
    worst = [divmod(int(cell), len(matrix.labels)) for cell in np.argsort(-wrong, axis=None, kind="stable")[:5]]
    taken = [
        f"{matrix.labels[t]} taken for {matrix.labels[a]}: {_amount(wrong[t, a])}" for t, a in worst if wrong[t, a] > 0
    ]
    return "\n".join([in_columns(lines), *taken])


def in_columns(lines: list[list[str]]) -> str:
    """Cells set flush: the first column to the left, numbers to the right."""
    widths = [max(len(line[at]) for line in lines if at < len(line)) for at in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at == 0 else cell.rjust(width) for at, (cell, width) in enumerate(zip(line, widths))
        )
        for line in lines
    )


def _html_row(matrix: ConfusionMatrix, at: int) -> str:
    total = max(matrix.support[at], 1e-300)
    cells = ""
    for column, count in enumerate(matrix.counts[at].tolist()):
        colour = "46,125,50" if column == at else "198,40,40"
        cells += f'<td style="background:rgba({colour},{0.6 * count / total:.2f})">{_amount(count)}</td>'
    if matrix.abstained.any():
        cells += f"<td>{_amount(matrix.abstained[at])}</td>"
    name = html.escape(str(matrix.labels[at]))
    return f"<tr><th>{name}</th>{cells}<td>{matrix.recall[at]:.3f}</td></tr>"
