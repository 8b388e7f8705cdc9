"""A made-up table of loan applications: every kind of column, missing cells, and a known best accuracy.

Nothing in it was ever observed. An applicant is drawn from plain distributions, then a risk

    P(bad) = 1 / (1 + exp(-score))

with a score that adds up some columns, bends for the young and the old, and has one interaction (long loans without
savings), so that linear models do well and flexible ones a little better. ``sex`` and ``telephone`` carry no signal.
"""

from __future__ import annotations

import numpy as np

from margin.data.schema import Column, Kind, Schema
from margin.data.table import Table

__all__ = ["CREDIT_SEED", "credit", "credit_text"]

#: The seed of the bundled table.
CREDIT_SEED = 2024
#: Share of the cells, outside the customer number and the risk, that are blanked.
MISSING_SHARE = 0.04

EMPLOYMENT = ("unemployed", "under 1 year", "1-4 years", "4-7 years", "over 7 years")
SAVINGS = ("none", "little", "moderate", "plenty")
PURPOSES = ("appliances", "business", "car", "education", "furniture", "repairs")
HOUSING = ("free", "own", "rent")
#: How many thousands a loan for each purpose is about, and how risky the purpose is.
PURPOSE_AMOUNT = np.array([1.6, 5.0, 4.2, 2.6, 2.2, 2.8])
PURPOSE_RISK = np.array([-0.3, 0.8, 0.1, 0.5, 0.0, 0.3])
#: How sharply the score decides; set so that the best possible accuracy is about 0.82 before cells are lost.
SHARPNESS, LEVEL = 1.15, 1.15


def credit(n_rows: int = 1000, seed: int = CREDIT_SEED) -> Table:
    """Applications for loans, made up, with target ``risk`` (good or bad).

    >>> credit(200).shape
    (200, 13)
    """
    rng = np.random.Generator(np.random.Philox(seed))
    drawn = _applicants(n_rows, rng)
    bad = rng.random(n_rows) < risk_of_bad(drawn)
    columns: list[tuple[Column, np.ndarray]] = [_customers(n_rows, rng)]
    for name, levels in _COLUMNS.items():
        columns.append(_with_gaps(name, levels, drawn[name], rng))
    columns.append((Column("risk", "nominal", ("bad", "good"), "drawn from the score"), np.where(bad, 0, 1)))
    return Table(Schema(column for column, _ in columns), [cells for _, cells in columns], "credit")


def credit_text(n_rows: int = 1000, seed: int = CREDIT_SEED) -> str:
    """The same table as a CSV file that is as untidy as real ones: three marks for missing cells.

    >>> credit_text(2).splitlines()[0][:21]
    'customer,age,sex,inco'
    """
    table = credit(n_rows, seed)
    marks = {True: ("", "?", "-"), False: ("", "?", "NA")}
    lines = [",".join(table.names)]
    shown = [[_shown(value) for value in table.values(name)] for name in table.names]
    for row, cells in enumerate(zip(*shown)):
        kinds = (column.is_numeric for column in table.schema)
        lines.append(",".join(cell or marks[numeric][row % 3] for cell, numeric in zip(cells, kinds)))
    return "\n".join(lines) + "\n"


def risk_of_bad(drawn: dict[str, np.ndarray]) -> np.ndarray:
    """The probability that each applicant does not pay back, before any cell is lost."""
    burden = np.log(drawn["amount"] / (0.35 * drawn["income"] * drawn["duration"]))
    young = np.maximum(0, 27 - drawn["age"]) / 6
    old = np.maximum(0, drawn["age"] - 62) / 8
    score = 1.3 * burden + 0.05 * (drawn["duration"] - 22) - 0.55 * (drawn["savings"] - 1)
    score += -0.45 * (drawn["employment"] - 2) + 0.5 * (drawn["other_loans"] - 1) + 0.8 * young + 0.5 * old
    score += PURPOSE_RISK[drawn["purpose"]] + np.array([0.2, -0.4, 0.3])[drawn["housing"]]
    score += 1.3 * ((drawn["savings"] == 0) & (drawn["duration"] >= 30))
    return 1 / (1 + np.exp(-SHARPNESS * (score + LEVEL)))


_COLUMNS: dict[str, tuple[str, ...] | None] = {
    "age": None, "sex": ("female", "male"), "income": None, "amount": None, "duration": None, "other_loans": None,
    "purpose": PURPOSES, "housing": HOUSING, "employment": EMPLOYMENT, "savings": SAVINGS, "telephone": ("no", "yes"),
}  # fmt: skip
_ORDERED = ("employment", "savings")


def _applicants(n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    drawn: dict[str, np.ndarray] = {}
    drawn["age"] = np.clip(np.round(19 + rng.gamma(2.2, 8.0, n)), 19, 80)
    drawn["sex"] = rng.integers(0, 2, n)
    settled = np.clip((drawn["age"] - 19) / 9 + rng.normal(1.0, 1.1, n), 0, 4.99)
    drawn["employment"] = np.where(rng.random(n) < 0.06, 0, np.maximum(1, settled.astype(int)))
    pay = 0.55 + 0.13 * drawn["employment"] + rng.normal(0, 0.35, n)
    drawn["income"] = np.round(1000 * np.exp(pay), -1)
    wealth = 0.9 * np.log(drawn["income"] / 2000) + rng.normal(0, 0.9, n)
    drawn["savings"] = np.digitize(wealth, [-0.35, 0.5, 1.3])
    drawn["purpose"] = rng.choice(len(PURPOSES), n, p=[0.18, 0.10, 0.34, 0.09, 0.21, 0.08])
    amount = 1000 * PURPOSE_AMOUNT[drawn["purpose"]] * np.exp(rng.normal(0, 0.6, n))
    drawn["amount"] = np.clip(np.round(amount, -1), 250, 20_000)
    months = 14 + 3.0 * np.sqrt(drawn["amount"] / 1000) + rng.normal(0, 8, n)
    drawn["duration"] = np.clip(6 * np.round(months / 6), 6, 60)
    owns = rng.random(n) < np.clip(0.15 + 0.012 * drawn["age"], 0, 0.85)
    drawn["housing"] = np.where(owns, 1, np.where(rng.random(n) < 0.2, 0, 2))
    drawn["other_loans"] = np.minimum(rng.poisson(0.7, n), 4)
    drawn["telephone"] = rng.integers(0, 2, n)
    return drawn


def _customers(n: int, rng: np.random.Generator) -> tuple[Column, np.ndarray]:
    numbers = rng.permutation(np.arange(10_000, 10_000 + 7 * n, 7))
    levels = tuple(f"C{number}" for number in np.sort(numbers))
    return Column("customer", "identifier", levels, "names the rows"), np.argsort(np.argsort(numbers))


def _with_gaps(
    name: str, levels: tuple[str, ...] | None, values: np.ndarray, rng: np.random.Generator
) -> tuple[Column, np.ndarray]:
    lost = rng.random(len(values)) < MISSING_SHARE
    if levels is None:
        return Column(name, "numeric", reason="drawn as numbers"), np.where(lost, np.nan, values)
    kind: Kind = "ordinal" if name in _ORDERED else "nominal"
    return Column(name, kind, levels, "drawn as categories"), np.where(lost, -1, values)


def _shown(value: object) -> str:
    if value is None or value != value:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)
