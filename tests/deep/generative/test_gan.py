"""GAN and DCGAN: what they learn, keep, answer and refuse."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats

torch = pytest.importorskip("torch")

from sklearn.base import clone  # noqa: E402
from torch import nn  # noqa: E402

import margin  # noqa: E402
from margin.data import Images  # noqa: E402
from margin.data.generators import gaussian_ring  # noqa: E402
from margin.deep.generative import DCGAN, GAN  # noqa: E402
from margin.errors import (  # noqa: E402
    ConstantColumnWarning,
    ConvergenceWarning,
    InputError,
    MarginError,
    NotFittedError,
    ParameterError,
    PersistenceError,
    TrainingError,
)
from margin.persistence import from_bytes, to_bytes  # noqa: E402

QUICK = {"latent": 4, "steps": 6, "batch_size": 16, "n_jobs": 1}


@pytest.fixture(scope="module")
def ring():
    return gaussian_ring(400, seed=0).X


@pytest.fixture(scope="module")
def pictures():
    random = np.random.default_rng(0)
    made = random.integers(0, 40, (64, 16, 16), dtype=np.uint8)
    made[::2, :8] += 200
    return made


@pytest.fixture(scope="module")
def model(ring):
    return GAN((16,), (16,), **QUICK).fit(ring)


@pytest.fixture(scope="module")
def sculptor(pictures):
    return DCGAN(4, **QUICK).fit(pictures)


class Still(nn.Module):
    """A generator that learns nothing: normal cases with a mean of 1."""

    def forward(self, z):
        return z[:, :1] + 1.0


@pytest.mark.golden("I8")
def test_a_discriminator_that_learns_alone_finds_p_over_p_plus_q():
    p = stats.norm(0, 1)
    X = p.ppf((np.arange(20_000) + 0.5) / 20_000)[:, None]
    judge = GAN(Still(), (32,), "minimax", latent=1, steps=500, batch_size=1024, rate=0.01, n_jobs=1).fit(X)
    x = np.linspace(-2.5, 3.5, 61)
    best = p.pdf(x) / (p.pdf(x) + p.pdf(x - 1))
    assert np.abs(judge.score(x[:, None]) - best).mean() < 0.02
    jsd_value = -1.3863 + 2 * 0.1113  # of N(0, 1) and N(1, 1), by quadrature
    assert judge.value_[-200:].mean() == pytest.approx(jsd_value, abs=0.03)


def test_a_ring_is_learnt_with_what_lies_between(ring):
    model = GAN((64, 64), (64, 64), steps=700, r1=0.1, ema=0.98, batch_size=128, rate=2e-3, n_jobs=1)
    made = model.fit(ring).sample(1000, random_state=1)
    angle = 2 * np.pi * np.arange(8) / 8
    far = np.linalg.norm(made[:, None] - 2 * np.column_stack([np.cos(angle), np.sin(angle)]), axis=2)
    assert len(set(far.argmin(axis=1)[far.min(axis=1) < 0.3])) == 8
    assert model.variety_[-1, 1] > 0.5
    assert abs(model.value_[-100:].mean() + np.log(4)) < 0.5


@pytest.mark.parametrize("given", [{"loss": "lsgan"}, {"loss": "hinge", "spectral_norm": True},
                                   {"loss": "wgan_gp", "n_critic": 3}, {"loss": "minimax", "r1": 1.0}])  # fmt: skip
def test_every_game_is_played_and_its_value_traced(ring, given):
    model = GAN((8,), (8,), **{**QUICK, **given}).fit(ring)
    assert len(model.value_) == len(model.generator_losses_) == model.n_iter_ == 6
    assert np.isfinite(model.sample(5, random_state=0)).all()
    assert model.history_.names == ("step", "value", "generator_loss", "discriminator_loss")


def test_columns_keep_their_units_and_a_constant_one_its_number():
    random = np.random.default_rng(0)
    X = np.column_stack([random.normal(1e6, 10, 200), np.full(200, 7.0), random.normal(0, 1e-3, 200)])
    with pytest.warns(ConstantColumnWarning, match="'x1' holds one number"):
        model = GAN((8,), (8,), **QUICK).fit(pd.DataFrame(X, columns=["x0", "x1", "x2"]))
    made = model.sample(50, random_state=0)
    assert np.abs(made[:, 0] - 1e6).max() < 200
    assert (made[:, 1] == 7).all()
    assert np.abs(made[:, 2]).max() < 0.1


def test_the_same_seed_gives_the_same_bytes(ring, model):
    again = GAN((16,), (16,), **QUICK).fit(ring)
    assert to_bytes(again) == to_bytes(model)
    other = GAN((16,), (16,), **QUICK, random_state=1).fit(ring)
    assert (other.sample(3, random_state=0) != model.sample(3, random_state=0)).any()
    assert (model.sample(3, random_state=5) == model.sample(3, random_state=5)).all()
    assert (model.sample(3) != model.sample(3)).any()


@pytest.mark.parametrize("which", ["model", "sculptor"])
def test_a_file_a_pickle_and_a_copy_answer_alike(which, request, ring, pictures):
    model = request.getfixturevalue(which)
    X = ring if which == "model" else pictures
    content = to_bytes(model)
    for again in from_bytes(content), pickle.loads(pickle.dumps(model)):
        assert (again.sample(4, random_state=1) == model.sample(4, random_state=1)).all()
        assert (again.score(X[:3]) == model.score(X[:3])).all()
    assert to_bytes(from_bytes(content)) == content
    with pytest.raises(NotFittedError):
        clone(model).sample(1)


def test_modules_of_ones_own_are_copied_and_no_file_holds_them(ring):
    forge, judge = Still(), nn.Linear(2, 1).requires_grad_(True)
    with pytest.raises(InputError, match=r"makes cases of shape \(1,\), and they have \(2,\)"):
        GAN(forge, judge, **QUICK).fit(ring)
    forge = nn.Linear(4, 2)
    before = forge.weight.clone()
    model = GAN(forge, judge, **QUICK).fit(ring)
    assert torch.equal(forge.weight, before)
    assert not torch.equal(model.networks_["generator"].weight, before)
    with pytest.raises((PersistenceError, MarginError)):
        to_bytes(model)


@pytest.fixture(autouse=True)
def _first_weights_of_torch():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        yield


def test_the_way_between_two_vectors_begins_and_ends_with_them(model):
    a, b = np.array([1.0, 0, 0, 0]), np.array([0, 1.0, 0, 0])
    way = model.interpolate(a, b, 5)
    np.testing.assert_allclose(way[[0, -1]], model.from_latent([a, b]), rtol=1e-5)
    assert way.shape == (5, 2)


def test_a_vector_is_found_for_a_case_that_was_forged(model):
    z = np.array([[0.5, -0.2, 1.0, 0.1]])
    case = model.from_latent(z)
    found = model.latent_of(case, steps=150)
    assert found.shape == (1, 4)
    spread = model.sample(200, random_state=0).std(axis=0)
    assert (np.abs(model.from_latent(found) - case) < 0.1 * spread).all()
    assert model.latent_of(case, steps=0).shape == (1, 4)


def test_whoever_leaves_the_loop_has_the_networks_as_they_were(ring):
    model = GAN((8,), (8,), **{**QUICK, "steps": 50})
    for step in model.training(ring):
        if step.step == 3:
            break
    assert model.n_iter_ == 3
    assert model.stopped_
    assert model.sample(2).shape == (2, 2)


def test_ctrl_c_is_passed_on_and_what_was_learnt_is_kept(ring, monkeypatch):
    from margin.deep.generative.duel import Duel

    turn = Duel.turn

    def pressed(self, number):
        if number == 2:
            raise KeyboardInterrupt
        return turn(self, number)

    monkeypatch.setattr(Duel, "turn", pressed)
    model = GAN((8,), (8,), **QUICK)
    with pytest.raises(KeyboardInterrupt):
        model.fit(ring)
    assert model.n_iter_ == 2
    monkeypatch.setattr(Duel, "turn", lambda self, number: (_ for _ in ()).throw(KeyboardInterrupt))
    fresh = GAN((8,), (8,), **QUICK)
    with pytest.raises(KeyboardInterrupt):
        fresh.fit(ring)
    assert "value_" not in vars(fresh)


@pytest.mark.parametrize("ema", [0.0, 0.9])
def test_a_run_that_goes_on_has_the_bytes_of_one_that_never_stopped(ring, tmp_path, ema):
    given = {**QUICK, "steps": 110, "ema": ema, "checkpoint": str(tmp_path)}
    model = GAN((8,), (8,), **given)
    for step in model.training(ring):
        if step.step == 70:
            break
    gone_on = GAN((8,), (8,), **given, resume=True).fit(ring)
    whole = GAN((8,), (8,), **{**given, "checkpoint": None}).fit(ring)
    for one, other in zip(gone_on._tensors.values(), whole._tensors.values(), strict=True):
        assert (one == other).all()
    assert (gone_on.value_ == whole.value_).all()
    assert (gone_on.variety_ == whole.variety_).all()
    with pytest.raises(TrainingError, match="other rows"):
        GAN((8,), (8,), **given, resume=True).fit(ring + 1)


def test_a_loss_that_is_not_finite_is_told_with_its_step(ring):
    class Burst(nn.Module):
        """Fine for some steps."""

        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.zeros(2))
            self.n = 0

        def forward(self, x):
            self.n += 1
            return (x * self.w).sum(dim=1) * (float("nan") if self.n > 8 else 1.0)

    with pytest.warns(ConvergenceWarning, match="not finite any more in step 4"):
        model = GAN((8,), Burst(), **QUICK).fit(ring)
    assert model.n_iter_ == 3
    assert all(np.isfinite(each).all() for each in model._tensors.values())


def test_few_ideas_are_warned_of_with_the_step(ring):
    class One(nn.Module):
        def __init__(self):
            super().__init__()
            self.at = nn.Parameter(torch.tensor([1.4, 0.0]))

        def forward(self, z):
            return self.at + 0.01 * z[:, :2]

    with pytest.warns(ConvergenceWarning, match=r"few ideas \(mode collapse\): from step 50 on"):
        GAN(One(), (8,), latent=2, steps=100, batch_size=64, n_jobs=1).fit(ring)


def test_a_discriminator_that_has_won_is_warned_of_with_the_step(ring):
    class Far(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.tensor([50.0, 50.0]))

        def forward(self, z):
            return self.w + z[:, :2]

    with pytest.warns(ConvergenceWarning) as told:
        GAN(Far(), (8,), "minimax", latent=2, steps=300, batch_size=64, rate=0.01, n_jobs=1).fit(ring)
    assert any("the discriminator has won: from step" in str(each.message) for each in told)


def test_pictures_come_back_between_0_and_1(sculptor, pictures):
    made = sculptor.sample(3, random_state=0)
    assert made.shape == (3, 16, 16, 1)
    assert made.min() >= 0
    assert made.max() <= 1
    dense = GAN((8,), (8,), **QUICK).fit(pictures)
    assert dense.sample(2).shape == (2, 16, 16, 1)
    assert sculptor.score(pictures[:0]).shape == (0,)
    assert sculptor.sample(0).shape == (0, 16, 16, 1)


def test_features_are_the_largest_cells_of_each_layers_maps(sculptor, pictures):
    found = sculptor.transform(pictures[:5])
    assert found.shape == (5, sculptor.n_features_out_)
    judge = sculptor.networks_["discriminator"]
    x = torch.from_numpy(pictures[:5, None].astype(np.float32) / 127.5 - 1)
    with torch.no_grad():
        first = judge.features[:2](x).numpy()
        last = judge.features(x).numpy()
    expected = first.reshape(5, 4, 4, 2, 4, 2).max(axis=(3, 5)).reshape(5, -1)
    np.testing.assert_allclose(found[:, : expected.shape[1]], expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found[:, expected.shape[1] :], last.reshape(5, -1), rtol=1e-4, atol=1e-5)
    table = margin.LinearSVC().fit(found, [0, 1, 0, 1, 0])
    assert table.predict(found).shape == (5,)


def test_means_of_layers_are_those_of_made_pictures(sculptor):
    """After the run normalised layers answer one picture as they answer many."""
    forge = sculptor.networks_["generator"]
    z = torch.randn(512, 4, generator=torch.Generator().manual_seed(3))
    with torch.no_grad():
        maps = forge.layers[0](z[:, :, None, None])
    norm = forge.layers[1]
    np.testing.assert_allclose(norm.running_mean.numpy(), maps.mean(dim=(0, 2, 3)).numpy(), atol=0.02)
    np.testing.assert_allclose(norm.running_var.numpy(), maps.var(dim=(0, 2, 3)).numpy(), rtol=0.3)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.arange(10.0).reshape(5, 2), "fewer than a batch"),
        (np.zeros((0, 2)), "no rows"),
        (np.zeros((40, 0)), "no columns"),
        (np.full((40, 2), 3.0), "all rows are equal"),
        (pd.DataFrame({"a": np.arange(40.0), "b": ["x", "y"] * 20}), "'b' is no column of numbers"),
        (np.where(np.arange(80).reshape(40, 2) == 31, np.nan, 1.0 + np.arange(80).reshape(40, 2)), "'x1', row 15"),
        (np.array([[np.inf, 1.0]] * 40), "infinite|inf"),
        (np.zeros((40, 4, 4, 4, 4)), "pictures|shape"),
        ("nowhere", "."),
        (None, "."),
    ],
)
@pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")
def test_cases_that_cannot_be_learnt_are_refused(X, words):
    with pytest.raises(MarginError, match=words):
        GAN((8,), (8,), **QUICK).fit(X)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.zeros((20, 18, 18), np.uint8), "18 x 18 pixels; they must be square"),
        (np.zeros((20, 16, 32), np.uint8), "16 x 32"),
        (np.zeros((20, 8, 8), np.uint8), "8 x 8"),
        (np.zeros((20, 1, 1), np.uint8), "1 x 1"),
        (np.zeros((20, 80, 80), np.uint8), "80 x 80"),
        (np.full((20, 16, 16), np.nan), "not finite"),
        (np.zeros((0, 16, 16), np.uint8), "no pictures"),
        (np.zeros((20, 16)), "image_shape"),
        ([np.zeros((16, 16)), np.zeros((20, 20))], "several shapes"),
    ],
)
def test_pictures_that_cannot_be_forged_are_refused(X, words):
    with pytest.raises(MarginError, match=words):
        DCGAN(4, **QUICK).fit(X)


def test_other_sizes_and_colours_can_be_made_fit(pictures):
    odd = np.zeros((20, 18, 23, 3), np.uint8)
    made = DCGAN(4, **QUICK, image_size=16, channels=1).fit(odd).sample(1)
    assert made.shape == (1, 16, 16, 1)
    assert DCGAN(4, **QUICK).fit(Images.from_array(pictures)).sample(1).shape == (1, 16, 16, 1)


@pytest.mark.parametrize(
    "given",
    [{"loss": "wgan"}, {"generator": ()}, {"generator": (0,)}, {"r1": -1}, {"n_critic": 0}, {"latent": 0},
     {"steps": 0}, {"rate": 0}, {"ema": 1.0}, {"resume": True}, {"discriminator": "deep"}],
)  # fmt: skip
def test_parameters_that_cannot_be_are_refused(ring, given):
    with pytest.raises(ParameterError, match=r"^GAN\("):
        GAN(**{**QUICK, **given}).fit(ring)


def test_networks_that_would_not_fit_are_refused_before_they_are_there(ring, pictures):
    with pytest.raises(MarginError, match=r"width=\d+ would fit"):
        DCGAN(10**5, **QUICK).fit(pictures)
    with pytest.raises(MarginError, match="fewer units would fit"):
        GAN((10**6, 10**6), (8,), **QUICK).fit(ring)


def test_questions_that_cannot_be_answered_are_refused(model, ring):
    for ask in (
        lambda: model.sample(-1),
        lambda: model.sample(2.5),
        lambda: model.from_latent(np.zeros((2, 3))),
        lambda: model.from_latent([[np.nan] * 4]),
        lambda: model.from_latent("z"),
        lambda: model.interpolate(np.zeros((2, 4)), np.zeros(4)),
        lambda: model.interpolate(np.zeros(4), np.ones(4), 1),
        lambda: model.latent_of(ring[:2], steps=-1),
        lambda: model.score(ring[:, :1]),
    ):
        with pytest.raises(MarginError, match=r"^GAN\."):
            ask()
    fresh = GAN()
    for ask in (
        lambda: fresh.sample(1),
        lambda: fresh.score(ring),
        lambda: fresh.from_latent(np.zeros((1, 16))),
        lambda: fresh.history_,
        lambda: fresh.networks_,
    ):
        with pytest.raises(NotFittedError):
            ask()
