"""margin.evaluation.measuring: all metrics at once are the metrics one by one, in every form answers may have."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import margin
from margin.errors import InputError, LabelError, ParameterError
from margin.evaluation import METRICS, metric, proportion_interval
from margin.evaluation.scoring.of_cases import score_cases

TRUTH = ["n", "n", "y", "y", "y", "n"]
SAID = ["n", "y", "y", "y", "n", "n"]
SHARES = [0.1, 0.6, 0.8, 0.9, 0.4, 0.3]


def test_every_metric_that_can_be_computed_is_there():
    labels = margin.measure(TRUTH, SAID)
    assert "f1" in labels
    assert "roc_auc" not in labels
    scored = margin.measure(TRUTH, SAID, scores=SHARES)
    assert set(scored) - set(labels) == {"roc_auc", "average_precision"}
    everything = margin.measure(TRUTH, SAID, probabilities=SHARES)
    assert set(everything) - set(scored) == {"log_loss", "brier", "calibration_error"}
    silent = margin.measure(TRUTH, [*SAID[:5], None])
    assert set(silent) - set(labels) == {"coverage", "selective_error", "reject_cost"}
    three = margin.measure([0, 1, 2], probabilities=np.eye(3))
    assert set(three) - set(everything) == {"top_k"}


def test_numbers_are_those_of_the_metrics_themselves():
    measured = margin.measure(TRUTH, SAID, probabilities=SHARES)
    for name in measured:
        given_ = SAID if METRICS[name].needs == "labels" else SHARES
        assert measured[name] == METRICS[name].score(TRUTH, given_)
        assert measured[name].interval.low <= measured[name].value <= measured[name].interval.high


def test_without_predictions_the_strongest_class_is_the_answer():
    measured = margin.measure(TRUTH, probabilities=SHARES)
    assert measured.confusion.counts.tolist() == margin.confusion(TRUTH, SAID).counts.tolist()
    by_score = margin.measure(TRUTH, scores=[-1, 1, 2, 3, -0.5, -2])
    assert by_score["accuracy"].value == pytest.approx(4 / 6)


def test_a_positive_class_turns_averages_into_its_own():
    measured = margin.measure(TRUTH, SAID, probabilities=SHARES, positive="y")
    assert "recall(positive='y')" in measured
    assert measured["recall"].value == pytest.approx(2 / 3)
    assert measured["recall"].interval == proportion_interval(2, 3)
    assert measured["accuracy"].value == pytest.approx(4 / 6)
    named = margin.measure(TRUTH, SAID, positive="y", metrics=["f1", metric("precision", average="micro")])
    assert list(named) == ["f1(positive='y')", "precision(average='micro')"]
    with pytest.raises(LabelError, match="did you mean"):
        margin.measure(TRUTH, SAID, positive="yy")


def test_curves_and_parts_hang_together():
    measured = margin.measure(TRUTH, SAID, probabilities=SHARES)
    assert measured.roc.area.value == measured["roc_auc"].value
    assert measured.precision_recall.average_precision.value == measured["average_precision"].value
    assert measured.brier_parts.brier == pytest.approx(measured["brier"].value)
    assert measured.calibration.counts.sum() == 6
    with pytest.raises(InputError, match="probabilities are needed"):
        _ = margin.measure(TRUTH, SAID).calibration
    with pytest.raises(KeyError):
        _ = measured["top_k"]


def test_it_prints_shows_in_notebooks_and_tells_what_is_undefined():
    measured = margin.measure(["<y>"] * 3, probabilities=[[0.1, 0.9]] * 3, classes=["<n>", "<y>"])
    assert np.isnan(measured["roc_auc"].value)
    text = str(measured)
    assert "3 cases, 2 classes" in text
    assert "Careful: roc_auc is undefined on these 3 cases" in text
    assert "roc_auc" in measured._repr_html_()
    assert "<y>" not in margin.measure(["<y>", "n"], ["<y>", "n"], positive="<y>")._repr_html_()
    asked = margin.measure(TRUTH, SAID, metrics=["accuracy", "log_loss"])
    assert asked.warnings == ("log_loss is left out: it was given no probabilities.",)
    assert "Measured" in repr(asked)


def test_forms_of_the_same_answers_give_the_same_numbers():
    truth, said, shares = np.array([0, 0, 1, 1, 1, 0]), np.array([0, 1, 1, 1, 0, 0]), np.array(SHARES)
    both = np.column_stack([1 - shares, shares])
    expected = {name: score.value for name, score in margin.measure(truth, said, probabilities=both).items()}
    forms = [
        (pd.Series(truth), pd.Series(said), pd.DataFrame(both)),
        (pl.Series(truth), pl.Series(said), pl.DataFrame(both)),
        (truth.astype(bool), said.astype(bool), both),
        (pd.Series(truth, dtype="Int64"), pd.Series(said, dtype="Int64"), np.asfortranarray(both)),
        (np.repeat(truth, 2)[::2], said[::-1][::-1], np.repeat(both, 2, axis=0)[::2]),
        (truth.tolist(), said.tolist(), shares.tolist()),
    ]
    for form in forms:
        measured = margin.measure(form[0], form[1], probabilities=form[2])
        assert {name: score.value for name, score in measured.items()} == pytest.approx(expected, nan_ok=True)


def test_no_right_answer_does_not_mean_none_to_come():
    measured = margin.measure(["a", "b"] * 5, [None] * 10)
    assert measured["f1"].value == 0.0
    assert measured["f1"].interval.high > 0.3
    assert measured["f1"].interval.method == "right answers unseen"
    alone = margin.measure(["a"] * 3, ["a"] * 3)["recall"]
    assert alone.value == 1.0
    assert alone.interval.low < 0.5


def test_wilson_intervals_on_request_and_confidence():
    measured = margin.measure(TRUTH, SAID, metrics="accuracy", proportions="wilson", confidence=0.8)
    assert measured["accuracy"].interval == proportion_interval(4, 6, 0.8, "wilson")


@settings(deadline=None, max_examples=10)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.one_of(st.none(), st.integers(0, 2))), min_size=1, max_size=30),
    st.booleans(),
)
def test_any_answers_can_be_measured(pairs, weighted):
    truth, said = zip(*pairs)
    weight = np.linspace(1, 2, len(pairs)) if weighted else None
    measured = margin.measure(truth, said, sample_weight=weight)
    for which in measured.metrics:
        score = measured[which.name]
        low, high = which.bounds
        assert low - 1e-12 <= score.value <= high + 1e-12
        assert score.interval.low - 1e-9 <= score.interval.high
        assert low <= score.interval.low <= score.interval.high <= high
        assert score_cases(which, measured.answers) == score


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: margin.measure(TRUTH), InputError),
        (lambda: margin.measure([], []), InputError),
        (lambda: margin.measure(TRUTH, SAID[:3]), InputError),
        (lambda: margin.measure(TRUTH, SAID, confidence=95), ParameterError),
        (lambda: margin.measure(TRUTH, SAID, proportions="guess"), ParameterError),
        (lambda: margin.measure(TRUTH, SAID, metrics=["f2"]), ParameterError),
        (lambda: margin.measure(TRUTH, SAID, sample_weight=[1, 2]), InputError),
        (lambda: margin.measure(TRUTH, SAID, scores=np.zeros((6, 5))), InputError),
        (lambda: margin.measure(TRUTH, probabilities=["x"] * 6), InputError),
        (lambda: margin.measure(TRUTH, SAID, scores=np.zeros((6, 3)), classes=["n", "y", "y"]), LabelError),
        (lambda: margin.measure(TRUTH, SAID, metrics=3), ParameterError),
    ],
)
def test_impossible_requests_are_refused(call, error):
    with pytest.raises(error, match=r"measure|metric must be one of"):
        call()


def test_scores_that_are_all_equal_rank_nothing_and_are_sure_of_it():
    area = margin.measure([0, 1, 0, 1], scores=[3.0] * 4, metrics="roc_auc")["roc_auc"]
    assert (area.value, area.interval.low, area.interval.high) == (0.5, 0.5, 0.5)


def test_both_infinities_are_scores_like_others():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert metric("roc_auc")([0, 1, 1, 0], np.array([-np.inf, np.inf, 1.0, 2.0])) == 0.75
        assert metric("top_k", k=1)([0, 1], [[np.inf, -np.inf], [1.0, 2.0]]) == 1.0


def test_classes_that_are_all_right_or_all_wrong_are_not_certain():
    measured = margin.measure(["a", "b", "c"] * 5, ["a", "b", "a"] * 5)
    for name in ("balanced_accuracy", "recall", "precision", "f1"):
        interval = measured[name].interval
        assert interval.low < measured[name].value < interval.high
    assert measured["recall"].interval.method == "mistakes and right answers unseen"
