"""margin.evaluation.comparing.multiple_testing:
against their definitions by closed testing and by rejecting at every level.
"""

from itertools import chain, combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.errors import ParameterError
from margin.evaluation import CORRECTIONS, correct

P_VALUES = st.lists(st.integers(0, 100).map(lambda n: n / 100), min_size=1, max_size=6)


def closed(p, combine):
    """A test is rejected where every set of tests that holds it is: the greatest p of such sets."""
    n = len(p)
    sets = list(chain.from_iterable(combinations(range(n), size) for size in range(1, n + 1)))
    return [max(combine([p[at] for at in chosen]) for chosen in sets if test in chosen) for test in range(n)]


def simes(p):
    return min(len(p) * value / place for place, value in enumerate(sorted(p), 1))


@settings(deadline=None, max_examples=80)
@given(P_VALUES)
def test_holm_is_closed_testing_with_bonferroni(p):
    assert correct(p, "holm") == pytest.approx([min(1, value) for value in closed(p, lambda s: len(s) * min(s))])


@settings(deadline=None, max_examples=80)
@given(P_VALUES)
def test_hommel_is_closed_testing_with_simes(p):
    assert correct(p, "hommel") == pytest.approx(closed(p, simes))


@settings(deadline=None, max_examples=80)
@given(P_VALUES)
def test_from_sharp_to_cautious(p):
    order = ["uncorrected", "benjamini_hochberg", "hommel", "hochberg", "holm", "bonferroni"]
    found = [np.array(correct(p, name)) for name in order]
    for sharper, more_cautious in pairwise(found):
        assert (sharper <= more_cautious + 1e-12).all()
    assert (np.array(correct(p, "benjamini_yekutieli")) >= found[1] - 1e-12).all()


@settings(deadline=None, max_examples=60)
@given(P_VALUES)
def test_benjamini_and_hochberg_reject_as_their_procedure_does(p):
    corrected, m = correct(p, "benjamini_hochberg"), len(p)
    for level in (0.03, 0.05, 0.2, 0.5):
        below = [rank for rank, value in enumerate(sorted(p), 1) if value <= rank / m * level + 1e-12]
        cut = sorted(p)[max(below) - 1] if below else -1.0
        assert [value <= level + 1e-12 for value in corrected] == [value <= cut for value in p]


def test_wrong_names_and_values_are_refused():
    assert all(correct([], name) == [] for name in CORRECTIONS)
    with pytest.raises(ParameterError, match="did you mean 'holm'"):
        correct([0.1], "hol")
    with pytest.raises(ParameterError, match="between 0 and 1"):
        correct([0.1, 1.2])
