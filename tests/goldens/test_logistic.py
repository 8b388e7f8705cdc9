"""The golden figures of logistic regression: odds, a published table of coefficients, spam against scikit-learn."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Rival

from margin import LogisticRegression, TableEncoder, read
from margin.linear import logit, odds
from tests.shared_data import shared_data


@pytest.mark.golden("D5")
def test_a_probability_of_a_fifth_has_odds_of_a_quarter():
    assert odds(0.2) == 0.25
    assert logit(0.2) == pytest.approx(np.log(0.25))


#: R's glm(class ~ ., binomial) on the Pima Indians' 768 rows: estimates and standard errors as widely printed.
PIMA = {
    "(intercept)": (-8.4046964, 0.7166359),
    "preg": (0.1231823, 0.0320776),
    "plas": (0.0351637, 0.0037087),
    "pres": (-0.0132955, 0.0052336),
    "skin": (0.0006190, 0.0068994),
    "insu": (-0.0011917, 0.0009012),
    "mass": (0.0897010, 0.0150876),
    "pedi": (0.9451797, 0.2991475),
    "age": (0.0148690, 0.0093348),
}


@pytest.mark.golden("D5")
def test_the_published_table_of_the_pima_indians():
    X, y = read(shared_data("diabetes.arff.gz")).target("class")
    model = LogisticRegression(C=np.inf).fit(X, y)
    found = model.summary()
    names = found.table["column"].tolist()
    assert names == list(PIMA)
    for i, name in enumerate(names):
        estimate, error = PIMA[name]
        assert found.table["coefficient"][i] == pytest.approx(estimate, abs=6e-8)
        # R's errors are those of the last weights but one, which shows in the seventh digit.
        assert found.table["standard_error"][i] == pytest.approx(error, abs=3e-7)
    assert round(found.null_deviance, 2) == 993.48
    assert round(found.deviance, 2) == 723.45
    assert round(found.aic, 2) == 741.45


@pytest.mark.golden("D5")
def test_spam_is_never_above_scikit_learn_and_within_a_millionth_of_its_tightest():
    table, y = read(shared_data("spambase.arff.gz")).target("class")
    X = TableEncoder().fit_transform(table)
    y = np.asarray(y) == np.unique(np.asarray(y))[1]
    ours = LogisticRegression().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = Rival().fit(X, y)
        tightest = Rival(solver="newton-cholesky", tol=1e-12, max_iter=10_000).fit(X, y)

    def objective(model):
        z = X @ model.coef_[0] + model.intercept_[0]
        return np.logaddexp(0, np.where(y, -z, z)).sum() + 0.5 * (model.coef_**2).sum()

    reached, best = objective(ours), objective(tightest)
    assert reached <= objective(theirs)
    assert reached <= best * (1 + 1e-12)
    assert reached == pytest.approx(best, rel=1e-6)
    assert ours.certificate_.objective == pytest.approx(reached, rel=1e-12)
