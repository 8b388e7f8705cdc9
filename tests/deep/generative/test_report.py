"""How good forgeries are: distances against slow definitions, and a report that finds what is wrong."""

import numpy as np
import pytest
from scipy import linalg

torch = pytest.importorskip("torch")

from margin import ImageClassifier  # noqa: E402
from margin.data import Images  # noqa: E402
from margin.data.generators import gaussian_ring  # noqa: E402
from margin.deep.generative import generative_report  # noqa: E402
from margin.deep.generative.baselines import drawn_by_naive_bayes, drawn_from_one_normal  # noqa: E402
from margin.deep.generative.distances import (  # noqa: E402
    frechet_distance,
    jackknife,
    kernel_distance,
    nearest_distances,
    two_sample_accuracy,
)
from margin.errors import MarginError  # noqa: E402


@pytest.fixture(scope="module")
def two():
    random = np.random.default_rng(0)
    return random.normal(size=(60, 5)), random.normal(0.5, 1.3, size=(50, 5)) @ random.normal(size=(5, 5))


@pytest.mark.parametrize("columns", [1, 3, 5])
def test_the_frechet_distance_is_its_formula(two, columns):
    a, b = (each[:, :columns] for each in two)
    first, second = (np.atleast_2d(np.cov(each, rowvar=False)) for each in (a, b))
    root = np.atleast_2d(linalg.sqrtm(first @ second)).real
    expected = ((a.mean(0) - b.mean(0)) ** 2).sum() + np.trace(first + second - 2 * root)
    assert frechet_distance(a, b) == pytest.approx(expected, rel=1e-8)
    assert frechet_distance(a, a) == pytest.approx(0, abs=1e-8)


def test_more_features_than_cases_are_no_hindrance():
    random = np.random.default_rng(1)
    a, b = random.normal(size=(6, 40)), random.normal(size=(7, 40))
    first, second = (np.cov(each, rowvar=False) for each in (a, b))
    values, vectors = np.linalg.eigh(first)
    root = (vectors * np.sqrt(values.clip(min=0))) @ vectors.T
    shared = np.sqrt(np.linalg.eigvalsh(root @ second @ root).clip(min=0)).sum()
    expected = ((a.mean(0) - b.mean(0)) ** 2).sum() + np.trace(first) + np.trace(second) - 2 * shared
    assert frechet_distance(a, b) == pytest.approx(expected, rel=1e-6)


def test_the_kernel_distance_is_its_sums(two):
    a, b = (each[:8] for each in two)

    def k(x, y):
        return (x @ y / 5 + 1) ** 3

    def mean(one, other, skip):
        values = [k(x, y) for i, x in enumerate(one) for j, y in enumerate(other) if not (skip and i == j)]
        return np.mean(values)

    expected = mean(a, a, True) + mean(b, b, True) - 2 * mean(a, b, False)
    assert kernel_distance(a, b) == pytest.approx(expected)


def test_the_nearest_other_case_says_whose_it_is(two):
    a, b = two
    cases, side = np.concatenate([a, b]), np.repeat([0, 1], [len(a), len(b)])
    far = np.linalg.norm(cases[:, None] - cases[None], axis=2)
    np.fill_diagonal(far, np.inf)
    assert two_sample_accuracy(a, b) == (side[far.argmin(1)] == side).mean()
    distances, which = nearest_distances(b, a)
    np.testing.assert_allclose(distances, np.linalg.norm(b[:, None] - a[None], axis=2).min(axis=1))
    assert (nearest_distances(a, a)[0] == 0).all()
    assert len(which) == len(b)


def test_the_jackknife_of_a_mean_is_its_standard_error():
    random = np.random.default_rng(2)
    a, b = random.normal(size=(20, 1)), np.zeros((20, 1))
    interval = jackknife(lambda x, y: float(x.mean() - y.mean()), a, b, 0.95)
    assert interval.half_width == pytest.approx(1.959964 * a.std(ddof=1) / np.sqrt(20), rel=1e-6)


def test_baselines_have_the_means_and_spreads_they_learnt(two):
    random = np.random.default_rng(3)
    drawn = drawn_from_one_normal(two[1], 40_000, random)
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(two[1].T), atol=0.05 * np.abs(np.cov(two[1].T)).max())
    X, y = np.array([[0.0, 1], [2, 1], [10, 4], [14, 4], [12, 4]]), np.array([0, 0, 1, 1, 1])
    drawn = drawn_by_naive_bayes(X, y, 40_000, random)
    of_one = drawn[:, 1] == 1
    assert of_one.mean() == pytest.approx(0.4, abs=0.01)
    assert drawn[of_one, 0].mean() == pytest.approx(1, abs=0.03)
    assert drawn[~of_one, 0].std() == pytest.approx(2, abs=0.03)


def test_a_good_generator_stands_beside_real_cases_and_one_normal_does_not():
    X, y = gaussian_ring(800, seed=0)
    report = generative_report(X, gaussian_ring(400, seed=1).X, y)
    assert report["made"].classes[0] == 8
    low, high = report["made"].two_sample[1].low, report["made"].two_sample[1].high
    assert low < 0.5 < high + 0.05
    assert report["one Gaussian"].two_sample[0] > 0.8
    assert report["naive Bayes"].two_sample[0] == pytest.approx(0.5, abs=0.1)  # which is the truth here
    assert report["real"].copies[0] < 0.05
    told = str(report)
    assert told.splitlines()[1].startswith("made")
    assert report.to_table().n_rows == 4


def test_copies_and_missing_classes_are_found():
    X, y = gaussian_ring(800, seed=0)
    few = X[y < 3]
    report = generative_report(X, np.concatenate([few, few])[:400], y)
    assert report["made"].copies[0] == 1.0
    assert report["made"].classes[0] == 3
    assert report["made"].entropy[0] == pytest.approx(np.log(3) / np.log(8), abs=0.02)
    assert (np.linalg.norm(X[report.nearest] - np.concatenate([few, few])[:400], axis=1) == 0).all()


@pytest.fixture(scope="module")
def shapes():
    random = np.random.default_rng(0)
    y = np.arange(240) % 2
    X = random.uniform(0, 0.2, (240, 16, 16)).astype(np.float32)
    X[y == 0, :8] += 0.7
    X[y == 1, :, :8] += 0.7
    return X, y


def test_pictures_are_compared_by_a_classifier_of_their_own(shapes):
    X, y = shapes
    report = generative_report(X[:120], X[120:], y[:120], n_jobs=1)
    assert report.n_classes == 2
    assert set(report.lines) == {"made", "real", "one Gaussian", "naive Bayes"}
    noise = np.random.default_rng(1).uniform(size=(60, 16, 16)).astype(np.float32)
    worse = generative_report(X[:120], noise, y[:120], n_jobs=1)
    assert worse["made"].frechet[0] > 3 * report["made"].frechet[0]
    assert worse["real"].frechet == report["real"].frechet


def test_a_fitted_classifier_is_taken_as_it_is(shapes):
    X, y = shapes
    known = ImageClassifier("lenet5", epochs=3, n_jobs=1).fit(X, y)
    report = generative_report(Images.from_array(X[:100]), X[100:150], classifier=known, n_jobs=1)
    assert set(report.lines) == {"made", "real", "one Gaussian"}


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda X, y: generative_report(X, X), "labels="),
        (lambda X, y: generative_report(X[:30], X, y[:30]), "40 and 20 are the least"),
        (lambda X, y: generative_report(X, X[:, :8], y), "one size and colours"),
        (lambda X, y: generative_report(X, X, y[:5]), "."),
        (lambda X, y: generative_report(X, X, y, classifier="net"), "ImageClassifier"),
        (lambda X, y: generative_report(X, X, y, confidence=2), "confidence"),
        (lambda X, y: generative_report(np.zeros((50, 2)), np.zeros((50, 3))), "columns"),
        (lambda X, y: generative_report(np.full((50, 2), np.nan), np.zeros((50, 2))), "finite"),
        (lambda X, y: generative_report(np.full((50, 2), "a"), np.zeros((50, 2))), "numbers"),
    ],
)
def test_what_cannot_be_compared_is_refused(shapes, ask, words):
    with pytest.raises(MarginError, match=words):
        ask(*shapes)
