"""margin.explain of sub-gradient descent: reasons add up to the lead of the answer."""

import warnings

import numpy as np
import pytest

from margin import PegasosClassifier
from margin.errors import ConvergenceWarning
from margin.explain import explain
from tests.svm.descents import rows


@pytest.fixture(autouse=True)
def _few_passes_need_not_settle():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("in_parts", [False, True])
def test_the_rows_that_pull_add_up_to_the_lead_of_the_answer(n_classes, in_parts):
    X, y = rows(0, n=300, n_classes=n_classes)
    model = PegasosClassifier(kernel="rbf", max_iter=3)
    model = model.partial_fit(X, y) if in_parts else model.fit(X, y)
    for row in X[:5]:
        found = explain(model, row[None])
        scores = np.sort(np.atleast_1d(model.decision_function(row[None])[0]))
        lead = abs(scores[0]) if n_classes == 2 else scores[-1] - scores[-2]
        assert found.answer == model.predict(row[None])[0]
        assert sum(reason.strength for reason in found.reasons) == pytest.approx(lead, rel=1e-6)
        assert len(found.reasons) <= 102
    named = {reason.what for reason in explain(model, X[:1]).reasons}
    assert any("came in parts" in what for what in named) == in_parts
    assert any(what.startswith("training row") for what in named) != in_parts


def test_columns_explain_the_linear_kernel():
    X, y = rows(1)
    found = explain(PegasosClassifier(max_iter=3).fit(X, y), X[:1])
    assert "adds to the score" in found.how
