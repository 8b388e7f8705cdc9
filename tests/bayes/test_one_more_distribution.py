"""One more column distribution is one class in the list, and its kind for files: it is then known everywhere."""

import numpy as np
import pytest
from scipy import sparse, stats

from margin import NaiveBayes, evaluate, params
from margin.bayes.distributions import standard
from margin.bayes.distributions.distribution import Distribution, is_sparse, only_row
from margin.bayes.sufficient_statistics import Sums
from margin.errors import ParameterError
from margin.evaluation import LeaveOneOut
from margin.explain import explain
from margin.persistence import kinds, load, save
from margin.persistence.kinds import distributions as stored
from margin.persistence.objects.arrays import Array
from margin.persistence.objects.kind import Kind


class Exponential(Distribution):
    """Waiting times: density r exp(-r x), where 1/r is the mean of the class."""

    name = "exponential"

    def count(self, rows):
        return standard.class_sums(rows)

    def learn(self, found, repeats):
        self.rate = found.cells / found.sums
        return self

    def add(self, cells, scores):
        assert not is_sparse(cells)  # it does not say that it takes sparse cells
        there = ~np.isnan(cells)
        scores += there @ np.log(self.rate).T - np.where(there, cells, 0.0) @ self.rate.T
        return False

    def terms(self, cells):
        row = only_row(cells)[:, None]
        return np.where(np.isnan(row), 0.0, np.log(self.rate).T - row * self.rate.T)

    def n_parameters(self):
        return self.rate.size

    def draw(self, y, rng):
        return rng.exponential(1 / self.rate[y])


@pytest.fixture(autouse=True)
def toy_distribution(monkeypatch):
    monkeypatch.setitem(standard.DISTRIBUTIONS, "exponential", Exponential)


def waits(n=60, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.exponential(1.0 + 3.0 * y[:, None], (n, 2))
    X[3, 1] = np.nan
    return X, y


def slow(X, y, rows):
    scores = np.zeros((len(rows), 2))
    for k in range(2):
        scores[:, k] = np.log(np.mean(y == k))
        for j in range(X.shape[1]):
            scores[:, k] += np.nan_to_num(stats.expon.logpdf(rows[:, j], scale=np.nanmean(X[y == k, j])))
    return scores


def test_it_is_learnt_answered_and_explained_as_it_is_defined():
    X, y = waits()
    model = NaiveBayes(distributions="exponential").fit(X, y)
    np.testing.assert_allclose(model.joint_log_likelihood(X), slow(X, y, X), rtol=1e-12)
    assert model.predict(X).tolist() == slow(X, y, X).argmax(axis=1).tolist()
    terms = sum(term for _, _, term in model.column_terms(X[:1]))
    np.testing.assert_allclose(terms + np.log(model.priors_), slow(X, y, X[:1])[0], rtol=1e-12)
    explanation = explain(model, X[:1])
    assert explanation.answer == model.predict(X[:1])[0]
    assert len(explanation.reasons) > 1
    assert np.isfinite(model.sample(20, random_state=0)[0]).all()


def test_it_takes_part_in_adding_up_in_leaving_out_and_beside_others():
    X, y = waits()
    whole = NaiveBayes(distributions="exponential").fit(X, y)
    parts = NaiveBayes(distributions="exponential").partial_fit(X[:30], y[:30]).partial_fit(X[30:], y[30:])
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), rtol=1e-9)
    left_out = evaluate(NaiveBayes(distributions="exponential"), X, y, LeaveOneOut())
    assert left_out.scores["accuracy"].value > 0.6
    mixed = NaiveBayes(distributions={0: "exponential", 1: "gaussian"}).fit(X, y)
    assert [type(block.distribution).__name__ for block in mixed._blocks] == ["Exponential", "Gaussian"]


def test_sparse_rows_are_laid_out_for_a_distribution_that_does_not_take_them():
    X, y = waits()
    model = NaiveBayes(distributions="exponential").fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(model.joint_log_likelihood(sparse.csr_array(X)), slow(X, y, X), rtol=1e-12)


def test_its_name_is_read_from_the_command_line_and_a_slip_finds_it():
    assert params.from_text(NaiveBayes, {"distributions": "exponential"}) == {"distributions": "exponential"}
    assert params.from_text(NaiveBayes, {"distributions": "a=exponential;b=gaussian"}) == {
        "distributions": {"a": "exponential", "b": "gaussian"}
    }
    with pytest.raises(ParameterError, match=r"did you mean 'exponential'"):
        NaiveBayes(distributions="exponentail").fit(*waits())


def test_its_kind_is_what_a_file_needs(monkeypatch, tmp_path):
    X, y = waits()
    model = NaiveBayes(distributions="exponential").fit(X, y)
    kind = Kind("exponential", Exponential, {"alpha": stored.ALPHA, "rate": Array("f8", "k", "d")})
    monkeypatch.setitem(stored.STORED, Exponential, stored.Stored(kind, ("numeric",), Sums, lambda d: d.rate.T.shape))
    monkeypatch.setitem(kinds.BY_NAME, kind.name, kind)  # these are made of that list when they are imported
    monkeypatch.setitem(kinds.BY_CLASS, kind.cls, kind)
    monkeypatch.setattr(stored._BLOCK["distribution"], "kinds", (*stored._BLOCK["distribution"].kinds, kind.name))
    save(model, tmp_path / "waits.margin")
    np.testing.assert_array_equal(load(tmp_path / "waits.margin").predict_proba(X), model.predict_proba(X))


def test_every_distribution_of_the_list_has_its_kind(monkeypatch):
    monkeypatch.undo()
    assert set(standard.DISTRIBUTIONS.values()) <= set(stored.STORED) <= set(kinds.BY_CLASS)
    assert all(issubclass(each, Distribution) and each.name == name for name, each in standard.DISTRIBUTIONS.items())
