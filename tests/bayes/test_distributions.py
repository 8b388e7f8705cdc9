"""margin.bayes.distributions.standard: each distribution worked by hand or against its definition, dense and sparse."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import gammaln, logsumexp

from margin import NaiveBayes, Table
from margin.bayes.distributions.standard import DISTRIBUTIONS
from margin.errors import InputError
from margin.random import generator

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")


def counts(n=40, d=5, seed=0, missing=0.0):
    """Counts of three classes, weights, and some cells missing."""
    rng = np.random.default_rng(seed)
    y = np.append(rng.integers(0, 3, n - 3), [0, 1, 2])
    X = rng.poisson(1.0 + y[:, None], (n, d)).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y, rng.random(n) + 0.5


def slow_poisson(X, y, w, rows, alpha):
    scores = np.zeros((len(rows), 3))
    for k in range(3):
        scores[:, k] = np.log(w[y == k].sum() / w.sum())
        for j in range(X.shape[1]):
            there = ~np.isnan(X[:, j])
            mean = (w * X[:, j])[there].sum() / w[there].sum()
            mine = there & (y == k)
            rate = ((w * X[:, j])[mine].sum() + alpha * mean) / (w[mine].sum() + alpha)
            for i, x in enumerate(rows[:, j]):
                if not np.isnan(x):
                    scores[i, k] += x * np.log(rate) - rate - gammaln(x + 1)
    return scores


def slow_bernoulli(X, y, w, rows, alpha):
    scores = np.zeros((len(rows), 3))
    for k in range(3):
        scores[:, k] = np.log(w[y == k].sum() / w.sum())
        for j in range(X.shape[1]):
            mine = ~np.isnan(X[:, j]) & (y == k)
            share = (w[mine & (X[:, j] > 0)].sum() + alpha) / (w[mine].sum() + 2 * alpha)
            for i, x in enumerate(rows[:, j]):
                if not np.isnan(x):
                    scores[i, k] += np.log(share if x > 0 else 1 - share)
    return scores


def slow_multinomial(X, y, w, rows, alpha):
    scores = np.zeros((len(rows), 3))
    for k in range(3):
        sums = np.nansum(w[y == k, None] * X[y == k], axis=0) + alpha
        scores[:, k] = np.log(w[y == k].sum() / w.sum()) + np.nan_to_num(rows) @ np.log(sums / sums.sum())
    return scores


def slow_complement(X, y, w, rows, alpha):
    scores = np.zeros((len(rows), 3))
    for k in range(3):
        others = np.nansum(w[y != k, None] * X[y != k], axis=0) + alpha
        scores[:, k] = np.log(w[y == k].sum() / w.sum()) - np.nan_to_num(rows) @ np.log(others / others.sum())
    return scores


def slow_kernel(X, y, w, rows, alpha):
    scores = np.zeros((len(rows), 3))
    for k in range(3):
        scores[:, k] = np.log(w[y == k].sum() / w.sum())
        for j in range(X.shape[1]):
            mine = ~np.isnan(X[:, j]) & (y == k)
            v, u = X[mine, j], w[mine]
            mean, n = np.average(v, weights=u), u.sum() ** 2 / (u**2).sum()
            sd = np.sqrt((u * (v - mean) ** 2).sum() / (u.sum() - (u**2).sum() / u.sum()))
            low, high = np.quantile(v, [0.25, 0.75], weights=u, method="inverted_cdf")
            width = 0.9 * (min(sd, (high - low) / 1.34) if high > low else sd) * n**-0.2
            bumps = stats.norm.logpdf(rows[:, j, None], v, width)
            scores[:, k] += np.nan_to_num(logsumexp(bumps, axis=1, b=u / u.sum()))
    return scores


def slow_gaussian(X, y, w, rows, alpha):
    """Deviations are at least a sixth of the mean gap between the column's numbers, or that of the classes if less."""
    scores = np.zeros((len(rows), 3))

    def squares(j, k):
        mine = ~np.isnan(X[:, j]) & (y == k)
        v, u = X[mine, j], w[mine]
        mean = np.average(v, weights=u)
        return mean, (u * (v - mean) ** 2).sum(), u.sum() - (u**2).sum() / u.sum()

    for k in range(3):
        scores[:, k] = np.log(w[y == k].sum() / w.sum())
        for j in range(X.shape[1]):
            mean, around, degrees = squares(j, k)
            numbers = np.unique(X[~np.isnan(X[:, j]), j])
            pooled = np.array([squares(j, c)[1:] for c in range(3)]).sum(axis=0)
            least = min(((numbers[-1] - numbers[0]) / (len(numbers) - 1) / 6) ** 2, pooled[0] / pooled[1])
            variance = max(around / degrees, least)
            scores[:, k] += np.nan_to_num(stats.norm.logpdf(rows[:, j], mean, np.sqrt(variance)))
    return scores


def slow_categorical(X, y, w, rows, alpha):
    scores = np.zeros((len(rows), 3))
    for k in range(3):
        scores[:, k] = np.log(w[y == k].sum() / w.sum())
        for j in range(X.shape[1]):
            there = ~np.isnan(X[:, j])
            mine, levels = there & (y == k), np.unique(X[there, j])
            for i, x in enumerate(rows[:, j]):
                if not np.isnan(x):
                    seen = w[mine & (X[:, j] == x)].sum()
                    scores[i, k] += np.log((seen + alpha) / (w[mine].sum() + alpha * len(levels)))
    return scores


def slow_cuts(x, y, w):
    """Fayyad and Irani (1993): the cut that leaves the fewest bits, if it pays for itself, and so on on both sides."""

    def weights(rows):
        return np.array([w[rows][y[rows] == k].sum() for k in np.unique(y[rows])])

    def bits(rows):
        p = weights(rows) / weights(rows).sum()
        return -(p * np.log2(p)).sum()

    def cost(low):
        return w[low].sum() * bits(low) + w[~low].sum() * bits(~low)

    numbers = np.unique(x)
    if len(numbers) < 2 or w.sum() <= 1:
        return []
    costs = np.array([cost(x <= number) for number in numbers[:-1]])
    at = np.flatnonzero(costs <= costs.min() + 1e-12 * w.sum())[0]
    low, everything = x <= numbers[at], np.ones(len(x), dtype=bool)
    terms = [len(np.unique(y[rows])) * bits(rows) for rows in (everything, low, ~low)]
    delta = np.log2(3.0 ** len(np.unique(y)) - 2) - (terms[0] - terms[1] - terms[2])
    if w.sum() * bits(everything) - costs[at] <= np.log2(w.sum() - 1) + delta:
        return []
    middle = (numbers[at] + numbers[at + 1]) / 2
    return [*slow_cuts(x[low], y[low], w[low]), middle, *slow_cuts(x[~low], y[~low], w[~low])]


def slow_mdl(X, y, w, rows, alpha):
    """Shares of intervals; weights are worth (sum w)^2 / sum w^2 cases where cuts are priced."""
    scores = np.zeros((len(rows), 3))
    for k in range(3):
        scores[:, k] = np.log(w[y == k].sum() / w.sum())
        for j in range(X.shape[1]):
            there = ~np.isnan(X[:, j])
            v, c, u = X[there, j], y[there], w[there]
            cuts = slow_cuts(v, c, u * u.sum() / (u**2).sum())
            for i, x in enumerate(rows[:, j]):
                if not np.isnan(x):
                    same = sum(x > cut for cut in cuts) == np.array([sum(z > cut for cut in cuts) for z in v])
                    seen, whole = u[same & (c == k)].sum(), u[c == k].sum()
                    scores[i, k] += np.log((seen + alpha) / (whole + alpha * (len(cuts) + 1)))
    return scores


SLOW = {
    "categorical": slow_categorical,
    "gaussian": slow_gaussian,
    "poisson": slow_poisson,
    "bernoulli": slow_bernoulli,
    "multinomial": slow_multinomial,
    "complement": slow_complement,
    "kernel": slow_kernel,
    "mdl": slow_mdl,
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@given(seed=st.integers(0, 1000), missing=st.sampled_from([0.0, 0.2]), alpha=st.sampled_from([0.3, 1.0, 2.0]))
@settings(max_examples=15, deadline=None)
def test_agrees_with_the_definition(name, seed, missing, alpha):
    X, y, w = counts(seed=seed, missing=missing)
    if name in ("kernel", "gaussian"):  # densities of numbers, not of counts
        X = X + np.random.default_rng(seed).normal(0, 0.1, X.shape)
        assume(all((~np.isnan(X[y == k])).sum(axis=0).min() > 1 for k in range(3)))  # one cell has no deviation
    if name == "mdl":  # else hardly a cut would pay
        X[:, :3] += 3 * y[:, None]
    expected = SLOW[name](X, y, w, X, alpha)
    model = NaiveBayes(distributions=name, alpha=alpha).fit(X, y, w)
    np.testing.assert_allclose(model.joint_log_likelihood(X), expected, rtol=1e-9)
    terms = np.array([sum(t for _, _, t in model.column_terms(X[i : i + 1])) for i in range(3)])
    np.testing.assert_allclose(terms + np.log(model.priors_), expected[:3], rtol=1e-9)


@pytest.mark.parametrize("name", ["poisson", "bernoulli", "multinomial", "complement", "categorical", "gaussian"])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_sparse_rows_say_what_dense_rows_say(name, alpha, missing):
    X, y, w = counts(missing=missing)
    X[:, 1][y == 0] = 0  # class 0 never has it, class 1 always has the other
    X[:, 2][(y == 1) & (X[:, 2] == 0)] = 1
    sparse = sp.csr_array(X)
    assert sparse.nnz < X.size
    dense = NaiveBayes(distributions=name, alpha=alpha).fit(X, y, w)
    for given_rows in (sparse, sparse.astype(np.float32)):
        model = NaiveBayes(distributions=name, alpha=alpha).fit(given_rows, y, w)
        np.testing.assert_allclose(model.joint_log_likelihood(given_rows), dense.joint_log_likelihood(X), rtol=1e-9)
        np.testing.assert_allclose(model.predict_proba(given_rows), dense.predict_proba(X), rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.float32])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_counts_of_any_type_are_read_as_they_are(name, dtype):
    X, y, w = counts()
    expected = NaiveBayes(distributions=name).fit(X, y, w).joint_log_likelihood(X)
    model = NaiveBayes(distributions=name).fit(X.astype(dtype), y, w)
    np.testing.assert_allclose(model.joint_log_likelihood(X.astype(dtype)), expected, rtol=1e-9)


@pytest.mark.parametrize("name", ["multinomial", "complement", "poisson"])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_a_negative_count_is_refused_by_column_and_row(name, make):
    X, y, _ = counts()
    model = NaiveBayes(distributions=name).fit(make(X), y)
    X[7, 2] = -1
    with pytest.raises(InputError, match=r"fit: column 'x2', row 7: -1 is no count"):
        NaiveBayes(distributions=name).fit(make(X), y)
    with pytest.raises(InputError, match=r"column 'x2', row 7: -1 is no count"):
        model.predict(make(X))


def test_multinomial_columns_of_a_table_are_one_urn():
    X = Table.from_columns({"red": [2.0, 0.0], "size": [1.0, 2.0], "blue": [1.0, 3.0], "name": ["a", "b"]})
    told = {"red": "multinomial", "blue": "multinomial", "size": "poisson", "name": "categorical"}
    model = NaiveBayes(distributions=told).fit(X, ["yes", "no"])
    urn = model.distributions_["red"]
    assert model.distributions_["blue"] is urn
    assert np.exp(urn.table).round(4).tolist() == [[0.2, 0.6], [0.8, 0.4]]  # (0+1)/(3+2), (2+1)/(3+2); …


def test_with_no_virtual_cases_a_word_of_another_class_rules_out_and_an_unknown_one_says_nothing():
    X, y = np.array([[1.0, 1, 0, 0], [1, 0, 1, 0]]), ["a", "b"]
    model = NaiveBayes(distributions="multinomial", alpha=0).fit(X, y)
    assert model.predict_proba([[1.0, 2, 0, 0], [1, 0, 0, 5], [0, 1, 1, 0]]).tolist() == [
        [1, 0],
        [0.5, 0.5],
        [0.5, 0.5],
    ]


def test_complement_without_virtual_cases_stays_finite():
    X, y = np.array([[1.0, 1, 0], [1, 0, 1]]), ["a", "b"]
    found = NaiveBayes(distributions="complement", alpha=0).fit(X, y).predict_proba([[0.0, 1, 0], [0, 1, 1]])
    assert found[0, 0] > 0.999
    assert found[1].tolist() == [0.5, 0.5]


def test_complement_takes_the_smallest_counts_and_alphas_at_their_word():
    X, y = np.array([[3.0, 1.0], [2.0, 0.0], [0.0, 1.0]]), np.array([0, 0, 1])
    for alpha, scale in [(1e-12, 1.0), (0.0, 1e-12), (1.0, 1e17)]:
        table = NaiveBayes(alpha=alpha, distributions="complement").fit(X * scale, y).distributions_["x0"].table
        others = np.array([[0.0, 5.0], [1.0, 1.0]]) * scale + alpha
        others = np.where(others == 0, 1e-10 * others.sum(axis=0), others)
        np.testing.assert_allclose(table, -np.log(others / others.sum(axis=0)), rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("name", ["poisson", "multinomial", "complement"])
def test_records_of_counts_beyond_all_whole_numbers_are_drawn_near_them(name):
    model = NaiveBayes(distributions=name).fit([[1e130], [1e130]], [0, 1])
    np.testing.assert_allclose(model.sample(5, random_state=0)[0], 1e130, rtol=1e-9)


def test_what_a_poisson_column_of_zeros_says_later_is_nothing_either():
    model = NaiveBayes(distributions="poisson").fit([[0.0, 1.0], [0.0, 2.0]], [0, 1])
    terms = sum(term for _, _, term in model.column_terms([[3.0, 2.0]]))
    np.testing.assert_allclose(model.joint_log_likelihood([[3.0, 2.0]])[0], terms + np.log(0.5), rtol=1e-12)


def test_a_poisson_column_of_zeros_says_nothing():
    X = np.array([[0.0, 1], [0, 2], [0, 9]])
    model = NaiveBayes(distributions="poisson").fit(X, [0, 0, 1])
    alone = NaiveBayes(distributions="poisson").fit(X[:, 1:], [0, 0, 1])
    np.testing.assert_allclose(model.predict_proba([[5.0, 3]]), alone.predict_proba([[3.0]]))


def test_numbers_as_categories_are_told_apart_one_by_one():
    X = np.array([[0.5, 7], [0.5, -2], [1.5, 7], [2.5, 10_000_000]])
    model = NaiveBayes(distributions="categorical").fit(X, ["a", "a", "b", "b"])
    terms = {name: np.exp(term).round(4).tolist() for name, _, term in model.column_terms([[0.5, 7.0]])}
    assert terms == {"x0": [0.6, 0.2], "x1": [0.4, 0.4]}  # (2+1)/(2+3), (0+1)/(2+3); (1+1)/(2+3), …
    assert np.allclose(model.predict_proba([[0.7, np.nan]]), [0.5, 0.5])


@given(seed=st.integers(0, 300), whole=st.booleans(), weighted=st.booleans())
@settings(max_examples=20, deadline=None)
def test_small_whole_numbers_take_a_quick_way_to_the_same_shares(seed, whole, weighted):
    rng = np.random.default_rng(seed)
    X, y = rng.choice([0.0, 1, 2, 5, 9, np.nan], (30, 3)), rng.integers(0, 2, 30)
    X[:2] = 1.0
    weight = rng.random(30) if weighted else None
    slow = NaiveBayes(distributions="categorical").fit(X + 0.5, y, weight).joint_log_likelihood(X + 0.5)
    given_rows = X if whole else X - 20
    quick = NaiveBayes(distributions="categorical").fit(given_rows, y, weight).joint_log_likelihood(given_rows)
    np.testing.assert_allclose(quick, slow, rtol=1e-12)


def test_a_kernel_follows_two_hills_where_a_normal_density_cannot():
    rng = np.random.default_rng(0)
    hills, valley = np.concatenate([rng.normal(-4, 1, 200), rng.normal(4, 1, 200)]), rng.normal(0, 1, 400)
    X, y = np.concatenate([hills, valley])[:, None], np.repeat([0, 1], 400)
    right = {name: (NaiveBayes(distributions=name).fit(X, y).predict(X) == y).mean() for name in ("gaussian", "kernel")}
    assert right["kernel"] > right["gaussian"]
    assert right["kernel"] > 0.95


def test_kernels_of_equal_cells_one_cell_or_none_have_a_width_all_the_same():
    X = np.array([[1.0, 3], [1, 3], [2, 3], [5, 3], [np.nan, 3], [9, 3]])
    model = NaiveBayes(distributions="kernel").fit(X, ["a", "a", "b", "b", "c", "d"])
    width = model.distributions_["x0"].width[0]
    assert (width > 0).all()
    assert width[0] == width[2] == width[3]  # equal cells, none, one: the width of the whole column
    assert np.isfinite(model.joint_log_likelihood([[4.0, 3]])).all()
    assert model.distributions_["x1"].width[1].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    "name", ["gaussian", "poisson", "bernoulli", "multinomial", "complement", "categorical", "kernel"]
)
def test_records_are_drawn_as_the_rows_were(name):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 600)
    X = rng.poisson(np.where(y, 6.0, 2.0)[:, None] * [1.0, 0.5, 2.0]).astype(float)
    model = NaiveBayes(distributions=name, alpha=0.01).fit(X, y)
    drawn, labels = model.sample(20_000, random_state=3)
    assert labels.mean() == pytest.approx(y.mean(), abs=0.02)
    for k in range(2):
        rows = (X > 0) if name == "bernoulli" else X
        np.testing.assert_allclose(drawn[labels == k].mean(axis=0), rows[y == k].mean(axis=0), rtol=0.06)
    again, same = model.sample(20_000, random_state=3)
    assert np.array_equal(again, drawn)
    assert np.array_equal(same, labels)
    assert not np.array_equal(model.sample(20_000, random_state=4)[0], drawn)


def test_a_seed_may_be_a_generator():
    model = NaiveBayes().fit([[1.0], [2.0], [5.0]], [0, 0, 1])
    assert np.array_equal(model.sample(5, generator(1, "a"))[0], model.sample(5, generator(1, "a"))[0])
