"""What all classifiers on PyTorch share, shown on the plainest one: rows of numbers and one hidden layer."""

import copy
import pickle
import signal
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch import nn

from margin.base.representations.representation import Learnt, TrainingRows
from margin.deep.fitting.network_classifier import NetworkClassifier
from margin.deep.fitting.trained_network import Device, OptimizerName, PrecisionName, ScheduleName
from margin.deep.mlp.parameters import Below1, Folder
from margin.deep.mlp.splitting import rows_held_out
from margin.deep.training.average import Average
from margin.deep.training.surroundings import threads_of_torch
from margin.errors import ConvergenceWarning, InputError, LabelError, NotFittedError, ParameterError, TrainingError
from margin.params import ClassWeight, Count, Flag, Jobs, NonNegative, Positive, Seed, Share
from margin.random import seed_for


class Centre:
    def __init__(self, mean: np.ndarray) -> None:
        self.mean = mean

    def encode(self, X, who):
        return (np.asarray(X, dtype=np.float32) - self.mean).astype(np.float32)


@dataclass
class Rows:
    X: np.ndarray
    codes: np.ndarray
    weight: np.ndarray | None

    def __len__(self):
        return len(self.codes)

    def of(self, order, size, random):
        for first in range(0, len(order), size):
            rows = order[first : first + size]
            weight = None if self.weight is None else torch.from_numpy(self.weight[rows])
            yield torch.from_numpy(self.X[rows]), torch.from_numpy(self.codes[rows]), weight

    def score(self, net, n_jobs):
        net.eval()
        with torch.inference_mode():
            return float((net(torch.from_numpy(self.X)).argmax(dim=1).numpy() == self.codes).mean())

    def digest(self):
        return repr((self.X.sum(), self.codes.sum()))


class RowNet(NetworkClassifier):
    spoiled = None  # called before every forward pass of a training

    def __init__(
        self, *, epochs: Count = 5, batch_size: Count = 8, optimizer: OptimizerName = "adam", rate: Positive = 0.05,
        schedule: ScheduleName = "constant", weight_decay: NonNegative = 0.0, early_stopping: Flag = False,
        validation_fraction: Share = 0.25, patience: Count | None = None, label_smoothing: Below1 = 0.0,
        ema: Below1 = 0.0, mixup: NonNegative = 0.0, class_weight: ClassWeight = None, checkpoint: Folder = None,
        resume: Flag = False, device: Device = "cpu", precision: PrecisionName = "float32", random_state: Seed = 0,
        n_jobs: Jobs = 1,
    ):  # fmt: skip
        self._take_parameters(locals())

    def _open_rows(self, X, sample_weight, who, like=None):
        return TrainingRows.that_count(np.asarray(X), sample_weight, who)

    def _learn_input(self, rows, who):
        encoder = Centre(rows.source.mean(axis=0))
        return Learnt(encoder, encoder.encode(rows.source, who), None)

    def _lessons(self, cases, codes, weight, learning):
        return Rows(cases, codes, weight)

    def _bare_network(self):
        n = len(self._encoder.mean)
        with torch.device("meta"):
            first, last = nn.Linear(n, 8), nn.Linear(8, len(self.classes_))
            return nn.Sequential(first, nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.1), last)

    def _first_network(self):
        net = self._bare_network().to_empty(device="cpu")
        draws = torch.Generator().manual_seed(seed_for(self.random_state, "first weights", bits=63))
        with torch.no_grad():
            for each in net.parameters():
                each.normal_(0, 0.3, generator=draws)
            net[1].reset_parameters()
            net[1].reset_running_stats()
        if self.spoiled is not None:
            net.register_forward_pre_hook(self.spoiled)
        return net

    def _logits(self, cases):
        with threads_of_torch(self.n_jobs), torch.inference_mode():
            return self.network_(torch.from_numpy(cases)).double().numpy()

    def _mixup(self):
        return self.mixup


def rows(n=80, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, n)
    return (random.normal(size=(n, 4)) + 4 * np.eye(3, 4)[y]).astype(np.float32), np.array(["a", "b", "c"])[y]


def spoiled(at, act, **how):
    """A model in whose training something happens at a forward pass."""
    model = RowNet(**how)
    model.spoiled = Interrupting(at, act)
    return model


def same(one, other):
    return all(np.array_equal(one._tensors[name], other._tensors[name]) for name in one._tensors)


class Interrupting:
    """Ctrl-C, or an error, at a forward pass of a training."""

    def __init__(self, at, act):
        self.at, self.act, self.seen = at, act, 0

    def __call__(self, net, x):
        self.seen += net.training
        if self.seen == self.at:
            self.seen += 1
            self.act()

    def __deepcopy__(self, memo):
        return self


def interrupt():
    signal.raise_signal(signal.SIGINT)


def test_classes_are_learnt_and_answered_in_their_own_type():
    X, y = rows()
    model = RowNet().fit(X, y)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert np.mean(model.predict(X) == y) > 0.9
    shares = model.predict_proba(X)
    assert shares.shape == (80, 3)
    assert np.allclose(shares.sum(axis=1), 1)
    assert model.predict(X[:0]).shape == (0,)
    assert model.predict_proba(X[:0]).shape == (0, 3)


def test_curves_are_a_table_too():
    X, y = rows()
    model = RowNet(early_stopping=True).fit(X, y)
    assert model.history_.names == ("epoch", "loss", "validation_score", "rate", "gradient_norm")
    assert model.history_.values("loss").tolist() == model.loss_curve_.tolist()
    assert len(model.validation_scores_) == model.n_iter_ == 5
    assert model.validation_scores_[model.best_epoch_ - 1] == model.validation_scores_.max()


def test_held_out_rows_are_not_learnt_from():
    X, y = rows()
    model = RowNet(early_stopping=True)
    codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
    held = rows_held_out(model, codes, "")
    assert np.allclose(model.fit(X, y)._encoder.mean, X[~held].mean(axis=0))
    other = X.copy()
    other[held] = 0
    curve = RowNet(early_stopping=True).fit(other, y).loss_curve_
    assert np.array_equal(curve, model.loss_curve_)


def test_further_cases_judge_and_may_bring_their_labels():
    X, y = rows()
    model = RowNet().fit(X, y, validation=rows(20, 1))
    assert len(model.validation_scores_) == 5
    with pytest.raises(InputError, match=r"RowNet.fit\(validation=…\): there are no labels"):
        RowNet().fit(X, y, validation=X)
    with pytest.raises(LabelError, match="label 'd' is not one of the classes"):
        RowNet().fit(X, y, validation=(X[:1], ["d"]))


def test_the_same_numbers_come_back_from_pickles_and_copies():
    X, y = rows()
    model = RowNet().fit(X, y)
    asked = model.predict_proba(X)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(other.predict_proba(X), asked)


def test_a_refit_forgets_the_network_before():
    X, y = rows()
    model = RowNet().fit(X, y)
    model.predict(X)
    model.fit(X, np.where(y == "a", 1, 0))
    assert model.predict_proba(X).shape == (80, 2)


def test_whoever_leaves_the_loop_has_the_network_as_it_was_then():
    X, y = rows()
    model = RowNet()
    for epoch in model.training(X, y):
        if epoch.number == 2:
            break
    assert (model.n_iter_, model.stopped_) == (2, True)
    assert same(model, RowNet(epochs=2).fit(X, y))


def test_ctrl_c_keeps_the_epochs_that_were_finished_and_is_passed_on():
    X, y = rows()
    model = spoiled(25, interrupt)  # ten batches an epoch
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert (model.n_iter_, model.stopped_) == (2, True)
    assert same(model, RowNet(epochs=2).fit(X, y))


def test_ctrl_c_in_the_first_epoch_leaves_the_model_as_it_was():
    X, y = rows()
    model = spoiled(5, interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.parametrize("how", [{}, {"ema": 0.9}, {"early_stopping": True}, {"optimizer": "sgd", "mixup": 0.2}])
def test_a_run_that_goes_on_has_the_bytes_of_one_never_stopped(how, tmp_path):
    X, y = rows()
    model = spoiled(27, interrupt, checkpoint=tmp_path, **how)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    gone_on = RowNet(checkpoint=tmp_path, resume=True, **how).fit(X, y)
    whole = RowNet(**how).fit(X, y)
    assert same(gone_on, whole)
    assert np.array_equal(gone_on.loss_curve_, whole.loss_curve_)
    assert not gone_on.stopped_
    assert same(gone_on.fit(X, y), whole)  # nothing is left to be done


def test_a_checkpoint_of_other_rows_or_another_network_is_refused(tmp_path):
    X, y = rows()
    RowNet(checkpoint=tmp_path, epochs=2).fit(X, y)
    with pytest.raises(TrainingError, match="other rows or targets"):
        RowNet(checkpoint=tmp_path, epochs=2, resume=True).fit(X + 1, y)
    with pytest.raises(TrainingError, match=r"another network \(rate=0.05 there\)"):
        RowNet(checkpoint=tmp_path, epochs=2, resume=True, rate=0.1).fit(X, y)
    assert RowNet(checkpoint=tmp_path, epochs=4, resume=True).fit(X, y).n_iter_ == 4  # more of a constant rate
    (tmp_path / "checkpoint.npz").write_bytes(b"PK")
    with pytest.raises(TrainingError, match=r"checkpoint.npz is no checkpoint that can be read"):
        RowNet(checkpoint=tmp_path, epochs=2, resume=True).fit(X, y)


def test_resuming_needs_a_folder_and_a_seed(tmp_path):
    X, y = rows()
    with pytest.raises(ParameterError, match="give checkpoint=folder"):
        RowNet(resume=True).fit(X, y)
    with pytest.raises(ParameterError, match="try random_state=0"):
        RowNet(resume=True, checkpoint=tmp_path, random_state=None).fit(X, y)


def test_averaged_weights_answer_between_and_after_epochs():
    X, y = rows()
    model = RowNet(ema=0.99, early_stopping=False).fit(X, y)
    assert not same(model, RowNet().fit(X, y))
    half = RowNet(ema=0.99)
    for epoch in half.training(X, y):
        if epoch.number == 3:
            break
    assert same(half, RowNet(ema=0.99, epochs=3).fit(X, y))


def test_an_average_is_what_is_written_by_hand():
    net = nn.Linear(1, 1, bias=False)
    average, expected = Average(0.6), 0.0
    for step, value in enumerate([4.0, 2.0, 8.0, -2.0], start=1):
        nn.init.constant_(net.weight, value)
        average.see(net)
        share = max(0.4, 1 / step)
        expected += share * (value - expected)
    assert float(average.tensors["weight"]) == pytest.approx(expected)


def test_weights_of_classes_and_rows_are_one_thing():
    X, y = rows()
    a = RowNet(class_weight={"a": 5.0}).fit(X, y)
    b = RowNet().fit(X, y, np.where(y == "a", 5.0, 1.0))
    assert same(a, b)
    some = y != "c"
    c = RowNet().fit(X, y, some.astype(float))
    assert c.predict_proba(X).shape == (80, 3)
    assert (c.predict(X[some]) == y[some]).mean() > 0.9
    assert "c" not in c.predict(X[some])


def test_label_smoothing_makes_answers_less_sure():
    X, y = rows()
    sure, unsure = (RowNet(epochs=20, label_smoothing=e).fit(X, y).predict_proba(X).max(axis=1) for e in (0.0, 0.3))
    assert unsure.mean() < sure.mean() - 0.1


def test_patience_ends_training():
    X, y = rows()
    assert RowNet(epochs=60, early_stopping=True, patience=2).fit(X, y).n_iter_ < 60


def test_one_class_and_no_labels_are_refused():
    X, _ = rows()
    with pytest.raises(LabelError, match="all labels are 1; there must be two classes at least"):
        RowNet().fit(X, np.ones(80, int))
    with pytest.raises(LabelError, match="all labels are 'a'"):
        RowNet().fit(X, np.repeat(["a", "b"], 40), np.repeat([1, 0], 40))
    with pytest.raises(InputError, match="there are no labels"):
        RowNet().fit(X)


def test_what_torch_says_of_a_network_is_said_as_margin_says_it():
    X, y = rows()

    def fail():
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")

    with pytest.raises(TrainingError, match=r"RowNet.fit: Sequential cannot learn from these cases \(mat1"):
        spoiled(3, fail).fit(X, y)
    with pytest.raises(TrainingError, match="more than 1 value per channel"):
        RowNet(batch_size=1).fit(X, y)


def test_rates_that_are_too_high_are_told():
    X, y = rows()
    model = RowNet(optimizer="sgd", rate=1e38)
    with pytest.raises(TrainingError, match=r"epoch 1, batch \d+, at the rate 1e\+38; try rate=1e\+37"):
        model.fit(X * 1e4, y)
    spoiling = spoiled(15, None, epochs=4)
    with pytest.warns(ConvergenceWarning, match="as it was after epoch 1"):
        _spoil(spoiling, X, y)
    assert same(spoiling, RowNet(epochs=1).fit(X, y))


def _spoil(model, X, y):
    """Weights that are no numbers any more, in the second epoch."""
    first = RowNet._first_network

    def with_net(self):
        net = first(self)
        model.spoiled.act = lambda: nn.init.constant_(net[0].weight, float("nan"))
        return net

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RowNet, "_first_network", with_net)
        model.fit(X, y)


def test_torch_is_left_as_it_was():
    X, y = rows()
    torch.set_num_threads(1)
    state = torch.get_rng_state()
    RowNet(n_jobs=2).fit(X, y).predict(X)
    assert torch.get_num_threads() == 1
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_default_dtype() == torch.float32
