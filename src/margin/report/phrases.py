"""A result in words: numbers as people read them, and the answer in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = [
    "about_class",
    "answer",
    "board_summary",
    "caution",
    "count",
    "duration",
    "ends",
    "interval",
    "metric_name",
    "number",
    "opened",
    "pair_summary",
    "pair_words",
    "score",
    "shortened",
]

#: A narrow space that does not break, between a number and its unit.
THIN = "\u202f"
#: Of fewer cases of a class what is found is told by their number.
FEW_CASES = 30


def _metric(name: str) -> Any:
    """The metric of a name, whatever its options are; None for what is none, as the area under a curve."""
    from margin.evaluation.metrics.definitions import METRICS

    return METRICS.get(name.partition("(")[0])


def metric_name(metric: str, positive: str = "") -> str:
    """How a metric is called in a heading, with the class that it is about where it is about one.

    >>> metric_name("balanced_accuracy"), metric_name("brier")
    ('Balanced accuracy', 'Brier score')
    >>> metric_name("f1", "bad"), metric_name("f1")
    ('F1 of “bad”', 'F1, mean of classes')
    """
    known = _metric(metric)
    if known is None or known.name != metric:
        return metric.replace("_", " ").capitalize()
    return known.title + about_class(metric, positive)


def about_class(metric: str, positive: str) -> str:
    """The class that a metric is about, behind its name; empty where it is about all of them.

    >>> about_class("recall", "bad"), about_class("accuracy", "bad")
    (' of “bad”', '')
    """
    known = None if metric == "accuracy" else _metric(metric)  # known without loading the family of metrics
    if known is None or not known.of_positive or known.name != metric:
        return ""
    return f" of “{shortened(positive)}”" if positive else ", mean of classes"


def is_share(metric: str) -> bool:
    """Whether a metric is a part of a whole, and so reads as a percentage."""
    if metric == "accuracy":  # known without loading the family of metrics
        return True
    known = _metric(metric)
    return known is not None and known.unit == "%"


def score(value: float | None, metric: str = "accuracy", unit: bool = True, share: bool | None = None) -> str:
    """A score as text; ``share`` says that it is one, or is not, where the metric need not be asked.

    >>> score(0.7824).replace(THIN, " "), score(0.4567, "log_loss")
    ('78.2 %', '0.457')
    """
    if value is None or value != value:
        return "–"
    if is_share(metric) if share is None else share:
        return f"{100 * value:.1f}{THIN}%" if unit else f"{100 * value:.1f}"
    return f"{value:.3f}"


def interval(one: Any, metric: str = "accuracy") -> str:
    """An interval as text, without its unit: ``73.1–82.7``."""
    if one.low is None or one.high is None:
        return ""
    return f"{score(one.low, metric, unit=False)}–{score(one.high, metric, unit=False)}"


def ends(interval: Sequence[float], metric: str = "accuracy") -> str:
    """The ends of an interval as text: ``73.1–82.7``.

    >>> ends((0.731, 0.827))
    '73.1–82.7'
    """
    return "–".join(score(end, metric, unit=False) for end in interval)


def count(n: int) -> str:
    """A whole number with its thousands set apart.

    >>> count(32561), count(999)
    ('32,561', '999')
    """
    return f"{n:,}"


def number(value: float | None) -> str:
    """A number of the data in few digits.

    >>> number(0.123456), number(1234567.0), number(37.0), number(None)
    ('0.1235', '1,234,567', '37', '–')
    """
    if value is None or value != value:
        return "–"
    if abs(value) >= 1e15 or 0 < abs(value) < 1e-4:
        return f"{value:.3g}"
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 10_000 else f"{value:,.4g}"


def shortened(text: str, most: int = 40) -> str:
    """A text cut to a length, with a sign that it was.

    >>> shortened("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def duration(seconds: float | None) -> str:
    """A time as text.

    >>> [duration(s).replace(THIN, " ") for s in (0.0004, 0.034, 2.5, 75, 4000)]
    ['< 1 ms', '34 ms', '2.5 s', '1 min 15 s', '1 h 6 min']
    """
    if seconds is None:
        return "–"
    if seconds < 0.001:
        return f"<{THIN}1{THIN}ms"
    if seconds < 0.995:
        return f"{1000 * seconds:.0f}{THIN}ms"
    if seconds < 59.95:
        return f"{seconds:.1f}{THIN}s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}{THIN}min {rest}{THIN}s"
    return f"{minutes // 60}{THIN}h {minutes % 60}{THIN}min"


def several(items: Sequence[str]) -> str:
    """Items joined as in speech.

    >>> several(["a"]), several(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


def answer(result: Any) -> str:
    """The result in a sentence or two, from the sealed test alone: what was found of a rare class comes first."""
    if result.test is None:
        return _so_far(result)
    test, accuracy = result.test, result.test.scores["accuracy"]
    guess = f"always answering “{_commonest(result)}” would be right in {score(test.baseline)}"
    told = _by_class(result)
    if told:
        return f"{told} {score(accuracy.value)} of all its answers are right; {guess}."
    found = f"{result.winner.title} is right in {score(accuracy.value)} of unseen cases{_within(accuracy)}"
    if abs(accuracy.value - test.baseline) < 1e-12:
        return f"{found}, no more than always answering “{_commonest(result)}”."
    if accuracy.low is not None and accuracy.low <= test.baseline <= accuracy.high:
        return f"{found}; {guess}, which these data cannot tell apart."
    return f"{found}; {guess}."


def _so_far(result: Any) -> str:
    """The result of a run that was stopped, which has no figure from the sealed test."""
    one, name = result.winner.scores[result.metric], metric_name(result.metric, result.positive)
    told = name if name.startswith("F") else f"{name[:1].lower()}{name[1:]}"
    return (
        f"{result.stopped} {result.winner.title} is the best so far, with {score(one.value, result.metric)} in {told}"
        f"{_within(one, result.metric)} in cross-validation; the sealed test was not opened."
    )


def _within(one: Any, metric: str = "accuracy") -> str:
    return f" (95{THIN}% interval {interval(one, metric)})" if one.low is not None else ""


def _by_class(result: Any) -> str:
    """What is found of the class that matters, where one does, and the metric that decides; empty for accuracy."""
    metric, test = result.metric, result.test
    if metric == "accuracy" and result.threshold is None:
        return ""
    parts = []
    label = result.positive or min(result.class_counts, key=result.class_counts.__getitem__)
    of = next((one for one in test.classes if one.label == label), None)
    if of is not None and of.recall is not None and (result.positive or metric == "balanced_accuracy"):
        whole = _within(test.scores["recall"]) if result.positive and "recall" in test.scores else ""
        parts.append(f"{_found(of.recall, of.cases)} of “{shortened(label)}”{whole}")
    if metric != "accuracy" and metric in test.scores:
        name = metric_name(metric, result.positive)
        one = test.scores[metric]
        told = name if name.startswith("F") else f"{name[:1].lower()}{name[1:]}"
        parts.append(f"reaches {score(one.value, metric)} in {told}{_within(one, metric)}")
    if not parts:
        return ""
    return f"{result.winner.title} {' and '.join(parts)}.{_at_threshold(result.threshold)}"


def _found(recall: float, cases: int) -> str:
    """What is found of a class; of few cases by their number, for a share would claim more than they can show.

    >>> _found(1.0, 1), _found(0.5, 8)
    ('finds the only unseen case', 'finds 4 of the 8 unseen cases')
    """
    if cases >= FEW_CASES:
        return f"finds {score(recall)} of the unseen cases"
    if cases == 1:
        return f"{'finds' if recall else 'misses'} the only unseen case"
    return f"finds {round(recall * cases)} of the {cases} unseen cases"


def _at_threshold(threshold: Any) -> str:
    if threshold is None:
        return ""
    precision = threshold.precision.value
    called = (
        f": of what it calls so {score(precision)} is right{_within(threshold.precision)}"
        if precision == precision
        else ""
    )
    return (
        f" It answers “{shortened(threshold.label)}” from a probability of {threshold.value:.3g} on, as the folds "
        f"advise for {threshold.why}{called}."
    )


def caution(result: Any) -> dict[str, Any] | None:
    """What the score rests on, for the box under the headline: a call, findings, scores without them, what to do."""
    found = result.cautions
    if not found:
        return None
    grave = [one for one in found if one.severity == "leak"]
    first = (grave or found)[0]
    without = dict.fromkeys(
        f"without {what}: {score(one.value, first.metric)}{_reach(one, first.metric)}"
        for each in grave or found
        for what, one in each.without.items()
    )
    held = f"with all columns: {score(first.held.value, first.metric)}{_reach(first.held, first.metric)}"
    name = "" if first.metric == "accuracy" else f", by {metric_name(first.metric, result.positive).lower()}"
    return {
        "severity": "leak" if grave else "trap",
        "call": "Do not believe this yet." if grave else "Look at this first.",
        "says": list(dict.fromkeys(each.says for each in (grave or found))),
        "without": f"In cross-validation{name}, {'; '.join([*without, held])}." if without else
        "Without it no column is left to learn from.",
        "advice": list(dict.fromkeys(each.advice for each in (grave or found))),
        "remedy": first.remedy,
    }  # fmt: skip


def _reach(one: Any, metric: str) -> str:
    return f" ({interval(one, metric)})" if one.low is not None else ""


def _commonest(result: Any) -> str:
    return shortened(max(result.class_counts, key=result.class_counts.__getitem__))


def pair_summary(result: Any) -> str:
    """How many differences between two models are real; empty where there is only one difference to speak of."""
    if len(result.pairs) < 2:
        return ""
    real = sum(pair.differs for pair in result.pairs)
    told = "none is" if not real else f"{real} {'is' if real == 1 else 'are'}"
    n = len(result.pairs)
    return f"Of the {n} differences between any two of the models, {told} more than chance explains."


def pair_words(pair: Any, metric: str) -> str:
    """Two models in a sentence.

    >>> from types import SimpleNamespace as Of
    >>> gap = Of(value=0.062, low=0.031, high=0.093)
    >>> pair = Of(better="Tree", other="Guess", gap=gap, p_value=0.0012, differs=True)
    >>> pair_words(pair, "accuracy").replace(THIN, " ")
    'Tree is ahead of Guess by 6.2 % (95 % interval 3.1 to 9.3, p = 0.0012).'
    """
    reach = ""
    if pair.gap.low is not None and pair.gap.high is not None:
        low, high = (score(end, metric, unit=False) for end in (pair.gap.low, pair.gap.high))
        reach = f"95{THIN}% interval {low} to {high}, "
    by = f"{score(pair.gap.value, metric)} ({reach}p = {pair.p_value:.2g})"
    if pair.differs:
        return f"{pair.better} is ahead of {pair.other} by {by}."
    return f"{pair.better} and {pair.other} cannot be told apart: {by}."


def _beats(one: Any, other: Any, metric: str) -> bool:
    known = _metric(metric)
    sign = -1 if known is not None and not known.greater_is_better else 1
    return sign * one.scores[metric].value >= sign * other.scores[metric].value


def opened(result: Any) -> str:
    """When the sealed test was opened, and how often."""
    if not result.openings:
        return ""
    times = "; ".join(opening.removeprefix("opened ") for opening in result.openings)
    if len(result.openings) == 1:
        return f"The seal was opened once, {times}."
    return f"The seal was opened {len(result.openings)} times, which makes later scores too kind: {times}."


def board_summary(result: Any) -> str:
    """What the leaderboard says about the best model and the rest."""
    others = [standing for standing in result.leaderboard if standing.name != result.best and not standing.error]
    if not others:
        return f"{result.winner.title} is the only model that was compared."
    if all(standing.p_value == 1.0 for standing in others) and not result.pairs:
        return "Too few rows to compare the models by: the order may be chance."
    behind = [standing.title for standing in others if standing.differs]
    level = [standing.title for standing in others if not standing.differs]
    parts = [f"{result.winner.title} scores best in cross-validation."]
    metric = result.metric
    above = [each.title for each in others if each.yardstick and _beats(each, result.winner, metric)]
    if above:
        parts = [f"{result.winner.title} is the best of the models, but no better than {several(above)}."]
    if behind:
        parts.append(f"Behind it by more than chance explains: {several(behind)}.")
    if level:
        parts.append(f"Level with it, as far as these data can tell: {several(level)}.")
    return " ".join(parts)
