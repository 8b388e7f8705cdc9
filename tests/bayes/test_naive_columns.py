"""Which column gets which distribution, texts, class weights, and records drawn from mixed tables."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from margin import NaiveBayes, Table, persistence
from margin.bayes.bag_of_words import words_of
from margin.bayes.distributions.standard import DISTRIBUTIONS
from margin.data.schema import Column, Schema
from margin.errors import InputError, ParameterError
from margin.explain import explain

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")


def people():
    table = Table.from_columns(
        {
            "age": [20.0, 30.0, 40.0, 50.0, 35.0, None],
            "visits": [0.0, 1.0, 4.0, 9.0, 2.0, 3.0],
            "job": ["cook", "clerk", "cook", "pilot", None, "pilot"],
            "note": ["Very good, thanks", "so so", "very bad", "bad bad day", "Good!", None],
        }
    )
    return table, np.array(["happy", "happy", "sad", "sad", "happy", "sad"])


def names_of(model):
    return {column: distribution.name for column, distribution in model.distributions_.items()}


def test_numbers_are_gaussian_and_words_categorical_unless_told_otherwise():
    X, y = people()
    model = NaiveBayes(distributions={"visits": "poisson"}).fit(X, y)
    expected = {"age": "gaussian", "visits": "poisson", "job": "categorical", "note": "categorical"}
    assert names_of(model) == expected


def test_all_numeric_columns_may_be_told_at_once():
    X, y = people()
    model = NaiveBayes(distributions={"numeric": "kernel", "age": "gaussian"}).fit(X, y)
    assert names_of(model) == {"age": "gaussian", "visits": "kernel", "job": "categorical", "note": "categorical"}


def test_columns_of_an_array_go_by_number_or_name():
    X, y = np.arange(12.0).reshape(4, 3), [0, 0, 1, 1]
    model = NaiveBayes(distributions={0: "poisson", "x2": "kernel"}).fit(X, y)
    assert names_of(model) == {"x0": "poisson", "x1": "gaussian", "x2": "kernel"}
    sparse = NaiveBayes(distributions={0: "poisson", "x2": "kernel"}).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(sparse.joint_log_likelihood(sp.csr_array(X)), model.joint_log_likelihood(X))


def test_columns_of_a_frame_that_are_numbers_go_by_them():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({7: [1.0, 2.0, 3.0], 3: ["a b", "b", "c c"]})
    model = NaiveBayes(distributions={7: "kernel", 3: "multinomial"}).fit(frame, [0, 1, 1])
    assert names_of(model) == {"7": "kernel", "3": "multinomial"}


def test_several_columns_of_each_distribution_stand_side_by_side():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, (40, 6)).astype(float), rng.integers(0, 3, 40)
    told = dict(enumerate(["gaussian", "poisson", "gaussian", "kernel", "poisson", "kernel"]))
    model = NaiveBayes(distributions=told).fit(X, y)
    alone = sum(
        NaiveBayes(distributions=name).fit(X[:, [j]], y).joint_log_likelihood(X[:, [j]]) for j, name in told.items()
    )
    np.testing.assert_allclose(model.joint_log_likelihood(X), alone - 5 * np.log(model.priors_), rtol=1e-12)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"ages": "poisson"}, r"column 'ages' is not there; columns are 'age', .*did you mean 'age'"),
        ({"age": "poison"}, r"'poison' for column 'age' must be one of 'categorical', .*did you mean 'poisson'"),
        (
            {"job": "gaussian"},
            r"'gaussian' does not suit column 'job', which is nominal .*'categorical' or 'multinomial'",
        ),
        ({"job": "bernoulli"}, r"'bernoulli' does not suit column 'job', which is nominal with 3 levels"),
        ("gaussian", "'gaussian' does not suit column 'job'"),
        ("gausian", r"distributions must be None, one of 'categorical'.*did you mean 'gaussian'"),
        (["gaussian"], "distributions must be None, one of"),
        ({"age": ["gaussian"]}, r"\['gaussian'\] for column 'age' must be one of"),
        ({"x9": "poisson", 4: "kernel"}, "column 'x9', 4 is not there"),
    ],
    ids=str,
)
def test_what_does_not_suit_is_refused_by_name(told, words):
    with pytest.raises(ParameterError, match=rf"NaiveBayes\(distributions=.*{words}"):
        NaiveBayes(distributions=told).fit(*people())


def test_every_distribution_of_the_list_can_be_chosen_by_its_name():
    X, y = np.array([[0.0], [1.0], [2.0], [5.0]]), [0, 0, 1, 1]
    for name in DISTRIBUTIONS:
        assert names_of(NaiveBayes(distributions=name).fit(X, y)) == {"x0": name}


def test_a_nominal_column_of_two_levels_is_counted_where_bernoulli_is_asked_for():
    X, y = Table.from_columns({"on": ["yes", "no", "yes"]}), [0, 0, 1]
    found = NaiveBayes(distributions="bernoulli").fit(X, y)
    np.testing.assert_allclose(found.predict_proba(X), NaiveBayes().fit(X, y).predict_proba(X))


def test_words_are_lower_case_and_split_at_what_is_no_letter_or_digit():
    assert words_of("Don't PANIC: it's 42 o_clock, Größe!") == [
        "don",
        "t",
        "panic",
        "it",
        "s",
        "42",
        "o_clock",
        "größe",
    ]


def test_a_text_is_the_counts_of_its_words_and_unknown_words_are_left_out():
    X, y = people()
    model = NaiveBayes(distributions={"note": "multinomial"}).fit(X.select(["note"]), y)
    # happy: very good thanks so so good (6 words), sad: very bad bad bad day (5); 6 different words
    new = Table.from_columns({"note": ["bad unheard DAY", None, "never seen"]})
    joint = np.exp(model.joint_log_likelihood(new))
    assert joint[0] == pytest.approx([0.5 * 1 / 12 * 1 / 12, 0.5 * 4 / 11 * 2 / 11])
    assert joint[1:].tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_only_the_texts_of_the_given_rows_are_split(monkeypatch):
    texts = Table.from_columns({"note": [f"number {i}" for i in range(50)] + [None]})
    model = NaiveBayes(distributions="multinomial").fit(texts, np.arange(51) % 2)
    expected = model.predict_proba(texts)[[50, 7, 3, 7]]
    split = []
    monkeypatch.setattr("margin.bayes.bag_of_words.words_of", lambda text: split.append(text) or words_of(text))
    np.testing.assert_array_equal(model.predict_proba(texts.take([50, 7, 3, 7])), expected)
    assert split == ["number 3", "number 7"]
    model.joint_log_likelihood(texts.take([4]))
    assert split[2:] == ["number 4"]


def test_texts_without_a_word_say_nothing_and_are_drawn_empty():
    table = Table.from_columns({"note": ["!", "?", "…"]})
    model = NaiveBayes(distributions="complement").fit(table, [0, 0, 1])
    np.testing.assert_allclose(model.predict_proba(table), [[2 / 3, 1 / 3]] * 3)
    assert model.sample(2, random_state=0)[0]["note"].tolist() == ["", ""]


def test_two_columns_of_text_are_two_urns():
    X = Table.from_columns({"subject": ["free money", "lunch"], "body": ["lunch lunch", "free"]})
    model = NaiveBayes(distributions="multinomial").fit(X, ["a", "b"])
    assert model.distributions_["subject"] is not model.distributions_["body"]
    crossed = Table.from_columns({"subject": ["free"], "body": ["free"]})
    found = np.exp(model.joint_log_likelihood(crossed))[0]
    assert found == pytest.approx([0.5 * 2 / 5 * 1 / 4, 0.5 * 1 / 4 * 2 / 3])


def test_a_column_that_the_schema_calls_text_is_read_where_it_is_named():
    codes = np.array([0, 1, 2, 3], dtype=np.int32)
    texts = ("win money", "free money", "see you", "lunch then")
    X = Table(Schema([Column("mail", "text", texts)]), [codes])
    model = NaiveBayes(distributions={"mail": "multinomial"}).fit(X, [1, 1, 0, 0])
    assert model.predict(X).tolist() == [1, 1, 0, 0]


def test_free_text_is_counted_in_words_unless_one_distribution_is_for_all():
    table = Table.from_columns({"note": ["so so", "fine", "bad"], "age": [1.0, 2.0, 3.0]}).with_kind("note", "text")
    with pytest.raises(ParameterError, match=r"'categorical' does not suit column 'note', which is text \(use 'multi"):
        NaiveBayes(distributions={"note": "categorical"}).fit(table, [0, 1, 1])
    with pytest.raises(InputError, match=r"no columns to learn from \('note' is an identifier or free text\)"):
        NaiveBayes(distributions="categorical").fit(table.select(["note"]), [0, 1, 1])
    told = NaiveBayes(distributions={"note": "multinomial"}).fit(table, [0, 1, 1])
    assert np.array_equal(NaiveBayes().fit(table, [0, 1, 1]).predict_proba(table), told.predict_proba(table))


def test_the_words_of_a_text_are_reasons():
    X, y = people()
    model = NaiveBayes(distributions={"note": "multinomial", "visits": "poisson", "age": "kernel"}).fit(X, y)
    why = explain(model, X.take([3]))
    assert "'bad' in note = 2" in [reason.what for reason in why.reasons]
    odds = sorted(why.probabilities.values())
    assert np.exp(sum(reason.strength for reason in why.reasons)) == pytest.approx(odds[1] / odds[0])


TOLD = {"note": "multinomial", "visits": "poisson", "age": "kernel"}


@pytest.mark.parametrize("weights", ["balanced", {"happy": 3}, {"happy": 0.3, "sad": 2.2}], ids=str)
def test_class_weights_are_weights_of_the_rows(weights):
    X, y = people()
    X, y = X.take([0, 1, 1, 2, 3, 4, 4, 4, 5]), y[[0, 1, 1, 2, 3, 4, 4, 4, 5]]
    each = {"happy": 9 / 12, "sad": 9 / 6} if weights == "balanced" else {"sad": 1, **weights}
    for told in (TOLD, None, {"note": "complement", "visits": "bernoulli"}):
        found = NaiveBayes(distributions=told, class_weight=weights).fit(X, y)
        expected = NaiveBayes(distributions=told).fit(X, y, [each[label] for label in y])
        np.testing.assert_allclose(found.joint_log_likelihood(X), expected.joint_log_likelihood(X), rtol=1e-12)


def test_an_unknown_class_in_the_weights_is_refused():
    with pytest.raises(ParameterError, match="did you mean 'happy'"):
        NaiveBayes(class_weight={"hapy": 2}).fit(*people())


def test_records_of_a_mixed_table_are_a_table_that_can_be_learnt_from():
    X, y = people()
    model = NaiveBayes(distributions=TOLD).fit(X, y)
    drawn, labels = model.sample(500, random_state=0)
    assert drawn.names == X.names
    assert set(labels) == {"happy", "sad"}
    assert set(drawn["job"]) <= {"cook", "clerk", "pilot"}
    assert {word for text in drawn["note"] for word in words_of(text)} <= set(words_of(" ".join(X["note"][:5])))
    again = clone(model).fit(drawn, labels)
    assert (again.predict(X) == model.predict(X)).mean() > 0.6


@pytest.mark.parametrize("n", [-1, 2.5, True, None])
def test_the_number_of_records_is_a_whole_one(n):
    with pytest.raises(ParameterError, match="n must be a whole number of at least 0"):
        NaiveBayes().fit([[0.0], [1.0]], [0, 1]).sample(n)


def test_no_record_may_be_asked_for():
    table = Table.from_columns({"n": [1.0, 2.0, 3.0], "word": ["a", "b", "a"]})
    for rows in (np.array([[1.0], [2.0], [3.0]]), table):
        X, y = NaiveBayes().fit(rows, [0, 1, 1]).sample(0)
        assert (X.shape, y.shape) == ((0, rows.shape[1]), (0,))


def test_what_is_no_seed_is_refused_under_the_name_it_was_given():
    with pytest.raises(ParameterError, match=r"NaiveBayes\.sample\(random_state='a'\): random_state must be"):
        NaiveBayes().fit([[1.0], [2.0]], [0, 1]).sample(2, random_state="a")


def test_a_saved_model_says_draws_and_adds_up_as_before(tmp_path):
    X, y = people()
    model = NaiveBayes(distributions=TOLD).fit(X, y)
    persistence.save(model, tmp_path / "model.margin")
    loaded = persistence.load(tmp_path / "model.margin")
    assert np.array_equal(loaded.joint_log_likelihood(X), model.joint_log_likelihood(X))
    assert loaded.sample(5, random_state=1)[0] == model.sample(5, random_state=1)[0]
    twice = model.merge(loaded)
    assert np.array_equal(twice.priors_, model.priors_)


def test_settings_may_be_given_as_text():
    from margin.params import parameters

    rule = next(p.rule for p in parameters(NaiveBayes) if p.name == "distributions")
    assert rule.parse("none") is None
    assert rule.parse("kernel") == "kernel"
    assert rule.parse("age=gaussian;words=multinomial") == {"age": "gaussian", "words": "multinomial"}
    assert rule.parse(" a b=kernel; c=d=poisson;") == {"a b": "kernel", "c=d": "poisson"}
    for text in ("kernl", "age=kernl", "age=", "=kernel", ";"):
        with pytest.raises(ValueError, match=text):
            rule.parse(text)
