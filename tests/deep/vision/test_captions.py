"""Captions and answers to questions: scores by hand, beams against enumeration, bad input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import margin
from margin import persistence
from margin.data.generators import scenes
from margin.deep.vision import Asked, Captioner, QuestionAnswerer, caption_report
from margin.errors import DataWarning, InputError, InputTypeError, ParameterError

torch = pytest.importorskip("torch")

from margin.deep.vision.captioning.network import CaptionPlan, caption_net  # noqa: E402
from margin.deep.vision.captioning.speaking import beam_search, drawn  # noqa: E402

WAYS = [
    {"cell": "gru", "inject": "start"},
    {"cell": "rnn", "inject": "first_word"},
    {"cell": "lstm", "inject": "each_step"},
    {"cell": "gru", "inject": "start", "attention": True},
]


def halves(n=40):
    """Pictures that are light above or nowhere, and what is said of them."""
    pixels = np.zeros((n, 8, 8), np.uint8)
    pixels[::2, :4] = 255
    return pixels, ["light is above", "nothing is there"] * (n // 2)


def quick(**given):
    return Captioner(**{"encoder": 4, "hidden_size": 12, "embedding": 6, "epochs": 20, "batch_size": 8, "rate": 0.03,
                        "n_jobs": 1, **given})  # fmt: skip


@pytest.fixture(scope="module")
def captioner():
    return quick(attention=True).fit(*halves())


# Scores


@pytest.mark.golden("I7")
def test_bleu_of_the_paper():
    true = ["the cat is on the mat", "there is a cat on the mat"]
    report = caption_report([true], ["the the the the the the the"])
    assert report.bleu[0].value == pytest.approx(2 / 7)
    assert [each.value for each in report.bleu[1:]] == [0, 0, 0]


def test_bleu_counts_runs_of_all_pictures_together():
    true = [["a red circle left of a blue square"], ["a green circle"]]
    said = ["a red circle above a blue square", "a green square"]
    report = caption_report(true, said)
    shares = [8 / 10, 5 / 8, 2 / 6]
    brevity = np.exp(1 - 11 / 10)
    for n in (1, 2, 3):
        assert report.bleu[n - 1].value == pytest.approx(brevity * np.prod(shares[:n]) ** (1 / n))
    assert report.bleu[3].value == 0
    # "left of" to "above" is one word changed and one left out, "circle" to "square" one changed.
    assert report.word_error.value == pytest.approx(3 / 11)
    assert report.exact_match.value == 0
    assert report.wrong.tolist() == [0, 1]


def test_right_captions_are_perfect_whatever_case_they_have():
    report = caption_report(
        ["A red circle, there", "two of them at most"], ["a red circle there", "two of them at most"]
    )
    assert [report.exact_match.value, report.word_error.value] == [1, 0]
    assert [each.value for each in report.bleu] == pytest.approx([1, 1, 1, 1])
    assert "BLEU-4" in str(report)


def test_an_empty_answer_has_no_runs():
    report = caption_report(["a circle"], [""])
    assert report.bleu[0].value == 0
    assert report.word_error.value == 1


# Learning


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_each_way_of_giving_the_picture_learns(way):
    pixels, said = halves()
    model = quick(**way).fit(pixels, said)
    assert model.predict(pixels[:4]).tolist() == said[:4]
    assert model.score(pixels, said) == 1


def test_several_captions_of_a_picture_are_learnt_side_by_side():
    pixels, said = halves()
    both = [[each, each.replace("is", "was")] for each in said]
    model = quick(epochs=30).fit(pixels, both)
    found = np.exp(model.log_probability(pixels[:1], ["light is above"]))
    assert 0.3 < found[0] < 0.7
    assert model.score(pixels, both) == 1


def test_each_word_has_a_map_that_adds_up_to_one(captioner):
    pixels, _ = halves()
    (told,) = captioner.describe(pixels[:1])
    assert told.words == ["light", "is", "above"]
    assert told.maps.shape == (4, 1, 1)  # 8 pixels halved three times
    np.testing.assert_allclose(told.maps.sum(axis=(1, 2)), 1, rtol=1e-5)
    wide = quick(attention=True, epochs=1).fit(np.zeros((4, 24, 16), np.uint8) + np.arange(4)[:, None, None], ["a"] * 4)
    assert wide.describe(np.zeros((1, 24, 16), np.uint8))[0].maps.shape[1:] == (3, 2)


def test_probabilities_of_captions_are_those_of_their_words(captioner):
    pixels, _ = halves()
    told = captioner.describe(pixels[:2])
    again = captioner.log_probability(pixels[:2], [each.text for each in told])
    np.testing.assert_allclose([each.log_probability for each in told], again, rtol=1e-4)


def test_at_temperature_0_the_most_probable_word_is_drawn(captioner):
    pixels, said = halves()
    assert captioner.sample(pixels[:4], temperature=0).tolist() == said[:4]
    wild = [captioner.sample(pixels[:4], temperature=50, random_state=s).tolist() for s in (1, 1, 2)]
    assert wild[0] == wild[1] != wild[2]


def test_held_out_pictures_judge_every_epoch():
    model = quick(epochs=3, early_stopping=True).fit(*halves())
    assert len(model.validation_scores_) == 3
    with pytest.warns(DataWarning, match="1 words are not among those learnt: 'dark'"):
        quick(epochs=1).fit(*halves(), validation=(halves()[0][:2], ["dark is above", "nothing is there"]))


def test_a_captioner_comes_back_from_its_file(captioner, tmp_path):
    pixels, _ = halves()
    persistence.save(captioner, tmp_path / "says.margin")
    again = persistence.load(tmp_path / "says.margin")
    assert [each.log_probability for each in again.describe(pixels[:3])] == [
        each.log_probability for each in captioner.describe(pixels[:3])
    ]


def test_ctrl_c_keeps_the_epochs_that_are_finished():
    model = quick()
    run = model.training(*halves())
    next(run)
    with pytest.raises(KeyboardInterrupt):
        run.throw(KeyboardInterrupt)
    assert model.n_iter_ == 1
    assert len(model.predict(halves()[0][:1])) == 1


# Beams


def toy(attention, seed):
    """A network with first weights that says any of two words, and one picture."""
    plan = CaptionPlan(1, (8, 8), 4, 2, 6, 3, "gru", "start", attention, 0.0)
    net = caption_net(plan, "cpu", seed).eval()
    with torch.no_grad():
        net.head.weight.mul_(20)
        return net, net.look(torch.rand(1, 1, 8, 8, generator=torch.Generator().manual_seed(seed)))


def enumerated(net, memory, most):
    """Every sentence of words 1 and 2 with the logarithm of its probability; at the last place only the end is left."""
    found = {}
    for length in range(most + 1):
        for words in itertools.product((1, 2), repeat=length):
            state, kept = net.begin(memory)
            total, before = 0.0, 3
            for word in [*words, 3]:
                logits, state, _ = net.next(torch.tensor([before]), state, kept)
                shares = logits[0].double().log_softmax(dim=0)
                total += float(shares[word])
                before = word
            found[(*words, 3)] = total
    return found


@pytest.mark.golden("I7")
@pytest.mark.parametrize("attention", [False, True])
@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_a_beam_as_wide_as_all_sentences_equals_enumeration(attention, penalty):
    with torch.inference_mode():
        for seed in range(6):
            net, memory = toy(attention, seed)
            every = enumerated(net, memory, 3)
            best = max(every, key=lambda codes: every[codes] / len(codes) ** penalty)
            said = beam_search(net, memory, len(every), 3, penalty)
            assert said.codes == best
            assert said.log_probability == pytest.approx(every[best], rel=1e-5)


@pytest.mark.golden("I7")
def test_a_beam_of_1_is_greedy_and_a_wider_one_never_less_probable():
    with torch.inference_mode():
        for seed in range(12):
            net, memory = toy(bool(seed % 2), seed)
            greedy = drawn(net, memory, 4, 0.0, np.random.default_rng(0))
            one = beam_search(net, memory, 1, 4, 0.0)
            assert one.codes[:-1] == greedy
            for beam in (2, 3, 4):
                assert beam_search(net, memory, beam, 4, 0.0).log_probability >= one.log_probability * (1 + 1e-5)


# Questions


def asked(n=40):
    pixels, _ = halves(n)
    questions = ["is it light above", "is it dark above"] * n
    which = np.repeat(np.arange(n), 2)
    answers = ["yes" if (i % 2 == 0) == (k == 0) else "no" for i in range(n) for k in range(2)]
    return Asked(pixels, questions, which), answers


def answerer(**given):
    return QuestionAnswerer(
        **{"width": 4, "hidden_size": 12, "embedding": 6, "epochs": 20, "batch_size": 16, "rate": 0.03, "n_jobs": 1,
           **given}
    )  # fmt: skip


def test_an_answer_needs_both_the_picture_and_the_question(tmp_path):
    X, y = asked()
    model = answerer().fit(X, y)
    assert model.score(X, y) == 1
    assert model.predict_proba(X).shape == (80, 2)
    for alone in ("question", "picture"):
        assert answerer(sees=alone, epochs=5).fit(X, y).score(X, y) == pytest.approx(0.5, abs=0.1)
    persistence.save(model, tmp_path / "answers.margin")
    assert (persistence.load(tmp_path / "answers.margin").predict_proba(X) == model.predict_proba(X)).all()
    assert model.predict((halves(2)[0], ["is it light above"] * 2)).tolist() == ["yes", "no"]


def test_answers_are_evaluated_like_those_of_any_classifier():
    X, y = asked()
    found = margin.evaluate(answerer(), X, y, protocol="5-fold")
    assert found.scores["accuracy"].value > 0.7


def test_answers_do_not_depend_on_what_else_is_asked():
    X, y = asked()
    model = answerer(epochs=3).fit(X, y)
    order = np.random.default_rng(0).permutation(80)
    np.testing.assert_allclose(model.predict_proba(X[order]), model.predict_proba(X)[order], atol=1e-6)
    assert model.predict_proba(X[:0]).shape == (0, 2)


# Bad input


def test_captions_that_cannot_be_are_refused():
    pixels, said = halves()
    for wrong, error, match in [
        (None, InputError, "there are no captions"),
        (3, InputTypeError, "captions of type int cannot be read"),
        ("light", InputError, "one text given for 40 pictures"),
        (said[1:], InputError, "captions of 39 pictures given for 40 pictures"),
        (["", *said[1:]], InputError, "picture 0: caption 0 has no words"),
        ([[], *said[1:]], InputError, "picture 0 has no caption"),
        ([3, *said[1:]], InputTypeError, "picture 0"),
    ]:
        with pytest.raises(error, match=match):
            quick(epochs=1).fit(pixels, wrong)
    with pytest.raises(InputError, match="40 texts have more than max_length=2 words"):
        quick(max_length=2).fit(pixels, said)
    with pytest.raises(InputError, match="two pictures at least"):
        quick().fit(pixels[:1], said[:1])


def test_words_that_were_never_heard_are_told(captioner):
    pixels, _ = halves()
    with pytest.warns(DataWarning, match="2 words are not among those learnt: 'brown', 'fox'"):
        found = captioner.log_probability(pixels[:1], ["brown fox"])
    assert np.isfinite(found).all()
    rare = quick(min_count=5, epochs=2).fit(pixels, ["light flickers", *halves()[1][1:]])
    assert "flickers" not in rare.words_
    assert "?" not in " ".join(rare.predict(pixels))


def test_ways_of_asking_are_looked_at(captioner):
    pixels, said = halves()
    for method, given in [
        ("predict", {"beam": 0}), ("predict", {"beam": 1.5}), ("predict", {"length_penalty": -1}),
        ("sample", {"temperature": -1}),
    ]:  # fmt: skip
        with pytest.raises(ParameterError):
            getattr(captioner, method)(pixels[:1], **given)
    with pytest.raises(InputError, match="pictures are 9 x 8 pixels"):
        captioner.predict(np.zeros((1, 9, 8), np.uint8))
    with pytest.raises(ParameterError):
        quick(inject="end").fit(pixels, said)
    with pytest.raises(margin.errors.NotFittedError):
        quick().predict(pixels)
    assert captioner.predict(pixels[:0]).shape == (0,)


def test_questions_that_cannot_be_are_refused():
    pixels, _ = halves()
    for given in [(["a"],), (["a"] * 3, [0, 1, 40]), (["a"] * 2, [0])]:
        with pytest.raises(InputError):
            Asked(pixels, *given)
    with pytest.raises(InputError, match="question 0 has no words"):
        Asked(pixels, [""] * 40)
    with pytest.raises(InputError, match="Asked"):
        answerer().fit(pixels, ["yes"] * 40)


def test_scenes_are_described_better_than_by_the_most_frequent_caption():
    made = scenes(120, 16, objects=(1, 1), strokes=0, seed=0)
    model = quick(encoder=8, hidden_size=32, epochs=12, attention=True).fit(made.pictures, made.captions)
    most = max(map(made.captions.count, made.captions)) / 120
    assert model.score(made.pictures, made.captions) > most + 0.3
