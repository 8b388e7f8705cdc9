"""ErrorCorrectingCodes: code words, decoding and probabilities beside their definitions."""

import numpy as np
import pytest
from scipy.optimize import minimize

from margin import DecisionTreeClassifier, ErrorCorrectingCodes, LinearSVC, LogisticRegression, OneVsOne
from margin.errors import ParameterError
from margin.multiclass.code_words import exhaustive_code, least_distance, random_code
from margin.multiclass.error_correcting_codes import _likeliest

RNG = np.random.default_rng(2)
X = RNG.normal(size=(150, 5))
Y = np.argmax(X + 0.5 * RNG.normal(size=X.shape), axis=1) * 10


@pytest.mark.parametrize("n", range(2, 9))
def test_an_exhaustive_code_has_every_division_once_and_words_far_apart(n):
    """Dietterich and Bakiri (1995): 2^(K-1) - 1 columns, any two words 2^(K-2) bits apart."""
    code = exhaustive_code(n)
    assert code.shape == (n, 2 ** (n - 1) - 1)
    divisions = {tuple(column * column[0]) for column in code.T}
    assert len(divisions) == code.shape[1]
    assert all(set(column) == {-1, 1} for column in code.T)
    assert least_distance(code) == 2 ** (n - 2)


def test_a_random_code_has_no_column_twice_and_none_of_one_side():
    code = random_code(26, 48, 0)
    assert code.shape == (26, 48)
    assert len({tuple(column * column[0]) for column in code.T}) == 48
    assert ((code == 1).any(axis=0) & (code == -1).any(axis=0)).all()
    assert least_distance(code) >= 14  # a single draw has about 12
    assert np.array_equal(code, random_code(26, 48, 0))
    assert not np.array_equal(code, random_code(26, 48, 1))


@pytest.mark.parametrize("decoding", ["hamming", "loss"])
def test_as_many_members_may_be_wrong_as_the_words_are_far_apart(decoding, monkeypatch):
    model = ErrorCorrectingCodes(LinearSVC(), decoding=decoding).fit(X, Y)
    code, allowed = model.code_, (int(least_distance(model.code_)) - 1) // 2
    said = np.repeat(code, 30, axis=0).astype(float)
    for row in said:
        row[RNG.choice(code.shape[1], allowed, replace=False)] *= -1
    monkeypatch.setattr(ErrorCorrectingCodes, "_scores", lambda self, X: said)
    assert model.predict(X).tolist() == np.repeat(model.classes_, 30).tolist()


def test_decoding_agrees_with_its_definitions():
    losses = {"probability": lambda p, bit: -np.log(p if bit > 0 else 1 - p), "score": lambda s, b: max(0, 1 - b * s)}
    for inner, kind in ((LogisticRegression(), "probability"), (LinearSVC(), "score")):
        model = ErrorCorrectingCodes(inner).fit(X, Y)
        said = model._scores(X)[:20]
        for row, answer in zip(said, model.predict(X[:20])):
            by_class = [sum(losses[kind](s, bit) for s, bit in zip(row, word)) for word in model.code_]
            assert answer == model.classes_[int(np.argmin(by_class))]


def test_probabilities_are_the_likeliest_ones():
    code, p = exhaustive_code(4), RNG.dirichlet(np.ones(4), 6)
    np.testing.assert_allclose(_likeliest(p @ (code > 0), code), p, atol=1e-6)  # members that agree
    said = RNG.uniform(0.05, 0.95, (5, code.shape[1]))
    yes = (code > 0).astype(float)

    def unlikely(z, r):
        shares = np.exp(z - z.max())
        q = (shares / shares.sum()) @ yes
        return -(r @ np.log(q) + (1 - r) @ np.log(1 - q))

    for row, found in zip(said, _likeliest(said, code)):
        z = minimize(unlikely, np.zeros(4), args=(row,), method="BFGS", options={"gtol": 1e-10}).x
        np.testing.assert_allclose(found, np.exp(z - z.max()) / np.exp(z - z.max()).sum(), atol=1e-4)


def test_classes_left_out_of_members_make_it_pairs():
    first, second = np.triu_indices(5, 1)
    code = np.zeros((5, 10), dtype=int)
    code[first, np.arange(10)], code[second, np.arange(10)] = 1, -1
    pairs = OneVsOne(LinearSVC()).fit(X, Y)
    coded = ErrorCorrectingCodes(LinearSVC(), code=code, decoding="hamming").fit(X, Y)
    assert [m.model.coef_.tolist() for m in coded.members_] == [m.model.coef_.tolist() for m in pairs.members_]
    votes = np.round(pairs.decision_function(X))
    clear = np.sort(votes, axis=1)[:, -1] > np.sort(votes, axis=1)[:, -2]
    assert np.array_equal(coded.predict(X)[clear], pairs.predict(X)[clear])


def test_more_members_help_where_members_are_wrong():
    train, asked = slice(0, 100), slice(100, None)
    tree = DecisionTreeClassifier(max_depth=4)
    few = ErrorCorrectingCodes(tree, code="random", n_bits=4, random_state=0).fit(X[train], Y[train])
    many = ErrorCorrectingCodes(tree).fit(X[train], Y[train])
    assert many.score(X[asked], Y[asked]) > few.score(X[asked], Y[asked])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"code": [[1, -1], [1, 1]]}, "one row of numbers for each of the 5 classes"),
        ({"code": np.full((5, 3), 2)}, r"made of \+1 and -1"),
        ({"code": [[1, 1], [1, 0], [1, 1], [0, 0], [0, 1]]}, "same code word"),
        ({"code": [[1, 1], [1, 1], [1, 1], [1, 0], [1, 0]]}, "column 0 must have classes on both sides"),
        ({"code": "random", "n_bits": 2}, "2 bits must tell 5 classes apart"),
        ({"code": "exhausting"}, "did you mean 'exhaustive'"),
    ],
    ids=str,
)
def test_codes_that_cannot_be_are_refused(settings, message):
    with pytest.raises(ParameterError, match=message):
        ErrorCorrectingCodes(**settings).fit(X, Y)


def test_bits_may_be_written_as_0_and_1():
    signs = exhaustive_code(5)
    one = ErrorCorrectingCodes(code=signs).fit(X, Y).predict_proba(X)
    assert np.array_equal(one, ErrorCorrectingCodes(code=(signs > 0).astype(int)).fit(X, Y).predict_proba(X))
