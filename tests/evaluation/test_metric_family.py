"""The metrics of ranks, bins, costs and one class against the rest: by hand, by definition, as properties."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import margin.evaluation.metrics.definitions as m
from margin.errors import InputError, LabelError, ParameterError, UndefinedMetricWarning
from margin.evaluation import METRICS, Answers, metric
from margin.evaluation.predictions.from_arrays import answers_of
from margin.evaluation.scoring.of_cases import score_cases, score_folds, usable_metrics

TRUTH = ["a", "a", "a", "b", "b", "c"]
SAID = ["a", None, "b", "b", "a", "a"]


def test_rates_with_an_abstention_by_hand():
    # a: 3 cases, 1 right, answered 3 times (2 wrongly) among 3 others; b: 2 cases, 1 right, answered twice.
    assert m.specificity(TRUTH, SAID, positive="a") == pytest.approx(1 / 3)
    assert m.fpr(TRUTH, SAID, positive="a") == pytest.approx(2 / 3)
    assert m.fpr(TRUTH, SAID) == pytest.approx((2 / 3 + 1 / 4 + 0) / 3)
    assert m.fpr(TRUTH, SAID, average="micro") == pytest.approx(3 / (3 + 4 + 5))
    assert m.jaccard(TRUTH, SAID, positive="b") == pytest.approx(1 / 3)
    assert m.fbeta(TRUTH, SAID, positive="a", beta=2) == pytest.approx(5 * 1 / (4 * 3 + 3))


def test_costs_as_a_mapping_as_an_array_and_with_a_price_of_silence():
    # Answers: aa right, a silent, ab, bb right, ba, ca.
    assert m.cost(TRUTH, SAID) == pytest.approx(4 / 6) == m.error(TRUTH, SAID)
    assert m.cost(TRUTH, SAID, abstention=0.5) == pytest.approx(3.5 / 6)
    assert m.cost(TRUTH, SAID, costs={("c", "a"): 10, ("a", None): 0.25}) == pytest.approx((10 + 0.25 + 2) / 6)
    table = np.array([[0, 2, 9], [3, -1, 9], [4, 9, 0]])
    assert m.cost(TRUTH, SAID, costs=table, abstention=7) == pytest.approx((0 + 7 + 2 - 1 + 3 + 4) / 6)
    assert m.cost(TRUTH, SAID, costs=np.column_stack([table, [5, 5, 5]])) == pytest.approx((5 + 2 - 1 + 3 + 4) / 6)


def test_a_metric_with_costs_can_be_compared_hashed_and_pickled():
    priced = metric("cost", costs={("ill", "well"): 5.0})
    assert priced == metric("cost", costs={("ill", "well"): 5.0})
    assert len({priced, metric("cost", costs=[[0, 1], [5, 0]])}) == 2
    assert pickle.loads(pickle.dumps(priced)) == priced
    assert priced.name == "cost(costs={('ill', 'well'): 5.0})"


def test_one_class_alone_has_losses():
    assert m.log_loss(["a", "a"], [[1.0], [1.0]]) == pytest.approx(0, abs=1e-12)
    assert m.brier(["a", "a"], [[1.0], [1.0]]) == 0.0
    assert m.calibration_error(["a", "a"], [[1.0], [1.0]]) == 0.0


def test_wrong_costs_and_options_are_refused():
    for costs in ([[0, 1]], [[0, np.nan], [1, 0]], "high"):
        with pytest.raises(ParameterError, match="a row for each of the 2 true classes"):
            m.cost(["a", "b"], ["a", "b"], costs=costs)
    with pytest.raises(ParameterError, match="finite number"):
        m.cost(["a", "b"], ["a", "b"], costs={("a", "b"): "much"})
    with pytest.raises(LabelError, match="'z' is none of the classes"):
        m.cost(["a", "b"], ["a", "b"], costs={("a", "z"): 1})
    for which, option in ((m.fbeta, {"beta": 0}), (m.top_k, {"k": 0}), (m.calibration_error, {"bins": 2.5})):
        with pytest.raises(ParameterError, match="must be a"):
            which.with_options(**option)
    with pytest.raises(ParameterError, match="'ovr', 'ovo'"):
        metric("roc_auc", multiclass="ova")


def test_top_k_by_hand_with_ties_going_to_the_first_classes():
    scores = [[0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0.2, 0.4, 0.4]]
    assert m.top_k([0, 1, 2], scores, k=1) == pytest.approx(1 / 3)
    assert m.top_k([0, 1, 2], scores, k=2) == 1.0
    assert m.top_k([2, 2, 0], scores, k=2, classes=[0, 1, 2]) == 0.0
    assert m.top_k([2, 2, 0], scores, k=3, classes=[0, 1, 2]) == 1.0


def test_calibration_error_by_hand():
    # Two classes, top labels: 0.9 right, 0.8 wrong | 0.6 right, 0.6 wrong; two bins of width 1/4 above 1/2.
    truth, shares = ["y", "n", "y", "n"], [0.9, 0.8, 0.6, 0.6]
    gaps = abs(1.7 - 1) / 4, abs(1.2 - 1) / 4
    assert m.calibration_error(truth, shares, bins=4) == pytest.approx(sum(gaps))
    assert m.calibration_error(truth, shares, bins=4, norm="max") == pytest.approx(0.35)
    assert m.calibration_error(truth, shares, bins=4, norm="l2") == pytest.approx(np.sqrt((0.35**2 + 0.1**2) / 2))
    assert m.calibration_error(truth, shares, bins=2, strategy="count") == pytest.approx(sum(gaps))
    assert m.calibration_error(truth, [1.0, 0.0, 1.0, 0.0]) == 0.0


@pytest.mark.parametrize("positive", ["n", "y"])
def test_one_number_per_case_belongs_to_the_positive_class(positive):
    truth = ["n", "y", "n", "y"]
    good = [2.0, 1.0, 3.0, 0.5] if positive == "n" else [0.5, 1.0, 0.2, 3.0]
    assert m.roc_auc(truth, good, positive=positive) == 1.0
    shares = np.array(good) / 4
    assert m.roc_auc(truth, shares, positive=positive) == 1.0
    answers = answers_of(truth, probabilities=shares, positive=positive)
    assert answers.probabilities[:, 0 if positive == "n" else 1].tolist() == pytest.approx(shares.tolist())


# ---- Definitions.


def mann_whitney(score, positive, weight):
    pairs = [
        (weight[i] * weight[j], (score[i] > score[j]) + (score[i] == score[j]) / 2)
        for i in np.flatnonzero(positive)
        for j in np.flatnonzero(~positive)
    ]
    total = sum(w for w, _ in pairs)
    return sum(w * won for w, won in pairs) / total if total else np.nan


def precision_averaged(score, positive, weight):
    total, value, reached = weight[positive].sum(), 0.0, 0.0
    for threshold in sorted(set(score.tolist()), reverse=True):
        taken = score >= threshold
        hits = weight[taken & positive].sum()
        value += (hits - reached) / total * hits / weight[taken].sum()
        reached = hits
    return value


CASES = st.lists(
    st.tuples(st.integers(0, 2), st.lists(st.integers(-3, 3), min_size=3, max_size=3), st.integers(1, 4)),
    min_size=3,
    max_size=25,
)


@settings(deadline=None, max_examples=80)
@given(CASES, st.booleans())
def test_areas_agree_with_their_definitions(cases, weighted):
    truth, scores, weight = (np.array(column) for column in zip(*cases))
    weight = weight.astype(float) if weighted else np.ones(len(truth))
    answers = answers_of(truth, scores=scores, classes=[0, 1, 2], sample_weight=weight if weighted else None)
    present = [code for code in range(3) if 0 < (truth == code).sum() < len(truth)]
    by_class = [mann_whitney(scores[:, code], truth == code, weight) for code in present]
    sizes = [weight[truth == code].sum() for code in present]
    assert m.roc_auc.value(answers) == pytest.approx(np.mean(by_class) if present else np.nan, nan_ok=True)
    if present:
        ours = m.roc_auc.with_options(average="weighted").value(answers)
        assert ours == pytest.approx(np.average(by_class, weights=sizes))
    pairs, shares = [], []
    there = sorted(set(truth.tolist()))
    for i, first in enumerate(there):
        for second in there[i + 1 :]:
            two = (truth == first) | (truth == second)
            halves = [mann_whitney(scores[two, c], truth[two] == c, weight[two]) for c in (first, second)]
            pairs.append(np.mean(halves))
            shares.append(weight[two].sum())
    ours = [
        m.roc_auc.with_options(multiclass="ovo", average=how).value(answers) if pairs else 0.0
        for how in ("macro", "weighted")
    ]
    assert ours == pytest.approx([np.mean(pairs), np.average(pairs, weights=shares)] if pairs else [0.0, 0.0])
    precisions = [precision_averaged(scores[:, c], truth == c, weight) for c in there]
    assert m.average_precision.value(answers) == pytest.approx(np.mean(precisions))


@settings(deadline=None, max_examples=40)
@given(CASES)
def test_a_whole_number_weight_is_worth_as_many_cases(cases):
    truth, scores, weight = (np.array(column) for column in zip(*cases))
    said = scores.argmax(axis=1)
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    rows = np.repeat(np.arange(len(truth)), weight)
    known = {"classes": [0, 1, 2], "positive": None}
    once = answers_of(truth, said, probabilities=shares, sample_weight=weight, **known)
    often = answers_of(truth[rows], said[rows], probabilities=shares[rows], **known)
    for which in METRICS.values():
        assert which.value(once) == pytest.approx(which.value(often), nan_ok=True), which


@pytest.mark.parametrize("name", list(METRICS))
@pytest.mark.parametrize("weighted", [False, True])
def test_what_a_case_adds_is_the_slope_by_its_weight(name, weighted):
    """The influence of each case against a difference quotient."""
    random = np.random.default_rng(5)
    n = 80
    truth = random.integers(3, size=n)
    shares = 0.5 * random.dirichlet(np.ones(3), n) + 0.5 * np.eye(3)[random.integers(3, size=n)]
    said = np.where(random.random(n) < 0.1, 3, shares.argmax(axis=1))
    weight = random.random(n) + 0.5 if weighted else np.ones(n)
    which, classes = METRICS[name], np.arange(3)
    base = Answers(classes, truth, said, shares, weight)
    slopes, times = which.influence(base)
    assert times is None or len(times) == len(slopes)
    assert slopes.sum() == pytest.approx(0, abs=1e-10)
    for case in range(0, n, 16):
        step = np.zeros(n)
        step[case] = 1e-5
        up, down = (which.value(Answers(classes, truth, said, shares, weight + sign * step)) for sign in (1, -1))
        # Count metrics leave out a whole case, which is the slope up to the curvature.
        assert slopes[case] == pytest.approx(
            (up - down) / 2e-5 * weight[case], abs=5e-4 if which.needs == "labels" else 1e-8
        )


@pytest.mark.parametrize("name", ["average_precision", "calibration_error", "log_loss", "f1", "top_k"])
def test_values_for_many_weightings_at_once_are_those_one_by_one(name):
    random = np.random.default_rng(6)
    truth, shares = random.integers(3, size=50), random.dirichlet(np.ones(3), 50).round(1)
    shares /= shares.sum(axis=1, keepdims=True)
    weights = random.integers(0, 3, size=(6, 50)).astype(float)
    which = METRICS[name]
    answers = answers_of(truth, shares.argmax(axis=1), probabilities=shares)
    if which.needs == "labels":
        together = which.of_tables(np.array([answers.table(answers.cells, row) for row in weights]), answers.classes)
    else:
        together = which.of_weights(answers, weights)
    for value, row in zip(together, weights):
        one = answers_of(truth, shares.argmax(axis=1), probabilities=shares, sample_weight=row)
        assert value == pytest.approx(which.value(one))


# ---- Undefined.


def test_one_class_alone_has_no_area_and_says_so():
    with pytest.warns(UndefinedMetricWarning, match="roc_auc: undefined on these cases"):
        assert np.isnan(m.roc_auc([1, 1], [[0.2, 0.8], [0.3, 0.7]], classes=[0, 1]))
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(m.average_precision([0, 0], [[0.2, 0.8], [0.3, 0.7]], classes=[0, 1]))
    score = m.roc_auc.score([1, 1], [[0.2, 0.8], [0.3, 0.7]], classes=[0, 1])
    assert np.isnan(score.value)
    assert score.interval is None
    assert "undefined on these 2 cases" in score.how
    assert str(score) == "nan"


def test_a_class_without_cases_takes_no_part_in_the_average():
    truth, scores = [0, 0, 1, 1], np.array([[3, 1, 9], [2, 1, 0], [1, 2, 5], [0, 3, 5]])
    with_third = m.roc_auc(truth, scores, classes=[0, 1, 2])
    assert with_third == pytest.approx((m.roc_auc(truth, scores[:, 0], positive=0) + 1.0) / 2)


def test_folds_on_which_a_metric_is_undefined_are_left_out_and_told():
    score = score_folds(m.roc_auc, [0.8, np.nan, 0.9, 0.7], 1 / 9)
    assert score.value == pytest.approx(0.8)
    assert "3 of 4 folds" in score.how
    nothing = score_folds(m.roc_auc, [np.nan, np.nan], 1 / 9)
    assert np.isnan(nothing.value)
    assert nothing.interval is None


def test_scores_are_enough_to_rank_but_not_for_a_loss():
    answers = answers_of([0, 1], [0, 1], scores=[-1.0, 1.0])
    usable, cautions = usable_metrics(["accuracy", "roc_auc", "average_precision", "log_loss"], answers, "LinearSVC")
    assert [each.name for each in usable] == ["accuracy", "roc_auc", "average_precision"]
    assert cautions == ["log_loss is left out: LinearSVC gives no probabilities."]
    usable, cautions = usable_metrics(["roc_auc"], Answers.of([0, 1], [0, 1]), "Perceptron")
    assert usable == []
    assert "neither probabilities nor scores" in cautions[0]
    with pytest.raises(InputError, match="probabilities are needed"):
        score_cases(m.calibration_error, answers)


@pytest.mark.parametrize(
    ("scores", "fault"),
    [([[1.0], [np.nan]], "NaN"), ([[1.0, 2.0, 3.0]] * 2, "the shape"), (["a", "b"], "numbers"), ([1.0], "one row")],
)
def test_scores_that_rank_nothing_are_refused(scores, fault):
    with pytest.raises(InputError, match=fault):
        m.roc_auc(["n", "y"], scores)
