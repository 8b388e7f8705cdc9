"""What a model taken over knows beside its answers: all that margin's own fit leaves, but what needs training rows."""

import re
import warnings

import numpy as np
import pytest
from sklearn.base import clone

import margin
from tests.interop.cases import CASES, NAMES, fitted, rows_for

#: What only training rows can tell, by the class of margin's model.
LEFT_OUT = {
    "LinearDiscriminantAnalysis": {"_statistics", "covariance_"},
    "LinearSGD": {"loss_curve_"},
    "LinearSVC": {"certificate_", "lambda_"},
    "LogisticRegression": {"certificate_", "_evidence"},
    "Perceptron": {"mistakes_", "mistake_counts_", "n_mistakes_", "_certified_rows", "_certificate"},
    "QuadraticDiscriminantAnalysis": {"_statistics", "pooled_share_"},
    "SVC": {"_evidence"},
    "DecisionTreeClassifier": {"_class_factors"},
}
#: Learnt lists whose length is a matter of the fit.
FREE = {"support_", "dual_coef_", "n_support_", "n_iter_"}


@pytest.mark.parametrize("place", range(len(CASES)), ids=NAMES)
def test_the_attributes_are_those_of_margins_own_fit(place):
    ours, (X, y) = margin.from_sklearn(fitted(place, "iris")), rows_for(CASES[place], "iris")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        own = clone(ours).fit(X, y)
    assert set(vars(ours)) - set(vars(own)) == {"_origin"}
    unknown = LEFT_OUT.get(type(ours).__name__, set()) | {"_ranges"}  # of the training rows
    assert set(vars(own)) - set(vars(ours)) <= unknown
    for name, value in vars(own).items():
        if isinstance(value, np.ndarray) and name in vars(ours):
            assert getattr(ours, name).dtype == value.dtype, name
            assert getattr(ours, name).ndim == value.ndim, name
            assert name in FREE or getattr(ours, name).shape == value.shape, name
        elif name not in {"_learnt"} and name in vars(ours) and value is not None and ours.__dict__[name] is not None:
            assert type(ours.__dict__[name]) is type(value) or name in ours.get_params(), name


def test_an_encoder_knows_what_one_of_sparse_rows_knows_and_no_more():
    ours, (X, y) = margin.from_sklearn(fitted(0, "iris")), rows_for(CASES[0], "iris")
    assert set(vars(margin.LogisticRegression(max_iter=999).fit(X, y)._encoder)) - set(vars(ours._encoder)) == {
        "moments",
        "filled",
    }


@pytest.mark.parametrize(
    ("place", "ask"),
    [
        pytest.param(place, ask, id=f"{type(CASES[place]).__name__} {name}")
        for kind, name, ask in [
            ("LogisticRegression", "certificate", lambda m, X, y: m.certificate_),
            ("LogisticRegression", "summary", lambda m, X, y: m.summary()),
            ("LinearSVC", "certificate", lambda m, X, y: m.certificate_),
            ("Perceptron", "mistakes", lambda m, X, y: m.n_mistakes_),
            ("Perceptron", "partial_fit", lambda m, X, y: m.partial_fit(X, y)),
            ("SGDClassifier", "loss curve", lambda m, X, y: m.loss_curve_),
            ("SVC", "certificate", lambda m, X, y: m.certificate_),
            ("SVC", "slack", lambda m, X, y: m.slack_),
            ("SVC", "margin width", lambda m, X, y: m.margin_width_),
            ("LinearDiscriminantAnalysis", "merge", lambda m, X, y: m.merge(m)),
            ("LinearDiscriminantAnalysis", "covariance", lambda m, X, y: m.covariance_),
            ("QuadraticDiscriminantAnalysis", "partial_fit", lambda m, X, y: m.partial_fit(X, y)),
        ]
        for place in [[type(case).__name__ for case in CASES].index(kind)]
    ],
)
def test_what_needs_training_rows_is_refused_saying_where_the_model_came_from(place, ask):
    ours, (X, y) = margin.from_sklearn(fitted(place, "iris")), rows_for(CASES[place], "iris")
    before = ours.predict(X)
    with pytest.raises(margin.errors.NotFittedError, match="taken over from scikit-learn's"):
        ask(ours, X, y)
    np.testing.assert_array_equal(ours.predict(X), before)


def test_a_summary_can_be_had_from_the_training_rows():
    ours, (X, y) = margin.from_sklearn(fitted(0, "iris")), rows_for(CASES[0], "iris")
    assert len(ours.summary(X, y).table["coefficient"]) == 10


def test_naive_bayes_taken_over_goes_on_learning_as_if_it_had_been_learnt_here():
    X, y = rows_for(CASES[0], "wine")
    for theirs, own in (
        (margin_rival("GaussianNB"), margin.GaussianNB()),
        (margin_rival("MultinomialNB"), margin.MultinomialNB()),
    ):
        ours = margin.from_sklearn(theirs.fit(X[::2], y[::2])).partial_fit(X[1::2], y[1::2])
        np.testing.assert_allclose(ours.predict_proba(X), own.fit(X, y).predict_proba(X), atol=1e-9)


def margin_rival(name):
    import sklearn.naive_bayes

    return getattr(sklearn.naive_bayes, name)()


@pytest.mark.parametrize("place", range(len(CASES)), ids=NAMES)
def test_every_model_taken_over_explains_itself(place):
    ours, (X, _) = margin.from_sklearn(fitted(place, "iris")), rows_for(CASES[place], "iris")
    told = margin.explain.explain(ours, X[:1])
    assert not re.search(r"\bnan\b", str(told))
    assert str(told.answer) == str(ours.predict(X[:1])[0]) or "Regressor" in type(ours).__name__


def test_an_explanation_does_not_speak_of_means_that_nobody_knows():
    ours, (X, _) = margin.from_sklearn(fitted(0, "iris")), rows_for(CASES[0], "iris")
    assert "numbers at 0, their means being unknown" in str(margin.explain.explain(ours, X[:1]))


def test_parameters_are_taken_over():
    ours = margin.from_sklearn(fitted(1, "iris"))
    assert (ours.C, ours.l1_ratio, ours.class_weight, ours.fit_intercept) == (0.1, 1.0, "balanced", False)
    assert ours.solver_ == "saga"
    svc = margin.from_sklearn(fitted(NAMES.index("SVC(coef0=1.0, degree=2, kernel='poly')"), "iris"))
    assert (svc.kernel, svc.degree, svc.coef0, svc.gamma) == ("poly", 2, 1.0, "scale")
