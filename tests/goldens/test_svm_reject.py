"""The golden figures of the reject option: yes, no, don't know."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.svm import LinearSVC as OtherLinearSVC

from margin import LinearSGD, NaiveBayes, Reject
from margin.evaluation import confusion


@pytest.mark.golden("E8")
def test_a_confidence_threshold_answers_yes_no_or_dont_know():
    # Scores are (x - 2.5)/1.5 for the rows 1 and 4: the widest margin between them.
    model = Reject(OtherLinearSVC(C=1e6, loss="hinge", intercept_scaling=1e3, max_iter=10**6, tol=1e-8), threshold=0.5)
    model.fit([[1.0], [4.0]], ["no", "yes"])
    f = model.decision_function([[1.0], [4.0]])
    assert f == pytest.approx([-1.0, 1.0], abs=0.01)
    rows = [[0.0], [1.7], [2.0], [2.5], [3.0], [3.3], [5.0]]  # scores -1.67, -.53, -.33, 0, .33, .53, 1.67
    assert model.predict(rows).tolist() == ["no", "no", None, None, None, "yes", "yes"]


@pytest.mark.golden("E8")
@pytest.mark.parametrize("inner", [NaiveBayes(), LinearSGD(loss="hinge", scale="standard", random_state=0)], ids=repr)
def test_any_classifier_can_be_given_such_an_option_and_abstentions_are_counted(inner):
    X, y = load_iris(return_X_y=True)
    model = Reject(inner, target_error=0.02, level=None, random_state=0).fit(X[::2], y[::2])
    answers = model.predict(X[1::2])
    matrix = confusion(y[1::2], answers)
    silent = np.array([answer is None for answer in answers])
    assert matrix.abstained.tolist() == np.bincount(y[1::2][silent], minlength=3).tolist()
    assert matrix.abstained[0] == 0  # setosa is never in doubt
    assert 0 < silent.sum() < 40
    plain = np.mean(model.model_.predict(X[1::2]) != y[1::2])
    assert matrix.selective_error < plain
