"""Training of torch networks: the loop that yields, what it leaves behind, and what it leaves alone."""

import signal
import subprocess
import sys

import numpy as np
import pytest
import safetensors.torch
import torch
from torch import nn

from margin.data import Images
from margin.deep import Epoch, architectures, load_weights, probabilities, save_weights, train
from margin.errors import ConvergenceWarning, InputError, LabelError, ParameterError, PersistenceError


def pictures(n: int = 60, seed: int = 0, side: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Noise with a bright bar that lies or stands."""
    random = np.random.default_rng(seed)
    pixels = random.integers(0, 120, (n, side, side), dtype=np.uint8)
    labels = random.permutation(np.tile(["lying", "standing"], n // 2))
    for picture, label in zip(pixels, labels):
        at = random.integers(2, side - 2)
        if label == "lying":
            picture[at] += 120
        else:
            picture[:, at] += 120
    return pixels, labels


def small(seed: int = 0, **how) -> nn.Module:
    return architectures.build("small", n_classes=2, image_size=12, random_state=seed, **how)


def run(net: nn.Module, data=None, **how) -> list[Epoch]:
    how = {"epochs": 2, "batch_size": 16, "n_jobs": 1, **how}
    return list(train(net, pictures() if data is None else data, **how))


def weights(net: nn.Module) -> dict[str, torch.Tensor]:
    return {name: each.clone() for name, each in net.state_dict().items()}


def same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(a[name], b[name]) for name in a)


@pytest.fixture(scope="module")
def learnt():
    torch.set_num_threads(1)
    net = small()
    epochs = run(net, held_out=pictures(40, 1), epochs=6)
    return net, epochs


def test_bars_are_learnt(learnt):
    net, epochs = learnt
    assert [each.number for each in epochs] == [1, 2, 3, 4, 5, 6]
    assert epochs[-1].loss < 0.5 * epochs[0].loss
    assert all(each.rate == 1e-3 and each.gradient_norm > 0 and each.seconds > 0 for each in epochs)
    X, y = pictures(100, 2)
    shares = probabilities(net, X, n_jobs=1)
    assert np.allclose(shares.sum(axis=1), 1)
    assert np.mean(net.classes_[shares.argmax(axis=1)] == y) > 0.9


def test_the_best_weights_are_left(learnt):
    net, epochs = learnt
    X, y = pictures(40, 1)
    score = np.mean(net.classes_[probabilities(net, X, n_jobs=1).argmax(axis=1)] == y)
    assert score == max(each.validation_score for each in epochs)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_the_loop_does_what_is_written_by_hand(optimizer):
    """The first two epochs by plain torch: order, scale, loss, step."""
    X, y = pictures(20)
    how = {"n_classes": 2, "image_size": 12, "channels": 1}
    net, mine = architectures.build("lenet5", **how), architectures.build("lenet5", **how)
    orders = []
    for epoch in train(net, (X, y), optimizer=optimizer, rate=0.01, batch_size=8, epochs=2, n_jobs=1, random_state=3):
        orders.append(epoch)
    from margin.random import generator, seed_for

    seed = seed_for(3, "training", bits=63)
    made = {"sgd": lambda p: torch.optim.SGD(p, 0.01, momentum=0.9), "adam": lambda p: torch.optim.Adam(p, 0.01)}
    steps = made[optimizer](mine.parameters())
    unit = X / 255.0
    scaled = torch.tensor((unit - unit.mean()) / unit.std(), dtype=torch.float32)[:, None]
    codes = torch.tensor((y == "standing").astype(np.int64))
    losses = []
    for number in range(2):
        order = torch.from_numpy(generator(seed, "order", number).permutation(20))
        total = 0.0
        for rows in order.split(8):
            loss = nn.functional.cross_entropy(mine(scaled[rows]), codes[rows])
            steps.zero_grad()
            loss.backward()
            steps.step()
            total += float(loss.detach()) * len(rows)
        losses.append(total / 20)
    assert [each.loss for each in orders] == pytest.approx(losses, rel=1e-4)
    torch.testing.assert_close(net.classifier[4].weight, mine.classifier[4].weight, rtol=1e-3, atol=1e-5)


def test_one_seed_gives_the_same_bytes_and_dropout_draws_from_it():
    nets = [small() for _ in range(3)]
    for net, seed in zip(nets, (1, 1, 2)):
        run(net, random_state=seed)
    assert same(weights(nets[0]), weights(nets[1]))
    assert not same(weights(nets[0]), weights(nets[2]))


def test_whoever_leaves_the_loop_has_the_network_as_it_was():
    X, y = pictures()
    net, other = small(), small()
    for epoch in train(net, (X, y), held_out=pictures(20, 1), epochs=5, n_jobs=1, batch_size=16):
        if epoch.number == 2:
            break
    run(other, (X, y), epochs=2)
    assert same(weights(net), weights(other))


def test_torch_is_put_back_between_epochs():
    torch.set_num_threads(1)
    state = torch.get_rng_state()
    for _ in train(small(), pictures(8), epochs=2, n_jobs=2, batch_size=8):
        assert torch.get_num_threads() == 1
        assert torch.equal(torch.get_rng_state(), state)


FORKING = """
import os, sys, torch
import numpy as np
from margin.deep import architectures, train

def learn(n_jobs):
    X = np.random.default_rng(0).integers(0, 255, (16, 28, 28), dtype=np.uint8)
    net = architectures.build("lenet5", n_classes=2)
    return next(train(net, (X, np.arange(16) % 2), epochs=1, n_jobs=n_jobs)).loss

torch.set_num_threads(2)
expected = learn(2)
child = os.fork()
if child == 0:
    os._exit(0 if abs(learn(2) - expected) < 1e-4 and torch.get_num_threads() == 1 else 1)
assert os.waitpid(child, 0)[1] == 0
assert torch.get_num_threads() == 2
"""


def test_a_forked_child_of_a_training_on_two_threads_does_not_hang():
    done = subprocess.run([sys.executable, "-c", FORKING], capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr


def test_patience_ends_training():
    epochs = run(small(), held_out=pictures(20, 1), epochs=40, patience=2)
    assert len(epochs) < 40
    best = int(np.argmax([each.validation_score for each in epochs]))
    assert len(epochs) - 1 - best == 3  # no progress for more than two epochs


def test_schedules_move_the_rate():
    rates = [each.rate for each in run(small(), epochs=3, schedule="step", rate=0.01)]
    assert rates == pytest.approx([0.01, 0.001, 0.0001])


def test_a_loss_that_is_not_finite_keeps_the_weights_before():
    net = small()
    first = weights(net)

    def broken(logits, codes):
        return nn.functional.cross_entropy(logits, codes, reduction="none") * torch.nan

    with pytest.warns(ConvergenceWarning, match=r"the loss of batch 1 of epoch 1 was not finite at rate 0\.001"):
        assert run(net, loss=broken) == []
    assert same(weights(net), first)


def test_an_interrupt_leaves_the_last_whole_epoch():
    net, other = small(), small()
    calls = []

    def interrupted(logits, codes):
        calls.append(1)
        if len(calls) == 10:  # four batches an epoch: the second of the third
            signal.raise_signal(signal.SIGINT)
        return nn.functional.cross_entropy(logits, codes, reduction="none")

    done = []
    with pytest.raises(KeyboardInterrupt):
        done.extend(train(net, pictures(), loss=interrupted, epochs=5, n_jobs=1, batch_size=16))
    assert len(calls) == 10
    run(other, epochs=2)
    assert same(weights(net), weights(other))


def test_an_error_inside_an_epoch_leaves_the_weights_before():
    net = small()
    calls = []

    def failing(logits, codes):
        calls.append(1)
        if len(calls) == 6:
            raise RuntimeError("no more")
        return nn.functional.cross_entropy(logits, codes, reduction="none")

    loop = train(net, pictures(), loss=failing, epochs=3, n_jobs=1, batch_size=16)
    next(loop)
    after = weights(net)
    with pytest.raises(RuntimeError, match="no more"):
        next(loop)
    assert same(weights(net), after)


def test_weights_of_pictures_count():
    X, y = pictures(20)
    net, other = small(), small()
    run(net, (X, y), sample_weight=np.full(20, 3.0))
    run(other, (X, y))
    assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(net.parameters(), other.parameters()))
    heavy = np.where(y == "lying", 1.0, 0.0)
    run(net, (X, y), sample_weight=heavy, epochs=10)
    assert (probabilities(net, X, n_jobs=1)[:, 0] > 0.5).mean() > 0.9


def test_frozen_layers_stay_and_frozen_networks_are_refused():
    net = small()
    net.features.requires_grad_(False)
    before = net.features[0].weight.clone()
    run(net)
    assert torch.equal(net.features[0].weight, before)
    net.requires_grad_(False)
    with pytest.raises(InputError, match="all parameters of the network are frozen"):
        run(net)


def test_auxiliary_heads_are_trained_too():
    net = architectures.build("googlenet", 2, 1, 12, stem="small", auxiliary=True)
    before = weights(net)
    run(net, pictures(4), epochs=1)
    assert not torch.equal(net.aux1.fc2.weight, before["aux1.fc2.weight"])


def test_a_single_picture_at_the_end_goes_with_those_before_it():
    X, y = pictures(18)
    run(small(), (X[:17], y[:17]), batch_size=16, epochs=1)  # BatchNorm alone would refuse one value a channel


def test_any_module_and_any_labels_can_be_trained():
    with torch.random.fork_rng():
        net = nn.Sequential(nn.Flatten(), nn.Linear(144, 3))
    X, y = pictures(20)
    run(net, (X / 255.0, np.where(y == "lying", 2, 0)))
    assert net.classes_.tolist() == [0, 1, 2]
    with pytest.raises(
        LabelError, match="the labels are 2 classes, 'lying', 'standing', and the network has 3 outputs"
    ):
        run(net, (X, y))
    with pytest.raises(LabelError, match="label 5 is not one of the classes"):
        run(net, (X, np.where(y == "lying", 2, 0)), held_out=(X, np.full(20, 5)))


def test_images_of_files_are_trained_on(shared_data):
    images = Images.read(shared_data("cifar10-subset.zip"), part="test", image_size=8)
    net = architectures.build("small", 10, 3, 8)
    (epoch,) = run(net, images, epochs=1, batch_size=64)
    assert 1.5 < epoch.loss < 4
    assert probabilities(net, images[:7], n_jobs=1).shape == (7, 10)
    assert images._source.cache.used == 500 * 8 * 8 * 3


def test_a_saved_network_answers_the_same(learnt, tmp_path):
    net, _ = learnt
    save_weights(net, tmp_path / "bars.safetensors")
    other = small(seed=9)
    load_weights(other, tmp_path / "bars.safetensors")
    X, _ = pictures(8, 3)
    assert np.array_equal(probabilities(net, X, n_jobs=1), probabilities(other, X, n_jobs=1))
    assert other.classes_.tolist() == ["lying", "standing"]


@pytest.mark.parametrize(
    ("notes", "message"),
    [
        ({"mean": "[0.5]", "std": "[0.0]"}, "the noted scale of pixels is none"),
        ({"mean": "{}", "std": "[1]"}, "the note 'mean' is no list"),
        ({"mean": "[NaN]", "std": "[1]"}, "something else than numbers"),
        ({"classes": '["a", 1]'}, "the noted classes are not words or whole numbers"),
        ({"classes": '["a"'}, "the note 'classes' is no list"),
    ],
)
def test_notes_that_are_none_are_refused(notes, message, tmp_path):
    safetensors.torch.save_file(dict(small().state_dict()), tmp_path / "net.safetensors", notes)
    net = small(seed=1)
    before = {name: tensor.clone() for name, tensor in net.state_dict().items()}
    with pytest.raises(PersistenceError, match=message):
        load_weights(net, tmp_path / "net.safetensors")
    assert all(torch.equal(before[name], tensor) for name, tensor in net.state_dict().items())


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"epochs": 0}, ParameterError, "epochs must be a whole number from 1 up"),
        ({"batch_size": 2.5}, ParameterError, "batch_size must be a whole number from 1 up"),
        ({"patience": 0}, ParameterError, "patience must be a whole number from 1 up"),
        ({"rate": -1}, ParameterError, "rate must be a number above 0"),
        ({"schedule": "cosinus"}, ParameterError, r"did you mean 'cosine'\?"),
        ({"optimizer": "adan"}, ParameterError, r"did you mean 'adam'\?"),
        ({"sample_weight": [1.0]}, InputError, "a finite number from 0 up for each of 60 pictures"),
        ({"sample_weight": np.zeros(60)}, InputError, "not all 0"),
        ({"data": pictures()[0]}, InputError, "the pictures have no labels"),
        ({"data": (np.zeros((2, 12, 12, 3)), [0, 1])}, InputError, r"cannot take pictures of shape \(12, 12, 3\)"),
        ({"data": (np.zeros((0, 12, 12)), [])}, InputError, "there are no pictures"),
        ({"data": (np.zeros((1, 12, 12)), [0])}, InputError, "two pictures at least"),
        ({"data": (np.full((2, 12, 12), 99.0), [0, 1])}, InputError, "divide by 255"),
        ({"data": (np.zeros((2, 12, 12)), [0, None])}, LabelError, "missing"),
    ],
)
def test_what_cannot_be_trained_is_refused_at_the_call(how, error, message):
    how = {"data": pictures(), **how}
    with pytest.raises(error, match=message):
        train(small(), **how)


def test_a_network_nobody_trained_has_no_scale_but_published_weights_have():
    X = np.zeros((2, 12, 12), np.uint8)
    with pytest.raises(InputError, match="was not trained by margin"):
        probabilities(small(), X)
    colours = np.zeros((2, 32, 32, 3), np.uint8)
    assert probabilities(architectures.build("resnet18", 4, image_size=32), colours, n_jobs=1).shape == (2, 4)
    with pytest.raises(InputError, match="pictures have 1 channels, and the network learnt from 3"):
        probabilities(architectures.build("resnet18", 4, 1, 32), np.zeros((2, 32, 32), np.uint8))


@pytest.mark.slow
@pytest.mark.golden("I3")
def test_lenet5_tells_clothes_apart_after_three_epochs(shared_data):
    folder = shared_data("fashion-mnist")
    learning = Images.read(folder / "train-images-idx3-ubyte.gz")
    judged = Images.read(folder / "t10k-images-idx3-ubyte.gz")
    net = architectures.build("lenet5")
    for _ in train(net, learning, epochs=3, schedule="one_cycle", rate=0.003):
        pass
    assert np.mean(probabilities(net, judged).argmax(axis=1) == judged.labels) >= 0.885


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lenet5", "alexnet", "vgg11-bn", "nin", "googlenet", "resnet18", "resnet50"])
def test_64_pictures_are_learnt_by_heart(name, shared_data):
    """The test that finds broken networks."""
    images = Images.read(shared_data("cifar10-subset.zip"), part="test")
    some = images.take(np.random.default_rng(0).permutation(500)[:64])
    net = architectures.build(name, 10, 3, 32, stem="small")
    right = 0.0
    for epoch in train(net, some, epochs=150, batch_size=16, rate=3e-4):
        if epoch.loss < 0.3 and epoch.number % 2 == 0:
            right = np.mean(net.classes_[probabilities(net, some).argmax(axis=1)] == some.labels)
            if right == 1:
                break
    assert right == 1
