"""margin.evaluation.metrics.multilabel: worked by hand, by definition, in every form label sets may have."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import margin
from margin.errors import InputError, LabelError, ParameterError
from margin.evaluation import MULTILABEL_METRICS, proportion_interval
from margin.evaluation.intervals.resamples import Draws
from margin.evaluation.predictions.label_sets import LabelSets

# Three films: what they are, and what was said.
TRUTH = [{"crime", "drama"}, {"drama"}, {"comedy", "drama"}]
SAID = [{"crime"}, {"drama"}, {"comedy", "crime"}]
SCORES = [[0.1, 0.9, 0.4], [0.2, 0.3, 0.8], [0.7, 0.6, 0.5]]  # comedy, crime, drama


def test_three_films_by_hand():
    measured = margin.measure_multilabel(TRUTH, SAID, scores=SCORES)
    values = {name: score.value for name, score in measured.items()}
    # comedy 1 of 1; crime right once, wrongly once; drama 1 of 3 found
    assert values["subset_accuracy"] == pytest.approx(1 / 3)
    assert values["hamming_loss"] == pytest.approx(3 / 9)
    assert values["precision_micro"] == pytest.approx(3 / 4)
    assert values["recall_micro"] == pytest.approx(3 / 5)
    assert values["precision_macro"] == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert values["recall_macro"] == pytest.approx((1 + 1 + 1 / 3) / 3)
    assert values["f1_weighted"] == pytest.approx((1 * 1 + 1 * 2 / 3 + 3 * 1 / 2) / 5)
    assert values["jaccard_samples"] == pytest.approx((1 / 2 + 1 + 1 / 3) / 3)
    assert values["f1_samples"] == pytest.approx((2 / 3 + 1 + 1 / 2) / 3)
    # Depth of the true labels: crime 1, drama 2 | drama 1 | comedy 1, drama 3
    assert values["coverage_error"] == pytest.approx((2 + 1 + 3) / 3)
    assert values["label_ranking_average_precision"] == pytest.approx((1 + 1 + (1 + 2 / 3) / 2) / 3)
    assert values["ranking_loss"] == pytest.approx((0 + 0 + 1 / 2) / 3)
    # comedy: 0.7 over 0.1 and 0.2; crime: 0.9 over 0.3 and 0.6; every film is a drama
    assert values["roc_auc_macro"] == 1.0
    assert measured["subset_accuracy"].interval == proportion_interval(1, 3)
    assert measured.confusion("crime").counts.tolist() == [[1, 1], [0, 1]]
    assert measured.by_label.recall.tolist() == pytest.approx([1, 1, 1 / 3])
    assert "drama" in str(measured.by_label)


def test_silence_is_not_a_right_answer():
    measured = margin.measure_multilabel([{"a"}, {"b"}], [{"a"}, None])
    assert measured["hamming_loss"].value == 0.5
    assert measured["subset_accuracy"].value == 0.5
    assert measured["precision_micro"].value == 1.0
    assert measured["recall_micro"].value == 0.5
    cells = margin.measure_multilabel([[1, 0], [0, 1]], np.array([[1, np.nan], [0, 1]]))
    assert cells["hamming_loss"].value == 0.25
    assert cells.confusion(1).abstained.tolist() == [1, 0]


def test_every_form_gives_the_same_numbers():
    table = np.array([[0, 1, 1], [0, 0, 1], [1, 0, 1]])
    said = np.array([[0, 1, 0], [0, 0, 1], [1, 1, 0]])
    names = ["comedy", "crime", "drama"]
    expected = {name: score.value for name, score in margin.measure_multilabel(TRUTH, SAID).items()}
    forms = [
        lambda a: a,
        lambda a: a.astype(bool),
        lambda a: a.tolist(),
        sparse.csr_array,
        lambda a: pd.DataFrame(a, columns=names),
        lambda a: pl.DataFrame(a, schema=names),
        lambda a: [[names[at] for at in np.flatnonzero(row)] for row in a],
    ]
    for form in forms:
        measured = margin.measure_multilabel(form(table), form(said), labels=names)
        assert {name: score.value for name, score in measured.items()} == pytest.approx(expected)
    shuffled = pd.DataFrame(said, columns=names)[["drama", "comedy", "crime"]]
    mixed = margin.measure_multilabel(pd.DataFrame(table, columns=names), shuffled)
    assert mixed["f1_macro"].value == pytest.approx(expected["f1_macro"])


TABLES = st.lists(
    st.tuples(*[st.tuples(st.booleans(), st.integers(0, 2), st.integers(-2, 2)) for _ in range(3)], st.integers(1, 3)),
    min_size=2,
    max_size=15,
)


@settings(deadline=None, max_examples=12)
@given(TABLES)
def test_a_whole_number_weight_is_worth_as_many_cases_and_slopes_are_right(rows):
    weight = np.array([row[3] for row in rows], dtype=float)
    truth, said, score = (np.array([[cell[at] for cell in row[:3]] for row in rows]) for at in range(3))
    labels = np.arange(3)
    once = LabelSets(labels, truth, said.astype(np.int8), score.astype(float), weight)
    often = np.repeat(np.arange(len(rows)), weight.astype(int))
    repeated = LabelSets(labels, truth[often], said[often].astype(np.int8), score[often].astype(float))
    for which in MULTILABEL_METRICS.values():
        value = which.value(once)
        assert value == pytest.approx(which.value(repeated), nan_ok=True), which.name
        if np.isnan(value):
            continue
        slopes = which.influence(once)
        assert slopes.sum() == pytest.approx(0, abs=1e-9)


def test_slopes_are_those_of_small_steps():
    random = np.random.default_rng(1)
    truth, said = random.random((60, 4)) < 0.4, (random.random((60, 4)) < 0.5).astype(np.int8)
    score, weight = random.normal(size=(60, 4)) + truth, random.random(60) + 0.5
    labels = np.arange(4)
    sets = LabelSets(labels, truth, said, score, weight)
    for which in MULTILABEL_METRICS.values():
        slopes = which.influence(sets)
        for case in (0, 20, 40):
            step = np.zeros(60)
            step[case] = 1e-5
            up, down = (which.value(LabelSets(labels, truth, said, score, weight + s * step)) for s in (1, -1))
            tolerance = 5e-4 if which.of_tables else 1e-8
            assert slopes[case] == pytest.approx((up - down) / 2e-5 * weight[case], abs=tolerance), which.name


def test_resampled_tables_count_the_resampled_cases():
    random = np.random.default_rng(2)
    truth, said = random.random((30, 3)) < 0.4, (random.random((30, 3)) < 0.5).astype(np.int8)
    sets = LabelSets(np.arange(3), truth, said)
    draws = Draws(sets, seed=3)
    weights, tables = next(draws.weights(5)), next(draws.tables(5))
    for row, counted in zip(weights, tables):
        often = np.repeat(np.arange(30), row.astype(int))
        assert counted.tolist() == LabelSets(np.arange(3), truth[often], said[often]).tables.tolist()


def test_intervals_cover_about_as_often_as_they_say():
    random = np.random.default_rng(4)
    # Labels come true with probability 0.4, answers are right with 0.8; F1 micro of very many is known.
    true_f1 = 2 * 0.4 * 0.8 / (0.4 + 0.4 * 0.8 + 0.6 * 0.2)
    covered = []
    for _ in range(120):
        truth = random.random((100, 3)) < 0.4
        said = np.where(random.random((100, 3)) < 0.8, truth, ~truth).astype(np.int8)
        sets = LabelSets(np.arange(3), truth, said)
        covered.append(true_f1 in MULTILABEL_METRICS["f1_micro"].score(sets).interval)
    assert 0.9 <= np.mean(covered) <= 0.99


def test_probabilities_and_scores_decide_where_no_answer_is_given():
    shares = [[0.5, 0.2], [0.1, 0.9]]
    assert margin.measure_multilabel([[1, 0], [0, 1]], probabilities=shares)["subset_accuracy"].value == 1.0
    signs = [[0.1, -0.2], [-3.0, 1.0]]
    assert margin.measure_multilabel([[1, 0], [0, 1]], scores=signs)["subset_accuracy"].value == 1.0


def test_perfect_answers_may_yet_be_imperfect():
    measured = margin.measure_multilabel([[1, 0], [0, 1]] * 10, [[1, 0], [0, 1]] * 10)
    assert measured["f1_macro"].value == 1.0
    assert measured["f1_macro"].interval.low == pytest.approx(0.025 ** (1 / 20))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: margin.measure_multilabel([[1, 0]]), InputError),
        (lambda: margin.measure_multilabel([[1, 2]], np.array([[1, 0]])), LabelError),
        (lambda: margin.measure_multilabel(np.array([[1, 2]]), np.array([[1, 0]])), InputError),
        (lambda: margin.measure_multilabel(np.array([[1, 0]]), np.array([[1, 0, 1]])), InputError),
        (lambda: margin.measure_multilabel(np.array([[1, 0]]), np.array([[1, 0], [0, 1]])), InputError),
        (lambda: margin.measure_multilabel([{"a"}], [{"b"}], labels=["a"]), LabelError),
        (lambda: margin.measure_multilabel(["ab"], [{"b"}]), LabelError),
        (lambda: margin.measure_multilabel([{"a"}], [{"a"}], scores=[[np.nan]]), InputError),
        (lambda: margin.measure_multilabel([{"a"}], [{"a"}], metrics="f1_makro"), ParameterError),
        (lambda: margin.measure_multilabel([None], [{"a"}]), LabelError),
        (lambda: margin.measure_multilabel([{"a"}], [{"a"}], confidence=2), ParameterError),
        (lambda: margin.measure_multilabel([{"a"}], scores="high"), InputError),
        (lambda: margin.measure_multilabel(np.empty((3, 0)), np.empty((3, 0))), LabelError),
        (lambda: margin.measure_multilabel(np.eye(2), np.eye(2), labels=["a", "a"]), LabelError),
    ],
)
def test_impossible_requests_are_refused(call, error):
    with pytest.raises(error, match="measure_multilabel"):
        call()


def test_it_prints_and_says_what_is_left_out():
    measured = margin.measure_multilabel(TRUTH, SAID, metrics=["hamming_loss", "roc_auc_macro"])
    assert "3 cases, 3 labels" in str(measured)
    assert "roc_auc_macro is left out" in str(measured)
    assert "hamming_loss" in measured._repr_html_()
    assert "MultilabelMeasured" in repr(measured)
