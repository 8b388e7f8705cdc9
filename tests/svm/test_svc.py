"""SVC: machines worked by hand, slow definitions, the many kinds of input."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from margin import SVC, LinearSVC, PegasosClassifier
from margin.errors import ConvergenceWarning, InputError, NotFittedError, ParameterError
from margin.persistence import load, save
from margin.svm import SpectrumKernel


def cloud(n=80, d=3, k=2, seed=0, apart=1.5):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return rng.normal(size=(n, d)) + apart * y[:, None] * np.sign(np.arange(d) - 0.5), y


def test_two_points_are_parted_in_the_middle():
    model = SVC(C=10, kernel="linear").fit([[0.0], [2.0]], ["left", "right"])
    # w = 1 and b = -1 have both rows on the edge; each weight is 1/2.
    assert model.coef_[0] == pytest.approx([1.0])
    assert model.intercept_[0] == pytest.approx(-1.0)
    assert np.abs(model.dual_coef_[0]) == pytest.approx([0.5, 0.5])
    assert model.margin_width_ == pytest.approx(2.0)
    assert model.category_.tolist() == ["on", "on"]
    assert model.predict([[0.9], [1.1]]).tolist() == ["left", "right"]


def test_a_small_penalty_bounds_the_weights():
    model = SVC(C=0.1, kernel="linear").fit([[0.0], [2.0]], [0, 1])
    # Both weights are at 0.1, so that w = 0.2: the objective is 0.02 + 0.1 (ξ1 + ξ2) with ξ1 + ξ2 = 2 - 2w.
    assert model.coef_[0] == pytest.approx([0.2])
    assert model.slack_.sum() == pytest.approx(1.6)
    assert model.certificate_.primal == pytest.approx(0.02 + 0.1 * 1.6)
    assert model.certificate_.dual == pytest.approx(0.2 - 0.02)
    assert model.category_.tolist() == ["inside", "inside"]
    assert not model.misclassified_.any()


def test_a_point_among_others_is_on_the_wrong_side():
    X = [[0.0], [1.0], [5.0], [6.0], [5.5]]
    model = SVC(C=1, kernel="linear").fit(X, [0, 0, 1, 1, 0])
    assert model.misclassified_.tolist() == [False, False, False, False, True]
    assert model.slack_[4] > 1
    assert model.category_[4] == "inside"


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
@pytest.mark.parametrize("k", [2, 3])
def test_decisions_are_sums_of_kernels(kernel, k):
    X, y = cloud(k=k)
    model = SVC(kernel=kernel, gamma=0.2, coef0=0.3, degree=2, decision_function_shape="ovo").fit(X, y)
    product, V = X @ model.support_vectors_.T, model.support_vectors_
    squares = (X**2).sum(axis=1)[:, None] + (V**2).sum(axis=1) - 2 * product
    values = {
        "linear": product,
        "poly": (0.2 * product + 0.3) ** 2,
        "rbf": np.exp(-0.2 * squares),
        "sigmoid": np.tanh(0.2 * product + 0.3),
    }[kernel]
    found = model.decision_function(X)
    if k == 2:
        assert found == pytest.approx(values @ model.dual_coef_[0] + model.intercept_[0])
        return
    of = np.repeat(np.arange(3), model.n_support_)
    for pair, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        coef = np.where(of == a, model.dual_coef_[b - 1], np.where(of == b, model.dual_coef_[a], 0.0))
        assert found[:, pair] == pytest.approx(values @ coef + model.intercept_[pair])


@pytest.mark.parametrize("multiclass", ["one_vs_one", "one_vs_rest"])
def test_several_classes_are_as_many_machines_for_two(multiclass):
    X, y = cloud(90, k=3)
    model = SVC(multiclass=multiclass, gamma=0.3).fit(X, y)
    votes = np.zeros((90, 3))
    if multiclass == "one_vs_rest":
        for k in range(3):
            votes[:, k] = SVC(gamma=0.3).fit(X, y == k).decision_function(X)
        assert model.decision_function(X) == pytest.approx(votes, abs=1e-9)
    else:
        for a, b in [(0, 1), (0, 2), (1, 2)]:
            rows = (y == a) | (y == b)
            answers = SVC(gamma=0.3).fit(X[rows], y[rows]).predict(X)
            votes[np.arange(90), answers] += 1
    assert np.array_equal(model.predict(X), votes.argmax(axis=1))


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(4, 60),
    C=st.sampled_from([0.01, 1.0, 100.0]),
    kernel=st.sampled_from(["linear", "rbf", "poly"]),
)
def test_the_conditions_of_optimality_hold(seed, n, C, kernel):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 2)).round(1), np.arange(n) % 2
    weight = rng.random(n) + 0.1
    model = SVC(C=C, kernel=kernel, gamma=0.5).fit(X, y, weight)
    alpha, s = np.zeros(n), np.where(y == 1, 1.0, -1.0)
    alpha[model.support_] = model.dual_coef_[0] * s[model.support_]
    assert (alpha >= 0).all()
    assert (alpha <= C * weight * (1 + 1e-12)).all()
    assert abs(s @ alpha) <= 1e-9 * max(1.0, alpha.sum())
    margins, found = s * model.decision_function(X), model.certificate_
    assert found.relative_gap <= 1e-3
    assert found.primal >= found.dual - 1e-9 * found.primal
    slack = np.maximum(0, 1 - margins)
    squared = alpha @ (margins - s * model.intercept_[0])
    assert found.primal == pytest.approx(0.5 * squared + C * weight @ slack, rel=1e-6)
    if squared > 1e-9:  # else no direction is better than none
        assert model.margin_width_ == pytest.approx(2 / np.sqrt(squared), rel=1e-6)
    near = 2e-3 * max(1.0, np.abs(margins).max())
    assert (margins[alpha == 0] >= 1 - near).all()
    assert (margins[alpha >= C * weight] <= 1 + near).all()


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid"])
def test_sparse_rows_float32_and_tables_give_the_same_machine(kernel):
    X, y = cloud()
    X = np.where(np.abs(X) < 0.5, 0.0, X).astype(np.float32)
    model = SVC(kernel=kernel, gamma=0.2).fit(X.astype(np.float64), y)
    expected = model.decision_function(X.astype(np.float64))
    frame = pd.DataFrame(X.astype(np.float64), columns=list("abc"))
    for given_X in (X, sp.csr_array(X), sp.csr_array(X.astype(np.float64)), frame):
        found = SVC(kernel=kernel, gamma=0.2).fit(given_X, y)
        assert found.decision_function(given_X) == pytest.approx(expected, abs=1e-5)


def test_mixed_tables_are_one_hot_and_scaled():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 100)
    frame = pd.DataFrame(
        {"size": rng.normal(1000 * y, 300), "sort": np.where(rng.random(100) < 0.2 + 0.6 * y, "a", "b")}
    )
    frame.loc[::10, "size"] = np.nan
    model = SVC(scale="standard").fit(frame, y)
    assert model.coef_names_ == ["size", "sort=a", "sort=b"]
    assert model.score(frame, y) > 0.9
    assert model.predict(frame[["sort", "size"]][:5]).tolist() == model.predict(frame[:5]).tolist()


def test_kernel_values_and_functions_stand_for_rows():
    X, y = cloud(k=3)
    weight = np.where(np.arange(80) % 5 == 0, 0.0, 1.0)
    rows = SVC(kernel="linear").fit(X, y, weight)
    values = SVC(kernel="precomputed").fit(X @ X.T, y, weight)
    function = SVC(kernel=lambda A, B: A @ B.T).fit(X, y, weight)
    expected = rows.decision_function(X)
    assert values.decision_function(X @ X.T) == pytest.approx(expected, abs=1e-7)
    assert function.decision_function(X) == pytest.approx(expected, abs=1e-7)
    assert np.array_equal(values.support_, rows.support_)
    with pytest.raises(InputError, match="must be square at fit"):
        SVC(kernel="precomputed").fit(X, y)
    with pytest.raises(InputError, match="no missing values"):
        SVC(kernel="precomputed").fit(np.where(np.eye(80) > 0, np.nan, X @ X.T), y)
    with pytest.raises(InputError, match="80 × 80 numbers"):
        SVC(kernel=lambda A, B: A).fit(X, y)
    with pytest.raises(InputError, match="must be finite"):
        SVC(kernel=lambda A, B: np.full((len(A), len(B)), np.nan)).fit(X, y)


def test_texts_are_told_apart_by_their_pieces(tmp_path):
    texts = ["buy now", "buy pills now", "cheap pills", "hello friend", "dear friend", "how are you, friend"]
    y = ["spam"] * 3 + ["ham"] * 3
    model = SVC(kernel=SpectrumKernel(k=3), C=10).fit(texts, y)
    assert model.predict(["pills pills", "a friend"]).tolist() == ["spam", "ham"]
    same = SVC(kernel="precomputed", C=10).fit(SpectrumKernel(k=3)(texts, texts), y)
    new = ["now or never", ""]
    assert model.decision_function(new) == pytest.approx(same.decision_function(SpectrumKernel(k=3)(new, texts)))
    assert model.coef_.shape == (1, len(model.coef_names_))
    save(model, tmp_path / "texts.margin")
    assert load(tmp_path / "texts.margin").predict(texts).tolist() == model.predict(texts).tolist()


def test_a_class_whose_rows_have_no_weight_is_never_answered():
    X, y = cloud(90, k=3)
    weight = np.where(y == 1, 0.0, 1.0)
    for shape, n in (("ovr", 3), ("ovo", 3)):
        model = SVC(decision_function_shape=shape).fit(X, y, weight)
        assert set(model.predict(X)) == {0, 2}
        assert model.decision_function(X).shape == (90, n)
        assert model.n_support_[1] == 0
    assert (model.decision_function(X)[:, 1] > 0).tolist() == (model.predict(X) == 0).tolist()  # the pair (0, 2)
    alone = SVC().fit(X, y, np.where(y == 2, 1.0, 0.0))
    assert set(alone.predict(X)) == {2}
    assert alone.certificate_.gap == 0


def test_slack_and_category_of_several_classes_have_a_column_for_each_problem():
    X, y = cloud(90, k=3)
    weight = np.ones(90)
    weight[0] = 0
    model = SVC().fit(X, y, weight)
    assert model.slack_.shape == model.category_.shape == (90, 3)
    assert np.isnan(model.slack_[0]).all()
    assert model.category_[0].tolist() == ["", "", ""]
    taking_part = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]], dtype=bool)[y]  # pairs (0, 1), (0, 2), (1, 2)
    assert np.array_equal(~np.isnan(model.slack_[1:]), taking_part[1:])
    assert len(model.certificate_.parts) == 3
    assert model.certificate_.parts[0].of == "0 against 1"
    assert "3 problems" in str(model.certificate_)


def test_what_rounding_leaves_of_huge_kernel_values_is_told():
    # The solver's running sums of values up to 1e13 are off by more than the margin; the plane itself is not.
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(300, 5)) * [1, 1e3, 1e6, 1e-3, 1], rng.integers(0, 2, 300)
    with pytest.warns(ConvergenceWarning, match="of itself above its optimum"):
        model = SVC(kernel="linear").fit(X, y)
    assert model.certificate_.relative_gap > 1e-3


def test_too_few_steps_are_warned_of_with_the_gap():
    X, y = cloud(400, apart=0.2)
    with pytest.warns(ConvergenceWarning, match=r"may be .* of itself above its optimum, where tol=0.001"):
        model = SVC(max_iter=3, C=100).fit(X, y)
    assert model.certificate_.relative_gap > 1e-3


@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-6])
def test_the_gap_is_as_small_as_was_asked(tol):
    X, y = cloud(500, apart=0.5)
    assert SVC(tol=tol, C=10).fit(X, y).certificate_.relative_gap <= tol


def test_certificates_outlive_saving_and_the_training_rows(tmp_path):
    X, y = cloud(60, k=3)
    model = SVC().fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    X[:] = 0.0
    save(model, tmp_path / "model.margin")
    again = load(tmp_path / "model.margin")
    assert str(again.certificate_) == str(model.certificate_) == str(copy.certificate_)
    assert np.array_equal(again.slack_, model.slack_, equal_nan=True)


def test_settings_that_contradict_each_other_are_refused():
    X, y = cloud()
    for wrong, words in (
        ({"break_ties": True, "decision_function_shape": "ovo"}, "ties are broken"),
        ({"multiclass": "one_vs_rest", "decision_function_shape": "ovo"}, "no decisions of pairs"),
        ({"sigma": 1.0, "gamma": 2.0}, "without gamma"),
        ({"sigma": 1.0, "kernel": "poly"}, "Gaussian"),
        ({"kernel": "gaussian"}, "needs its width"),
        ({"hard_margin": True, "budget": 1.0}, "no budget"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"C": 0}, "C must be a number above 0"),
    ):
        with pytest.raises(ParameterError, match=words):
            SVC(**wrong).fit(X, y)
    assert not hasattr(SVC(), "predict_proba")
    with pytest.raises(AttributeError, match="only kernel='linear'"):
        SVC().fit(X, y).coef_  # noqa: B018
    with pytest.raises(NotFittedError):
        SVC().predict(X)


def test_sigma_is_the_width_of_a_gaussian():
    X, y = cloud()
    expected = SVC(gamma=0.125).fit(X, y).decision_function(X)
    for settings_ in ({"sigma": 2.0}, {"sigma": 2.0, "kernel": "gaussian"}):
        assert SVC(**settings_).fit(X, y).decision_function(X) == pytest.approx(expected)


def test_gamma_by_scale_counts_rows_by_their_weights():
    X, y = cloud(40)
    weight = np.arange(40) % 3
    repeated = np.repeat(np.arange(40), weight)
    a, b = SVC().fit(X, y, weight), SVC().fit(X[repeated], y[repeated])
    assert a.gamma_ == pytest.approx(1 / (3 * X[repeated].var())) == pytest.approx(b.gamma_)
    assert a.decision_function(X) == pytest.approx(b.decision_function(X), abs=1e-9)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("k", [2, 3])
def test_probabilities_come_true(method, k):
    X, y = cloud(600, k=k, apart=0.8)
    model = SVC(probability=method).fit(X[:400], y[:400])
    p = model.predict_proba(X[400:])
    assert p.sum(axis=1) == pytest.approx(1.0)
    hit = np.arange(k) == y[400:, None]
    for low, high in ((0.0, 0.3), (0.3, 0.7), (0.7, 1.0)):
        some = (p >= low) & (p <= high)
        assert p[some].mean() == pytest.approx(hit[some].mean(), abs=0.12)
    answers, same = model.predict_with_proba(X[400:])
    assert np.array_equal(same, p)
    assert np.array_equal(answers, model.predict(X[400:]))
    assert np.exp(model.predict_log_proba(X[400:])) == pytest.approx(p)


@pytest.mark.filterwarnings("ignore::margin.errors.ConvergenceWarning")
@pytest.mark.parametrize("C", [1e-300, 1e17, 1e300])
def test_absurd_penalties_come_to_an_end(C):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = np.abs(rng.normal(size=(60, 4)) + 2 * y[:, None] + 3)
    model = SVC(C=C, kernel="linear", scale="range", probability="sigmoid").fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert np.isfinite(model.predict_proba(X)).all()


def test_lambda_is_that_of_the_mean_loss():
    X, y = cloud(60)
    weight = np.linspace(0.5, 2, 60)
    model = SVC(3.0).fit(X, y, weight)
    assert model.lambda_ == pytest.approx(1 / (3.0 * weight.sum()))
    # λ/2 ‖w‖² + the mean hinge loss is the objective over N C.
    half = 0.5 * (2 / model.margin_width_) ** 2
    mean = weight @ model.slack_ / weight.sum()
    assert model.lambda_ * half + mean == pytest.approx(model.lambda_ * model.certificate_.primal)
    pairs = SVC(2.0).fit(X, np.arange(60) % 3)
    assert pairs.lambda_ == pytest.approx(np.full(3, 1 / (2.0 * 40)))
    plane = LinearSVC(C=3.0, loss="hinge").fit(X, y, weight)
    assert plane.lambda_ == pytest.approx(model.lambda_)
    same = PegasosClassifier(lambda_=model.lambda_, max_iter=1, tol=None).fit(X, y)
    assert same.lambda_used_ == model.lambda_
