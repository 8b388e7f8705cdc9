"""Architectures by name: published counts, depths and shapes; stems and heads that fit; first weights by seed."""

import pytest
import torch
from torch import fx, nn

from margin.deep import architectures, summary
from margin.deep.architectures.lenet import Codes, JoinedMaps
from margin.errors import InputError, ParameterError

#: Trainable numbers as published, without auxiliary heads.
PUBLISHED = {
    "lenet5": 61_706, "lenet5-1998": 60_000, "alexnet": 61_100_840, "alexnet-2012": 60_965_224,
    "vgg11": 132_863_336, "vgg13": 133_047_848, "vgg16": 138_357_544, "vgg19": 143_667_240, "vgg16-bn": 138_365_992,
    "nin": 966_986, "googlenet": 6_624_904, "googlenet-2014": 6_998_552,
    "resnet18": 11_689_512, "resnet34": 21_797_672, "resnet50": 25_557_032, "resnet101": 44_549_160,
    "resnet152": 60_192_808, "resnet20": 269_722, "resnet56": 853_018, "resnet110": 1_727_962,
}  # fmt: skip
WITH_AUXILIARY = {"googlenet": 13_004_888, "googlenet-2014": 13_378_280, "inception-v3": 27_161_264}
DEPTHS = {"alexnet": 8, "vgg16": 16, "googlenet": 22, "googlenet-2014": 22, "lenet5": 5, "lenet5-1998": 5, "nin": 9,
          "resnet18": 18, "resnet50": 50, "resnet152": 152, "resnet20": 20}  # fmt: skip


def size(net: nn.Module) -> int:
    return sum(each.numel() for each in net.parameters())


@pytest.mark.golden("I4")
@pytest.mark.parametrize("name", architectures.names())
def test_every_architecture_has_as_many_parameters_as_its_card_says(name):
    net = architectures.build(name, device="meta")
    assert size(net) == architectures.card(name).parameters == PUBLISHED.get(name, size(net))


@pytest.mark.golden("I4")
@pytest.mark.parametrize(("name", "published"), WITH_AUXILIARY.items())
def test_auxiliary_heads_have_as_many_parameters_as_published(name, published):
    card = architectures.card(name)
    assert size(architectures.build(name, auxiliary=True, device="meta")) == published
    assert card.parameters + card.auxiliary_parameters == published


def test_the_table_of_c3_leaves_1516_numbers():
    assert size(architectures.build("lenet5-1998").C3) == 1516


def longest_way(net: nn.Module) -> int:
    """Weighted layers on the longest way through a network, by its graph."""

    class Tracer(fx.Tracer):
        def is_leaf_module(self, module, name):
            return not list(module.children())

    graph = Tracer().trace(net.eval())
    depths: dict[fx.Node, int] = {}
    for node in graph.nodes:
        weighted = node.op == "call_module" and isinstance(
            net.get_submodule(node.target), (nn.Conv2d, nn.Linear, JoinedMaps, Codes)
        )
        depths[node] = max((depths[each] for each in node.all_input_nodes), default=0) + weighted
    return max(depths.values())


@pytest.mark.golden("I4")
@pytest.mark.parametrize("name", [*DEPTHS, "inception-v3", "small"])
def test_weighted_layers_are_those_of_the_name(name):
    found = longest_way(architectures.build(name, device="meta"))
    assert found == architectures.card(name).weighted_layers == DEPTHS.get(name, found)


@pytest.mark.golden("I4")
@pytest.mark.parametrize(
    ("name", "layer", "shape"),
    [
        ("vgg16", "features.30", (512, 7, 7)),
        ("googlenet", "inception5b.branch4.1.bn", (128, 7, 7)),
        ("resnet50", "layer4.2.bn3", (2048, 7, 7)),
        ("alexnet", "features.12", (256, 6, 6)),
    ],
)
def test_shapes_at_224_pixels(name, layer, shape):
    found = summary(architectures.build(name, device="meta"), (3, 224, 224))
    assert {row.name: row.output_shape for row in found.layers}[layer] == shape


def test_the_maps_of_googlenet_are_1024():
    assert architectures.build("googlenet", device="meta").fc.in_features == 1024


# Summaries


@pytest.mark.parametrize(
    ("name", "side", "layer", "field"),
    [
        # Araujo, Norris, Sim (2019), table 1.
        ("alexnet", 224, "features.12", 195),
        ("vgg16", 224, "features.30", 212),
        ("inception-v3", 299, "Mixed_7c.branch3x3dbl_3a.bn", 1311),
    ],
)
def test_receptive_fields_are_those_published(name, side, layer, field):
    found = summary(architectures.build(name, device="meta"), (3, side, side))
    assert max({row.name: row.receptive_field for row in found.layers}[layer]) == field


def test_multiply_adds_are_those_published():
    # He et al. (2015), table 1: 1.8 and 3.6 thousand million; VGG-16 has 15.3 in the same paper.
    for name, published in {"resnet18": 1.8e9, "resnet34": 3.6e9, "vgg16": 15.3e9}.items():
        found = summary(architectures.build(name, device="meta"), (3, 224, 224)).multiply_adds
        assert found == pytest.approx(published, rel=0.03)


def test_a_summary_counts_what_is_frozen_and_touches_nothing():
    net = architectures.build("lenet5")
    net.features.requires_grad_(False)
    before = net.features[0].weight
    found = summary(net, (1, 28, 28))
    assert (found.parameters, found.trainable) == (61_706, 61_706 - 156 - 2416)
    assert net.features[0].weight is before
    assert net.training
    assert not net.features[0]._forward_hooks
    assert "<td>features.3</td>" in found._repr_html_()
    assert "61,706" in str(found)


def test_a_summary_takes_any_module_and_refuses_other_shapes():
    with torch.random.fork_rng():
        net = nn.Sequential(nn.Conv2d(2, 3, 3, dilation=2), nn.Flatten(), nn.Linear(3 * 16, 2))
    found = summary(net, (2, 8, 8))
    assert [row.receptive_field for row in found.layers] == [(5, 5), None, None]
    assert found.multiply_adds == 3 * 16 * 18 + 96
    with pytest.raises(InputError, match=r"summary\(input_shape=\(3, 8, 8\)\): Sequential cannot take a case"):
        summary(net, (3, 8, 8))


# Stems, heads, sizes


@pytest.mark.parametrize("stem", ["published", "small"])
@pytest.mark.parametrize(
    "name",
    ["small", "lenet5", "lenet5-1998", "alexnet", "vgg11", "nin", "googlenet", "googlenet-2014", "inception-v3"],
)
def test_the_smallest_side_is_that_of_the_card(name, stem):
    card = architectures.card(name)
    side = card.smallest if stem == "published" else card.smallest_stem
    architectures.build(name, image_size=side, stem=stem, device="meta")
    if side > 1:
        with pytest.raises(ParameterError, match=f"sides of pictures must have {side} pixels or more"):
            architectures.build(name, image_size=side - 1, stem=stem, device="meta")


@pytest.mark.parametrize("name", ["small", "lenet5", "lenet5-1998", "nin", "googlenet", "resnet18", "resnet20"])
def test_heads_fit_any_number_of_classes_and_stems_small_pictures(name):
    net = architectures.build(name, n_classes=3, channels=2, image_size=(32, 36), stem="small").eval()
    with torch.no_grad():
        logits = net(torch.rand(2, 2, 32, 36, generator=torch.Generator().manual_seed(0)))
    assert logits.shape == (2, 3)
    assert torch.isfinite(logits).all()
    assert not torch.equal(logits[0], logits[1])


def test_small_stems_keep_detail():
    small = summary(architectures.build("resnet18", image_size=32, stem="small", device="meta"), (3, 32, 32))
    plain = summary(architectures.build("resnet18", image_size=32, device="meta"), (3, 32, 32))
    last = "layer4.1.bn2"
    assert {row.name: row.output_shape for row in small.layers}[last] == (512, 4, 4)
    assert {row.name: row.output_shape for row in plain.layers}[last] == (512, 1, 1)


def test_auxiliary_heads_speak_in_training_only():
    net = architectures.build("googlenet", n_classes=4, image_size=32, stem="small", auxiliary=True)
    pictures = torch.rand(2, 3, 32, 32, generator=torch.Generator().manual_seed(0))
    with torch.no_grad(), torch.random.fork_rng():  # dropout draws from torch's own numbers
        logits, auxiliary = net(pictures)
        assert [each.shape for each in (logits, *auxiliary)] == [(2, 4)] * 3
        assert net.eval()(pictures).shape == (2, 4)


# First weights


def test_first_weights_depend_on_the_seed_alone():
    torch.rand(3, generator=torch.Generator().manual_seed(1))
    first, same, other = (architectures.build("resnet20", random_state=seed).state_dict() for seed in (4, 4, 5))
    assert all(torch.equal(first[name], same[name]) for name in first)
    assert not torch.equal(first["conv1.weight"], other["conv1.weight"])
    assert all(torch.isfinite(each).all() for each in first.values())


def test_weights_are_float32_whatever_torchs_default():
    torch.set_default_dtype(torch.float64)
    try:
        net = architectures.build("lenet5-1998")
    finally:
        torch.set_default_dtype(torch.float32)
    assert {each.dtype for each in net.parameters()} == {torch.float32}


@pytest.mark.parametrize("name", ["lenet5", "nin", "googlenet-2014", "resnet20"])
def test_signals_neither_die_nor_run_away_in_untrained_networks(name):
    net = architectures.build(name, image_size=32, channels=3, stem="small")
    seen = []
    net.get_submodule(net.head).register_forward_hook(lambda module, given, made: seen.append(given[0]))
    with torch.no_grad():
        net.eval()(torch.randn(4, 3, 32, 32, generator=torch.Generator().manual_seed(0)))
    assert 0.01 < float(seen[0].square().mean().sqrt()) < 100


def test_codes_of_1998_tell_classes_apart():
    codes = architectures.build("lenet5-1998", n_classes=20).output.codes
    assert set(codes.unique().tolist()) == {-1.0, 1.0}
    apart = (codes[:, None] != codes[None]).sum(dim=2) + 84 * torch.eye(20, dtype=torch.long)
    assert int(apart.min()) > 20


# Bad input


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": "resnet51"}, "did you mean 'resnet50'"),
        ({"name": "lenet5", "n_classes": 0}, "n_classes must be a whole number from 1 up"),
        ({"name": "lenet5", "channels": True}, "channels must be a whole number from 1 up"),
        ({"name": "lenet5", "image_size": 28.5}, "image_size must be a whole number from 1 up"),
        ({"name": "lenet5", "image_size": (1, 2, 3)}, "a number of pixels, or height and width"),
        ({"name": "lenet5", "stem": "tiny"}, "stem must be 'published' or 'small'"),
        ({"name": "lenet5", "auxiliary": True}, "has no auxiliary heads"),
    ],
)
def test_what_cannot_be_built_is_refused(given, message):
    with pytest.raises(ParameterError, match=message):
        architectures.build(**given)
