"""Lists of texts and of series in what stands around models, and texts on the command line."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from margin import CalibratedClassifier, GridSearch, NaiveBayes, Reject, SequenceClassifier, evaluate
from margin.cli.app import cli
from margin.data import Table
from margin.errors import InputError

MODEL = SequenceClassifier("rnn", 8, epochs=3, batch_size=8, rate=0.02, n_jobs=1)
TEXTS = ["aab", "abab", "ba", "bbb"] * 8
ENDS = [text[-1] for text in TEXTS]


def test_searches_and_models_of_models_take_lists():
    search = GridSearch(MODEL, {"rate": [0.001, 0.03]}, cv=2)
    assert search.fit(TEXTS, ENDS).best_params_["rate"] in (0.001, 0.03)
    assert search.predict(TEXTS[:4]).shape == (4,)
    assert evaluate(search, TEXTS, ENDS, 2, metrics=("accuracy",)).scores["accuracy"].value > 0.4
    calibrated = CalibratedClassifier(MODEL, cv=2).fit(TEXTS, ENDS)
    assert np.allclose(calibrated.predict_proba(TEXTS).sum(axis=1), 1)
    assert len(Reject(MODEL, threshold=0.6, cv=2).fit(TEXTS, ENDS).predict(TEXTS)) == 32
    series = [np.full((1 + i % 3, 2), float(i % 2)) for i in range(32)]
    assert (
        GridSearch(MODEL, {"rate": [0.01]}, cv=2).fit(series, np.arange(32) % 2).score(series, np.arange(32) % 2) > 0.4
    )
    with pytest.raises(InputError, match="X holds Sequences, which have no columns"):
        CalibratedClassifier(NaiveBayes(), cv=2).fit(TEXTS, ENDS)


def test_a_column_of_texts_in_a_table_is_read():
    table = Table.from_columns({"text": [f"{text} said number {i}" for i, text in enumerate(TEXTS)]})
    words = SequenceClassifier("rnn", 8, tokens="words", epochs=2, batch_size=8, n_jobs=1)
    assert evaluate(words, table, ENDS, 2, metrics=("accuracy",)).scores["accuracy"].value > 0.3


def test_texts_are_trained_on_kept_and_answered(tmp_path):
    rows = "".join(f"{text},{end}\n" for text, end in zip(TEXTS, ENDS))
    (tmp_path / "ends.csv").write_text(f"text,end\n{rows}")
    path = str(tmp_path / "ends.csv")

    def margin(*args):
        return CliRunner().invoke(cli, [str(each) for each in args])

    kept = tmp_path / "ends.margin"
    settings = ["--set", "epochs=2", "--set", "hidden_size=4", "--set", "n_jobs=1"]
    done = margin("train", path, "--network", "rnn", "--target", "end", "--text", "text", "--save", kept, *settings)
    assert done.exit_code == 0, done.output
    assert "epoch 2 of 2: loss" in done.output
    assert "rnn, 2 epochs, 32 sequences of 2 classes" in done.output
    asked = json.loads(margin("predict", kept, path, "--json").output)
    assert asked["row"][:2] == ["1", "2"]
    assert set(asked["answer"]) <= {"a", "b"}
    refused = margin("train", path, "--save", kept, "--image-size", 12)
    assert "--image-size: is not for texts" in str(refused.exception) + refused.output
