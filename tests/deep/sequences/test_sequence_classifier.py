"""Classes of sequences: learnt, answered, kept, and what is refused."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from margin.data import Sequences, Table
from margin.deep import SequenceClassifier, memory
from margin.errors import DataWarning, InputError, LabelError, NotFittedError, ParameterError, PersistenceError
from margin.evaluation import evaluate
from margin.persistence import from_bytes, to_bytes

TEXTS = ["aab", "abab", "ba", "bbb", "a", "abb", "bba", "baa"] * 6
ENDS = [text[-1] for text in TEXTS]
random = np.random.default_rng(0)
RISING = np.arange(40) % 2
SERIES = [
    np.column_stack([(1 if up else -1) * np.arange(n), random.normal(size=n)]) + random.normal(size=2)
    for up, n in zip(RISING, random.integers(4, 9, 40))
]


def small(cell="rnn", **other):
    given = {"hidden_size": 8, "epochs": 12, "batch_size": 8, "rate": 0.02, "n_jobs": 1, **other}
    return SequenceClassifier(cell, **given)


@pytest.fixture(scope="module")
def model():
    return small().fit(TEXTS, ENDS)


@pytest.mark.parametrize("how", [{"cell": "rnn"}, {"cell": "lstm", "n_layers": 2}, {"cell": "gru", "pooling": "mean"}])
def test_series_of_any_length_are_told_apart(how):
    found = small(**how).fit(SERIES, RISING)
    assert found.score(SERIES, RISING) == 1.0
    assert found.predict_proba(SERIES).sum(axis=1) == pytest.approx(1.0)


def test_texts_lists_and_columns_give_one_model(model):
    table = Table.from_columns({"text": TEXTS})
    for X in (Sequences(TEXTS, labels=ENDS), np.array(TEXTS), table):
        assert np.array_equal(small().fit(X, ENDS).predict_proba(TEXTS), model.predict_proba(TEXTS))
    assert np.array_equal(small().fit(Sequences(TEXTS, labels=ENDS)).predict_proba(table), model.predict_proba(TEXTS))
    assert model.predict(["bba", "aab"]).tolist() == ["a", "b"]
    assert model.history_.shape == (12, 4)


def test_words_and_lists_of_words_are_read(model):
    texts = [f"it was {word} indeed" for word in ("good", "bad", "good", "bad", "good", "bad")] * 4
    labels = [text.split()[2] for text in texts]
    found = small(tokens="words", pooling="max").fit(texts, labels)
    assert found.predict(["good", "bad !"]).tolist() == ["good", "bad"]
    of_lists = small(pooling="max").fit([text.split() for text in texts], labels)
    assert of_lists.predict([["good"], ["bad", "was"]]).tolist() == ["good", "bad"]


def test_an_answer_is_that_of_the_sequence_alone(model):
    alone = np.concatenate([model.predict_proba([text]) for text in TEXTS[:8]])
    assert model.predict_proba(TEXTS)[:8] == pytest.approx(alone, abs=1e-6)
    assert model.predict_proba([]).shape == (0, 2)


def test_the_same_bytes_for_the_same_threads(model):
    again = small().fit(TEXTS, ENDS)
    assert all(np.array_equal(each, again._tensors[name]) for name, each in model._tensors.items())


def test_weights_of_zero_are_absent_rows_and_classes_may_count_more():
    weight = np.tile([1.0, 1, 1, 1, 1, 1, 0, 0], 6)
    kept = weight > 0
    few = [text for text, keep in zip(TEXTS, kept) if keep]
    weighted = small(epochs=2).fit(TEXTS, ENDS, sample_weight=weight)
    assert np.array_equal(
        weighted.predict_proba(TEXTS), small(epochs=2).fit(few, np.array(ENDS)[kept]).predict_proba(TEXTS)
    )
    heavy = small(epochs=2, class_weight={"a": 20.0}).fit(TEXTS, ENDS)
    assert heavy.predict_proba(TEXTS)[:, 0].mean() > small(epochs=2).fit(TEXTS, ENDS).predict_proba(TEXTS)[:, 0].mean()


def test_held_out_rows_teach_nothing():
    texts = [*TEXTS, *["zzza", "zzzb"] * 4]
    found = small(early_stopping=True, validation_fraction=0.25, epochs=4).fit(texts, [text[-1] for text in texts])
    assert len(found.validation_scores_) == 4
    assert found.best_epoch_ == int(found.validation_scores_.argmax()) + 1


def test_evaluations_searches_and_clones_take_sequences_and_lists():
    for X in (TEXTS, Sequences(TEXTS)):
        found = evaluate(small(epochs=6), X, ENDS, 2)
        assert found.scores["accuracy"].value > 0.5
        search = GridSearchCV(small(epochs=2), {"hidden_size": [2, 8]}, cv=2).fit(X, ENDS)
        assert search.best_params_["hidden_size"] in (2, 8)
    assert clone(small()).get_params() == small().get_params()


@pytest.mark.parametrize("how", [{}, {"cell": "lstm", "two_biases": True, "bidirectional": True}, {"embedding": None}])
def test_a_file_holds_all_of_it(how):
    found = small(**{"epochs": 1, **how}).fit(TEXTS, ENDS)
    content = to_bytes(found)
    again = from_bytes(content)
    assert to_bytes(again) == content
    for each in (again, pickle.loads(pickle.dumps(found))):
        assert np.array_equal(each.predict_proba(TEXTS), found.predict_proba(TEXTS))
    series = small(epochs=1).fit(SERIES, RISING)
    assert np.array_equal(from_bytes(to_bytes(series)).predict_proba(SERIES), series.predict_proba(SERIES))


def test_files_of_other_networks_are_refused(model):
    from margin.deep.fitting.tensors import NamedTensors

    wrong = small().fit(TEXTS[:16], ENDS[:16])
    wrong._tensors = NamedTensors({**model._tensors, "head.weight": np.zeros((2, 3), np.float32)})
    with pytest.raises(PersistenceError, match=r"'head.weight' must be 2 x 8"):
        from_bytes(to_bytes(wrong))


def test_memory_is_told_by_token(model):
    found = memory(model, "abba")
    assert (found.cell, found.tokens, found.norms[-1]) == ("rnn", ("a", "b", "b", "a"), pytest.approx(1.0))
    with pytest.raises(InputError, match="empty"), pytest.warns(DataWarning):
        memory(model, "")


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_a_cell_that_is_no_number_is_named(value):
    spoiled = [each.copy() for each in SERIES]
    spoiled[3][2, 1] = value
    with pytest.raises(InputError, match=r"sequence 3, step 2 holds .* as number 1"):
        small().fit(spoiled, RISING)
    with pytest.raises(InputError, match="sequence 3, step 2"):
        small(epochs=1).fit(SERIES, RISING).predict(spoiled)


def test_empty_long_and_unknown_sequences_have_an_answer(model):
    with pytest.warns(DataWarning, match="1 sequences are empty.*rows 1"):
        assert len(model.predict(["ab", ""])) == 2
    with pytest.warns(DataWarning, match="longer than max_length=1000"):
        long = model.predict_proba(["ab" * 50_000])
    assert long == pytest.approx(model.predict_proba(["ab" * 500]), abs=1e-6)
    assert np.isfinite(model.predict_proba(["§%&"])).all()


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([], [], "no sequences to learn from"),
        (["a", "b"], ["x", "x"], "two classes at least"),
        (["a", "b"], ["x"], "one label per row"),
        (["", ""], ["x", "y"], "all sequences are empty"),
        (["a", "b"], None, "there are no labels"),
        ([np.zeros((2, 3)), np.zeros((2, 2))], [0, 1], "as many numbers as those of sequence 0"),
    ],
)
@pytest.mark.filterwarnings("ignore::margin.errors.DataWarning")
def test_what_cannot_be_learnt_is_refused(X, y, words):
    unfitted = small()
    with pytest.raises((InputError, LabelError), match=words):
        unfitted.fit(X, y)
    with pytest.raises(NotFittedError):
        unfitted.predict(["a"])


def test_other_kinds_of_sequences_are_refused(model):
    with pytest.raises(InputError, match="holds series of 2 numbers a step, and the model has learnt from texts"):
        model.predict(SERIES)
    with pytest.raises(InputError, match="has learnt from 2 numbers a step"):
        small(epochs=1).fit(SERIES, RISING).predict([np.zeros((3, 3))])
    with pytest.raises(ParameterError, match="activation is for cell='rnn'"):
        small("gru", activation="relu").fit(TEXTS, ENDS)


def test_a_checkpoint_goes_on(tmp_path):
    begun = small(epochs=6, checkpoint=str(tmp_path))
    for epoch in begun.training(TEXTS, ENDS):
        if epoch.number == 2:
            break
    gone_on = small(epochs=6, checkpoint=str(tmp_path), resume=True).fit(TEXTS, ENDS)
    whole = small(epochs=6).fit(TEXTS, ENDS)
    assert all(np.array_equal(each, whole._tensors[name]) for name, each in gone_on._tensors.items())


def test_no_torch_is_loaded_before_a_fit():
    code = "import sys, margin; margin.SequenceClassifier(); margin.SequenceModel(); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "False", done.stderr
