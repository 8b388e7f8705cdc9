"""Models of parts add up to the model of the whole: any cut, any order, any shape of the sum."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from margin import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB, NaiveBayes, Table
from margin.errors import InputError, LabelError, ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")

TOLD = {"visits": "poisson", "income": "kernel", "grade": "categorical", "words": "multinomial", "on": "bernoulli"}


def mixed(n, seed):
    """A table with a column for every distribution, cells missing everywhere, rare levels and words."""
    rng = np.random.default_rng(seed)
    y = rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1])

    def holes(cells):
        return [None if rng.random() < 0.1 else cell for cell in cells]

    words = rng.choice(["it", "is", "a", "rare", "fine", "day", "and", "so", "on"], (n, 3))
    columns = {
        "age": holes((100 + rng.normal(0, 1, n)).tolist()),
        "visits": holes(rng.poisson(2.0, n).astype(float).tolist()),
        "income": holes(rng.normal(0, 1, n).round(1).tolist()),
        "grade": holes(rng.integers(-1, 3, n).astype(float).tolist()),
        "job": holes(rng.choice(["cook", "clerk", "pilot"], n, p=[0.5, 0.45, 0.05]).tolist()),
        "words": holes([" ".join(row) for row in words]),
        "on": holes((rng.random(n) < 0.3).astype(float).tolist()),
    }
    columns["job"][0], columns["words"][0] = "cook", "day"  # a column of nothing would be of no kind
    return Table.from_columns(columns), y


def cut(table, y, weight, owner, parts):
    for part in range(parts):
        rows = np.flatnonzero(owner == part)
        if len(rows):
            yield table.take(rows), y[rows], None if weight is None else weight[rows]


def assert_same_model(found, whole, X):
    assert found.classes_.tolist() == whole.classes_.tolist()
    np.testing.assert_allclose(found.priors_, whole.priors_, rtol=1e-12)
    np.testing.assert_allclose(found.joint_log_likelihood(X), whole.joint_log_likelihood(X), rtol=1e-10)


def in_a_random_tree(models, rng):
    models = list(models)
    while len(models) > 1:
        i, j = rng.choice(len(models), 2, replace=False)
        merged = models[i].merge(models[j])
        models = [model for at, model in enumerate(models) if at not in (i, j)] + [merged]
    return models[0]


@given(seed=st.integers(0, 10_000), n=st.integers(12, 60), parts=st.integers(1, 5), kind=st.integers(0, 2))
@settings(max_examples=60, deadline=None)
def test_parts_of_a_mixed_table_add_up_to_the_whole(seed, n, parts, kind):
    rng = np.random.default_rng(seed)
    X, y = mixed(n, seed)
    weight = [None, rng.integers(1, 4, n), rng.random(n) + 0.1][kind]
    owner = rng.integers(0, parts, n)
    owner[0] = 0
    model = functools.partial(NaiveBayes, distributions=TOLD, class_weight="balanced" if seed % 2 else None)
    models = []
    for part_X, part_y, part_weight in cut(X, y, weight, owner, parts):
        models.append(model().partial_fit(part_X, part_y, sample_weight=part_weight))
    assert_same_model(in_a_random_tree(models, rng), model().fit(X, y, weight), X)


@given(seed=st.integers(0, 1000), parts=st.integers(2, 4))
@settings(max_examples=20, deadline=None)
def test_batches_in_a_row_make_the_model_of_all_rows(seed, parts):
    rng = np.random.default_rng(seed)
    X, y = mixed(30, seed)
    owner = rng.permutation(np.arange(30) % parts)
    model = NaiveBayes(distributions=TOLD)
    for part_X, part_y, _ in cut(X, y, None, owner, parts):
        model.partial_fit(part_X, part_y)
    assert_same_model(model, NaiveBayes(distributions=TOLD).fit(X, y), X)


@pytest.mark.parametrize("view", [BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB])
@pytest.mark.parametrize("weighted", [False, True])
def test_views_add_up(view, weighted):
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 6, (90, 4)), rng.integers(0, 3, 90)
    X[:40, 0] = np.minimum(X[:40, 0], 2)  # the first part lacks some categories
    y[:40] = np.minimum(y[:40], 1)  # and a class
    weight = rng.random(90) if weighted else np.ones(90)
    parts = [view().fit(X[at], y[at], weight[at]) for at in (slice(0, 40), slice(40, 60), slice(60, 90))]
    whole = view().fit(X, y, weight)
    assert_same_model(parts[0].merge(parts[2]).merge(parts[1]), whole, X)
    assert_same_model(parts[1].merge(parts[2].merge(parts[0])), whole, X)


def test_counts_add_up_exactly():
    rng = np.random.default_rng(0)
    X, y, weight = rng.integers(0, 5, (1000, 3)), rng.integers(0, 2, 1000), rng.integers(1, 9, 1000)
    whole = CategoricalNB().fit(X, y, weight)
    parts = [CategoricalNB().fit(X[at], y[at], weight[at]) for at in (slice(0, 300), slice(300, 1000))]
    merged = parts[1].merge(parts[0])
    for found, expected in zip(merged.category_count_, whole.category_count_):
        assert np.array_equal(found, expected)


def test_moments_add_up_far_from_zero():
    rng = np.random.default_rng(0)
    X, y = rng.normal(1e9, 1e-3, (500, 2)), rng.integers(0, 2, 500)
    whole = NaiveBayes().fit(X, y).distributions_["x0"].variance
    for order in ([0, 1, 2, 3, 4], [3, 0, 4, 2, 1]):
        model = NaiveBayes()
        for i in order:
            model.partial_fit(X[i::5], y[i::5])
        np.testing.assert_allclose(model.distributions_["x0"].variance, whole, rtol=1e-12)


def test_classes_named_beforehand_wait_for_their_rows():
    X, y = np.arange(12.0).reshape(6, 2), np.array([0, 0, 1, 1, 2, 2])
    model = NaiveBayes().partial_fit(X[:4], y[:4], classes=[0, 1, 2])
    assert model.predict_proba(X)[:, 2].tolist() == [0.0] * 6
    model.partial_fit(X[4:], y[4:])
    np.testing.assert_allclose(model.predict_proba(X), NaiveBayes().fit(X, y).predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("classes", [3, "ab", [], [[0, 1]]])
def test_classes_are_a_list_of_labels(classes):
    with pytest.raises(LabelError, match=r"NaiveBayes\.partial_fit\(classes=.*must be a list of all labels"):
        NaiveBayes().partial_fit([[1.0], [2.0]], [0, 1], classes=classes)


def test_a_third_level_of_a_bernoulli_column_is_refused_and_leaves_the_model_as_it_was():
    model = NaiveBayes(distributions="bernoulli").fit(Table.from_columns({"a": ["x", "y"]}), [0, 1])
    more = Table.from_columns({"a": ["z", "x"]})
    with pytest.raises(ParameterError, match="'bernoulli' does not suit column 'a', which is nominal with 3 levels"):
        model.partial_fit(more, [0, 1])
    assert model.predict(Table.from_columns({"a": ["y"]})).tolist() == [1]


@pytest.mark.parametrize(
    ("model", "later"),
    [
        (NaiveBayes(), {"distributions": {"numeric": "kernel"}}),
        (NaiveBayes(), {"distributions": {0: "poisson"}}),
        (NaiveBayes(), {"distributions": {1: "multinomial"}}),
        (NaiveBayes(distributions={1: "multinomial"}), {"distributions": None}),
        (BernoulliNB(), {"binarize": 2.0}),
    ],
    ids=str,
)
def test_counts_of_one_kind_are_not_added_to_those_of_another(model, later):
    rows, y = [[1.0, "a b"], [2.0, "b c"], [0.0, "c"]], [0, 1, 1]
    model = clone(model).fit(rows, y).set_params(**later)
    before = model.predict_proba(rows)
    other = clone(model).fit(rows, y)
    with pytest.raises(ParameterError, match="must be those of the fit"):
        model.partial_fit(rows, y)
    with pytest.raises(ParameterError, match="must be those of the fit"):
        other.merge(model)
    np.testing.assert_array_equal(model.predict_proba(rows), before)


def test_alpha_may_be_changed_before_more_rows_come():
    X, y = np.arange(12).reshape(6, 2), [0, 1, 0, 1, 0, 1]
    model = MultinomialNB().fit(X[:3], y[:3]).set_params(alpha=0.5).partial_fit(X[3:], y[3:])
    assert_same_model(model, MultinomialNB(alpha=0.5).fit(X, y), X)


def test_a_batch_may_lack_all_cells_of_a_column_and_write_its_texts_in_digits():
    first = Table.from_columns({"age": [1.0, 2.0, 4.0], "job": ["a", "b", "a"], "words": ["call 3", "call", "3 4"]})
    model = NaiveBayes(distributions={"words": "multinomial"}).fit(first, [0, 1, 1])
    model.partial_fit(Table.from_columns({"words": [3, None], "job": [np.nan, np.nan], "age": [None, None]}), [0, 1])
    missing = [None, None]
    whole = Table.from_columns(
        {
            "age": [1.0, 2.0, 4.0, *missing],
            "job": ["a", "b", "a", *missing],
            "words": ["call 3", "call", "3 4", "3", None],
        }
    )
    expected = NaiveBayes(distributions={"words": "multinomial"}).fit(whole, [0, 1, 1, 0, 1])
    assert_same_model(model, expected, whole)
    numbers = Table.from_columns({"age": missing, "job": ["a", "b"], "words": [3, 4]})
    texts = Table.from_columns({"age": [1.0, None], "job": ["a", "b"], "words": ["3", "4"]})
    np.testing.assert_allclose(model.predict_proba(numbers)[1], model.predict_proba(texts)[1])


def test_tables_of_numbers_and_arrays_may_follow_each_other():
    X, y = np.arange(12.0).reshape(6, 2), np.array([0, 1, 0, 1, 1, 0])
    table = Table.from_columns({"a": X[:, 0], "b": X[:, 1]})
    whole = NaiveBayes().fit(X, y)
    for first, second in [(table.take([0, 1, 2]), X[3:]), (X[:3], table.take([3, 4, 5]))]:
        assert_same_model(NaiveBayes().fit(first, y[:3]).partial_fit(second, y[3:]), whole, X)


def test_equal_settings_are_equal_however_they_are_written():
    X, y = np.arange(6).reshape(3, 2), [0, 1, 1]
    both = MultinomialNB(alpha=[1, 2]).fit(X, y).merge(MultinomialNB(alpha=np.array([1.0, 2.0])).fit(X, y))
    assert both.class_count_.tolist() == [2, 4]


def test_models_with_other_settings_do_not_add_up():
    X, y = [[0.0], [1.0]], [0, 1]
    with pytest.raises(InputError, match=r"alpha is 1\.0 here and 2\.0 there"):
        NaiveBayes().fit(X, y).merge(NaiveBayes(alpha=2.0).fit(X, y))
