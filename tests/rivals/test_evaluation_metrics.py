"""Metrics and curves against scikit-learn: on random answers, and on those of models on real data.

They differ on purpose where scikit-learn has no value or another convention: a class without cases takes no part in
averages of areas (scikit-learn: NaN or 0), ties of ``top_k`` go to the first classes (there: to the last), and without
``positive`` labels are averaged over classes (there: the class 1 of two).
"""

import numpy as np
import pytest
from sklearn import metrics as rival
from sklearn.calibration import calibration_curve as rival_calibration_curve
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import margin
import margin.evaluation.metrics.definitions as m
from tests.shared_data import shared_data


def random_answers(n_classes, seed, ties):
    random = np.random.default_rng(seed)
    truth = random.integers(n_classes, size=300)
    shares = 0.7 * random.dirichlet(np.ones(n_classes), 300) + 0.3 * np.eye(n_classes)[truth]
    if ties:
        shares = shares.round(1) + 1e-3
        shares /= shares.sum(axis=1, keepdims=True)
    return truth, shares


def real_answers(name, target, model):
    X, y = margin.read(shared_data(name)).target(target)
    matrix = margin.TableEncoder().fit_transform(X)
    labels = np.asarray(y).astype(str)
    return labels, cross_val_predict(model, matrix, labels, cv=3, method="predict_proba")


def check_areas(truth, shares, weight):
    classes = np.unique(truth)
    if len(classes) == 2:
        positive = truth == classes[1]
        theirs = rival.roc_auc_score(positive, shares[:, 1], sample_weight=weight)
        assert m.roc_auc(truth, shares, sample_weight=weight) == pytest.approx(theirs, abs=1e-12)
        theirs = rival.average_precision_score(positive, shares[:, 1], sample_weight=weight)
        assert m.average_precision(truth, shares, sample_weight=weight) == pytest.approx(theirs, abs=1e-12)
        return
    for average in ("macro", "weighted"):
        both = {"average": average, "sample_weight": weight}
        theirs = rival.roc_auc_score(truth, shares, multi_class="ovr", **both)
        assert m.roc_auc(truth, shares, **both) == pytest.approx(theirs, abs=1e-12)
        theirs = rival.average_precision_score(truth[:, None] == classes, shares, **both)
        assert m.average_precision(truth, shares, **both) == pytest.approx(theirs, abs=1e-12)
        if weight is None:  # scikit-learn takes no weights over pairs of classes
            theirs = rival.roc_auc_score(truth, shares, multi_class="ovo", average=average)
            ours = m.roc_auc(truth, shares, multiclass="ovo", average=average)
            assert ours == pytest.approx(theirs, abs=1e-12)


def check_labels(truth, said, weight):
    both = {"sample_weight": weight, "zero_division": 0}
    for average in ("macro", "weighted", "micro"):
        options = {"average": average, "sample_weight": weight}
        assert m.jaccard(truth, said, **options) == pytest.approx(rival.jaccard_score(truth, said, **options | both))
        theirs = rival.fbeta_score(truth, said, beta=0.5, **options | both)
        assert m.fbeta(truth, said, beta=0.5, **options) == pytest.approx(theirs)
    for label in np.unique(truth).tolist():
        theirs = rival.recall_score(truth != label, said != label, **both)
        assert m.specificity(truth, said, positive=label, sample_weight=weight) == pytest.approx(theirs)
        assert m.fpr(truth, said, positive=label, sample_weight=weight) == pytest.approx(1 - theirs)


def check_losses(truth, shares, weight):
    classes = np.unique(truth)
    both = {"sample_weight": weight}
    assert m.log_loss(truth, shares, **both) == pytest.approx(rival.log_loss(truth, shares, labels=classes, **both))
    if len(classes) > 2:
        for k in (1, 2):
            theirs = rival.top_k_accuracy_score(truth, shares, k=k, labels=classes, **both)
            if not has_ties(shares):
                assert m.top_k(truth, shares, k=k, **both) == pytest.approx(theirs)


def has_ties(shares):
    ordered = np.sort(shares, axis=1)
    return bool((np.diff(ordered, axis=1) == 0).any())


def check_curves(truth, shares, weight):
    positive = np.unique(truth)[-1]
    given = {"positive": positive, "sample_weight": weight}
    false, true, thresholds = rival.roc_curve(
        truth == positive, shares[:, -1], sample_weight=weight, drop_intermediate=False
    )
    ours = margin.roc_curve(truth, shares, **given)
    assert ours.fpr == pytest.approx(false)
    assert ours.tpr == pytest.approx(true)
    assert ours.thresholds.tolist() == thresholds.tolist()
    precision, recall, thresholds = rival.precision_recall_curve(truth == positive, shares[:, -1], sample_weight=weight)
    curve = margin.precision_recall_curve(truth, shares, **given)
    assert curve.precision[::-1] == pytest.approx(precision)
    assert curve.recall[::-1] == pytest.approx(recall)
    assert curve.thresholds[:0:-1].tolist() == thresholds.tolist()


def check(truth, shares, weight):
    said = np.unique(truth)[shares.argmax(axis=1)]
    check_areas(truth, shares, weight)
    check_labels(truth, said, weight)
    check_losses(truth, shares, weight)
    check_curves(truth, shares, weight)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_random_answers(n_classes, ties, weighted):
    truth, shares = random_answers(n_classes, n_classes, ties)
    check(truth, shares, np.random.default_rng(9).random(300) if weighted else None)


@pytest.mark.parametrize(
    ("name", "target", "model"),
    [
        ("diabetes.arff.gz", "class", GaussianNB()),
        ("glass.arff.gz", "Type", DecisionTreeClassifier(min_samples_leaf=3, random_state=0)),
        ("vowel.arff.gz", "Class", GaussianNB()),
    ],
)
def test_answers_of_models_on_real_data(name, target, model):
    truth, shares = real_answers(name, target, model)
    check(truth, shares, None)


def test_calibration_curves_agree_off_the_edges():
    truth, shares = random_answers(2, 4, ties=False)
    for strategy, theirs in (("width", "uniform"), ("count", "quantile")):
        observed, said = rival_calibration_curve(truth, shares[:, 1], n_bins=8, strategy=theirs)
        ours = margin.calibration_curve(truth, shares, bins=8, strategy=strategy)
        if strategy == "width":
            assert ours.observed[ours.filled] == pytest.approx(observed)
            assert ours.mean_confidence[ours.filled] == pytest.approx(said)
        else:
            assert ours.counts.sum() == 300
            assert len(ours.counts) == len(observed)


@pytest.mark.parametrize("name", ["emotions", "yeast"])
def test_several_labels_on_real_data(name):
    """Labels are ranked by how near the class means of a label are: any scores will do."""
    labels = {"emotions": 6, "yeast": 14}[name]
    train, test = (_numbers(f"multilabel/{name}-{part}.arff.gz") for part in ("train", "test"))
    columns = train[:, :-labels], test[:, :-labels]
    centre, spread = columns[0].mean(axis=0), columns[0].std(axis=0) + 1e-9
    learn, ask = ((part - centre) / spread for part in columns)
    truth = test[:, -labels:].astype(int)
    known = train[:, -labels:].astype(bool)
    means = [[learn[known[:, at] == has].mean(axis=0) for has in (False, True)] for at in range(labels)]
    scores = np.column_stack([ask @ (yes - no) - (yes @ yes - no @ no) / 2 for no, yes in means])
    said = (scores > 0).astype(int)
    ours = {key: score.value for key, score in margin.measure_multilabel(truth, said, scores=scores).items()}
    theirs = {
        "subset_accuracy": rival.accuracy_score(truth, said),
        "hamming_loss": rival.hamming_loss(truth, said),
        "label_ranking_average_precision": rival.label_ranking_average_precision_score(truth, scores),
        "ranking_loss": rival.label_ranking_loss(truth, scores),
        "coverage_error": rival.coverage_error(truth, scores),
    }
    for average in ("micro", "macro", "weighted", "samples"):
        options = {"average": average, "zero_division": 0}
        theirs[f"precision_{average}"] = rival.precision_score(truth, said, **options)
        theirs[f"recall_{average}"] = rival.recall_score(truth, said, **options)
        theirs[f"f1_{average}"] = rival.f1_score(truth, said, **options)
        theirs[f"fbeta_{average}"] = rival.fbeta_score(truth, said, beta=2, **options)
        theirs[f"jaccard_{average}"] = rival.jaccard_score(truth, said, **options)
    for average in ("micro", "macro"):
        theirs[f"roc_auc_{average}"] = rival.roc_auc_score(truth, scores, average=average)
        theirs[f"average_precision_{average}"] = rival.average_precision_score(truth, scores, average=average)
    assert ours == pytest.approx(theirs, abs=1e-12)


def _numbers(name):
    """The cells of an ARFF file of numbers and 0/1 labels."""
    table = margin.read(shared_data(name))
    return np.column_stack([np.asarray(table.values(column), dtype=float) for column in table.names])
