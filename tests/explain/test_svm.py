"""margin.explain.svm: what the support vectors add is the score, and the words fit the machine."""

import numpy as np
import pytest
import scipy.sparse

from margin import SVC, LinearSVC, LogisticRegression, NaiveBayes, Reject
from margin.data import catalog
from margin.explain import explain
from margin.svm.kernel_machine.model import KernelModel


def strengths(told):
    return sum(reason.strength for reason in told.reasons)


def iris():
    return catalog.load("iris").target("class")


def test_two_rows_by_hand():
    # exp(-1/4) twice: the row lies in the middle between the two; and nearer to the second then.
    model = SVC(gamma=0.25, C=100.0).fit([[0.0], [2.0]], ["a", "b"])
    told = explain(model, [[1.5]])
    alpha = 1 / (1 - np.exp(-1))  # f(0) = -1 and f(2) = 1
    near, far = np.exp(-0.25 * 0.25), np.exp(-0.25 * 2.25)
    assert told.answer == "b"
    assert told.how.endswith("the score of b against a.")
    assert [(reason.what, reason.strength) for reason in told.reasons] == [
        ("training row 1", pytest.approx(alpha * near, rel=1e-3)),
        ("training row 0", pytest.approx(-alpha * far, rel=1e-3)),
        ("constant", pytest.approx(0, abs=1e-3)),
    ]
    assert told.reasons[0].says.startswith(f"b, weight {alpha:.3g} × kernel {near:.3g} = +")


@pytest.mark.parametrize("multiclass", ["one_vs_one", "one_vs_rest"])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
@pytest.mark.parametrize("row", [0, 70, 120])
def test_lines_add_up_to_the_score_of_the_answer_against_the_next(row, kernel, multiclass):
    X, y = iris()
    model = SVC(kernel=kernel, multiclass=multiclass, scale="standard").fit(X, y)
    told = explain(model, X.take([row]))
    decisions = model._decisions(model._encoded(X.take([row]), "test"))[0]
    assert told.answer == model.predict(X.take([row]))[0]
    if multiclass == "one_vs_rest":
        ranked = np.sort(decisions)
        assert strengths(told) == pytest.approx(ranked[-1] - ranked[-2])
    else:
        winner, loser = told.how.split("score of ")[1].split(",")[0].rstrip(".").split(" against ")
        a, b = (model.classes_.tolist().index(label) for label in (winner, loser))
        pair = [(0, 1), (0, 2), (1, 2)].index((min(a, b), max(a, b)))
        assert strengths(told) == pytest.approx(decisions[pair] * (1 if a < b else -1))
        assert winner == told.answer


def test_only_rows_of_the_two_classes_pull_and_they_pull_to_their_own():
    X, y = iris()
    model = SVC(scale="standard").fit(X, y)
    told = explain(model, X.take([70]))
    assert len(told.reasons) > 10
    for reason in told.reasons[:-1]:
        row = int(reason.what.split()[-1])
        assert y[row] in ("Iris-versicolor", "Iris-virginica")
        assert (reason.strength > 0) == (y[row] == told.answer)
        assert reason.says.startswith(y[row])
    pulls = [abs(reason.strength) for reason in told.reasons[:-1]]
    assert pulls == sorted(pulls, reverse=True)


def test_a_linear_kernel_is_told_by_columns_as_linear_machines_are():
    X, y = catalog.load("credit").target("risk")
    for model in (SVC(kernel="linear", scale="standard", C=0.1), LinearSVC(scale="standard")):
        told = explain(model.fit(X, y), X.take([3]))
        assert strengths(told) == pytest.approx(abs(model.decision_function(X.take([3]))[0]))
        assert len(told.reasons) == len(model.schema_) + 1
        assert "compared with an average case" in told.how


@pytest.mark.parametrize("kernel", ["precomputed", "function"])
def test_kernels_of_the_users_are_told_too(kernel):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X[:, 0] > 0

    def product(A, B):
        return (1 + A @ B.T) ** 2

    if kernel == "function":
        model, row = SVC(kernel=product).fit(X, y), X[:1]
    else:
        model, row = SVC(kernel="precomputed").fit(product(X, X), y), product(X[:1], X)
    told = explain(model, row)
    assert strengths(told) == pytest.approx(abs(model.decision_function(row)[0]))


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_sparse_rows_are_told_too(kernel):
    X = scipy.sparse.random_array((60, 40), density=0.1, rng=0).tocsr()
    model = SVC(kernel=kernel).fit(X, np.arange(60) % 2)
    told = explain(model, X[[4]])
    assert strengths(told) == pytest.approx(abs(model.decision_function(X[[4]])[0]), rel=1e-5, abs=1e-7)


def test_beyond_a_hundred_support_vectors_the_rest_is_taken_together():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    model = SVC().fit(X, rng.integers(0, 2, 300))
    told = explain(model, X[:1])
    assert len(told.reasons) == 102
    assert told.reasons[100].what == f"{len(model.support_) - 100} other support vectors together"
    assert strengths(told) == pytest.approx(abs(model.decision_function(X[:1])[0]))


def test_one_class_needs_no_reasons():
    told = explain(SVC().fit(np.eye(3), [1, 1, 1]), np.eye(3)[:1])
    assert (told.answer, told.reasons) == (1, ())


def test_a_class_without_rows_is_not_the_next():
    X, y = iris()
    model = SVC().fit(X, y, sample_weight=(np.asarray(y) != "Iris-versicolor").astype(float))
    assert explain(model, X.take([0])).how.endswith("Iris-setosa against Iris-virginica.")


def test_an_abstention_is_told_with_its_confidence_and_what_would_have_been_said():
    X, y = iris()
    model = Reject(SVC(scale="standard", decision_function_shape="ovo"), threshold=0.5, confidence="margin").fit(X, y)
    told = explain(model, X.take([70]))
    assert told.answer is None
    assert told.headline() == "Reject(SVC): no answer"
    assert "is not above the threshold 0.5. It would have answered Iris-v" in told.how
    sure = explain(model, X.take([0]))
    assert (sure.answer, "is above the threshold 0.5." in sure.how) == ("Iris-setosa", True)
    assert explain(Reject(NaiveBayes()).fit(X, y), X.take([0])).how.startswith("It always answers.")


def test_every_kernel_machine_is_explained():
    assert issubclass(SVC, KernelModel)
    assert explain.dispatch(SVC) is explain.dispatch(KernelModel)
    assert explain.dispatch(LinearSVC) is explain.dispatch(LogisticRegression)
