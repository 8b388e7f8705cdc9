"""Which estimators stand for others where inputs are read: whoever does anything of its own with them stands alone."""

import numpy as np
import pytest

from margin import NaiveBayes
from margin.base.representations.numeric import Numeric
from tests.contract.estimators import one_of_each_way_in, reads_by_encoding, settings, way_in


class Unchanged(NaiveBayes):
    def _scores(self, X):
        return super()._scores(X)


class Encoding(NaiveBayes):
    def predict(self, X):
        return self.classes_[self._scores(self._encoded(X, "predict")).argmax(axis=1)]


class Looking(NaiveBayes):
    def predict(self, X):
        assert len(X)
        return self.classes_[self._scores(self._encoded(X, "predict")).argmax(axis=1)]


class Rewriting(NaiveBayes):
    def predict_proba(self, X):
        X = np.asarray(X)
        return self._proba(self._scores(self._encoded(X, "predict_proba")))


class PassingOn(NaiveBayes):
    def predict(self, X):
        return super().predict(X)


class Fitting(NaiveBayes):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y, sample_weight)


class ReadingTargets(NaiveBayes):
    def _read_targets(self, y, n_rows, who):
        return super()._read_targets(y, n_rows, who)


class OtherRepresentation(NaiveBayes):
    representation = Numeric()


@pytest.mark.parametrize("cls", [Unchanged, Encoding], ids=lambda cls: cls.__name__)
def test_what_leaves_reading_to_the_contract_reads_alike(cls):
    assert way_in(cls()) == way_in(NaiveBayes())


@pytest.mark.parametrize(
    "cls",
    [Looking, Rewriting, PassingOn, Fitting, ReadingTargets],
    ids=lambda cls: cls.__name__,
)
def test_what_touches_its_inputs_has_a_way_of_its_own(cls):
    assert way_in(cls()) not in {way_in(each) for each in settings()}


def test_another_representation_is_another_way_in():
    assert way_in(OtherRepresentation()) != way_in(NaiveBayes())


def test_every_way_in_is_tried():
    tried = {way_in(each) for each in one_of_each_way_in.args[1]}
    assert tried == {way_in(each) for each in settings()}
    assert not reads_by_encoding(Rewriting.predict_proba)
