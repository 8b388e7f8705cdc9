"""margin.linear.linear_classifier: one linear layer, worked by hand, against NumPy, and the same in every batch."""

import pickle
from typing import Annotated, Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.base.representations.numeric import Scale
from margin.errors import InputError
from margin.linear.linear_classifier import LinearClassifier
from margin.parallel import threads
from margin.params import Jobs, Rule

Anything = Annotated[Any, Rule("anything", lambda value: True, str)]
RANDOM = np.random.default_rng(5)


class Layer(LinearClassifier):
    """A layer whose coefficients are given rather than learnt."""

    def __init__(
        self,
        coef: Anything = ((1.0, -2.0),),
        intercept: Anything = (0.5,),
        link: Anything = "softmax",
        scale: Scale | None = None,
        n_jobs: Jobs = None,
    ):
        self.coef = coef
        self.intercept = intercept
        self.link = link
        self.scale = scale
        self.n_jobs = n_jobs

    def _gives_probabilities(self):
        return self.link is not None

    def _link(self):
        return self.link

    def _fit(self, X, y, rows):
        self.coef_ = np.array(self.coef, dtype=np.float64)
        self.intercept_ = np.array(self.intercept, dtype=np.float64)


def layer(n_classes, n_columns, link="softmax", scale=None, labels=None, size=1.0):
    """A fitted layer with random coefficients."""
    n_scores = 1 if n_classes == 2 else n_classes
    X = RANDOM.normal(3.0, 2.0, (2 * n_classes, n_columns))
    y = np.tile(np.arange(n_classes) if labels is None else labels, 2)
    coef = RANDOM.normal(size=(n_scores, n_columns)) * size
    return Layer(coef, RANDOM.normal(size=n_scores), link, scale).fit(X, y)


def softmax(scores):
    scores = scores - scores.max(axis=1, keepdims=True)
    return np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)


def test_scores_of_two_rows_by_hand():
    model = Layer().fit([[0.0, 0.0], [1.0, 1.0]], ["no", "yes"])
    X = np.array([[3.0, 1.0], [0.0, 2.0]])
    assert model.decision_function(X).tolist() == [1.5, -3.5]
    assert model.predict(X).tolist() == ["yes", "no"]
    assert model.predict_proba(X)[:, 1] == pytest.approx([1 / (1 + np.exp(-1.5)), 1 / (1 + np.exp(3.5))], rel=1e-15)


def test_a_score_of_zero_goes_to_the_first_class():
    model = Layer().fit([[0.0, 0.0], [1.0, 1.0]], [7, 8])
    assert model.predict(np.array([[-0.5, 0.0]])).tolist() == [7]
    three = Layer(np.zeros((3, 2)), np.zeros(3)).fit(np.arange(6.0).reshape(3, 2), [5, 6, 7])
    assert three.predict(np.ones((1, 2))).tolist() == [5]


@pytest.mark.parametrize("n_columns", [1, 2, 3, 4, 5, 7, 8, 50, 131])
@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 6, 10, 13, 26])
def test_scores_are_what_numpy_gives(n_classes, n_columns):
    model = layer(n_classes, n_columns)
    for n_rows in (1, 3, 4, 7, 300):
        X = RANDOM.normal(size=(n_rows, n_columns))
        expected = X @ model.coef_.T + model.intercept_
        found = model.decision_function(X)
        assert found.shape == ((n_rows,) if n_classes == 2 else (n_rows, n_classes))
        assert found.reshape(expected.shape) == pytest.approx(expected, rel=1e-12, abs=1e-12)
        wide = np.column_stack([np.zeros(n_rows), expected]) if n_classes == 2 else expected
        assert model.predict_proba(X) == pytest.approx(softmax(wide), rel=1e-12, abs=1e-300)
        assert model.predict_log_proba(X) == pytest.approx(np.log(softmax(wide)), rel=1e-9, abs=1e-12)
        assert model.predict(X).tolist() == wide.argmax(axis=1).tolist()


@pytest.mark.parametrize("scale", [None, "standard", "range"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_a_row_gets_the_same_bits_in_any_batch(n_classes, dtype, scale):
    model = layer(n_classes, 37, scale=scale)
    X = RANDOM.normal(3.0, 2.0, (1500, 37)).astype(dtype)
    answers = [model.decision_function, model.predict_proba, model.predict]
    for answer in answers:
        together = answer(X)
        for at in (0, 1, 2, 3, 700, 1499):
            assert np.array_equal(answer(X[at : at + 1]), together[at : at + 1])
        assert np.array_equal(answer(X[5:9]), together[5:9])
        with threads(1):
            assert np.array_equal(answer(X), together)


@pytest.mark.parametrize("scale", [None, "standard", "range"])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_the_long_way_through_a_list_of_rows_gives_the_same_bits(n_classes, scale):
    model = layer(n_classes, 6, scale=scale)
    X = RANDOM.normal(3.0, 2.0, (9, 6))
    for answer in (model.decision_function, model.predict_proba, model.predict):
        assert np.array_equal(answer(X.tolist()), answer(X))
        assert np.array_equal(answer(np.asfortranarray(X)), answer(X))


def test_float32_rows_count_as_the_numbers_they_are():
    model = layer(4, 50)
    X = RANDOM.normal(size=(40, 50)).astype(np.float32)
    assert np.array_equal(model.decision_function(X), model.decision_function(X.astype(np.float64)))


@pytest.mark.parametrize("index_type", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_classes", [2, 3, 14])
def test_stored_cells_score_as_written_out(n_classes, dtype, index_type):
    model = layer(n_classes, 60)
    X = scipy.sparse.random_array((300, 60), density=0.2, rng=1, dtype=dtype).tocsr()
    X.indices, X.indptr = X.indices.astype(index_type), X.indptr.astype(index_type)
    expected = model.decision_function(X.toarray())
    assert model.decision_function(X) == pytest.approx(expected, rel=1e-12, abs=1e-13)
    assert model.predict(X).tolist() == model.predict(X.toarray()).tolist()
    for at in (0, 7, 299):  # few cells take the coefficients as they stand, many turn them first
        assert np.array_equal(model.decision_function(X[[at]]), model.decision_function(X)[at : at + 1])
        assert np.array_equal(model.predict_proba(X[[at]]), model.predict_proba(X)[at : at + 1])


def test_unordered_doubled_and_other_sparse_forms_score_alike():
    model = layer(3, 4)
    cells = ([1.0, 2.0, 3.0, 4.0], [2, 0, 3, 3], [0, 2, 4])
    messy = scipy.sparse.csr_array(cells, shape=(2, 4))
    expected = model.decision_function(np.array([[2.0, 0, 1, 0], [0, 0, 0, 7.0]]))
    for X in (messy, messy.tocsc(), messy.tocoo(), scipy.sparse.csr_matrix(messy)):
        assert model.decision_function(X) == pytest.approx(expected, rel=1e-12)


def test_stored_cells_in_odd_memory_score_alike():
    model = layer(3, 60)
    X = scipy.sparse.random_array((30, 60), density=0.2, rng=1).tocsr()
    expected = model.decision_function(X)
    strided = X.copy()
    strided.data = np.repeat(X.data, 2)[::2]
    swapped = X.copy()
    swapped.data = X.data.astype(">f8")
    mixed = X.copy()
    mixed.indptr = X.indptr.astype(np.int64)
    mixed.indices = X.indices.astype(np.int32)
    whole = scipy.sparse.csr_array((X > 0.5).astype(np.int64))
    for odd in (strided, swapped, mixed):
        assert np.array_equal(model.decision_function(odd), expected)
    assert model.decision_function(whole) == pytest.approx(model.decision_function(whole.toarray()))


def test_a_damaged_sparse_matrix_is_refused():
    model = layer(2, 4)
    X = scipy.sparse.csr_array(np.eye(4))
    X.indices[2] = 4_000_000
    with pytest.raises(InputError, match="damaged"):
        model.predict(X)


def test_scaled_models_take_sparse_rows_too():
    X = scipy.sparse.random_array((50, 8), density=0.5, rng=3).tocsr()
    model = Layer(np.ones((1, 8)), [0.0], scale="standard").fit(X, np.arange(50) % 2)
    expected = (X.toarray() / model._encoder.spread).sum(axis=1)
    assert model.decision_function(X) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("rows", [1, 400])
def test_a_missing_cell_counts_as_the_training_mean(rows):
    model = layer(3, 5)
    X = RANDOM.normal(size=(rows, 5))
    X[-1, 2] = np.nan
    filled = X.copy()
    filled[-1, 2] = model._encoder.fill[2]
    assert np.array_equal(model.decision_function(X), model.decision_function(filled))
    assert np.array_equal(model.predict_proba(X), model.predict_proba(filled))


@pytest.mark.parametrize("cell", [np.inf, -np.inf, 1e101])
@pytest.mark.parametrize("rows", [1, 400])
def test_unusable_cells_are_named(rows, cell):
    model = layer(2, 5)
    X = RANDOM.normal(size=(rows, 5))
    X[-1, 3] = cell
    for unusable in (X, scipy.sparse.csr_array(X)):
        with pytest.raises(InputError, match=f"row {rows - 1}"):
            model.predict(unusable)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_scores_that_would_overflow_stay_finite(n_classes):
    model = layer(n_classes, 6, size=1e250)
    X = RANDOM.normal(size=(5, 6))
    X[1] *= 1e90
    X[3] = 0
    for rows in (X, scipy.sparse.csr_array(X)):
        scores = model.decision_function(rows)
        assert np.isfinite(scores).all()
        shares = model.predict_proba(rows)
        assert shares.sum(axis=1) == pytest.approx(np.ones(5))
        assert model.predict(rows).tolist() == shares.argmax(axis=1).tolist()
    exact = (X[1] / 1e90) @ (model.coef_ / 1e250).T  # scores beyond all numbers are told apart by their sign alone
    winner = model.predict(X)[1]
    assert winner == int(exact[0] > 0) if n_classes == 2 else exact[winner] > 0 or exact.max() < 0
    assert np.array_equal(model.decision_function(X)[0], model.decision_function(X[:1])[0])


def test_answers_follow_coefficients_that_are_changed_in_place_or_put_in():
    model = layer(3, 4)
    X = RANDOM.normal(size=(20, 4))
    model.coef_[1, 2] = 100.0
    assert model.decision_function(X) == pytest.approx(X @ model.coef_.T + model.intercept_)
    model.coef_ = np.asfortranarray(RANDOM.normal(size=(3, 4)).astype(np.float32))
    model.intercept_ = [1, 2, 3]
    assert model.decision_function(X) == pytest.approx(X @ model.coef_.T + [1, 2, 3], rel=1e-6)
    model.coef_ = np.ones((2, 4))
    with pytest.raises(InputError, match="coef_ must hold finite numbers, 3 rows of them for 3 classes"):
        model.predict(X)
    model.coef_ = np.ones((3, 5))
    with pytest.raises(InputError, match="coef_ must have 4 columns, but has 5"):
        model.predict(X)


def test_the_only_class_is_always_answered():
    model = Layer(np.ones((1, 2)), [0.0]).fit(np.eye(2), ["only", "only"])
    assert model.predict(np.ones((3, 2))).tolist() == ["only"] * 3
    assert model.predict_proba(np.ones((3, 2))).tolist() == [[1.0]] * 3
    assert model.predict_log_proba(np.ones((3, 2))).tolist() == [[0.0]] * 3
    assert model.decision_function(np.ones((3, 2))).tolist() == [0.0] * 3
    with pytest.raises(InputError, match="row 0"):
        model.predict(np.array([[np.inf, 1.0]]))


@pytest.mark.parametrize("link", ["softmax", "one_vs_rest", "modified_huber"])
def test_a_class_without_rows_is_never_answered(link):
    X = RANDOM.normal(size=(6, 2))
    y, weight = [0, 1, 2, 0, 1, 2], [1, 0, 1, 1, 0, 1]
    model = Layer(np.zeros((3, 2)), [-5.0, 0.0, -6.0], link).fit(X, y, weight)
    assert model.classes_.tolist() == [0, 1, 2]
    assert set(model.predict(X)) == {0}
    assert (model.predict_proba(X)[:, 1] == 0).all()
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(6))
    for weight, answer in (([1, 0], 0), ([0, 1], 1)):
        two = Layer([[0.0, 0.0]], [-3.0 if answer else 3.0], link).fit(X[:2], [0, 1], weight)
        assert two.predict(X).tolist() == [answer] * 6
        assert (two.predict_proba(X)[:, answer] == 1).all()


def test_each_class_against_the_rest_by_hand():
    model = Layer([[1.0], [0.0], [-1.0]], [0.0, 0.0, 0.0], "one_vs_rest").fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    each = 1 / (1 + np.exp(-np.array([2.0, 0.0, -2.0])))
    assert model.predict_proba(np.array([[2.0]]))[0] == pytest.approx(each / each.sum(), rel=1e-14)
    far = model.predict_proba(np.array([[-3000.0]]))[0]
    assert far.tolist() == [0.0, pytest.approx(1 / 3), pytest.approx(2 / 3)]
    model.intercept_ -= 4000.0  # no sigmoid is above 0 any more, but their ratios are known
    assert model.predict_proba(np.array([[1.0]]))[0] == pytest.approx(softmax(np.array([[1.0, 0, -1]]))[0])


def test_clipped_scores_as_probabilities_by_hand():
    model = Layer([[1.0], [0.0], [-1.0]], [0.0, 0.0, 0.0], "modified_huber").fit([[0.0], [1.0], [2.0]], [0, 1, 2])
    assert model.predict_proba(np.array([[0.5], [4.0]])) == pytest.approx(
        np.array([[0.5, 1 / 3, 1 / 6], [2 / 3, 1 / 3, 0.0]])
    )
    model.intercept_ -= 9.0
    assert model.predict_proba(np.array([[0.5]]))[0] == pytest.approx([1 / 3] * 3)
    two = Layer([[1.0]], [0.0], "modified_huber").fit([[0.0], [1.0]], [0, 1])
    assert two.predict_proba(np.array([[0.5], [-7.0]])).tolist() == [[0.25, 0.75], [1.0, 0.0]]


def test_answers_and_probabilities_together_are_those_of_each():
    for n_classes in (2, 3):
        model = layer(n_classes, 4, labels=["a", "b", "c"][:n_classes])
        X = RANDOM.normal(size=(30, 4))
        labels, shares = model.predict_with_proba(X)
        assert labels.tolist() == model.predict(X).tolist()
        assert np.array_equal(shares, model.predict_proba(X))


def test_a_model_without_probabilities_has_no_predict_proba():
    model = layer(2, 3, link=None)
    for name in ("predict_proba", "predict_log_proba", "predict_with_proba"):
        assert not hasattr(model, name)
    assert model.predict(np.zeros((2, 3))).shape == (2,)


def test_no_rows_give_empty_answers():
    model = layer(3, 4)
    X = np.empty((0, 4))
    assert model.predict(X).shape == (0,)
    assert model.predict_proba(X).shape == (0, 3)
    assert model.decision_function(scipy.sparse.csr_array(X)).shape == (0, 3)
    assert layer(2, 4).decision_function(X).shape == (0,)


def test_probabilities_at_the_ends_keep_their_precision():
    model = Layer([[1.0]], [0.0]).fit([[0.0], [1.0]], [0, 1])
    shares = model.predict_proba(np.array([[-700.0], [40.0], [1e90], [-1e90]]))
    assert shares[0, 1] == pytest.approx(np.exp(-700.0), rel=1e-13)
    assert shares[1, 0] == pytest.approx(np.exp(-40.0), rel=1e-13)
    assert shares[2:].tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert model.predict_log_proba(np.array([[-1e90]])).tolist() == [[0.0, -1e90]]


def test_a_copy_answers_like_the_original():
    model = layer(3, 4)
    X = RANDOM.normal(size=(5, 4))
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))


@settings(max_examples=60, deadline=None)
@given(
    n_classes=st.integers(2, 15), n_columns=st.integers(1, 40), n_rows=st.integers(1, 90), seed=st.integers(0, 10**6)
)
def test_dense_sparse_single_and_float32_rows_agree_with_the_definition(n_classes, n_columns, n_rows, seed):
    random = np.random.default_rng(seed)
    model = layer(n_classes, n_columns)
    X = np.where(random.random((n_rows, n_columns)) < 0.5, 0, random.normal(size=(n_rows, n_columns)))
    X = X.astype(np.float32)
    expected = X.astype(np.float64) @ model.coef_.T + model.intercept_
    if n_classes == 2:
        expected = expected[:, 0]
    for rows in (X, X.astype(np.float64), scipy.sparse.csr_array(X)):
        assert model.decision_function(rows) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    at = int(random.integers(n_rows))
    assert np.array_equal(model.decision_function(X[[at]])[0], model.decision_function(X)[at])
