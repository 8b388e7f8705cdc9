"""C4.5 with two branches for words and with reduced-error pruning, against figures of Weka's J48.

Levels stand in the order that margin gives them (sorted), since of equally good levels the first wins: the tables were
written by ``arff`` of ``tests/rivals/weka.py``.
"""

import numpy as np
import pytest

from margin import C45, read
from margin.tree.training_rows import Rows
from tests.shared_data import SHARED_DATA

pytestmark = pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")

# java -cp /usr/share/java/weka.jar weka.classifiers.trees.J48 OPTIONS -t FILE -no-cv   (Weka 3.6.14)
# Leaves, size and right answers on all rows: -B, -B -U, -R -N 3, -R -N 3 -B, -R -N 5.
J48 = {
    "vote": [(6, 11, 423), (19, 37, 426), (5, 9, 420), (5, 9, 420), (6, 11, 423)],
    "audiology": [(25, 49, 206), (26, 51, 206), (27, 42, 187), (20, 39, 190), (31, 47, 190)],
    "car": [(69, 137, 1720), (72, 143, 1722), (83, 116, 1537), (30, 59, 1583), (100, 137, 1611)],
    "soybean": [(48, 95, 663), (57, 113, 666), (85, 118, 629), (37, 73, 646), (57, 85, 626)],
    "tic-tac-toe": [(43, 85, 941), (51, 101, 944), (77, 115, 863), (27, 53, 922), (79, 118, 874)],
    "zoo": [(9, 17, 100), (9, 17, 100), (7, 13, 96), (7, 13, 96), (7, 13, 98)],
    "anneal": [(15, 29, 895), (18, 35, 897), (32, 48, 891), (14, 27, 892), (27, 41, 889)],
    "heart-c": [(20, 39, 276), (45, 89, 285), (14, 21, 255), (13, 25, 263), (24, 40, 263)],
    "primary-tumor": [(48, 95, 208), (64, 127, 219), (23, 41, 166), (16, 31, 165), (24, 44, 161)],
    "contact-lenses": [(4, 7, 22), (4, 7, 22), (3, 5, 21), (3, 5, 21), (1, 1, 15)],
    "weather.nominal": [(3, 5, 12), (4, 7, 12), (1, 1, 9), (1, 1, 9), (1, 1, 9)],
    "weather.numeric": [(4, 7, 12), (4, 7, 12), (1, 1, 9), (1, 1, 9), (1, 1, 9)],
    "iris": [(5, 9, 147), (5, 9, 147), (5, 9, 145), (5, 9, 145), (3, 5, 144)],
    "diabetes": [(20, 39, 646), (22, 43, 648), (8, 15, 597), (8, 15, 597), (3, 5, 593)],
    "breast-w": [(14, 27, 686), (23, 45, 691), (2, 3, 646), (2, 3, 646), (9, 17, 674)],
    "vowel": [(105, 209, 969), (107, 213, 969), (135, 204, 876), (71, 141, 866), (131, 209, 899)],
    "heart-statlog": [(18, 35, 247), (31, 61, 258), (13, 25, 236), (13, 25, 236), (7, 13, 221)],
}


def table(name):
    files = sorted(SHARED_DATA.glob(f"{name}.arff*")) if SHARED_DATA.exists() else []
    if not files:
        pytest.skip(f"needs {name}.arff in {SHARED_DATA}, which is not on this machine")
    found = read(files[0])
    X, y = found.target("class" if "class" in found.names else found.names[-1])
    return X, np.asarray(y).astype(str)


def figures(model, X, y):
    return model.tree_.n_leaves, model.tree_.n_nodes, int((model.predict(X) == y).sum())


def weka_parts(y, n_folds):
    """The rows that J48 grows from and prunes on: the last of so many stratified folds, without shuffling."""
    rows, at = list(range(len(y))), 1
    while at < len(rows):
        first = y[rows[at - 1]]
        for j in range(at, len(rows)):
            if y[rows[j]] == first:
                rows[at], rows[j] = rows[j], rows[at]
                at += 1
        at += 1
    dealt = np.array([row for fold in range(n_folds) for row in rows[fold::n_folds]])
    size, more = divmod(len(y), n_folds)
    begin = (n_folds - 1) * size + min(n_folds - 1, more)
    return dealt[:begin], dealt[begin:]


@pytest.mark.parametrize("name", J48)
def test_two_branches_for_words_are_those_of_j48(name):
    X, y = table(name)
    assert figures(C45(binary_splits=True).fit(X, y), X, y) == J48[name][0]
    assert figures(C45(binary_splits=True, prune=False).fit(X, y), X, y) == J48[name][1]


@pytest.mark.parametrize("name", J48)
def test_reduced_error_pruning_is_that_of_j48(name):
    X, y = table(name)
    for expected, n_folds, binary in zip(J48[name][2:], (3, 3, 5), (False, True, False), strict=True):
        model = C45(reduced_error=True, n_folds=n_folds, binary_splits=binary).fit(X, y)
        data, codes = model._encoded(X, "fit"), np.searchsorted(model.classes_, y).astype(np.int32)
        grow, judge = (Rows(data.take(part), codes[part], np.ones(len(part))) for part in weka_parts(codes, n_folds))
        model.tree_ = model._judged(grow, judge)
        assert figures(model, X, y) == expected
