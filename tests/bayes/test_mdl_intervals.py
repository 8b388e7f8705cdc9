"""margin.bayes.distributions.mdl_intervals: worked by hand, beside the discretizer, degenerate columns, real tables."""

import signal
import time

import numpy as np
import pytest
import scipy.sparse as sp

import margin._core as _core
from margin import Discretizer, NaiveBayes, Table, evaluate
from margin.bayes.distributions.distribution import ascending
from margin.data import read
from margin.errors import ParameterError
from margin.evaluation import StratifiedFolds
from margin.explain import explain
from tests.bayes.test_distributions import slow_cuts
from tests.shared_data import shared_data

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")

#: Eight numbers, the classes parted at 4.5, and eight in which they take turns.
X = np.column_stack([np.arange(1.0, 9.0), [1.0, 3.0, 5.0, 7.0, 2.0, 4.0, 6.0, 8.0]])
Y = np.array(["a"] * 4 + ["b"] * 4)


def test_a_cut_that_pays_and_a_column_that_says_nothing():
    """8 bits are saved for log2 7 + log2(3^2 - 2) - 2 = 3.61; in the second column at most 1.1 for 5.58."""
    model = NaiveBayes(distributions="mdl").fit(X, Y)
    learnt = model.distributions_["x0"]
    assert [cuts.tolist() for cuts in learnt.cuts] == [[4.5], []]
    assert learnt.level_counts.tolist() == [[4, 0], [0, 4], [4, 4]]
    assert np.exp(learnt.log_share).round(4).tolist() == [[0.8333, 0.1667], [0.1667, 0.8333], [1, 1]]
    found = model.predict_proba([[4.5, 2.0], [-1e9, 99.0], [1e9, -99.0], [np.nan, 3.0]])
    np.testing.assert_allclose(found, [[5 / 6, 1 / 6], [5 / 6, 1 / 6], [1 / 6, 5 / 6], [0.5, 0.5]])
    assert model.n_parameters_ == 1 + 1 * 2 + 2  # a cut, a share in each class, the priors


def noisy(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    return np.column_stack([rng.normal(size=n) + 3 * y, rng.normal(size=n), rng.normal(size=n) + (y == 1)]), y


@pytest.mark.parametrize("seed", range(3))
def test_the_cuts_are_those_of_the_discretizer(seed):
    data, y = noisy(seed=seed)
    weight = np.random.default_rng(seed).integers(1, 4, len(y))
    data[::7, 0] = np.nan
    found = NaiveBayes(distributions="mdl").fit(data, y, weight).distributions_["x0"].cuts
    wanted = Discretizer(method="mdl").fit(data, y, weight).cuts_
    assert [cuts.tolist() for cuts in found] == [cuts.tolist() for cuts in wanted]
    assert len(found[0]) >= 2


def test_the_scale_of_weights_does_not_matter():
    data, y = noisy()
    weight = np.random.default_rng(1).random(len(y)) + 0.5
    one, other = (NaiveBayes(distributions="mdl", alpha=0).fit(data, y, weight * unit) for unit in (1.0, 1e-6))
    np.testing.assert_allclose(one.predict_proba(data), other.predict_proba(data), rtol=1e-9)
    assert len(other.distributions_["x0"].cuts[0]) >= 2


def test_repeated_rows_are_whole_weights_and_parts_add_up():
    data, y = noisy()
    weight = np.random.default_rng(1).integers(1, 4, len(y))
    whole = NaiveBayes(distributions="mdl").fit(data, y, weight)
    repeated = NaiveBayes(distributions="mdl").fit(np.repeat(data, weight, axis=0), np.repeat(y, weight))
    parts = NaiveBayes(distributions="mdl").partial_fit(data[:90], y[:90], sample_weight=weight[:90])
    parts.partial_fit(data[90:], y[90:], sample_weight=weight[90:])
    for other in (repeated, parts):
        np.testing.assert_array_equal(other.predict_proba(data), whole.predict_proba(data))


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_columns_without_numbers_or_of_one_number_say_nothing(alpha):
    rows = np.column_stack([np.full(8, np.nan), np.full(8, 3.0), X[:, 0], np.where(Y == "a", np.nan, X[:, 0])])
    model = NaiveBayes(distributions="mdl", alpha=alpha).fit(rows, Y)
    assert [len(cuts) for cuts in model.distributions_["x0"].cuts] == [0, 0, 1, 0]
    alone = NaiveBayes(distributions="mdl", alpha=alpha).fit(X[:, :1], Y)
    np.testing.assert_allclose(model.predict_proba([[5.0, 4.0, 2.0, 1.0]]), alone.predict_proba([[2.0]]))
    drawn, labels = model.sample(50, random_state=0)
    assert np.isnan(drawn[:, 0]).all()
    assert (drawn[:, 1] == 3).all()
    assert len(set(labels)) == 2


@pytest.mark.parametrize("rows", [([[1.0], [2.0]], ["a", "a"]), ([[1.0]], ["a"]), ([[1.0], [2.0]], ["a", "b"])])
def test_one_class_and_two_rows_are_learnt(rows):
    assert NaiveBayes(distributions="mdl").fit(*rows).predict(rows[0]).tolist() == rows[1]


def test_rows_of_no_weight_are_not_there():
    data, y = noisy()
    weight = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    with_them = NaiveBayes(distributions="mdl").fit(data, y, weight)
    without = NaiveBayes(distributions="mdl").fit(data[weight > 0], y[weight > 0])
    np.testing.assert_array_equal(with_them.predict_proba(data), without.predict_proba(data))


@pytest.mark.parametrize("seed", [6, 29, 178, 289, 333, 366])
def test_a_class_that_ends_below_a_cut_is_no_class_above_it(seed):
    """What subtraction leaves of broken weights would count as a class, and make these cuts cost too much."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 14).astype(np.int32)
    y[7:] = rng.integers(0, 2, 7)
    y[:7] = np.where(rng.random(7) < 0.8, 2, y[:7])
    x, weight = np.arange(14.0), rng.choice([1.1, 1.3, 1.7], 14)
    cuts = _core.tree.mdl_cuts(x, y, weight, 3).tolist()
    assert cuts == slow_cuts(x, y, weight)
    assert cuts


def test_nominal_columns_are_refused_and_sparse_rows_read():
    table = Table.from_columns({"size": X[:, 0].tolist(), "kind": ["u", "v", "w", "u"] * 2})
    with pytest.raises(ParameterError, match=r"'mdl' does not suit column 'kind'"):
        NaiveBayes(distributions="mdl").fit(table, Y)
    model = NaiveBayes(distributions={"numeric": "mdl"}).fit(table, Y)
    assert explain(model, table.take([0])).answer == "a"
    rows = sp.csr_array(X)
    dense = NaiveBayes(distributions="mdl").fit(X, Y)
    sparse = NaiveBayes(distributions="mdl").fit(rows, Y)
    np.testing.assert_array_equal(sparse.predict_proba(rows), dense.predict_proba(X))


def test_records_are_drawn_by_the_shares_of_the_intervals():
    data, y = noisy(600)
    model = NaiveBayes(distributions="mdl").fit(data, y)
    drawn, labels = model.sample(20_000, random_state=0)
    for j, cuts in enumerate(model.distributions_["x0"].cuts):
        assert drawn[:, j].min() >= data[:, j].min()
        assert drawn[:, j].max() <= data[:, j].max()
        for k in range(3):
            share = [np.bincount(np.searchsorted(cuts, rows[c == k, j]), minlength=len(cuts) + 1) / (c == k).sum()
                     for rows, c in ((drawn, labels), (data, y))]  # fmt: skip
            np.testing.assert_allclose(*share, atol=0.03)


@pytest.mark.parametrize(
    ("name", "target", "gain"), [("ionosphere.arff.gz", "class", 0.04), ("segment.arff.gz", "class", 0.05)]
)
def test_intervals_beat_normal_densities_where_columns_are_not_normal(name, target, gain):
    table, y = read(shared_data(name)).target(target)
    right = {
        told: evaluate(
            NaiveBayes(distributions={"numeric": told}), table, y, StratifiedFolds(5)
        ).scores["accuracy"].value
        for told in ("gaussian", "mdl")
    }  # fmt: skip
    assert right["mdl"] > right["gaussian"] + gain


def test_numbers_are_put_in_order_as_numpy_does_by_any_number_of_threads():
    rng = np.random.default_rng(0)
    for n in (0, 1, 100, 5000, 70_000):
        for numbers in (rng.normal(size=n), rng.integers(-3, 3, n) * 1.0, np.full(n, -0.0), np.arange(n)[::-1] * 1e300):
            for threads in (1, 3):
                found = _core.metrics.ascending_rows(np.ascontiguousarray(numbers), threads)
                np.testing.assert_array_equal(found, np.argsort(numbers, kind="stable"))


def seconds_of(call):
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
def test_ctrl_c_ends_the_sorting_of_many_numbers():
    numbers, waits = np.random.default_rng(0).normal(size=4_000_000), []

    def interrupt(number, frame):
        raise KeyboardInterrupt

    whole = min(seconds_of(lambda: ascending(numbers)) for _ in range(3))
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(5):
            rang = time.perf_counter() + whole / 10
            signal.setitimer(signal.ITIMER_REAL, whole / 10)
            with pytest.raises(KeyboardInterrupt):
                ascending(numbers)
            waits.append(time.perf_counter() - rang)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert min(waits) < 0.5 * whole  # a sort that hears nothing comes back at its end, however busy the machine is
