"""Files of models made of members: what does not fit together is refused before anything is asked of it."""

import copy

import numpy as np
import pytest

from margin import ClassifierChain, ErrorCorrectingCodes, LogisticRegression, NaiveBayes, OneVsOne, OneVsRest
from margin.base.meta.members import Member
from margin.errors import PersistenceError
from margin.persistence import from_bytes, to_bytes

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = np.argmax(X, axis=1)
LABELS = (X[:, :2] > 0).astype(int)


def changed(model, change):
    """The bytes of a model in which something was changed that no fit would leave behind."""
    other = copy.deepcopy(model)
    change(other)
    return to_bytes(other)


CHANGES = [
    (OneVsRest(), Y, lambda m: m.members_[0].pop(), "a member for each class"),
    (OneVsRest(), LABELS, lambda m: m.members_.pop(), "members for each target"),
    (OneVsRest(), Y, lambda m: setattr(m, "labels_", np.array(["a", "b", "c"])), "names of other targets"),
    (OneVsRest(), LABELS, lambda m: setattr(m, "labels_", np.array(["a", "b"])), "targets of other classes"),
    (OneVsRest(), LABELS, lambda m: setattr(m, "target_names_", ["a"]), "names of other targets"),
    (NaiveBayes(), Y, lambda m: setattr(m, "labels_", np.array(["a", "b", "c"])), "names of other targets"),
    (OneVsOne(), Y, lambda m: setattr(m, "pairs_", m.pairs_[::-1].copy()), "a member for each pair"),
    (OneVsOne(), Y, lambda m: setattr(m, "_there", np.array([0, 1, 5])), "a member for each pair"),
    (ErrorCorrectingCodes(), Y, lambda m: setattr(m, "code_", m.code_[:, :2].copy()), "a member for each bit"),
    (ErrorCorrectingCodes(), Y, lambda m: setattr(m, "code_", (m.code_ * 3).astype(np.int8)), "a member for each bit"),
    (ClassifierChain(), LABELS, lambda m: setattr(m.chains_[0], "order", np.array([0, 0])), "each target once"),
    (ClassifierChain(), LABELS, lambda m: m.chains_[0].members.reverse(), "other columns"),
    (
        OneVsRest(),
        Y,
        lambda m: setattr(m.members_[0][0], "model", LogisticRegression().fit(X[:, :2], Y > 0)),
        "other columns",
    ),
    (OneVsRest(), Y, lambda m: setattr(m.members_[0][0], "places", np.array([0, 2])), "knows other classes"),
    (
        OneVsRest(),
        Y,
        lambda m: m.members_[0].__setitem__(0, Member(LogisticRegression().fit(X, 2 * (Y > 0)), np.array([0, 2]))),
        "classes that are not there",
    ),
]


@pytest.mark.parametrize(("model", "y", "change", "message"), CHANGES, ids=[each[3] for each in CHANGES])
def test_a_file_that_does_not_fit_together_is_refused(model, y, change, message):
    content = changed(model.fit(X, y), change)
    with pytest.raises(PersistenceError, match=message):
        from_bytes(content)


def test_members_of_another_package_are_pickled_and_have_no_file():
    import pickle

    from sklearn.naive_bayes import GaussianNB

    model = OneVsRest(GaussianNB()).fit(X, LABELS)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    with pytest.raises(PersistenceError):
        to_bytes(model)
