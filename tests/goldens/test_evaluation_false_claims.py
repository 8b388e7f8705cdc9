"""How often a comparison of equal models finds a difference (H4), measured by simulation.

Each model guesses the class from a column of its own by which of the two class means is nearer. The columns have the
same distribution, so all models are equally good; folds, training parts and their overlaps are those of real
cross-validation, worked for all simulated data sets at once.
"""

import numpy as np
import pytest

from margin.evaluation import correct, corrected_t_test, delong, five_by_two_f, mcnemar, swap_test
from margin.evaluation.metrics.definitions import metric
from margin.evaluation.predictions.answers import Answers

pytestmark = pytest.mark.golden("H4")

LEVEL, ALLOWED = 0.05, 0.06
DATA_SETS, ROWS = 1000, 100


def simulated(random, models, data_sets=DATA_SETS, rows=ROWS):
    """Labels, alternating, and a column per model: data sets × rows × models."""
    labels = np.arange(rows) % 2
    return labels, 0.8 * labels[:, None] + random.normal(size=(data_sets, rows, models))


def accuracies(random, labels, columns, folds, repeats):
    """The accuracy in each fold of repeated stratified cross-validation: data sets × folds × models."""
    found = []
    for _ in range(repeats):
        fold_of = np.empty(len(labels), dtype=int)
        for label in (0, 1):
            mine = random.permutation(np.flatnonzero(labels == label))
            fold_of[mine] = np.arange(len(mine)) % folds
        for fold in range(folds):
            train, test = fold_of != fold, fold_of == fold
            middle = sum(columns[:, train & (labels == label)].mean(axis=1) for label in (0, 1)) / 2
            found.append(((columns[:, test] > middle[:, None]) == labels[test][:, None]).mean(axis=1))
    return np.stack(found, axis=1)


def test_the_corrected_t_test_keeps_its_level_and_the_plain_one_does_not():
    random = np.random.default_rng(1)
    labels, columns = simulated(random, models=2)
    scores = accuracies(random, labels, columns, folds=10, repeats=10)
    differences = scores[:, :, 0] - scores[:, :, 1]
    rates = {
        ratio: np.mean([corrected_t_test(each, test_to_train=ratio).p < LEVEL for each in differences])
        for ratio in (1 / 9, 0.0)
    }
    print(f"\nfalse claims at 5 %, 10×10 folds: corrected {rates[1 / 9]:.3f}, uncorrected {rates[0.0]:.3f}")
    assert 0.01 < rates[1 / 9] <= ALLOWED
    assert rates[0.0] > 0.4


def test_among_several_equal_models_any_claim_is_as_rare():
    random = np.random.default_rng(2)
    labels, columns = simulated(random, models=5)
    scores = accuracies(random, labels, columns, folds=10, repeats=1)
    claims = {"holm": 0, "uncorrected": 0}
    for each in scores:
        best = each.mean(axis=0).argmax()
        pairs = [(i, j) for i in range(5) for j in range(i)]
        p = [corrected_t_test(each[:, i], each[:, j], test_to_train=1 / 9).p for i, j in pairs]
        for name in claims:
            corrected = correct(p, name)
            claims[name] += any(c < LEVEL for c, pair in zip(corrected, pairs) if best in pair)
    rates = {name: count / len(scores) for name, count in claims.items()}
    print(f"\nfalse claims about the best of 5 at 5 %: Holm {rates['holm']:.3f}, none {rates['uncorrected']:.3f}")
    assert 2 * rates["holm"] < rates["uncorrected"]
    assert rates["holm"] <= ALLOWED


def test_five_by_two_keeps_its_level():
    random = np.random.default_rng(3)
    labels, columns = simulated(random, models=2)
    scores = accuracies(random, labels, columns, folds=2, repeats=5)
    differences = (scores[:, :, 0] - scores[:, :, 1]).reshape(-1, 5, 2)
    rates = {
        variant: np.mean([five_by_two_f(each, variant=variant).p < LEVEL for each in differences]) for variant in "ft"
    }
    print(f"\nfalse claims at 5 %, 5×2cv: F {rates['f']:.3f}, t {rates['t']:.3f}")
    assert rates["f"] <= ALLOWED


def test_mcnemar_delong_and_swaps_keep_their_level():
    random = np.random.default_rng(7)
    labels, columns = simulated(random, models=2, data_sets=4000, rows=200)
    guesses = (columns > 0.4).astype(int)
    right = guesses == labels[:, None]
    only_first, only_second = ((right[..., at] & ~right[..., 1 - at]).sum(axis=1).tolist() for at in (0, 1))
    rates = {
        variant: np.mean([mcnemar(b, c, variant=variant).p < LEVEL for b, c in zip(only_first, only_second)])
        for variant in ("exact", "mid_p")
    }
    some = range(400)
    rates["delong"] = np.mean([delong(*each.T, labels).p < LEVEL for each in columns[:2000]])
    answers = [[Answers(np.array([0, 1]), labels, guess) for guess in guesses[at].T] for at in some]
    rates["swaps"] = np.mean([swap_test(metric("f1"), *answers[at], times=199, seed=at).p < LEVEL for at in some])
    print("\nfalse claims at 5 % on 200 cases: " + ", ".join(f"{name} {rate:.3f}" for name, rate in rates.items()))
    assert max(rates.values()) <= ALLOWED
    assert min(rates.values()) > 0.01, "a test that never claims anything keeps any level"
