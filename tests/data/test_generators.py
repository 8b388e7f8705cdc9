"""Generators: shapes and geometry, then the Bayes error by formula, grid and draws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from margin.data import credit as credit_module
from margin.data import generators as g
from margin.errors import InputError, ParameterError

MAKERS = [g.moons, g.circles, g.spirals, g.xor, g.blobs, g.gaussian_mixture]


@pytest.mark.parametrize("make", MAKERS)
def test_the_same_seed_gives_the_same_points_and_another_does_not(make):
    X, y = make(50, seed=3)
    assert X.shape == (50, 2)
    assert y.shape == (50,)
    np.testing.assert_array_equal(X, make(50, seed=3).X)
    assert not np.array_equal(X, make(50, seed=4).X)


@pytest.mark.parametrize("make", MAKERS)
def test_no_rows_are_refused(make):
    with pytest.raises(ParameterError, match="n_rows"):
        make(0)


def test_moons_lie_on_two_half_circles():
    X, y = g.moons(101, noise=0)
    np.testing.assert_allclose(np.hypot(*X[y == 0].T), 1)
    np.testing.assert_allclose(np.hypot(*(X[y == 1] - [1, 0.5]).T), 1)
    assert (X[y == 0, 1] >= 0).all()
    assert (X[y == 1, 1] <= 0.5).all()


def test_spirals_turn_into_each_other():
    X, y = g.spirals(300, n_classes=3, noise=0)
    turn = 2 * np.pi / 3
    back = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    np.testing.assert_allclose(X[y == 1] @ back.T, X[y == 0], atol=1e-12)


def test_parameters_are_checked():
    with pytest.raises(ParameterError, match="inner"):
        g.circles(inner=2)
    with pytest.raises(ParameterError, match="priors"):
        g.gaussian_mixture(priors=[0.5, 0.6])
    with pytest.raises(ParameterError, match="positive definite"):
        g.bayes_error([[0, 0], [1, 1]], [[1, 2], [2, 1]])
    with pytest.raises(ParameterError, match="2×2 matrix"):
        g.bayes_error([[0, 0], [1, 1]], [1, 2])


def test_the_bayes_error_of_two_normals_is_the_tail_beyond_the_middle():
    assert g.bayes_error([[0.0], [3.0]]) == pytest.approx(norm.cdf(-1.5))


def test_equal_classes_leave_the_smaller_prior():
    assert g.bayes_error([[0.0], [0.0]], priors=[0.8, 0.2]) == pytest.approx(0.2)


def test_the_grid_agrees_with_the_formula():
    for means in ([[-1.0], [1.0]], [[-1.0, 0.0], [1.0, 0.5]]):
        mixture = g._Mixture.of("test", means, None, [0.3, 0.7])
        assert g._on_a_grid(mixture) == pytest.approx(g._two_classes_alike(mixture), abs=2e-5)


def test_draws_agree_with_the_grid():
    means, spread = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]], [np.eye(2), 2 * np.eye(2), [[1, 0.5], [0.5, 1]]]
    flat = g.bayes_error(means, spread)
    deep = g.bayes_error(np.pad(means, ((0, 0), (0, 1))), [np.pad(s, (0, 1)) + np.diag([0, 0, 1]) for s in spread])
    assert deep == pytest.approx(flat, abs=2e-3)


@settings(max_examples=25, deadline=None)
@given(distance=st.floats(0.2, 4), prior=st.floats(0.05, 0.95))
def test_no_threshold_beats_the_bayes_error(distance, prior):
    best = g.bayes_error([[0.0], [distance]], priors=[prior, 1 - prior])
    cuts = np.linspace(-6, 10, 4001)
    errors = prior * norm.sf(cuts) + (1 - prior) * norm.cdf(cuts - distance)
    assert best <= errors.min() + 1e-9
    assert best == pytest.approx(min(errors.min(), prior, 1 - prior), abs=1e-4)


def test_a_mixture_has_its_priors_means_and_covariances():
    X, y = g.gaussian_mixture(40_000, means=[[0, 0], [5, 5]], covariances=[[2, 1], [1, 2]], priors=[0.25, 0.75])
    assert np.mean(y) == pytest.approx(0.75, abs=0.01)
    np.testing.assert_allclose(X[y == 1].mean(axis=0), [5, 5], atol=0.05)
    np.testing.assert_allclose(np.cov(X[y == 1].T), [[2, 1], [1, 2]], atol=0.08)


def test_credit_risk_can_be_told_in_about_four_of_five_cases():
    rng = np.random.Generator(np.random.Philox(5))
    bad = credit_module.risk_of_bad(credit_module._applicants(50_000, rng))
    assert bad.mean() == pytest.approx(0.30, abs=0.02)
    assert np.maximum(bad, 1 - bad).mean() == pytest.approx(0.817, abs=0.01)


def test_scenes_are_true_to_what_they_say():
    made = g.scenes(40, 32, seed=3)
    assert made.pictures.shape == (40, 32, 32, 3)
    for i, (masks, boxes, labels) in enumerate(zip(made.object_masks, made.boxes, made.labels, strict=True)):
        assert masks.sum(axis=0).max() == 1  # nothing lies upon anything
        together = (masks * labels[:, None, None]).sum(axis=0)
        np.testing.assert_array_equal(together, made.class_masks[i])
        for mask, (top, left, bottom, right) in zip(masks, boxes, strict=True):
            assert mask[top:bottom, left:right].sum() == mask.sum()
            assert mask[top].any()
            assert mask[bottom - 1].any()
            assert mask[:, left].any()
            assert mask[:, right - 1].any()


def test_captions_and_answers_follow_from_the_masks():
    made = g.scenes(60, 32, noise=0.0, strokes=0, seed=5)
    for i, caption in enumerate(made.captions):
        (first, second), word = caption.replace("left of", "above").split(" above "), caption
        names = [made.classes[label] for label in made.labels[i][:2]]
        assert sorted(each.split()[-1] for each in (first, second)) == sorted(names)
        centres = [np.argwhere(mask).mean(axis=0) for mask in made.object_masks[i][:2]]
        axis = 1 if "left of" in word else 0
        order = np.argsort([centre[axis] for centre in centres])
        assert first.split()[-1] == names[order[0]]
        asked = {q.question: q.answer for q in made.questions if q.picture == i}
        assert asked["how many objects are there"] == str(len(made.labels[i]))
    assert len(set(g.scenes(4000, 32, seed=1).captions)) == 288


def test_the_same_seed_draws_the_same_pictures_and_another_one_others():
    first, again, other = (g.scenes(3, seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(first.pictures, again.pictures)
    assert first.captions == again.captions
    assert (first.pictures != other.pictures).any()


@pytest.mark.parametrize(
    "words",
    [{"n": 0}, {"n": 1, "size": 8}, {"n": 1, "objects": (3, 2)}, {"n": 1, "noise": -1}, {"n": 1, "strokes": 0.5}],
)
def test_scenes_that_cannot_be_drawn_are_refused(words):
    with pytest.raises(ParameterError, match=r"^scenes\("):
        g.scenes(**words)


def test_domains_are_translated_by_their_own_pixels():
    pictures = np.random.default_rng(0).uniform(size=(9, 5, 5))
    made = g.two_domains(pictures)
    np.testing.assert_allclose(made.a, pictures[made.a_rows][..., None].repeat(3, axis=-1))
    np.testing.assert_allclose(made.b_as_a, pictures[made.b_rows][..., None].repeat(3, axis=-1))
    assert not set(made.a_rows) & set(made.b_rows)
    paper, ink = g.two_domains(np.stack([np.zeros((2, 2)), np.ones((2, 2))] * 2)).b[:, 0, 0].max(axis=1), 0.35
    assert set(np.round(paper, 2)) <= {0.93, ink}
    with pytest.raises(InputError, match="two_domains"):
        g.two_domains(pictures * 3)
