"""Which models really differ: the test that fits the protocol, corrected for shared rows and the number of tries."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from types import MappingProxyType

from scipy import special

from margin.errors import ParameterError, closest
from margin.evaluation.comparing.bayesian import Posterior, bayesian_comparison, posterior_of
from margin.evaluation.comparing.comparison_result import Comparison, PairTest, Standing
from margin.evaluation.comparing.delong import delong
from margin.evaluation.comparing.mcnemar import mcnemar
from margin.evaluation.comparing.multiple_testing import CORRECTIONS, correct
from margin.evaluation.comparing.over_cases import CaseDifferences
from margin.evaluation.comparing.pairing import held_metric, paired_answers, same_splits
from margin.evaluation.comparing.permutation import swap_test
from margin.evaluation.comparing.significance import Significance, corrected_t_test
from margin.evaluation.cross_validation.label_result import MultilabelEvaluation
from margin.evaluation.cross_validation.result import Evaluation
from margin.evaluation.intervals.interval import Interval, check_confidence
from margin.evaluation.metrics.definitions import Metric

__all__ = ["TESTS", "compare_scores"]

Test = Callable[[Evaluation, Evaluation, Metric, float], Significance]


def compare_scores(
    evaluations: Mapping[str, Evaluation],
    metric: str | Metric = "accuracy",
    *,
    confidence: float = 0.95,
    method: str = "auto",
    correction: str = "holm",
    rope: float | None = None,
    yardsticks: Collection[str] = (),
) -> Comparison:
    """Compare models that were evaluated on the same rows by the same protocol.

    Folds are compared pair by pair with the corrected resampled t-test (Nadeau, Bengio 2003); what folds that happen to
    be alike make of it, the cases must bear out. Where a protocol asks
    about each case once (hold-out, leave-one-out), accuracy and error are compared by McNemar's exact test on the cases
    that only one of the two got right, the area under the ROC curve by DeLong's test, any other metric by swapping the
    answers of the two at random. Since the best is found by looking, p-values are corrected for all pairs, not only for
    those with the best. ``method="cases"`` looks at what each case adds to the differences instead of at the folds, and
    ``correction="joint"`` at the largest of all differences, given how alike the models are: together they find more
    and are as rarely wrong (``over_cases.py`` says how).

    Parameters
    ----------
    evaluations
        Evaluations by the name of the model.
    metric
        One that all of them hold.
    confidence
        A model differs from the best where its corrected p is below ``1 - confidence``; intervals of differences have
        this confidence, each by itself.
    method
        ``"auto"``, or one of ``"corrected_t"``, ``"mcnemar"``, ``"delong"``, ``"permutation"``, ``"cases"``.
    correction
        For the number of pairs, from ``CORRECTIONS``; ``"joint"`` beside ``method="cases"``.
    rope
        Differences up to this do not matter in practice; with it each pair gets the probabilities of either being
        better and of both being equivalent (``posterior``).
    yardsticks
        Models that are there to be beaten, such as a guess. The joint correction asks whether they are behind, and
        whether they are ahead as a question for itself, so that they cost the others less.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from margin.evaluation import evaluate
    >>> X, y = load_iris(return_X_y=True)
    >>> models = {"bayes": GaussianNB(), "stiff": LogisticRegression(C=0.001)}
    >>> print(compare_scores({name: evaluate(model, X, y) for name, model in models.items()}))
    accuracy, best first (corrected resampled t-test, Holm's correction, number of pairs 1)
    bayes  0.953 [0.902, 1.000]  best
    stiff  0.740 ± 0.070  differs from the best by 0.213 ± 0.079 (p = 0.000172)
    """
    check_confidence("compare_scores", confidence)
    _check_choice("correction", correction, {**CORRECTIONS, "joint": None})
    which = _checked(evaluations, metric)
    first = next(iter(evaluations.values()))
    order = _best_first(evaluations, which)
    ordered = {name: evaluations[name] for name in order}
    by_case = CaseDifferences(ordered, which, yardsticks=frozenset(yardsticks)) if method == "cases" else None
    if correction == "joint" and by_case is None:
        raise ParameterError(f"compare_scores(correction='joint', method={method!r}): method must be 'cases' for it.")
    test = TESTS[_test_for(which, first, method)]
    pairs = [
        _pair(one, other, evaluations[one], evaluations[other], which, by_case or test, confidence, rope)
        for one, other in combinations(order, 2)
    ]
    corrected = _corrected(pairs, correction, by_case)
    pairs = [replace(pair, corrected=p, differs=p < 1 - confidence) for pair, p in zip(pairs, corrected)]
    return Comparison(
        which.name,
        confidence,
        _standings(order, evaluations, which.name, pairs),
        tuple(pairs),
        _described(which, first, method, pairs, correction),
        ordered,
    )


def _corrected(pairs: list[PairTest], correction: str, by_case: CaseDifferences | None) -> Sequence[float]:
    if correction != "joint" or by_case is None:
        return correct([pair.p for pair in pairs], correction)
    tested = [(pair.first, pair.second, pair.test) for pair in pairs if pair.test is not None]
    found = iter(by_case.joint(tested))
    return [1.0 if pair.test is None else next(found) for pair in pairs]


def _checked(evaluations: Mapping[str, Evaluation], metric: str | Metric) -> Metric:
    """The metric, after a check that all evaluations hold it and rest on the same splits of the same rows."""
    if not evaluations:
        raise ParameterError("compare_scores(evaluations={}): there must be at least one evaluation.")
    first_name, first = next(iter(evaluations.items()))
    for model, evaluation in evaluations.items():
        which = held_metric("compare_scores", evaluation, metric, model)
        if not same_splits(first, evaluation):
            raise ParameterError(
                f"compare_scores: {first_name!r} ({first.protocol.name}) and {model!r} ({evaluation.protocol.name}) "
                "must be evaluated on the same rows by the same protocol and seed."
            )
    return which


def _check_choice(what: str, given: str, known: Mapping[str, object]) -> None:
    if given not in known:
        raise ParameterError(
            f"compare_scores({what}={given!r}): {what} must be one of {', '.join(map(repr, known))}"
            f"{closest(str(given), known)}."
        )


def _best_first(evaluations: Mapping[str, Evaluation], which: Metric) -> list[str]:
    sign = -1 if which.greater_is_better else 1
    values = {model: sign * each.scores[which.name].value for model, each in evaluations.items()}
    return sorted(values, key=lambda model: (math.isnan(values[model]), values[model]))  # undefined ones last


def _standings(
    order: list[str], evaluations: Mapping[str, Evaluation], name: str, pairs: list[PairTest]
) -> tuple[Standing, ...]:
    against_best = {pair.second: pair for pair in pairs if pair.first == order[0]}
    best = Standing(order[0], evaluations[order[0]].scores[name], 1.0, False)
    others = [
        Standing(each, evaluations[each].scores[name], pair.corrected, pair.differs, pair)
        for each, pair in against_best.items()
    ]
    return best, *others


# ---- The tests.


def _test_for(which: Metric, evaluation: Evaluation, method: str) -> str:
    """The test that fits the metric and the protocol, or the one asked for where it fits at all."""
    by_folds = evaluation.protocol.judged_by != "cases"
    if not by_folds and isinstance(evaluation, MultilabelEvaluation):
        raise ParameterError(
            f"compare_scores(metric={which.name!r}): rows with several labels are compared fold by fold, and "
            f"{evaluation.protocol.name} has no folds (evaluate by StratifiedFolds)."
        )
    if method == "auto":
        if by_folds:
            return "corrected_t"
        if which.base in ("accuracy", "error") and evaluation.answers.weight is None:
            return "mcnemar"
        return "delong" if which.base == "roc_auc" else "permutation"
    _check_choice("method", method, {"auto": None, **TESTS})
    wrong = {
        "corrected_t": "" if by_folds else f"{evaluation.protocol.name} has no folds to compare",
        "mcnemar": "" if which.base in ("accuracy", "error") else "it compares accuracy and error only",
        "delong": "" if which.base == "roc_auc" else "it compares roc_auc only",
    }.get(method)
    if wrong:
        raise ParameterError(f"compare_scores(metric={which.name!r}, method={method!r}): {wrong} (use method='auto').")
    return method


def _folds(first: Evaluation, second: Evaluation, which: Metric, confidence: float) -> Significance:
    """Over the folds; p is never below that over the cases, since folds can be more alike than chance would have it."""
    test = corrected_t_test(first, second, metric=which.name, confidence=confidence)
    if isinstance(first, MultilabelEvaluation) or not test.p < 1:
        return test
    return replace(test, p=max(test.p, _over_cases(first, second, which, confidence).p))


def _discordant_cases(first: Evaluation, second: Evaluation, which: Metric, confidence: float) -> Significance:
    test = mcnemar(first, second, confidence=confidence)
    if which.greater_is_better or test.effect.interval is None:
        return test
    seen = test.effect.interval
    turned = Interval(-seen.high, -seen.low, seen.confidence, seen.method)
    return replace(test, effect=replace(test.effect, value=-test.effect.value, interval=turned))


def _areas(first: Evaluation, second: Evaluation, which: Metric, confidence: float) -> Significance:
    """DeLong's test where the metric is the area it knows (of one class, or the mean over classes), else by swaps."""
    options = dict(which.options)
    one, other = paired_answers(first, second)
    if set(options) <= {"positive"}:
        test = delong(first, second, positive=options.get("positive"), confidence=confidence)
        if math.isclose(test.effect.value, which.value(one) - which.value(other), abs_tol=1e-9):
            return test
    return _swapped(first, second, which, confidence)


def _swapped(first: Evaluation, second: Evaluation, which: Metric, confidence: float) -> Significance:
    return swap_test(which, *paired_answers(first, second), confidence=confidence)


def _over_cases(first: Evaluation, second: Evaluation, which: Metric, confidence: float) -> Significance:
    return CaseDifferences({"first": first, "second": second}, which).pair("first", "second", confidence)


#: Tests of two evaluations, by the name ``method`` has for them.
TESTS: Mapping[str, Test] = MappingProxyType(
    {
        "corrected_t": _folds,
        "mcnemar": _discordant_cases,
        "delong": _areas,
        "permutation": _swapped,
        "cases": _over_cases,
    }
)


def _pair(
    one: str,
    other: str,
    first: Evaluation,
    second: Evaluation,
    which: Metric,
    test: Test | CaseDifferences,
    confidence: float,
    rope: float | None,
) -> PairTest:
    if any(math.isnan(each.scores[which.name].value) for each in (first, second)):
        return PairTest(one, other, math.nan, 1.0)  # of what is undefined nothing can be said
    if isinstance(test, CaseDifferences):
        result = test.pair(one, other, confidence)
    else:
        result = test(first, second, which, confidence)
    posterior = None if rope is None else _posterior(first, second, which, result, rope, confidence)
    return PairTest(one, other, result.effect.value, result.p, test=result, posterior=posterior)


def _posterior(
    first: Evaluation, second: Evaluation, which: Metric, result: Significance, rope: float, confidence: float
) -> Posterior | None:
    """From the folds; where there are none, the normal posterior that has the effect's interval."""
    if first.protocol.judged_by != "cases":
        return bayesian_comparison(first, second, rope=rope, metric=which.name, confidence=confidence)
    if result.effect.interval is None:
        return None
    scale = result.effect.interval.half_width / float(special.ndtri((1 + confidence) / 2))
    return posterior_of(
        result.effect.value, scale, math.inf, rope, which.greater_is_better, confidence, "normal posterior"
    )


def _described(which: Metric, evaluation: Evaluation, method: str, pairs: list[PairTest], correction: str) -> str:
    names = {pair.test.method: None for pair in pairs if pair.test is not None}
    test = ", ".join(names) or {"corrected_t": "corrected resampled t-test"}.get(
        _test_for(which, evaluation, method), "paired test"
    )
    return f"{test}, {_TITLES[correction]}, number of pairs {len(pairs)}"


_TITLES = {
    "holm": "Holm's correction",
    "bonferroni": "Bonferroni's correction",
    "hochberg": "Hochberg's correction",
    "hommel": "Hommel's correction",
    "benjamini_hochberg": "Benjamini and Hochberg's correction",
    "benjamini_yekutieli": "Benjamini and Yekutieli's correction",
    "uncorrected": "no correction",
    "joint": "correction by the largest difference",
}
