"""margin.evaluation.metrics: what cases lose by their probabilities, against the formulas written out."""

import numpy as np
import pytest

from margin.errors import InputError
from margin.evaluation import Answers
from margin.evaluation.metrics.calibration_error import bin_sums, top_answers
from margin.evaluation.metrics.definitions import SMALLEST_PROBABILITY, case_losses
from margin.parallel import threads


def cases(n, n_classes, seed=0):
    random = np.random.default_rng(seed)
    shares = random.dirichlet(np.full(n_classes, 0.3), size=n)
    shares[:5] = np.eye(n_classes)[random.integers(n_classes, size=5)]  # certain, and perhaps wrong
    return random.integers(n_classes, size=n), shares, random.random(n)


@pytest.mark.parametrize("n_classes", [2, 3, 7, 40])
def test_losses_equal_their_formulas(n_classes):
    truth, shares, _ = cases(3000, n_classes)
    own = np.clip(shares[np.arange(3000), truth], SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
    assert case_losses("log_loss", truth, shares) == pytest.approx(-np.log(own), rel=1e-13, abs=1e-16)
    squares = ((shares - np.eye(n_classes)[truth]) ** 2).sum(axis=1) / (2 if n_classes == 2 else 1)
    assert case_losses("brier", truth, shares) == pytest.approx(squares, abs=1e-14)
    confidence, right = top_answers(truth, shares)
    assert np.array_equal(confidence, shares.max(axis=1))
    assert np.array_equal(right, shares.argmax(axis=1) == truth)


def test_one_column_is_the_probability_of_the_second_class():
    truth, shares, _ = cases(500, 2)
    single = shares[:, 1:]
    for loss in ("log_loss", "brier"):
        assert case_losses(loss, truth, single) == pytest.approx(case_losses(loss, truth, shares), rel=1e-9)
    both = np.column_stack([1 - single, single])
    assert np.array_equal(top_answers(truth, single)[1], top_answers(truth, both)[1])


@pytest.mark.parametrize("edges", [np.linspace(0, 1, 11), np.array([0, 0.2, 0.21, 0.9, 1])])
@pytest.mark.parametrize("weighted", [False, True])
def test_bins_add_up_what_falls_between_their_edges(edges, weighted):
    random = np.random.default_rng(3)
    sure = np.concatenate([edges, random.random(500)])
    right, weight = random.random(len(sure)) < sure, random.random(len(sure)) if weighted else None
    at = np.searchsorted(edges[1:-1], sure, side="left")
    w = np.ones(len(sure)) if weight is None else weight
    expected = [np.bincount(at, each, len(edges) - 1) for each in (w, w * sure, w * right)]
    for found, wanted in zip(bin_sums(sure, right, weight, edges), expected):
        assert found == pytest.approx(wanted, rel=1e-13)


def test_many_cases_have_the_same_bits_for_any_number_of_threads():
    truth, shares, weight = cases(50_000, 4)
    seen = set()
    for count in (1, 3):
        with threads(count):
            confidence, right = top_answers(truth, shares)
            parts = [case_losses("log_loss", truth, shares), case_losses("brier", truth, shares), confidence]
            parts += bin_sums(confidence, right, weight, np.linspace(0, 1, 16))
            seen.add(b"".join(part.tobytes() for part in parts))
    assert len(seen) == 1


def test_numbers_that_are_no_probabilities_are_refused_with_the_first_row():
    for wrong in (-0.1, 1.1, np.nan):
        with pytest.raises(InputError, match="1 rows do not, first row 2"):
            Answers.of([0, 1, 1], probabilities=[0.5, 0.5, wrong])
        with pytest.raises(InputError, match="2 rows do not, first row 0"):
            Answers.of([0, 1, 1], probabilities=[[0.6, 0.5], [0.5, 0.5], [1 - wrong, wrong]])
    with pytest.raises(InputError, match="1 rows do not"):
        Answers.of(["a", "a"], probabilities=[[1.0], [0.5]])
    with pytest.raises(InputError, match="as many rows of probabilities"):
        Answers.of([0, 1, 1], probabilities=[0.5, 0.5])


def test_one_probability_per_case_gets_its_second_column_only_when_asked():
    answers = Answers.of(["n", "y"], probabilities=[0.25, 0.75])
    assert answers.shares.tolist() == [[0.25], [0.75]]
    assert answers.probabilities.tolist() == [[0.75, 0.25], [0.25, 0.75]]
    assert answers.strength.tolist() == answers.probabilities.tolist()
    assert answers.ranking(1).area == answers.ranking(0).area == 1.0
    assert answers.take(np.array([1])).probabilities.tolist() == [[0.25, 0.75]]
    two = Answers.of(["n", "y"], probabilities=[[0.75, 0.25], [0.25, 0.75]])
    assert two.shares is two.probabilities


def test_one_score_per_case_is_that_of_the_second_class():
    answers = Answers.of(["n", "y", "y"], ["n", "y", "n"]).with_score(np.array([-3.0, 2.0, -5.0]))
    assert answers.probabilities is None
    assert answers.scores.tolist() == [[3.0, -3.0], [-2.0, 2.0], [5.0, -5.0]]
    assert answers.ranking(1).area == answers.ranking(0).area == 0.5
    assert answers.counts.tolist() == [[1, 0, 0], [1, 1, 0]]
    assert len(answers) == 3
