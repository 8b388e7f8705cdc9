"""What comes next in a text: counted, learnt, written, and measured in bits."""

import numpy as np
import pytest

from margin.deep import NGramModel, SequenceModel, memory
from margin.deep.sequences.ngrams import TextStream
from margin.errors import InputError, NotFittedError, ParameterError
from margin.persistence import from_bytes, to_bytes


def test_bits_of_counted_characters_are_those_of_the_definition():
    text, order = "abracadabra", 3
    model, known = NGramModel(order).fit(text), sorted(set(text))
    padded = "^" * (order - 1) + text

    def share(context, c):
        if len(context) == order:
            return 1 / (len(known) + 2)  # an unknown character, and the mark of an end
        shorter = share("!" * order, c) if context == "" else share(context[1:], c)
        seen = [padded[i + len(context)] for i in range(order - 1 - len(context), len(padded) - len(context))
                if padded[i : i + len(context)] == context and i + len(context) >= order - 1]  # fmt: skip
        kinds = len(set(seen))
        return (seen.count(c) + kinds * shorter) / (len(seen) + kinds) if seen else shorter

    other = "cadabrax"
    wide = "^" * (order - 1) + other
    expected = -np.mean([np.log2(share(wide[i : i + order - 1], c)) for i, c in enumerate(other)])
    assert model.bits_per_character(other) == pytest.approx(expected, abs=1e-9)


def test_counted_characters_write_what_they_have_seen():
    names = ["anna", "hanna", "johanna"]
    model = NGramModel(4).fit(names)
    assert sum(model.sample(20, random_state=seed).endswith("na") for seed in range(10)) >= 7
    assert model.sample(20, random_state=1) == model.sample(20, random_state=1)
    with pytest.raises(ParameterError, match="from 1 to 8"):
        NGramModel(0)
    with pytest.raises(NotFittedError):
        NGramModel().sample(3)


def test_texts_are_parted_by_a_mark():
    stream = TextStream.learnt(["ab", "b"], "characters")
    assert stream.text(stream.codes(["ab", "b"]).tolist()) == "abb"
    assert stream.codes(["a?"]).tolist() == [3, 1, 0]


@pytest.fixture(scope="module")
def model():
    return SequenceModel("gru", 16, epochs=15, steps=8, batch_size=4, rate=0.02, n_jobs=1).fit("abc" * 60)


def test_a_pattern_is_learnt_and_written(model):
    assert model.sample(9, start="ab", temperature=0.0) == "cabcabcab"
    assert model.bits_per_character("abcabcabcabc") < 0.5 < NGramModel(1).fit("abc" * 60).bits_per_character("abcabc")
    assert model.sample(12, random_state=3) == model.sample(12, random_state=3)
    assert len(model.sample(50, temperature=5.0, random_state=0)) == 50
    assert model.sample(0) == ""
    assert model.score("abcabc") == -model.bits_per_character("abcabc")


def test_bits_are_those_of_the_network_step_by_step(model):
    import torch

    codes = model._encoder.codes(["abcb?"])
    with torch.inference_mode():
        logits = model.network_.read(torch.from_numpy(codes[None, :-1].astype(np.int64)))[0][0].double()
    logs = torch.log_softmax(logits, dim=1).numpy()[np.arange(5), codes[1:]]
    assert model.bits_per_character("abcb?") == pytest.approx(-logs.mean() / np.log(2))


def test_long_texts_are_judged_in_pieces_as_a_whole(model, monkeypatch):
    from margin.deep.sequences import stream

    text = "abc" * 100
    whole = model.bits_per_character(text)
    monkeypatch.setattr(stream, "PIECE", 64)
    monkeypatch.setattr(stream, "BEFORE", 40)
    assert model.bits_per_character(text) == pytest.approx(whole, abs=1e-3)


def test_names_end_and_some_are_held_out():
    names = ["anna", "hanna", "johanna"] * 8
    how = {"epochs": 25, "steps": 8, "batch_size": 4, "rate": 0.02, "early_stopping": True, "n_jobs": 1}
    found = SequenceModel("lstm", 16, **how).fit(names)
    assert len(found.history_.values("validation_score")) == 25
    assert found.validation_scores_[-1] > found.validation_scores_[0]
    written = found.sample(30, temperature=0.0)
    assert written in names
    assert memory(found, "anna").tokens == ("a", "n", "n", "a")


def test_words_are_written_with_blanks():
    found = SequenceModel("gru", 8, tokens="words", epochs=20, steps=4, batch_size=2, rate=0.03, n_jobs=1)
    assert found.fit("one two three " * 30).sample(3, start="one", temperature=0.0) == "two three one"


def test_a_file_holds_all_of_it(model):
    content = to_bytes(model)
    again = from_bytes(content)
    assert to_bytes(again) == content
    assert again.sample(20, random_state=1) == model.sample(20, random_state=1)


@pytest.mark.parametrize(
    ("X", "words"), [("", "no text"), ([np.zeros(3)], "not series"), ("a", "too short"), ([], "no text")]
)
def test_what_is_no_text_is_refused(X, words):
    with pytest.raises(InputError, match=words):
        SequenceModel(n_jobs=1).fit(X)


def test_what_cannot_be_written_is_refused(model):
    for given, words in (({"n": -1}, "n must be"), ({"temperature": -1}, "temperature"), ({"start": 3}, "start")):
        with pytest.raises(ParameterError, match=words):
            model.sample(**given)
    with pytest.raises(NotFittedError):
        SequenceModel().sample(3)
