"""What networks play for: worked values, published sizes, slow definitions."""

import numpy as np
import pytest
from scipy import integrate, stats

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from margin.deep.generative import CycleGAN, value_function  # noqa: E402
from margin.deep.generative.duel import rows_of  # noqa: E402
from margin.deep.generative.losses import LOSSES  # noqa: E402
from margin.deep.generative.players import (  # noqa: E402
    DenseDiscriminator,
    Judge,
    Sculptor,
    levels_of,
    made_with,
    narrow_weights,
    spectral,
)
from margin.deep.generative.translation import Pool, cycle_losses  # noqa: E402
from margin.deep.generative.translators import PatchJudge, Translator  # noqa: E402
from margin.deep.generative.watching import won_since  # noqa: E402
from margin.errors import InputError  # noqa: E402


def n_parameters(net):
    return sum(each.numel() for each in net.parameters())


def on_a_grid(mean, deviation):
    """V(D*, G), and -log 4 + 2 JSD by quadrature, for N(0, 1) against another normal."""
    p, q = stats.norm(0, 1).pdf, stats.norm(mean, deviation).pdf
    x = np.linspace(-12, 12, 20_001)
    best = (p(x) / (p(x) + q(x))).clip(1e-16, 1 - 1e-16)

    def divergence(f, g):
        def at(x):
            return f(x) * np.log(f(x) / (0.5 * (f(x) + g(x)))) if f(x) > 1e-300 else 0.0

        return integrate.quad(at, -12, 12, limit=200)[0]

    jsd = 0.5 * divergence(p, q) + 0.5 * divergence(q, p)
    return value_function(best, best, p(x), q(x)), -np.log(4) + 2 * jsd


@pytest.mark.golden("I8")
def test_the_best_discriminator_wins_log_4_less_than_twice_the_divergence():
    for mean, deviation in (1.0, 1.0), (0.5, 2.0), (3.0, 0.7):
        value, expected = on_a_grid(mean, deviation)
        assert value == pytest.approx(expected, abs=1e-6)
        assert value > -np.log(4)
    assert on_a_grid(0.0, 1.0)[0] == pytest.approx(-1.3863, abs=5e-5)


@pytest.mark.golden("I8")
def test_networks_have_the_published_numbers_of_parameters():
    with torch.device("meta"):
        assert n_parameters(Sculptor(100, 64, 3, *levels_of(64))) == 3_576_704
        assert n_parameters(Judge(64, 3, *levels_of(64))) == 2_765_568
        assert n_parameters(Translator(3, 3, 64, 9)) == 11_378_179
        assert n_parameters(Translator(3, 3, 64, 6)) == 7_837_699
        judge = PatchJudge(3, 64, 3)
        assert n_parameters(judge) == 2_764_737
        assert judge(torch.zeros(1, 3, 256, 256)).shape == (1, 1, 30, 30)


def test_a_cell_of_the_patch_judge_sees_70_pixels():
    judge = made_with(lambda: PatchJudge(1, 2, 3), 0, narrow_weights)
    for module in judge.modules():  # without what looks at the whole map
        if isinstance(module, nn.InstanceNorm2d):
            module.forward = lambda x: x
    x = torch.rand(1, 1, 128, 128, generator=torch.Generator().manual_seed(1)).requires_grad_(True)
    out = judge(x)
    (slopes,) = torch.autograd.grad(out[0, 0, out.shape[2] // 2, out.shape[3] // 2], x)
    rows = np.flatnonzero(slopes[0, 0].abs().sum(dim=1).numpy() > 0)
    assert rows[-1] - rows[0] + 1 == 70


@pytest.mark.parametrize("name", LOSSES)
def test_losses_are_their_formulas(name):
    random = np.random.default_rng(0)
    real, made = random.normal(size=7), random.normal(size=7)

    def of(logits):
        return 1 / (1 + np.exp(-logits))

    judge, forge = {
        "minimax": (-np.log(of(real)).mean() - np.log(1 - of(made)).mean(), np.log(1 - of(made)).mean()),
        "non_saturating": (-np.log(of(real)).mean() - np.log(1 - of(made)).mean(), -np.log(of(made)).mean()),
        "lsgan": (((real - 1) ** 2).mean() / 2 + (made**2).mean() / 2, ((made - 1) ** 2).mean() / 2),
        "hinge": (np.maximum(1 - real, 0).mean() + np.maximum(1 + made, 0).mean(), -made.mean()),
        "wgan_gp": (made.mean() - real.mean(), -made.mean()),
    }[name]
    loss = LOSSES[name]
    assert float(loss.discriminator(torch.tensor(real), torch.tensor(made))) == pytest.approx(judge)
    assert float(loss.generator(torch.tensor(made))) == pytest.approx(forge)
    undecided = torch.full((5,), 0.5 if name == "lsgan" else 0.0)
    assert -float(loss.discriminator(undecided, undecided)) == pytest.approx(loss.even)


def test_minimax_wins_what_the_value_function_says():
    real, made = torch.tensor([0.3, 2.0]), torch.tensor([-1.0, 0.4])
    value = value_function(real.sigmoid().numpy(), made.sigmoid().numpy())
    assert -float(LOSSES["minimax"].discriminator(real, made)) == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize("given", [[1.5], [-0.1], [], [[0.5]], [np.nan]])
def test_values_are_of_probabilities(given):
    with pytest.raises(InputError, match=r"value_function\(real\)"):
        value_function(given, [0.5])


@pytest.mark.golden("I8")
def test_generators_that_change_nothing_lose_nothing_on_the_way_there_and_back():
    a, b = (torch.rand(2, 3, 16, 16, generator=torch.Generator().manual_seed(k)) for k in (0, 1))
    made_a, made_b, cycle, stays = cycle_losses(nn.Identity(), nn.Identity(), a, b)
    assert torch.equal(made_a, b)
    assert torch.equal(made_b, a)
    assert float(cycle) == float(stays) == 0.0


def test_a_weight_under_its_spectral_norm_has_a_largest_singular_value_of_one():
    net = made_with(lambda: spectral(DenseDiscriminator([6, 5], (4,))), 3, lambda net, _: _ones_and_noise(net))
    net.train()
    for _ in range(200):
        net(torch.ones(2, 4))
    for layer in net.layers:
        if isinstance(layer, nn.Linear):
            assert float(torch.linalg.matrix_norm(layer.weight, 2)) == pytest.approx(1.0, abs=1e-4)


def _ones_and_noise(net):
    random = torch.Generator().manual_seed(5)
    for each in net.parameters():
        each.copy_(torch.randn(each.shape, generator=random))


def test_batches_go_round_and_leave_nothing_out():
    batches = rows_of(7, 3, 0, "order")
    drawn = np.concatenate([next(batches) for _ in range(7)])
    assert sorted(drawn[:7]) == sorted(drawn[7:14]) == sorted(drawn[14:]) == list(range(7))


def test_a_pool_shows_half_old_forgeries_once_it_is_full():
    pool, random = Pool(50), np.random.default_rng(0)
    first = torch.arange(50.0)[:, None]
    assert torch.equal(pool.mixed(first, random), first)
    later = torch.arange(1000.0, 2000.0)[:, None]
    shown = pool.mixed(later, random)
    assert 0.4 < float((shown != later).float().mean()) < 0.6
    assert len(pool.kept) == 50
    assert torch.equal(Pool(0).mixed(first, random), first)


def test_a_winner_is_found_with_the_step():
    even = -np.log(4)
    fair = np.full(300, even)
    assert won_since(fair, even) is None
    assert won_since(np.concatenate([fair, np.full(200, -0.001)]), even) in range(330, 360)
    assert won_since(np.concatenate([np.full(200, -0.001), fair]), even) is None


def test_rates_fall_on_a_line_in_the_second_half():
    pictures = np.zeros((4, 16, 16, 1))
    model = CycleGAN(2, blocks=1, steps=8, batch_size=2, n_jobs=1)
    game, _ = model._game((pictures, pictures), "CycleGAN.fit")
    rates = []
    for step in range(8):
        game._set_rate(step)
        rates.append(game.optimizers["generators"].param_groups[0]["lr"] / 2e-4)
    np.testing.assert_allclose(rates, [1, 1, 1, 1, 1, 0.75, 0.5, 0.25])
