"""Style: Gram matrices, losses against finite differences, weights from files, bad input."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from margin.data.generators import scenes, textures
from margin.deep import architectures, save_weights
from margin.deep.vision import StyleTransfer
from margin.errors import DataWarning, InputError, ParameterError, TrainingError

torch = pytest.importorskip("torch")

from margin.deep.vision.style.losses import Targets, gram, maps_of, roughness  # noqa: E402
from margin.deep.vision.style.network import layer_names, stylist  # noqa: E402

LAYERS = {"style_layers": ("conv1_1", "conv2_1"), "content_layers": ("conv2_1",)}


def quick(**given):
    return StyleTransfer(**{"architecture": "vgg11", "steps": 3, "n_jobs": 1, **LAYERS, **given})


@pytest.fixture(scope="module")
def pictures():
    return scenes(1, 32, seed=3).pictures[0], textures(1, 24, seed=1)[0]


@pytest.fixture
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        yield


@pytest.mark.golden("I7")
def test_where_things_are_does_not_change_how_they_go_together():
    maps = torch.rand(5, 6, 7, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    order = torch.randperm(42, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(gram(maps.flatten(1)[:, order].reshape(5, 6, 7)), gram(maps))
    slow = sum(np.outer(maps[:, i, j], maps[:, i, j]) for i in range(6) for j in range(7)) / (5 * 6 * 7)
    np.testing.assert_allclose(gram(maps), slow)


@pytest.mark.golden("I7")
def test_layers_of_vgg_19_have_the_places_of_the_paper():
    net = stylist("vgg19", None, "avg", 0)
    names = layer_names(net, ("conv4_2", "conv1_1", "conv2_1", "conv3_1", "conv4_1", "conv5_1"), "layers", "here")
    assert names == [f"features.{k}" for k in (21, 0, 5, 10, 19, 28)]
    assert layer_names(net, (21, "features.0"), "layers", "here") == ["features.21", "features.0"]
    assert not any(each.requires_grad for each in net.parameters())


@pytest.mark.golden("I7")
def test_a_picture_has_its_own_style_and_content():
    net = stylist("vgg11", None, "avg", 0).double()
    x = torch.rand(1, 3, 24, 24, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    targets = Targets.of(net, x, [(1.0, x)], ["features.3"], ["features.0", "features.3"])
    assert [float(each) for each in targets.losses(net, x)] == [0, 0]


@pytest.mark.golden("I7")
def test_slopes_of_the_losses_agree_with_differences():
    net = stylist("vgg11", None, "avg", 0).double()
    random = torch.Generator().manual_seed(0)
    x, content, one, other = (torch.rand(1, 3, 12, 12, dtype=torch.float64, generator=random) for _ in range(4))
    targets = Targets.of(net, content, [(0.7, one), (0.3, other)], ["features.3"], ["features.0", "features.3"])

    def loss(at):
        content_loss, style_loss = targets.losses(net, at)
        return content_loss + 3 * style_loss + 2 * roughness(at)

    x.requires_grad_(True)
    loss(x).backward()
    for place in [(0, 0, 3, 4), (0, 2, 11, 0), (0, 1, 6, 6)]:
        step = torch.zeros_like(x)
        step[place] = 1e-5
        with torch.no_grad():
            slope = float(loss(x + step) - loss(x - step)) / 2e-5
        assert float(x.grad[place]) == pytest.approx(slope, rel=1e-4, abs=1e-9)


def test_layers_above_those_asked_for_are_not_run():
    net = stylist("vgg11", None, "avg", 0)
    seen = []
    net.get_submodule("features.6").register_forward_hook(lambda *_: seen.append(1))
    maps_of(net, torch.zeros(1, 3, 16, 16), ["features.0", "features.3"])
    assert not seen


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(
    "given",
    [
        {}, {"optimizer": "adam"}, {"init": "noise"}, {"preserve_colour": True}, {"scales": 2, "tv_weight": 0.1},
        {"pooling": "max"},
    ],
    ids=str,
)  # fmt: skip
def test_the_style_comes_nearer(given, pictures):
    content = np.kron(pictures[0], np.ones((1 + given.get("scales", 1), 2, 1), np.uint8))
    style = np.kron(pictures[1], np.ones((2, 2, 1), np.uint8))
    made = list(quick(**given, style_weight=1000.0).transfer(content, style))
    assert [(each.scale, each.number) for each in made] == [
        (s + 1, k + 1) for s in range(given.get("scales", 1)) for k in range(3)
    ]
    assert made[-1].picture.shape == content.shape
    assert made[-1].picture.dtype == np.uint8
    assert made[-1].loss < made[0].loss


@pytest.mark.usefixtures("quiet")
def test_colours_of_the_content_are_kept_where_they_shall_be(pictures):
    content, style = pictures
    *_, kept = quick(preserve_colour=True, style_weight=10.0).transfer(content, style)
    inside = (kept.picture > 0) & (kept.picture < 255)  # not cut off
    inside = inside.all(axis=2)
    apart = (kept.picture.astype(int) - content)[inside]
    assert (np.ptp(apart, axis=1) <= 1).all()  # only brightness moves


def test_losses_of_a_picture_are_those_that_a_step_says(pictures):
    content, style = pictures
    with pytest.warns(DataWarning):
        first = next(quick(steps=1).transfer(content, style))
    assert quick().losses(content, content, style) == pytest.approx((0, first.style_loss), rel=1e-5)
    assert quick().losses(textures(1, 32)[0], content, style)[0] > 0
    with pytest.raises(InputError, match="the picture is"):
        quick().losses(style, content, style)


@pytest.mark.usefixtures("quiet")
def test_several_styles_count_by_their_weights(pictures):
    content, _ = pictures
    styles = list(textures(2, 32, seed=2))
    one = next(quick(steps=1).transfer(content, styles[0]))
    other = next(quick(steps=1).transfer(content, styles[1]))
    both = next(quick(steps=1).transfer(content, styles, style_weights=[3, 1]))
    assert both.style_loss == pytest.approx(0.75 * one.style_loss + 0.25 * other.style_loss, rel=1e-4)


@pytest.mark.usefixtures("quiet")
def test_the_loop_can_be_left_and_the_same_seed_gives_the_same_picture(pictures):
    pair = []
    for _ in range(2):
        for step in quick().transfer(*pictures):
            if step.number == 2:
                break
        pair.append(step.picture)
    assert (pair[0] == pair[1]).all()
    other = next(iter(quick(random_state=1).transfer(*pictures)))
    assert other.picture.shape == pair[0].shape


def test_random_weights_say_so_and_those_of_a_file_are_taken(pictures, tmp_path):
    with pytest.warns(DataWarning, match="the network is random: it carries colours and textures, and no strokes"):
        quick(steps=1).transfer(*pictures)
    net = architectures.build("squeezenet1_1" if "squeezenet1_1" in architectures.names() else "googlenet")
    save_weights(net, tmp_path / "net.safetensors")
    name = net.plan.name
    layers = [each for each, module in net.named_modules() if isinstance(module, torch.nn.Conv2d)][:3]
    model = StyleTransfer(
        name, weights=str(tmp_path / "net.safetensors"), content_layers=layers[2:], style_layers=layers[:2], steps=2,
        n_jobs=1,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = list(model.transfer(*pictures))
    assert len(made) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ParameterError, match="name content_layers and style_layers"):
            StyleTransfer(name, n_jobs=1).transfer(*pictures)


@pytest.mark.usefixtures("quiet")
def test_what_cannot_be_is_refused(pictures):
    content, style = pictures
    with pytest.raises(ParameterError, match=r"there is no layer 'conv9_9'; layers are 'conv1_1'"):
        quick(style_layers=["conv9_9"]).transfer(content, style)
    with pytest.raises(InputError, match="the content is 1 x 1 pixels; sides must have 16"):
        quick().transfer(np.zeros((1, 1, 3)), style)
    with pytest.raises(InputError, match="the style is 24 x 24 pixels; sides must have 32 at least with scales=2"):
        quick(scales=2).transfer(content, style)
    with pytest.raises(InputError, match="there is no style"):
        quick().transfer(content, [])
    with pytest.raises(ParameterError, match="a number from 0 for each of 1 styles"):
        quick().transfer(content, style, style_weights=[1, 2])
    with pytest.raises(ParameterError, match="nothing to come near to"):
        quick(content_weight=0, style_weight=0).transfer(content, style)
    with pytest.raises(ParameterError, match="nothing to come near to"):
        quick(content_layers=[], style_layers=[]).transfer(content, style)
    with pytest.raises(InputError, match="not finite"):
        quick().transfer(np.full((32, 32, 3), np.nan), style)
    with pytest.raises(TrainingError, match="the loss was not finite"):
        list(quick(style_weight=1e300, init="noise").transfer(content, style))


@pytest.mark.usefixtures("quiet")
def test_pictures_of_any_colours_and_a_style_larger_than_the_content_are_taken(pictures):
    content, _ = pictures
    large = textures(1, 80)[0]
    for given in (content[..., 0], np.dstack([content, content[..., :1]])):
        assert next(iter(quick().transfer(given, large))).picture.shape == (32, 32, 3)


def test_a_picture_that_does_not_fit_into_memory_is_refused_before(pictures, monkeypatch):
    from margin.deep.vision import room

    monkeypatch.setattr(room, "free_memory", lambda: 2**30)
    with pytest.raises(InputError, match=r"a step on content of 6000 x 8000 pixels would take about .* GiB"):
        quick().transfer(np.zeros((6000, 8000), np.uint8), pictures[1])
