"""Runs of a network: rows to judge by, stopping, checkpoints, rates that are found, summaries."""

import os
import signal
import threading
from contextlib import contextmanager

import numpy as np
import pytest

from margin import MLPClassifier, MLPRegressor
from margin.data.table import Table
from margin.deep import backpropagate, find_learning_rate, layers_of
from margin.deep.mlp import checkpoints
from margin.errors import InputError, LabelError, ParameterError, TrainingError
from margin.explain import explain
from margin.persistence import load, save

pytestmark = [
    pytest.mark.filterwarnings("ignore::margin.errors.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning"),
]

rng = np.random.default_rng(1)
X = rng.normal(size=(150, 5))
THREE = X[:, :3].argmax(axis=1)
WORDS = rng.choice(["red", "green", "blue", "grey"], len(X))
TABLE = Table.from_columns({"a": X[:, 0], "colour": WORDS, "b": X[:, 1]})
ANSWER = np.where((WORDS == "red") ^ (X[:, 0] > 0), "yes", "no")
ALL = {
    "hidden_layer_sizes": (8, 6), "max_iter": 12, "batch_size": 20, "nominal": "embedding", "batch_norm": True,
    "ema": 0.9, "dropout": 0.2, "mixup": 0.3, "early_stopping": True, "validation_fraction": 0.2,
    "label_smoothing": 0.05, "learning_rate_init": 0.02,
}  # fmt: skip


@pytest.mark.parametrize("rate", ["cosine", "adaptive", "auto"])
def test_a_run_that_goes_on_has_the_bytes_of_one_that_was_never_stopped(tmp_path, rate):
    settings = {**ALL, "learning_rate": rate, "n_iter_no_change": 2 if rate == "adaptive" else 10}
    whole = MLPClassifier(**settings).fit(TABLE, ANSWER)
    stopped = MLPClassifier(**settings, checkpoint=tmp_path)
    for epoch in stopped.epochs(TABLE, ANSWER):
        if epoch.number == 4:
            break
    assert stopped.stopped_
    assert stopped.n_iter_ == 4
    again = MLPClassifier(**settings, checkpoint=tmp_path, resume=True).fit(TABLE, ANSWER)
    assert not again.stopped_
    for name in ("_flat", "_raw", "_average", "_norms", "_first", "_second", "loss_curve_", "validation_scores_"):
        assert np.array_equal(getattr(again, name), getattr(whole, name)), name
    assert (again.best_epoch_, again.t_, again._steps) == (whole.best_epoch_, whole.t_, whole._steps)
    assert [each.name for each in tmp_path.iterdir()] == ["checkpoint.npz"]


def test_a_checkpoint_of_another_network_or_other_rows_is_refused(tmp_path):
    settings = {"hidden_layer_sizes": (4,), "max_iter": 2, "checkpoint": str(tmp_path)}
    MLPClassifier(**settings).fit(X, THREE)
    more = {**settings, "resume": True}
    with pytest.raises(TrainingError, match="other rows or targets"):
        MLPClassifier(**more).fit(X + 1.0, THREE)
    with pytest.raises(TrainingError, match=r"another network \(alpha=0.0001 there\)"):
        MLPClassifier(**more, alpha=0.5).fit(X, THREE)
    with pytest.raises(TrainingError, match="another network"):
        MLPClassifier(**{**more, "hidden_layer_sizes": (5,)}).fit(X, THREE)
    longer = MLPClassifier(**{**more, "max_iter": 5}).fit(X, THREE)
    assert longer.n_iter_ == 5
    (tmp_path / "checkpoint.npz").write_bytes(b"PK\x03\x04 no checkpoint")
    with pytest.raises(TrainingError, match="no checkpoint that can be read"):
        MLPClassifier(**more).fit(X, THREE)
    with pytest.raises(ParameterError, match="resume goes on from a checkpoint"):
        MLPClassifier(resume=True).fit(X, THREE)
    with pytest.raises(ParameterError, match="a whole number says what it drew"):
        MLPClassifier(resume=True, checkpoint=str(tmp_path), random_state=None).fit(X, THREE)


def test_a_full_disk_leaves_the_last_checkpoint_and_the_model_as_they_were(tmp_path, monkeypatch):
    model = MLPClassifier(hidden_layer_sizes=(4,), max_iter=3, checkpoint=tmp_path)
    whole = MLPClassifier(hidden_layer_sizes=(4,), max_iter=6).fit(X, THREE)
    model.fit(X, THREE)
    before, flat = (tmp_path / "checkpoint.npz").read_bytes(), model._flat.copy()

    def full(file, **arrays):
        file.write(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoints.np, "savez", full)
    with pytest.raises(TrainingError, match="No space left on device"):
        model.set_params(max_iter=6).fit(X, THREE)
    assert np.array_equal(model._flat, flat)
    assert [each.name for each in tmp_path.iterdir()] == ["checkpoint.npz"]
    assert (tmp_path / "checkpoint.npz").read_bytes() == before
    monkeypatch.undo()
    assert np.array_equal(model.set_params(resume=True).fit(X, THREE)._flat, whole._flat)


@contextmanager
def ctrl_c_after(seconds):
    """Ctrl-C after so many seconds, and again until it is heard: Python drops one that falls into its own callbacks."""
    heard = threading.Event()

    def press():
        wait = seconds
        while not heard.wait(wait):
            os.kill(os.getpid(), signal.SIGINT)
            wait = 0.5

    thread = threading.Thread(target=press, daemon=True)
    thread.start()
    try:
        yield
    finally:
        heard.set()
        thread.join()


@pytest.mark.parametrize("early_stopping", [False, True])
def test_ctrl_c_keeps_what_finished_epochs_have_learnt_and_is_passed_on(early_stopping):
    model = MLPClassifier(
        hidden_layer_sizes=(50,), max_iter=100_000, tol=0.0, n_iter_no_change=100_000, early_stopping=early_stopping
    )
    with pytest.raises(KeyboardInterrupt), ctrl_c_after(0.4):
        model.fit(X, THREE)
    assert model.stopped_
    assert model.n_iter_ == len(model.loss_curve_) >= 1
    epochs = model.best_epoch_ if early_stopping else model.n_iter_
    same = MLPClassifier(
        hidden_layer_sizes=(50,), max_iter=epochs, tol=0.0, n_iter_no_change=100_000, early_stopping=early_stopping
    ).fit(X, THREE)
    assert np.array_equal(model._flat, same._flat)


def test_ctrl_c_before_the_first_epoch_is_over_leaves_the_model_as_it_was():
    wide = np.tile(X, (600, 20))
    model = MLPClassifier(hidden_layer_sizes=(2000,), max_iter=3, shuffle=False)
    with pytest.raises(KeyboardInterrupt), ctrl_c_after(0.2):
        model.fit(wide, np.tile(THREE, 600))
    assert not hasattr(model, "stopped_")


def test_rows_to_judge_by_can_be_given():
    held = slice(100, 150)
    noisy = np.where(rng.random(len(X)) < 0.3, rng.integers(0, 3, len(X)), THREE)
    model = MLPClassifier(hidden_layer_sizes=(60,), learning_rate_init=0.05, max_iter=60)
    model.fit(X[:100], noisy[:100], validation=(X[held], THREE[held]))
    assert model.best_validation_score_ == model.score(X[held], THREE[held])
    assert model.best_validation_score_ == model.validation_scores_.max()
    numbers = MLPRegressor(hidden_layer_sizes=(20,), learning_rate_init=0.05, max_iter=30)
    numbers.fit(X[:100], X[:100, 0], validation=(X[held], X[held, 0]))
    assert numbers.best_validation_score_ == pytest.approx(numbers.score(X[held], X[held, 0]))
    for bad, error in (((X, THREE, THREE), InputError), ((X[held], THREE[held] + 7), LabelError), (3, InputError)):
        with pytest.raises(error, match="validation"):
            MLPClassifier().fit(X[:100], THREE[:100], validation=bad)


def test_a_rate_is_found_on_few_batches_and_learns_well():
    model = MLPClassifier(hidden_layer_sizes=(20,), batch_size=16, max_iter=30)
    before = dict(vars(model))
    curve = find_learning_rate(model, X, THREE)
    assert vars(model) == before
    assert len(curve.rates) == len(curve.losses) == len(curve.smoothed) <= 100
    assert (np.diff(curve.rates) > 0).all()
    model.set_params(learning_rate="auto").fit(X, THREE)
    assert set(model.learning_rates_) == {curve.suggestion}
    assert model.score(X, THREE) > 0.95
    with pytest.raises(ParameterError, match="lbfgs"):
        find_learning_rate(MLPClassifier(solver="lbfgs"), X, THREE)
    with pytest.raises(ParameterError, match="'auto'"):
        MLPClassifier(learning_rate="auto").partial_fit(X, THREE)


def test_what_lbfgs_cannot_do_is_refused():
    for more in ({"batch_norm": True}, {"dropout": 0.5}, {"mixup": 0.2}, {"ema": 0.9}, {"nominal": "embedding"}):
        with pytest.raises(ParameterError, match=f"'lbfgs' looks at all rows at once, and {next(iter(more))}"):
            MLPClassifier(solver="lbfgs", **more).fit(X, THREE)


def test_vectors_stand_for_words_in_every_use(tmp_path):
    model = MLPClassifier(
        hidden_layer_sizes=(12,), nominal="embedding", max_iter=150, learning_rate_init=0.05, batch_norm=True
    ).fit(TABLE, ANSWER)
    assert model.score(TABLE, ANSWER) > 0.97
    assert {name: each.shape for name, each in model.embeddings_.items()} == {"colour": (5, 3)}
    z = layers_of(model).forward(model._first_inputs(TABLE, "predict"))[:, 0]
    np.testing.assert_allclose(model.predict_proba(TABLE)[:, 1], 1 / (1 + np.exp(-z)), atol=1e-12)
    summary = model.summary()
    assert [each.name for each in summary.layers] == [
        "vectors of colour", "linear", "batch norm", "relu", "linear", "logistic"
    ]  # fmt: skip
    assert summary.parameters == 15 + 6 * 12 + 12 + 13
    assert str(summary.parameters) in str(summary)
    told = {reason.what.split(" = ")[0]: reason.strength for reason in explain(model, TABLE[:1]).reasons}
    assert set(told) == {"a", "b", "colour", "the average case itself"}
    assert sum(told.values()) == pytest.approx(abs(z[0]), rel=2e-3)
    assert backpropagate(model, TABLE, ANSWER).layers[-1].Z.shape == (150, 1)
    save(model, tmp_path / "words.margin")
    again = load(tmp_path / "words.margin")
    assert np.array_equal(again.predict_proba(TABLE), model.predict_proba(TABLE))
    assert np.array_equal(again.partial_fit(TABLE, ANSWER)._flat, model.partial_fit(TABLE, ANSWER)._flat)
    strange = Table.from_columns({"a": [0.1], "colour": ["mauve"], "b": [0.2]})
    assert np.isfinite(model.predict_proba(strange)).all()


@pytest.mark.parametrize("n_levels", [20_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_a_column_of_very_many_levels_needs_no_matrix_as_wide(n_levels):
    levels = np.repeat(np.arange(n_levels), 3)
    words = np.char.add("w", levels.astype(str))
    y = levels % 2 == 0
    model = MLPClassifier(hidden_layer_sizes=(8,), nominal="embedding", max_iter=3, batch_size=256, alpha=0.0)
    model.set_params(learning_rate_init=0.01).fit(Table.from_columns({"word": words}), y)
    assert model.embeddings_["word"].shape == (n_levels + 1, 16)
    assert model.units_ == (16, 8, 1)
    assert model.score(Table.from_columns({"word": words}), y) > 0.95


def test_several_targets_and_sets_of_labels_are_learnt_side_by_side(tmp_path):
    y = np.column_stack([THREE, X[:, 3] > 0])
    settings = {"hidden_layer_sizes": (20,), "max_iter": 60, "learning_rate_init": 0.03}
    model = MLPClassifier(**settings).fit(X, y)
    assert (model.predict(X) == y).mean() > 0.97
    assert [each.shape for each in model.predict_proba(X)] == [(150, 3), (150, 2)]
    assert model.n_outputs_ == 4
    sets = [{name for name, there in zip("ab", row) if there} for row in X[:, 3:] > 0]
    model = MLPClassifier(**settings, early_stopping=True).fit(X, sets)
    assert np.mean([found == set(given) for found, given in zip(model.predict(X), sets)]) > 0.8
    judged = MLPClassifier(**settings).fit(X[:100], sets[:100], validation=(X[100:], sets[100:]))
    assert judged.validation_scores_.max() > 0.7
    save(model, tmp_path / "sets.margin")
    assert list(load(tmp_path / "sets.margin").predict(X)) == list(model.predict(X))
    with pytest.raises(LabelError, match="several targets are learnt by fit alone"):
        MLPClassifier().partial_fit(X, sets)
    with pytest.raises(ParameterError, match="class_weight"):
        MLPClassifier(class_weight="balanced").fit(X, y)


def test_layers_may_be_given_by_position_as_in_scikit_learn():
    model = MLPClassifier((4, 3), "tanh")
    assert (model.hidden_layer_sizes, model.activation) == ((4, 3), "tanh")
    assert MLPRegressor((4,), "tanh").activation == "tanh"


@pytest.mark.golden("I2")
@pytest.mark.parametrize(("hidden", "solved"), [(2, 41), (3, 82), (4, 93), (8, 99)])
def test_xor_depends_on_the_weights_to_begin_with(hidden, solved):
    corners, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    common = {"hidden_layer_sizes": (hidden,), "activation": "tanh", "solver": "lbfgs", "scale": None, "n_jobs": 1}
    found = sum(MLPClassifier(random_state=i, **common).fit(corners, y).score(corners, y) == 1.0 for i in range(100))
    # scikit-learn's share of 100 starts, within three deviations of the difference of two such draws.
    assert abs(found - solved) <= 3 * np.sqrt(2 * 100 * max(solved / 100 * (1 - solved / 100), 0.02))
