"""What a network sees, against slow definitions."""

from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from margin.data import Images  # noqa: E402
from margin.deep import architectures, layers  # noqa: E402
from margin.deep.training.batches import PixelScale  # noqa: E402
from margin.deep.visualize import (  # noqa: E402
    activations,
    deconvnet,
    deep_dream,
    filters,
    grad_cam,
    integrated_gradients,
    maximize,
    occlusion,
    saliency,
    top_patches,
)
from margin.errors import InputError, MarginError  # noqa: E402


def looked_at(net, channels=3):
    """A network as training leaves it: with classes, and a scale of its own."""
    net.classes_ = np.array(["a", "b", "c"])
    net.pixel_scale = PixelScale((0.4,) * channels, (0.3,) * channels)
    with torch.no_grad():  # batch norm that is not the identity
        random = torch.Generator().manual_seed(1)
        for module in net.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.running_mean.normal_(0, 0.1, generator=random)
                module.running_var.uniform_(0.5, 2.0, generator=random)
    return net


@pytest.fixture(autouse=True)
def _first_weights_of_torch():
    """Layers made here draw their first weights from torch's own random numbers, which are put back."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        yield


@pytest.fixture(scope="module")
def small():
    return looked_at(architectures.build("small", n_classes=3, channels=3, image_size=12))


@pytest.fixture(scope="module")
def pictures():
    return np.random.default_rng(0).uniform(size=(3, 12, 12, 3)).astype(np.float32)


def answers(net, pixels):
    """Logits in double precision, of pixels (n, height, width, channels) between 0 and 1."""
    scale = net.pixel_scale
    x = (pixels.astype(np.float64) - scale.mean) / scale.std
    was = net.training
    with torch.no_grad():
        made = net.double().eval()(torch.from_numpy(x).permute(0, 3, 1, 2)).numpy()
    net.float().train(was)
    return made


def test_saliency_is_the_largest_difference_quotient_over_the_colours(small, pictures):
    found = saliency(small, pictures, target="b", n_jobs=1)
    step = 1e-5
    for row, column in (0, 0), (5, 7), (11, 3):
        slopes = []
        for colour in range(3):
            up, down = pictures[:1].astype(np.float64), pictures[:1].astype(np.float64)
            up[0, row, column, colour] += step
            down[0, row, column, colour] -= step
            slopes.append((answers(small, up) - answers(small, down))[0, 1] / (2 * step))
        assert found[0, row, column] == pytest.approx(np.abs(slopes).max(), rel=1e-3, abs=1e-6)


def test_noise_is_averaged_away_and_drawn_by_the_seed(small, pictures):
    plain = saliency(small, pictures, n_jobs=1)
    still = saliency(small, pictures, method="smooth", draws=3, noise=0.0, n_jobs=1)
    np.testing.assert_allclose(still, plain, rtol=1e-4, atol=1e-7)
    noisy = [saliency(small, pictures, method="smooth", draws=3, random_state=s, n_jobs=1) for s in (1, 1, 2)]
    assert (noisy[0] == noisy[1]).all()
    assert (noisy[0] != noisy[2]).any()


@pytest.mark.golden("I9")
def test_integrated_gradients_add_up_to_the_difference_of_the_answers(small, pictures):
    found = integrated_gradients(small, pictures, target=["a", "b", "c"], n_jobs=1)
    black = answers(small, np.zeros_like(pictures))
    expected = (answers(small, pictures) - black)[np.arange(3), [0, 1, 2]]
    np.testing.assert_allclose(found.difference, expected, rtol=1e-4, atol=1e-5)
    assert (found.gap < 0.01).all()
    np.testing.assert_allclose(found.map.sum(axis=(1, 2)), found.values.sum(axis=(1, 2, 3)))


def test_a_linear_network_gives_each_pixel_its_product(pictures):
    net = looked_at(nn.Sequential(nn.Flatten(), nn.Linear(432, 3)))
    found = integrated_gradients(net, pictures, target="c", steps=1, n_jobs=1)
    weight = net[1].weight[2].detach().numpy().reshape(3, 12, 12).transpose(1, 2, 0) / 0.3
    np.testing.assert_allclose(found.values, weight * pictures, rtol=1e-4, atol=1e-6)


@pytest.mark.golden("I9")
def test_grad_cam_is_the_class_activation_map_where_maps_are_averaged_and_weighed(pictures):
    net = looked_at(architectures.build("resnet20", n_classes=3, channels=3, image_size=12))
    found = grad_cam(net, pictures, target="b", layer="layer3", n_jobs=1)
    maps = np.stack([activations_of(net, "layer3", picture) for picture in pictures])
    cam = np.einsum("c,nchw->nhw", net.fc.weight[1].detach().numpy(), maps).clip(min=0)
    large = nn.functional.interpolate(torch.from_numpy(cam)[:, None], size=(12, 12), mode="bilinear")[:, 0].numpy()
    assert (large.max(axis=(1, 2)) > 0).any()
    np.testing.assert_allclose(found * maps[0, 0].size, large, atol=1e-5 * large.max())


def activations_of(net, layer, picture):
    caught = []
    hook = dict(net.named_modules())[layer].register_forward_hook(lambda _, __, out: caught.append(out))
    answers(net, picture[None])
    hook.remove()
    return caught[0][0].numpy().astype(np.float32)


def test_what_is_covered_is_what_is_lost(small, pictures):
    found = occlusion(small, pictures, target="a", size=4, stride=3, value=0.2, n_jobs=1)

    def chance(x):
        e = np.exp(answers(small, x))
        return (e / e.sum(axis=1, keepdims=True))[:, 0]

    lost, covered = np.zeros((3, 12, 12)), np.zeros((12, 12))
    for top in (0, 3, 6, 8):
        for left in (0, 3, 6, 8):
            x = pictures.copy()
            x[:, top : top + 4, left : left + 4] = 0.2
            lost[:, top : top + 4, left : left + 4] += (chance(pictures) - chance(x))[:, None, None]
            covered[top : top + 4, left : left + 4] += 1
    np.testing.assert_allclose(found, lost / covered, atol=1e-5)


@pytest.mark.parametrize("method", ["deconvnet", "guided"])
def test_the_way_back_is_the_transposed_layers_and_another_relu(method, pictures):
    random = np.random.default_rng(3)
    first, second = random.normal(size=(4, 3, 3, 3)), random.normal(size=(5, 4, 3, 3))
    net = nn.Sequential(nn.Conv2d(3, 4, 3, bias=False), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 5, 3, bias=False))
    with torch.no_grad():
        net[0].weight.copy_(torch.from_numpy(first)), net[3].weight.copy_(torch.from_numpy(second))
    whole = looked_at(nn.Sequential(*net, nn.Flatten(), nn.Linear(45, 3)))
    found = deconvnet(whole, pictures[:1], "3", unit=2, method=method, n_jobs=1)

    x = ((pictures[:1].astype(np.float64) - 0.4) / 0.3).transpose(0, 3, 1, 2)
    conv1, conv2 = layers.Conv2d(3, 4, 3), layers.Conv2d(4, 5, 3)
    for layer, weight in (conv1, first), (conv2, second):
        layer.W[...] = weight
    pool = layers.MaxPool2d(2)
    below = conv1.forward(x)
    pooled = pool.forward(below.clip(min=0))
    maps = conv2.forward(pooled)[0, 2]
    slope = np.zeros((1, 5, 3, 3))
    slope[0, 2].flat[maps.argmax()] = 1
    back = pool.input_gradient(below.clip(min=0), conv2.input_gradient(pooled, slope)).clip(min=0)
    if method == "guided":
        back = back * (below > 0)
    expected = conv1.input_gradient(x, back) / 0.3
    np.testing.assert_allclose(found[0], expected[0].transpose(1, 2, 0), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("layer", ["features.0", "features.4"])
def test_a_patch_is_all_that_a_cell_sees(small, pictures, layer):
    best = top_patches(small, pictures, layer, unit=3, n=2, n_jobs=1)
    assert best[0].value >= best[1].value
    assert best[0].picture != best[1].picture
    for patch in best:
        top, left, bottom, right = patch.box
        np.testing.assert_array_equal(patch.pixels, pictures[patch.picture][top:bottom, left:right])
        outside = pictures[patch.picture].copy()
        kept = outside[top:bottom, left:right].copy()
        outside[...] = np.random.default_rng(5).uniform(size=outside.shape)
        outside[top:bottom, left:right] = kept
        was, now = (activations_of(small, layer, each)[3] for each in (pictures[patch.picture], outside))
        at = np.unravel_index(was.argmax(), was.shape)
        assert now[at] == pytest.approx(was[at], abs=1e-5)
        assert was.max() == pytest.approx(patch.value, abs=1e-4)


def test_maps_of_every_layer_are_kept_as_they_were_when_they_were_made(small, pictures, tmp_path):
    found = activations(small, pictures[0], n_jobs=1)
    np.testing.assert_allclose(found["classifier"].values, answers(small, pictures[:1])[0], atol=1e-4)
    np.testing.assert_allclose(
        found["features.1"].values, activations_of(small, "features.1", pictures[0]), atol=1e-4
    )  # the ReLU behind it did not write over it
    assert found.answer == "abc"[answers(small, pictures[:1])[0].argmax()]
    found.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.count("<figure>") == len(found) + 1
    assert "http" not in page


@pytest.mark.golden("I9")
def test_a_dream_of_no_steps_is_the_picture(small, pictures):
    assert list(deep_dream(small, pictures[0], steps=0, n_jobs=1)) == []


def test_a_dream_climbs_half_the_squared_length_of_its_layer(small, pictures):
    dreams = list(deep_dream(small, pictures[0], "features.0", steps=8, octaves=1, jitter=0, n_jobs=1))
    maps = activations_of(small, "features.0", pictures[0]).astype(np.float64)
    assert dreams[0].response == pytest.approx(0.5 * (maps**2).sum(), rel=1e-4)
    assert dreams[-1].response > 1.5 * dreams[0].response
    assert all(each.picture.min() >= 0 and each.picture.max() <= 1 for each in dreams)
    again = [list(deep_dream(small, pictures[0], steps=2, random_state=4, n_jobs=1))[-1].picture for _ in range(2)]
    np.testing.assert_array_equal(*again)


def test_octaves_end_at_the_size_of_the_picture(small, pictures):
    dreams = list(deep_dream(small, pictures[0], ["features.0", "features.4"], steps=2, octaves=2, n_jobs=1))
    assert [d.octave for d in dreams] == [0, 0, 1, 1]
    assert dreams[-1].picture.shape == (12, 12, 3)


def test_what_a_class_wants_to_see_is_answered_by_it(small):
    wanted = list(maximize(small, "c", steps=30, n_jobs=1))[-1].picture
    assert answers(small, wanted[None])[0].argmax() == 2
    of_map = list(maximize(small, 7, layer="features.4", steps=5, n_jobs=1))
    assert of_map[-1].response > of_map[0].response


def test_nothing_of_the_network_or_of_torch_is_changed(small, pictures):
    small.train()
    next(small.parameters()).requires_grad_(False)
    before = {name: each.clone() for name, each in small.state_dict().items()}
    threads, seed = torch.get_num_threads(), torch.initial_seed()
    saliency(small, pictures, method="guided", n_jobs=1), grad_cam(small, pictures, n_jobs=1)
    next(iter(deep_dream(small, pictures[0], n_jobs=1)))
    assert small.training
    assert not next(small.parameters()).requires_grad
    assert all(each.grad is None for each in small.parameters())
    assert all(torch.equal(before[name], each) for name, each in small.state_dict().items())
    assert (threads, seed) == (torch.get_num_threads(), torch.initial_seed())
    next(small.parameters()).requires_grad_(True)


def test_fitted_models_and_images_are_taken_too(small, pictures):
    model = SimpleNamespace(network_=small, classes_=small.classes_)
    images = Images.from_array((pictures * 255).astype(np.uint8))
    bytes_, numbers = saliency(model, images, n_jobs=1), saliency(small, images.pixels() / np.float32(255), n_jobs=1)
    np.testing.assert_allclose(bytes_, numbers, rtol=1e-5)
    assert filters(model).shape == (32, 3, 3, 3)


@pytest.mark.parametrize(
    "ask",
    [
        lambda net, x: saliency(net, x, target="z"),
        lambda net, x: saliency(net, x, target=["a"]),
        lambda net, x: saliency(net, x, method="guidde"),
        lambda net, x: saliency(net, x[..., :2]),
        lambda net, x: saliency("net", x),
        lambda net, x: grad_cam(net, x, layer="feature.0"),
        lambda net, x: grad_cam(net, x, layer="classifier"),
        lambda net, x: occlusion(net, x, size=13),
        lambda net, x: integrated_gradients(net, x, baseline=np.zeros(3)),
        lambda net, x: top_patches(net, x, "features.0", unit=32),
        lambda net, x: top_patches(net, x, "classifier", unit=0),
        lambda net, x: deconvnet(net, x, "features.0", unit=0, method="gradient"),
        lambda net, x: deep_dream(net, x[0], steps=-1),
        lambda net, x: list(maximize(net, "z", steps=1)),
        lambda net, x: activations(net, x),
        lambda net, x: filters(net, "classifier"),
    ],
)
def test_what_cannot_be_asked_is_refused(small, pictures, ask):
    with pytest.raises(MarginError, match=r"^[\w.]+"):
        ask(small, pictures)


def test_a_network_that_was_not_trained_by_margin_says_so(pictures):
    net = nn.Sequential(nn.Flatten(), nn.Linear(432, 3))
    with pytest.raises(InputError, match="saliency: Sequential was not trained by margin"):
        saliency(net, pictures)
