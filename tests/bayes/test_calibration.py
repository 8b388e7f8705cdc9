"""margin.bayes.calibrated_classifier:
maps worked by hand and by their definitions, then the classifier, then real tables.
"""

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GroupKFold, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier as WithoutWeights
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from margin import (
    CalibratedClassifier,
    JointBayes,
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    MajorityClassifier,
    NaiveBayes,
    QuadraticDiscriminantAnalysis,
    Table,
    TableEncoder,
    read,
)
from margin.base.meta.calibration_maps import MAPS
from margin.errors import InputError, LabelError, ParameterError
from margin.evaluation import HoldOut, StratifiedFolds
from margin.persistence import load, save
from tests.shared_data import shared_data

every_method = pytest.mark.parametrize("method", MAPS)


def noisy(n=200, n_classes=2, seed=0):
    """Classes around centres, two columns that say the same thing, so that naive Bayes is too sure."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    x = rng.normal(size=n) + 1.2 * y
    return np.column_stack([x, x + rng.normal(size=n) / 20, rng.normal(size=n)]), y


# The classifier


@every_method
@pytest.mark.parametrize("ensemble", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_agrees_with_the_definition_fold_by_fold(method, ensemble, n_classes):
    X, y = noisy(90, n_classes)
    splits = list(StratifiedFolds(3).split(y))

    def scores(model, rows):
        shares = model.predict_proba(rows)
        shares = np.log(shares + 1e-12) if method == "temperature" else shares
        if n_classes > 2:
            return shares
        return shares[:, 1:] - shares[:, :1] if method == "temperature" else shares[:, 1:]

    models = [NaiveBayes().fit(X[train], y[train]) for train, _ in splits]
    held = [scores(model, X[test]) for model, (_, test) in zip(models, splits)]
    if ensemble:
        maps = [MAPS[method]().learn(s, y[test], np.ones(len(test))) for s, (_, test) in zip(held, splits)]
        expected = np.mean([each.shares(scores(model, X)) for each, model in zip(maps, models)], axis=0)
    else:
        rows = np.concatenate([test for _, test in splits])
        one = MAPS[method]().learn(np.vstack(held), y[rows], np.ones(len(rows)))
        expected = one.shares(scores(NaiveBayes().fit(X, y), X))
    for cv in (splits, StratifiedFolds(3)):
        found = CalibratedClassifier(method=method, cv=cv, ensemble=ensemble).fit(X, y).predict_proba(X)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-15)


def measures(probabilities, y):
    """Brier score, and how far the sureness of answers is from how often they are right, in ten bins."""
    sure, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == y
    bins = np.minimum((sure * 10).astype(int), 9)
    gaps = [abs(sure[bins == b].sum() - right[bins == b].sum()) for b in range(10)]
    brier = ((probabilities - np.eye(probabilities.shape[1])[y]) ** 2).sum(axis=1).mean()
    return brier, sum(gaps) / len(y)


@pytest.mark.golden("C9")
@every_method
@pytest.mark.parametrize("scores", ["auto", "log_odds"])
@pytest.mark.parametrize("name", ["spambase.arff.gz", "mushroom.arff.gz"])
@pytest.mark.filterwarnings("ignore::margin.errors.ConstantColumnWarning")
def test_naive_bayes_on_columns_that_depend_on_each_other_comes_true_after_calibration(name, scores, method):
    table = read(shared_data(name))
    X, labels = table.target("class")
    classes, y = np.unique(labels.astype(str), return_inverse=True)
    ((train, test),) = HoldOut(0.5).split(y)
    brier, gap = measures(NaiveBayes().fit(X[train], y[train]).predict_proba(X[test]), y[test])
    model = CalibratedClassifier(NaiveBayes(), method=method, scores=scores).fit(X[train], labels[train])
    assert model.classes_.tolist() == classes.tolist()
    mended_brier, mended_gap = measures(model.predict_proba(X[test]), y[test])
    assert mended_gap < 0.8 * gap
    assert mended_brier < brier


@pytest.mark.parametrize(
    "model",
    [NaiveBayes(), KNeighborsClassifier(), LogisticRegression(), RidgeClassifier(), GaussianNB(), SVC(), JointBayes()],
    ids=lambda m: type(m).__name__,
)
@pytest.mark.filterwarnings("ignore::margin.errors.SparseTableWarning")
def test_any_classifier_takes_mixed_tables(model):
    rng = np.random.default_rng(0)
    y = np.array(["no", "yes", "yes"])[rng.integers(0, 3, 90)]
    age = [None if i % 9 == 0 else float(v) for i, v in enumerate(np.round(rng.normal(40 + 9 * (y == "yes"))))]
    job = [None if i % 11 == 0 else str(v) for i, v in enumerate(rng.choice(["cook", "clerk"], 90))]
    X = Table.from_columns({"age": age, "job": job})
    weight = rng.integers(0, 3, 90)
    for settings_ in ({"ensemble": True}, {"ensemble": False, "method": "isotonic"}):
        fitted = CalibratedClassifier(model, cv=3, **settings_).fit(X, y, sample_weight=weight)
        assert (fitted.predict(X) == y).mean() > 0.8
        np.testing.assert_allclose(fitted.predict_proba(X).sum(axis=1), 1)
        assert fitted.predict(Table.from_columns({"job": ["pilot"], "age": [None]})).shape == (1,)


def test_a_classifier_that_takes_no_weights_is_refused_them():
    X, y = noisy(30)
    CalibratedClassifier(WithoutWeights()).fit(X, y, sample_weight=np.arange(30) % 2)  # 0 and 1 leave rows out
    with pytest.raises(ParameterError, match=r"sample_weight=…\): KNeighborsClassifier.fit takes no weights"):
        CalibratedClassifier(WithoutWeights()).fit(X, y, sample_weight=np.arange(30) % 3)


@every_method
@pytest.mark.parametrize("ensemble", [True, False])
def test_whole_number_weights_are_repeated_rows(method, ensemble):
    X, y = noisy(60, 3)
    weight = np.random.default_rng(3).integers(0, 4, 60)
    model = CalibratedClassifier(method=method, ensemble=ensemble)
    weighted = model.fit(X, y, weight).predict_proba(X)
    repeated = model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).predict_proba(X)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-7, atol=1e-12)


def test_weights_that_are_not_counts_may_be_scaled_at_will():
    X, y = noisy(80)
    weight = np.random.default_rng(1).random(80)
    one = CalibratedClassifier().fit(X, y, weight).predict_proba(X)
    np.testing.assert_allclose(CalibratedClassifier().fit(X, y, weight / 1e3).predict_proba(X), one, rtol=1e-7)


@pytest.mark.parametrize("ensemble", [True, False])
@every_method
def test_classes_too_small_for_the_folds_are_calibrated_with_fewer(method, ensemble):
    X, y = noisy(40)
    y[:3] = 2
    model = CalibratedClassifier(method=method, ensemble=ensemble).fit(X, y)
    assert len(model.calibrated_) == (3 if ensemble else 1)
    assert model.predict_proba(X).shape == (40, 3)
    y[1:3] = 0
    assert (CalibratedClassifier(method=method, ensemble=ensemble).fit(X, y).predict_proba(X).sum(axis=1) > 0.999).all()


def test_one_row_of_each_class_is_enough_to_say_something():
    found = CalibratedClassifier(MajorityClassifier()).fit([[0.0], [1.0]], ["a", "b"]).predict_proba([[0.5]])
    assert found[0] == pytest.approx([0.5, 0.5])


def test_a_single_class_is_certain():
    model = CalibratedClassifier().fit([[0.0], [1.0], [2.0]], ["only"] * 3)
    assert model.predict([[9.0]]).tolist() == ["only"]
    assert model.predict_proba([[9.0], [1.0]]).tolist() == [[1.0], [1.0]]


def test_a_training_part_without_a_class_leaves_that_class_out_of_its_say():
    X, y = noisy(60, 3)
    order = np.argsort(y, kind="stable")
    splits = [(np.setdiff1d(np.arange(60), held), held) for held in (order[:20], order[15:40], order[30:])]
    lacking = [set(y) - set(y[train]) for train, _ in splits]
    assert any(lacking)
    model = CalibratedClassifier(cv=splits).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert [set(each.places) for each in model.calibrated_] == [set(y) - gone for gone in lacking]
    with pytest.raises(ParameterError, match=r"split \d must hold every class, but lacks .*ensemble"):
        CalibratedClassifier(cv=splits, ensemble=False).fit(X, y)


def test_a_list_of_splits_speaks_of_the_rows_as_given():
    X, y = noisy(40)
    weight = np.ones(40)
    weight[[0, 7, 21]] = 0
    kept = np.flatnonzero(weight)
    splits = list(KFold(4).split(X))
    place = np.full(40, -1)
    place[kept] = np.arange(37)
    same = [tuple(place[rows][place[rows] >= 0] for rows in pair) for pair in splits]
    expected = CalibratedClassifier(cv=same).fit(X[kept], y[kept]).predict_proba(X)
    assert np.array_equal(CalibratedClassifier(cv=splits).fit(X, y, weight).predict_proba(X), expected)
    masks = [tuple(np.isin(np.arange(40), rows) for rows in pair) for pair in splits]
    assert np.array_equal(CalibratedClassifier(cv=masks).fit(X, y, weight).predict_proba(X), expected)


def test_a_seed_shuffles_the_folds_and_none_keeps_the_order():
    X, y = noisy()
    plain = CalibratedClassifier().fit(X, y).predict_proba(X)
    assert np.array_equal(CalibratedClassifier().fit(X, y).predict_proba(X), plain)
    one = CalibratedClassifier(random_state=1).fit(X, y).predict_proba(X)
    assert np.array_equal(CalibratedClassifier(random_state=1).fit(X, y).predict_proba(X), one)
    assert not np.array_equal(one, plain)


# Classifiers that are fitted already


@every_method
def test_a_fitted_classifier_is_left_as_it_is(method):
    X, y = noisy(100, 3)
    names = np.array(["a", "b", "c"])[y]
    fitted = NaiveBayes().fit(X[:50], names[:50])
    before = fitted.predict_proba(X)
    two = names[50:] != "b"
    model = CalibratedClassifier(fitted, method=method, cv="prefit").fit(X[50:][two], names[50:][two])
    assert np.array_equal(fitted.predict_proba(X), before)
    assert model.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    frozen = CalibratedClassifier(FrozenEstimator(fitted), method=method).fit(X[50:][two], names[50:][two])
    assert np.array_equal(frozen.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("model", [NaiveBayes(), make_pipeline(TableEncoder(), GaussianNB())], ids=["margin", "scikit"])
def test_a_category_that_only_the_fitted_classifier_has_seen_keeps_its_meaning(model):
    X = Table.from_columns({"job": ["cook", "clerk", "pilot"] * 20, "age": np.arange(60.0)})
    y = np.where(np.random.default_rng(0).random(60) < np.tile([0.3, 0.6, 0.8], 20), "yes", "no")
    fitted = model.fit(X, y)
    few = X[X["job"] != "pilot"]
    calibrated = CalibratedClassifier(fitted, cv="prefit").fit(few, y[X["job"] != "pilot"])
    one_pilot = X[[2]]
    score = fitted.predict_proba(one_pilot)[:, 1:]
    assert np.array_equal(calibrated.predict_proba(one_pilot), calibrated.calibrated_[0].map.shares(score))
    lost = Table.from_columns({"job": [None], "age": [2.0]})
    assert not np.array_equal(calibrated.predict_proba(one_pilot), calibrated.predict_proba(lost))


def test_a_fitted_classifier_must_be_fitted_and_know_the_labels():
    X, y = noisy(40)
    with pytest.raises(
        ParameterError, match=r"CalibratedClassifier\(estimator=NaiveBayes\(\), cv='prefit'\): .* fitted"
    ):
        CalibratedClassifier(cv="prefit").fit(X, y)
    with pytest.raises(LabelError, match="'u', 'v', but 0, 1 is none of them"):
        CalibratedClassifier(NaiveBayes().fit(X, ["u", "v"] * 20), cv="prefit").fit(X, y)


def _log_loss(model, X, y):
    return -model.predict_log_proba(X)[np.arange(len(y)), y].mean()


@pytest.mark.parametrize("in_pipeline", [False, True])
@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()], ids=repr)
def test_a_discriminant_that_is_right_is_left_nearly_as_it_is(model, in_pipeline):
    """Densities of a row far from all classes are low in every class, and say nothing of one against the rest."""
    rng = np.random.default_rng(0)
    y = np.arange(3000) % 6
    X = np.column_stack([np.cos(y), np.sin(y), 0 * y, 0 * y]) * 3 + rng.normal(size=(3000, 4)) * [1, 1, 5, 50]
    model = make_pipeline(TableEncoder(), model) if in_pipeline else model
    plain = model.fit(X[:2000], y[:2000])
    mended = CalibratedClassifier(model).fit(X[:2000], y[:2000])
    assert _log_loss(mended, X[2000:], y[2000:]) < 1.15 * _log_loss(plain, X[2000:], y[2000:])


# Refusals


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"estimator": NaiveBayes}, r"CalibratedClassifier\(estimator=.*must be None or a classifier with fit"),
        ({"method": "platt"}, r"method='platt'\): method must be one of 'sigmoid', 'isotonic', 'temperature'"),
        ({"cv": 1}, r"cv=1\): cv must be a whole number of at least 2"),
        ({"cv": "fitted"}, r"cv='fitted'\): cv must be"),
        ({"cv": []}, "at least one split is needed"),
        ({"cv": [(range(5), [60])]}, "rows in split 0 must be whole numbers from 0 to 39"),
        ({"cv": [(range(5), [0.5])]}, "rows in split 0 must be whole numbers"),
        ({"cv": [range(5)]}, "split 0 must be a pair"),
        ({"cv": [([], [1, 2])]}, "split 0 must have rows to learn from"),
        ({"cv": [([1, 2], [])]}, "split 0 must have rows to learn from, and others"),
        ({"cv": GroupKFold(3)}, "this splitter cannot split the rows"),
        ({"ensemble": "some"}, "ensemble must be"),
        ({"scores": "margins"}, "scores must be one of 'auto', 'log_odds'"),
        ({"estimator": SVC(decision_function_shape="ovo")}, "one column for each of the 4 classes, not 6"),
    ],
    ids=str,
)
def test_settings_that_cannot_be_are_refused(settings_, message):
    X, y = noisy(40, 4)
    with pytest.raises(ParameterError, match=message):
        CalibratedClassifier(**settings_).fit(X, y)


def test_a_cell_that_the_classifier_refuses_is_named_by_its_own_row():
    X, y = noisy(40)
    X[33, 1] = 1e200
    with pytest.raises(InputError, match="column 'x1', row 33"):
        CalibratedClassifier().fit(X, y)


@every_method
def test_a_saved_model_answers_as_before(tmp_path, method):
    X, y = noisy(60, 3)
    model = CalibratedClassifier(KNeighborsClassifier(), method=method).fit(X, y)
    again = load(save(model, tmp_path / "calibrated.margin"))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
