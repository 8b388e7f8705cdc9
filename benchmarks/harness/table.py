"""A workload's result as a table: times with their ratio to margin's, quality and peak memory beside them."""

from __future__ import annotations

from benchmarks.harness.run import Outcome, Result
from benchmarks.harness.workload import Column

__all__ = ["EXPLANATION", "draw"]

EXPLANATION = "×: a peer's time over margin's; above 1 margin is the faster one. Times are the least of all repeats."


def draw(result: Result) -> str:
    """The table of one workload as text, with a last line that compares margin with the fastest peers."""
    columns = result.workload.measure.columns
    rows = [_row(result, outcome) for outcome in result.outcomes]
    cells = [[f"  {column.title}" for column in columns], *(row for _, row in rows if len(row) > 1)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    first = max(len(name) for name in ["side", *(name for name, _ in rows)])
    lines = [_title(result), _line("side", cells[0], first, widths)]
    lines += [_line(name, row, first, widths) for name, row in rows]
    return "\n".join([*lines, *_against_the_fastest(result)])


def _title(result: Result) -> str:
    sizes = ", ".join(
        f"{name}={value:,}" if isinstance(value, int) else f"{name}={value}"
        for name, value in result.workload.sizes(result.plan.quick).items()
    )
    return f"{result.family} · {result.workload.name}" + (f" ({sizes})" if sizes else "")


def _line(name: str, row: list[str], first: int, widths: list[int]) -> str:
    if len(row) == 1:
        return f"{name:<{first}}  {row[0]}"
    return f"{name:<{first}}" + "".join(f"{cell:>{width}}" for cell, width in zip(row, widths))


def _row(result: Result, outcome: Outcome) -> tuple[str, list[str]]:
    """A side's cells, or the one remark that stands in their place."""
    if outcome.state == "failed":
        return outcome.side.name, [f"failed: {outcome.error}"]
    if not outcome.repeats:
        return outcome.side.name, [outcome.state if outcome.state == "not installed" else "not measured"]
    return outcome.side.name, [_cell(result, outcome, column) for column in result.workload.measure.columns]


def _cell(result: Result, outcome: Outcome, column: Column) -> str:
    figure = result.figure(outcome, column.key)
    if figure is None:
        return "  –"
    text = f"  {in_words(figure, column.unit)}"
    if column.unit != "seconds" or result.margin is None:
        return text
    return text + f"{'' if outcome is result.margin else _ratio(result, outcome, column.key):>8}"


def _ratio(result: Result, outcome: Outcome, key: str) -> str:
    ours = result.margin and result.figure(result.margin, key)
    theirs = result.figure(outcome, key)
    if not ours or theirs is None:
        return ""
    ratio = theirs / ours
    return f"×{ratio:#.3g}".rstrip(".") if ratio < 1000 else f"×{ratio:.0f}"


def in_words(figure: float, unit: str) -> str:
    """A figure with its unit, three digits.

    >>> in_words(0.0312, "seconds"), in_words(8.1e-6, "seconds"), in_words(380e6, "bytes"), in_words(0.5, "score")
    ('31.2 ms', '8.10 µs', '380 MB', '0.5000')
    """
    if unit == "score":
        return f"{figure:.4f}"
    if unit == "objective":
        return f"{figure:.7g}"
    if unit == "bytes":
        return f"{figure / 1e6:.0f} MB"
    scale, name = next((unit for unit in ((1.0, "s"), (1e-3, "ms")) if figure >= unit[0]), (1e-6, "µs"))
    digits = f"{figure / scale:#.3g}" if figure / scale < 1000 else f"{figure / scale:,.0f}"
    return f"{digits.rstrip('.')} {name}"


def _against_the_fastest(result: Result) -> list[str]:
    """Margin's standing: the smallest ratio in each timed column, and whose it is."""
    peers = [o for o in result.outcomes if not o.side.is_margin and o.state != "failed" and o.repeats]
    if result.margin is None or not peers:
        return []
    found = []
    for column in result.workload.measure.columns:
        times = {o.side.name: seconds for o in peers if (seconds := result.figure(o, column.key)) is not None}
        if column.unit == "seconds" and times:
            name = min(times, key=times.__getitem__)
            best = next(o for o in peers if o.side.name == name)
            if ratio := _ratio(result, best, column.key):
                found.append(f"{column.title} {ratio} ({name})")
    return [f"against the fastest peer: {', '.join(found)}"] if found else []
