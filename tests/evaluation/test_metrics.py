"""margin.evaluation.metrics.definitions: worked by hand, against scikit-learn, and as properties."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import margin.evaluation.metrics.definitions as m
from margin.errors import InputError, LabelError, ParameterError
from margin.evaluation import METRICS, Answers, metric

TRUTH = ["a", "a", "a", "b", "b", "c"]
SAID = ["a", "a", "b", "b", "a", "a"]  # c is never answered


def test_metrics_worked_by_hand():
    # precision: a 2/4, b 1/2, c 0 (never answered); recall: a 2/3, b 1/2, c 0.
    assert m.accuracy(TRUTH, SAID) == pytest.approx(3 / 6)
    assert m.error(TRUTH, SAID) == pytest.approx(3 / 6)
    assert m.precision(TRUTH, SAID) == pytest.approx((1 / 2 + 1 / 2 + 0) / 3)
    assert m.recall(TRUTH, SAID) == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)
    assert m.balanced_accuracy(TRUTH, SAID) == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)
    assert m.f1(TRUTH, SAID) == pytest.approx((4 / 7 + 1 / 2 + 0) / 3)
    assert m.f1(TRUTH, SAID, positive="a") == pytest.approx(4 / 7)
    assert m.precision(TRUTH, SAID, average="weighted") == pytest.approx((3 * 1 / 2 + 2 * 1 / 2 + 0) / 6)
    # agreement 18 of 36, by chance (3·4 + 2·2 + 1·0) = 16 of 36
    assert m.kappa(TRUTH, SAID) == pytest.approx((18 - 16) / (36 - 16))
    # (3·6 - 16) / sqrt((36 - 9 - 4 - 1)(36 - 16 - 4))
    assert m.matthews(TRUTH, SAID) == pytest.approx(2 / np.sqrt(22 * 16))


def test_losses_worked_by_hand():
    probabilities = [[0.5, 0.5], [0.25, 0.75]]
    assert m.log_loss(["n", "y"], probabilities) == pytest.approx((np.log(2) + np.log(4 / 3)) / 2)
    assert m.brier(["n", "y"], probabilities) == pytest.approx((0.25 + 0.0625) / 2)
    three = [[0.5, 0.25, 0.25]]
    assert m.brier([0], three, classes=[0, 1, 2]) == pytest.approx(0.25 + 0.0625 + 0.0625)
    assert m.log_loss(["n", "y"], [0.5, 0.75]) == pytest.approx((np.log(2) + np.log(4 / 3)) / 2)


def test_a_class_missing_from_the_training_part_costs_the_stated_worst_loss():
    loss = m.log_loss(["a", "b", "c"], [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], classes=["a", "b"])
    assert loss == pytest.approx(-np.log(np.finfo(float).eps) / 3)
    assert m.log_loss(["a"], [[1.0, 0.0]], classes=["a", "b"]) == pytest.approx(0, abs=1e-15)


def test_abstentions_count_against_accuracy_and_recall_but_not_precision():
    truth, said = ["a", "a", "b", "b"], ["a", None, "b", "b"]
    assert m.accuracy(truth, said) == 0.75
    assert m.error(truth, said) == 0.25
    assert m.recall(truth, said, average="macro") == 0.75
    assert m.recall(truth, said, positive="a") == 0.5
    assert m.precision(truth, said) == m.precision(truth, said, average="macro") == 1.0


@pytest.mark.parametrize("name", [name for name, each in METRICS.items() if each.needs == "labels"])
def test_a_single_class_answered_rightly_or_wrongly_has_a_value(name):
    for said in (["a", "a"], ["b", "b"], [None, None]):
        assert np.isfinite(METRICS[name](["a", "a"], said))


CASES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.floats(0.01, 5.0, allow_nan=False)), min_size=1, max_size=40
)


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
@settings(deadline=None, max_examples=15)
@given(CASES, st.booleans())
def test_label_metrics_equal_those_of_scikit_learn(cases, weighted):
    from sklearn import metrics as rival

    truth, said, weight = (np.array(column) for column in zip(*cases))
    w = weight if weighted else None
    pairs = {
        m.accuracy: rival.accuracy_score(truth, said, sample_weight=w),
        m.error: rival.zero_one_loss(truth, said, sample_weight=w),
        m.balanced_accuracy: rival.balanced_accuracy_score(truth, said, sample_weight=w),
        m.matthews: rival.matthews_corrcoef(truth, said, sample_weight=w),
    }
    for ours, theirs in pairs.items():
        assert ours(truth, said, sample_weight=w) == pytest.approx(theirs, abs=1e-12), ours
    if len({*truth.tolist(), *said.tolist()}) > 1:
        theirs = rival.cohen_kappa_score(truth, said, sample_weight=w)
        assert m.kappa(truth, said, sample_weight=w) == pytest.approx(theirs, abs=1e-12)
    for average in ("macro", "weighted", "micro"):
        for ours, theirs in (
            (m.precision, rival.precision_score),
            (m.recall, rival.recall_score),
            (m.f1, rival.f1_score),
        ):
            expected = theirs(truth, said, average=average, sample_weight=w, zero_division=0)
            assert ours(truth, said, average=average, sample_weight=w) == pytest.approx(expected, abs=1e-12)
    positive = int(truth[0])
    expected = rival.f1_score(truth == positive, said == positive, sample_weight=w)
    assert m.f1(truth, said, positive=positive, sample_weight=w) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_losses_equal_those_of_scikit_learn(n_classes, weighted):
    from sklearn import metrics as rival

    random = np.random.default_rng(n_classes)
    truth = random.integers(n_classes, size=200)
    given_ = random.dirichlet(np.full(n_classes, 0.3), size=200)
    given_[:5] = np.eye(n_classes)[random.integers(n_classes, size=5)]  # certain, and perhaps wrong
    classes = np.arange(n_classes)
    w = random.random(200) if weighted else None
    ours = m.log_loss(truth, given_, classes=classes, sample_weight=w)
    assert ours == pytest.approx(rival.log_loss(truth, given_, labels=classes, sample_weight=w), abs=1e-12)
    ours = m.brier(truth, given_, classes=classes, sample_weight=w)
    theirs = rival.brier_score_loss(truth, given_, labels=classes, sample_weight=w)
    assert ours == pytest.approx(theirs, abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(CASES)
def test_values_stay_within_their_bounds(cases):
    truth, said, weight = zip(*cases)
    for each in METRICS.values():
        if each.needs == "labels":
            value = each(truth, said, sample_weight=weight)
            assert each.bounds[0] - 1e-12 <= value <= each.bounds[1] + 1e-12


def test_counts_of_a_billion_cases_do_not_overflow():
    table = np.array([[10**9, 0, 0], [10**9, 10**9, 0]])
    value = m.matthews.of_tables(table, np.array([0, 1]))
    assert value == pytest.approx(m.matthews.of_tables(table / 10**9, np.array([0, 1])))


def test_resampling_a_table_and_resampling_its_cases_agree():
    random = np.random.default_rng(3)
    truth = random.integers(3, size=150)
    said = np.where(random.random(150) < 0.7, truth, random.integers(3, size=150))
    plain = Answers.of(truth, said)
    ones = Answers.of(truth, said, sample_weight=np.ones(150))
    by_table = m.f1.resampled(plain, np.random.default_rng(0), 3000)
    by_case = m.f1.resampled(ones, np.random.default_rng(1), 3000)
    by_definition = m.Metric.resampled(m.f1, plain, np.random.default_rng(2), 500)
    for other, tolerance in ((by_case, 0.005), (by_definition, 0.01)):
        assert by_table.mean() == pytest.approx(other.mean(), abs=tolerance)
        assert by_table.std() == pytest.approx(other.std(), rel=0.15)


def test_unknown_names_options_and_classes_are_refused_with_a_hint():
    with pytest.raises(ParameterError, match="did you mean 'accuracy'"):
        metric("acuracy")
    with pytest.raises(ParameterError, match="did you mean 'positive'"):
        metric("f1", positiv="yes")
    with pytest.raises(ParameterError, match="no such option"):
        metric("accuracy", positive="yes")
    with pytest.raises(ParameterError, match="average must be one of"):
        metric("f1", average="macaroni")
    with pytest.raises(LabelError, match="did you mean 'yes'"):
        m.f1(["yes", "no"], ["yes", "no"], positive="yess")
    with pytest.raises(InputError, match="one column for each of 1 classes"):
        m.log_loss(["a", "a"], [[0.5, 0.5]] * 2)


def test_a_metric_survives_pickling_with_its_options():
    chosen = metric("f1", positive="bad")
    assert pickle.loads(pickle.dumps(chosen)) == chosen
    assert chosen.name == "f1(positive='bad')"


def test_every_metric_says_what_it_means():
    for name, each in METRICS.items():
        assert each.name == name
        assert each.meaning.endswith(".")
        assert each.needs in ("labels", "probabilities", "scores")
