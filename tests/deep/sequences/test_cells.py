"""Recurrent cells: how many weights they have, and that they are torch's, or what the formula says."""

import numpy as np
import pytest
import torch
from torch import nn

from margin.deep import layers, memory
from margin.deep.sequences.cells import SigmoidRNN, recurrent
from margin.deep.sequences.memory import top_layer
from margin.deep.sequences.network import SequenceNet, packed
from margin.deep.sequences.plan import SequencePlan
from margin.deep.sequences.ragged import Ragged
from margin.errors import InputError, InputTypeError, ParameterError

CELLS = ("rnn", "lstm", "gru")
random = np.random.default_rng(0)
SERIES = [random.normal(size=(n, 3)).astype(np.float32) for n in (5, 1, 0, 8, 8, 3)]


@pytest.fixture(autouse=True)
def _first_weights_are_drawn_here():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        yield


def plan(cell="lstm", **other):
    given = {
        "n_codes": 0, "width": 3, "embedding": 0, "hidden_size": 4, "n_layers": 1, "bidirectional": False,
        "pooling": "last", "activation": "tanh", "biases": 1, "dropout": 0.0, "n_outputs": 2,
    }  # fmt: skip
    return SequencePlan(cell, **{**given, **other})


@pytest.mark.golden("I5")
@pytest.mark.parametrize(("biases", "counts"), [(1, (23_808, 95_232, 71_424)), (2, (23_936, 95_744, 71_808))])
def test_cells_have_as_many_weights_as_they_should(biases, counts):
    found = [sum(each.numel() for each in recurrent(cell, 57, 128, biases=biases).parameters()) for cell in CELLS]
    assert tuple(found) == counts


@pytest.mark.parametrize("cell", CELLS)
def test_two_biases_are_those_of_torch_and_its_weights_load(cell):
    theirs = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}[cell](3, 4, num_layers=2, bidirectional=True)
    ours = recurrent(cell, 3, 4, n_layers=2, bidirectional=True, biases=2)
    ours.load_state_dict(theirs.state_dict())
    x = torch.randn(6, 2, 3, generator=torch.Generator().manual_seed(0))
    assert torch.equal(ours(x)[0], theirs(x)[0])


@pytest.mark.golden("I5")
@pytest.mark.parametrize("activation", ["tanh", "sigmoid", "relu"])
def test_the_cell_of_the_lectures_is_its_formula(activation):
    net = SequenceNet(plan("rnn", activation=activation))
    w_i, w_r, b = (
        getattr(net.recurrent, f"{name}_l0").detach().numpy().astype(float)
        for name in ("weight_ih", "weight_hh", "bias_ih")
    )
    phi = {"tanh": np.tanh, "sigmoid": lambda z: 1 / (1 + np.exp(-z)), "relu": lambda z: np.maximum(z, 0)}[activation]
    h = np.zeros(4)
    for x in SERIES[0]:
        h = phi(w_i @ x + w_r @ h + b)
    found = net.pooled(packed(Ragged.of(SERIES).laid(np.array([0]))).steps).detach().numpy()[0]
    assert found == pytest.approx(h, abs=1e-6)


def test_forget_gates_begin_open():
    for biases in (1, 2):
        made = recurrent("lstm", 3, 4, biases=biases)
        total = made.bias_ih_l0 + made.bias_hh_l0
        assert total.tolist() == [0] * 4 + [1] * 4 + [0] * 8


@pytest.mark.golden("I5")
@pytest.mark.parametrize("cell", [*CELLS, "sigmoid"])
@pytest.mark.parametrize("pooling", ["last", "mean", "max"])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_an_answer_does_not_depend_on_what_else_is_in_the_batch(cell, pooling, bidirectional):
    own = {"cell": "rnn", "activation": "sigmoid"} if cell == "sigmoid" else {"cell": cell}
    net = SequenceNet(plan(**own, pooling=pooling, bidirectional=bidirectional, n_layers=2)).eval()
    rows = Ragged.of(SERIES)
    with torch.inference_mode():
        together = net(packed(rows.laid(np.arange(6))))
        alone = torch.cat([net(packed(rows.laid(np.array([i])))) for i in range(6)])
    assert torch.allclose(together, alone, atol=1e-6)


def test_the_sigmoid_goes_through_layers_both_ways_as_torch_does():
    ours = SigmoidRNN(3, 4, 2, True, 2)
    theirs = nn.RNN(3, 4, num_layers=2, bidirectional=True)
    theirs.load_state_dict(ours.state_dict())
    steps = packed(Ragged.of(SERIES).laid(np.arange(6))).steps
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(torch, "sigmoid", torch.tanh)
        found, last = ours(steps)
    expected, their_last = theirs(steps)
    assert torch.allclose(found.data, expected.data, atol=1e-6)
    assert torch.allclose(last, their_last, atol=1e-6)


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("other", [{}, {"n_layers": 2, "bidirectional": True, "biases": 2}, {"n_codes": 5, "width": 0}])
def test_shapes_are_known_without_torch(cell, other):
    net = SequenceNet(plan(cell, **other))
    assert net.plan.shapes() == {name: tuple(each.shape) for name, each in net.state_dict().items()}


def test_batches_hold_every_row_once_and_rows_of_like_length():
    lengths = random.integers(0, 30, 500)
    rows = Ragged.of([np.zeros(n, np.int32) for n in lengths])
    found = list(rows.batches(random.permutation(500), 16))
    assert sorted(np.concatenate(found)) == list(range(500))
    assert np.mean([np.ptp(lengths[each]) for each in found]) < 3
    pieces = list(rows.pieces(64, 10))
    assert sorted(np.concatenate(pieces)) == list(range(500))
    assert all(len(each) <= 10 and (len(each) == 1 or lengths[each].sum() <= 64) for each in pieces)


@pytest.mark.parametrize("cell", CELLS)
def test_memory_is_the_norm_of_slopes_by_torch(cell):
    net = SequenceNet(plan(cell, n_layers=2, biases=2))
    with torch.no_grad():
        for each in net.recurrent.parameters():
            each.add_(0.1)
    arrays = {name: each.numpy() for name, each in net.state_dict().items()}
    found = top_layer(net.plan, arrays, SERIES[0])
    first, _ = net.recurrent(torch.from_numpy(SERIES[0])[:, None])
    lower = recurrent(cell, 3, 4, biases=2)
    lower.load_state_dict({k: v for k, v in net.recurrent.state_dict().items() if k.endswith("l0")})
    upper = recurrent(cell, 4, 4, biases=2)
    upper.load_state_dict({k.replace("l1", "l0"): v for k, v in net.recurrent.state_dict().items() if k.endswith("l1")})
    inputs = lower(torch.from_numpy(SERIES[0])[:, None])[0].detach()
    for t in range(5):
        state = upper(inputs[: t + 1])[1]
        parts = [each.detach() for each in (state if isinstance(state, tuple) else (state,))]

        def rest(*given, t=t):
            return upper(inputs[t + 1 :], given if cell == "lstm" else given[0])[0][-1, 0] if t < 4 else given[0][0, 0]

        jacobian = torch.autograd.functional.jacobian(rest, tuple(parts))
        wide = torch.cat([each.reshape(4, 4) for each in jacobian], dim=1).numpy()
        assert found[t] == pytest.approx(np.linalg.norm(wide, 2), abs=1e-5)
    assert first.shape == (5, 1, 4)


def test_an_open_gate_remembers_what_a_plain_network_forgets():
    x = random.normal(size=(60, 2))
    gated = layers.LSTM(2, 8)
    gated.b[8:16] = 4.0
    assert memory(layers.RNN(2, 8), x).half_life < 3 < memory(gated, x).half_life
    assert memory(gated, x).norms[-1] == 1.0
    with pytest.raises(InputError, match="one sequence"):
        memory(gated, x[:, 0])
    with pytest.raises(InputTypeError, match="no network for sequences"):
        memory(object(), x)


def test_an_unknown_function_is_refused():
    with pytest.raises(ParameterError, match="did you mean 'sigmoid'"):
        layers.RNN(2, 3, activation="sigmoidd")
