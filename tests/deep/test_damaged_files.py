"""Damaged files of networks on PyTorch: refused by margin, or a model that answers."""

import warnings

import numpy as np
import pytest

from margin.errors import MarginError, PersistenceError
from margin.persistence import from_bytes
from margin.persistence.archive import to_bytes
from tests.contract.test_cases import CASES, asked
from tests.persistence.mutants import Mutants

pytest.importorskip("torch")


@pytest.mark.parametrize("name", [name for name, cases in CASES.items() if cases[0].is_kept])
def test_damage_is_refused_or_does_no_harm(name):
    refused = 0
    for case in CASES[name]:
        X = case.X()
        model = case.make().fit(X, case.y())
        mutants = Mutants(to_bytes(model), name)
        before = asked(model, X)
        for number in range(40):
            mutant = mutants[number]
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    answers = asked(from_bytes(mutant.content), X)
            except PersistenceError:
                refused += 1
            except MarginError:
                pass  # a plain number was changed, and the model says that it cannot
            else:
                assert np.isfinite(answers).all()
                assert mutant.repaired or np.array_equal(answers, before), number
    assert refused > 12
