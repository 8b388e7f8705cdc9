"""Files of weights: torchvision's names and shapes, answers by a second forward pass, and what does not fit."""

import hashlib
import pickle
import zipfile

import numpy as np
import pytest
import safetensors.torch
import torch

from margin.deep import architectures, load_weights, save_weights
from margin.errors import ParameterError, PersistenceError
from tests.deep.pictures.forward_by_names import FORWARD

#: How many tensors torchvision 0.28 has of each network, and a digest of their names and shapes, sorted.
TORCHVISION = {
    "alexnet": (16, "935c1ea73a7869ee"), "vgg11": (22, "b11acd4f90d9643f"), "vgg13": (26, "79ca8fd7a1480aa7"),
    "vgg16": (32, "ba63c2556d912509"), "vgg19": (38, "393fac8b08b63fbe"), "vgg11_bn": (62, "56ed5816909a8132"),
    "vgg13_bn": (76, "e4f52ce016e5e82f"), "vgg16_bn": (97, "86bad13b66635552"), "vgg19_bn": (118, "faf0fdbb92f698c6"),
    "googlenet": (364, "de3745733576b3b1"), "inception_v3": (580, "4c9e13f64584de74"),
    "resnet18": (122, "5191d63ec3989592"), "resnet34": (218, "f8de2a1812ef85e4"), "resnet50": (320, "a87e91cd6bd1f939"),
    "resnet101": (626, "dbc3ca74fffafc72"), "resnet152": (932, "7d486dbdc941506e"),
}  # fmt: skip


@pytest.mark.golden("I4")
@pytest.mark.parametrize("name", TORCHVISION)
def test_names_and_shapes_of_tensors_are_those_of_torchvision(name):
    card = architectures.card(name)
    tensors = architectures.build(name, auxiliary=card.auxiliary_parameters > 0, device="meta").state_dict()
    lines = sorted(f"{key} {tuple(value.shape)}" for key, value in tensors.items())
    assert (len(lines), hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]) == TORCHVISION[name]


def drawn(net, seed: int = 0) -> dict[str, torch.Tensor]:
    """Tensors as a trained network might have them, for every name of a network."""
    random = np.random.default_rng(seed)
    made = {}
    for name, place in net.state_dict().items():
        if not place.is_floating_point():
            made[name] = torch.zeros(place.shape, dtype=place.dtype)
            continue
        numbers = random.standard_normal(tuple(place.shape), dtype=np.float32)
        if name.endswith("running_var"):
            numbers = 1 + 0.5 * np.tanh(numbers)
        elif name.endswith("codes"):
            numbers = np.sign(numbers)
        elif place.dim() > 1:
            numbers *= np.sqrt(2 / np.prod(place.shape[1:]))
        else:
            numbers = 0.1 * numbers + (1 if name.endswith("weight") else 0)
        made[name] = torch.from_numpy(np.ascontiguousarray(numbers))
    return made


SMALL = {"small", "lenet5", "lenet5-1998", "nin", "googlenet", "googlenet-2014", "resnet18", "resnet20", "resnet32"}


@pytest.mark.golden("I4")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name not in SMALL else ()) for name in FORWARD]
)
def test_answers_are_those_of_a_second_forward_pass_from_the_names_of_tensors(name, tmp_path):
    card = architectures.card(name)
    side = {"inception-v3": 111, "alexnet": 99, "alexnet-2012": 99}.get(name, min(card.image_size, 64))
    net = architectures.build(name, n_classes=9, image_size=side)
    tensors = drawn(net)
    safetensors.torch.save_file(tensors, tmp_path / "made.safetensors")
    found = load_weights(net, tmp_path / "made.safetensors")
    assert found.loaded == tuple(net.state_dict())
    pictures = torch.randn(2, card.channels, side, side, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        logits, expected = net.eval()(pictures), FORWARD[name](tensors, pictures)
    assert float(expected.std()) > 1e-3
    torch.testing.assert_close(logits, expected, rtol=1e-5, atol=1e-5 * float(expected.abs().max()))


def test_every_architecture_has_a_second_forward_pass():
    assert sorted(FORWARD) == sorted(architectures.names())


# What is written and read


@pytest.fixture
def net():
    return architectures.build("small", n_classes=3)


def test_what_is_saved_comes_back(net, tmp_path):
    save_weights(net, tmp_path / "net.safetensors")
    other = architectures.build("small", n_classes=3, random_state=1)
    found = load_weights(other, tmp_path / "net.safetensors")
    assert found.left == found.ignored == ()
    assert all(torch.equal(net.state_dict()[name], other.state_dict()[name]) for name in found.loaded)
    assert [path.name for path in tmp_path.iterdir()] == ["net.safetensors"]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("wrapping", [None, "state_dict"])
def test_files_of_torch_and_other_widths_are_read(net, tmp_path, dtype, wrapping):
    tensors = {f"module.{k}": v.to(dtype) if v.is_floating_point() else v for k, v in net.state_dict().items()}
    torch.save({wrapping: tensors, "epoch": 3} if wrapping else tensors, tmp_path / "net.pt")
    other = architectures.build("small", n_classes=3, random_state=1)
    load_weights(other, tmp_path / "net.pt")
    expected = net.classifier.weight.to(dtype).to(torch.float32)
    assert torch.equal(other.classifier.weight, expected)
    assert other.classifier.weight.dtype == torch.float32


def test_other_classes_replace_the_head(net, tmp_path):
    save_weights(net, tmp_path / "net.safetensors")
    other = architectures.build("small", n_classes=5, random_state=1)
    before = other.classifier.weight.clone()
    with pytest.raises(PersistenceError, match=r"5 x 3136 in the network.*head='replace' keeps everything"):
        load_weights(other, tmp_path / "net.safetensors")
    assert not torch.equal(other.features[0].weight, net.features[0].weight), "nothing was set"
    found = load_weights(other, tmp_path / "net.safetensors", head="replace")
    assert set(found.left) == set(found.ignored) == {"classifier.weight", "classifier.bias"}
    assert torch.equal(other.features[0].weight, net.features[0].weight)
    assert torch.equal(other.classifier.weight, before)


@pytest.mark.parametrize(("mine", "theirs"), [(False, True), (True, False)])
def test_auxiliary_heads_may_be_absent_on_either_side(mine, theirs, tmp_path):
    how = {"n_classes": 2, "image_size": 32, "stem": "small"}
    save_weights(architectures.build("googlenet", auxiliary=theirs, **how), tmp_path / "net.safetensors")
    found = load_weights(architectures.build("googlenet", auxiliary=mine, **how), tmp_path / "net.safetensors")
    told = found.left if mine else found.ignored
    assert {name.split(".")[0] for name in told} == {"aux1", "aux2"}
    assert not (found.ignored if mine else found.left)


def test_new_classes_are_new_in_auxiliary_heads_too(tmp_path):
    how = {"image_size": 32, "stem": "small", "auxiliary": True}
    save_weights(architectures.build("googlenet", n_classes=2, **how), tmp_path / "net.safetensors")
    found = load_weights(
        architectures.build("googlenet", n_classes=3, **how), tmp_path / "net.safetensors", head="replace"
    )
    assert {name.rsplit(".", 1)[0] for name in found.left} == {"fc", "aux1.fc2", "aux2.fc2"}


def test_weights_of_others_bring_the_input_transform_and_own_ones_do_not(tmp_path):
    how = {"n_classes": 2, "image_size": 32, "stem": "small"}
    net = architectures.build("googlenet", **how)
    safetensors.torch.save_file(drawn(net), tmp_path / "theirs.safetensors")
    save_weights(net, tmp_path / "ours.safetensors")
    load_weights(net, tmp_path / "theirs.safetensors")
    assert net.transform_input
    save_weights(net, tmp_path / "theirs.safetensors")
    load_weights(net, tmp_path / "ours.safetensors")
    assert not net.transform_input
    load_weights(net, tmp_path / "theirs.safetensors")
    assert net.transform_input


# What does not fit


def test_everything_that_does_not_fit_is_listed_before_anything_is_set(net, tmp_path):
    tensors = dict(net.state_dict())
    tensors["features.9.weight"] = tensors.pop("features.0.weight")
    tensors["features.1.bias"] = torch.zeros(7)
    tensors["features.5.bias"] = torch.zeros(64, dtype=torch.int64)
    tensors["features.5.weight"] = torch.full((64,), torch.nan)
    safetensors.torch.save_file(tensors, tmp_path / "net.safetensors")
    other = architectures.build("small", n_classes=3, random_state=1)
    before = {name: each.clone() for name, each in other.state_dict().items()}
    with pytest.raises(PersistenceError) as caught:
        load_weights(other, tmp_path / "net.safetensors")
    assert str(caught.value).split("load_weights")[1].split(": ", 1)[1] == (
        "1 tensors of small are missing: 'features.0.weight'; 1 tensors are unexpected: 'features.9.weight' "
        "(did you mean 'features.0.weight'?); 3 tensors do not fit: 'features.1.bias (7 in the file, 32 in the "
        "network)', 'features.5.weight (not finite)', 'features.5.bias (int64 in the file)'."
    )
    assert all(torch.equal(before[name], each) for name, each in other.state_dict().items())


class Evil:
    def __reduce__(self):
        return print, ("run",)


def test_nothing_in_a_file_is_run(net, tmp_path, capsys):
    torch.save({"state_dict": net.state_dict(), "more": Evil()}, tmp_path / "zipped.pt")
    (tmp_path / "plain.pkl").write_bytes(pickle.dumps({"features.0.weight": Evil()}))
    for name in ("zipped.pt", "plain.pkl"):
        with pytest.raises(PersistenceError, match="Python objects, which are never loaded"):
            load_weights(net, tmp_path / name)
    assert capsys.readouterr().out == ""


def test_damaged_and_foreign_files_are_refused(net, tmp_path):
    save_weights(net, tmp_path / "net.safetensors")
    torch.save(net.state_dict(), tmp_path / "net.pt")
    torch.save([1, 2], tmp_path / "list.pt")
    whole = {name: (tmp_path / name).read_bytes() for name in ("net.safetensors", "net.pt")}
    wrong = {"empty": b"", "words": b"not a file of weights at all", "cut.safetensors": whole["net.safetensors"][:-5],
             "cut.pt": whole["net.pt"][: len(whole["net.pt"]) // 2], "head": whole["net.safetensors"][:40]}  # fmt: skip
    for name, contents in wrong.items():
        (tmp_path / name).write_bytes(contents)
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as file:
        file.writestr("a.txt", "hello")
    for name in (*wrong, "list.pt", "other.zip", "nowhere.pt"):
        with pytest.raises(PersistenceError, match=r"load_weights\("):
            load_weights(net, tmp_path / name)
    with pytest.raises(ParameterError, match=r"must end in \.safetensors"):
        save_weights(net, tmp_path / "net.pt")
    with pytest.raises(PersistenceError, match="cannot be written"):
        save_weights(net, tmp_path / "no" / "folder.safetensors")
    with pytest.raises(ParameterError, match="head must be 'keep' or 'replace'"):
        load_weights(net, tmp_path / "net.pt", head="new")
    with pytest.raises(ParameterError, match="does not say which layer answers"):
        load_weights(net.features, tmp_path / "net.pt", head="replace")
