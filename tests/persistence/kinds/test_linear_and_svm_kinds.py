"""margin.persistence.kinds.linear and .svm: every way of fitting comes back bit for bit, and can go on."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_regressor

from margin.errors import PersistenceError
from margin.linear import LinearSGD, LogisticRegression, Perceptron
from margin.persistence import from_bytes, load, to_bytes
from margin.svm import SVC, LinearSVC, PegasosClassifier, SpectrumKernel
from tests.contract.estimators import answers, dealt, frame, numbers
from tests.persistence.kinds.linear_and_svm_models import (
    CONTRACT,
    LINEAR_WAYS,
    SVM_WAYS,
    fitted,
    in_parts,
    kernel_rows,
    texts,
    two_words,
)
from tests.persistence.round_trip import differences, same_answers, saved_and_loaded, without_a_place

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "0.1.0-format1"
FAMILY = ("ActivePerceptron", "Adaline", "LinearS", "Logistic", "Pegasos", "Perceptron", "Reject", "SVC")
WAYS = LINEAR_WAYS | SVM_WAYS
# The rows of a fit in this process, how long it took, and what is packed when it is asked first.
NOT_KEPT = {"._certified_rows", ".seconds", "._packed", "._stored"}


def data(name):
    if name == "table":
        return frame()
    X, y = two_words() if name == "two words" else numbers()
    return (sp.csr_array(X) if name == "sparse" else X), y


def check_round_trip(model, X, path):
    assert without_a_place(model) == []
    for mmap in (False, True):
        again = saved_and_loaded(model, path, mmap=mmap)
        found = differences(model, again, derived=True)
        assert [each for each in found if not any(name in each for name in NOT_KEPT)] == []
        assert same_answers(model, again, X)
        assert to_bytes(again) == to_bytes(model)


@dealt(CONTRACT, "names", ["numbers", "two words", "table", "sparse"])
def test_every_setting_comes_back_bit_for_bit(estimator, names, tmp_path):
    for name in names:
        if name == "two words" and is_regressor(estimator):
            continue  # a regressor learns numbers
        check_round_trip(*fitted(clone(estimator), *data(name)), tmp_path)


@pytest.mark.parametrize("way", WAYS)
def test_every_other_way_of_fitting_comes_back_bit_for_bit(way, tmp_path):
    check_round_trip(*WAYS[way](), tmp_path)


@pytest.mark.parametrize("model", [LogisticRegression(C=2.0), SVC(kernel=SpectrumKernel(k=2)), Perceptron()], ids=repr)
def test_a_model_that_has_learnt_nothing_keeps_its_settings(model):
    assert repr(from_bytes(to_bytes(model))) == repr(model)


@pytest.mark.parametrize("file", sorted(p.name for p in GOLDEN.glob("*.margin") if p.name.startswith(FAMILY)))
def test_files_of_format_1_answer_as_they_did(file):
    expected = json.loads((GOLDEN / "answers.json").read_text())[file]
    X = frame(40)[0][:8] if expected["data"] == "table" else numbers(40, 3)[0][:8]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert answers(load(GOLDEN / file), X) == pytest.approx(np.array(expected["answers"]), rel=0, abs=1e-12)


# ---- What a loaded model can still do.


@pytest.mark.parametrize(
    "way",
    [
        "perceptron voted in parts",
        "perceptron voted, a constant column",
        "sgd in parts",
        "adaline in parts",
        "active perceptron as a stream",
        "pegasos in parts",
        "pegasos in parts, rbf",
        "pegasos of sparse rows, rbf",
    ],
)
def test_a_loaded_model_goes_on_learning_as_the_one_that_was_saved(way, tmp_path):
    model, X = WAYS[way]()
    y = np.resize(model.classes_, X.shape[0])
    again = saved_and_loaded(model, tmp_path, mmap=True)
    for each in (model, again):
        in_parts(each, X, y)
    assert differences(model, again) == []
    assert same_answers(model, again, X)


@pytest.mark.parametrize("way", [way for way in SVM_WAYS if way.startswith("svc")])
def test_certificates_of_a_loaded_machine_are_those_of_the_saved_one(way, tmp_path):
    model, _ = SVM_WAYS[way]()
    again = saved_and_loaded(model, tmp_path)
    for name in ("certificate_", "slack_", "category_", "misclassified_", "margin_width_"):
        assert differences(getattr(model, name), getattr(again, name)) == []
    assert str(again.certificate_) == str(model.certificate_)


def test_large_arrays_stay_in_the_file_and_answer_from_there(tmp_path):
    X, y = numbers(1500, 200)
    for model in (SVC(), SVC(kernel="linear", C=0.01), PegasosClassifier(kernel="rbf", max_iter=2)):
        model, _ = fitted(model, X, y)
        again = saved_and_loaded(model, tmp_path, mmap=True)
        assert same_answers(model, again, X[:50])


def test_a_saved_machine_holds_decisions_and_not_the_rows_it_learnt_from():
    X, y = numbers(200)
    model = SVC(C=100.0, kernel="linear").fit(X, y)
    free = np.setdiff1d(np.arange(200), model.support_)[0]
    assert X[free].tobytes() not in to_bytes(model)
    assert X[model.support_[0]].tobytes() in to_bytes(model)


def test_the_table_of_coefficients_is_that_of_the_saved_model(tmp_path):
    X, y = numbers()
    model = LogisticRegression().fit(X, y)
    again = saved_and_loaded(model, tmp_path)
    assert str(again.summary()) == str(model.summary())
    assert again.certificate_.seconds is None


def test_more_passes_than_a_file_can_have_arrays_are_saved():
    model, _ = fitted(Perceptron(max_iter=1), [[0.0], [1.0], [2.0]], [0, 1, 0])
    model.mistakes_, model.mistake_counts_ = model.mistakes_ * 70_000, np.tile(model.mistake_counts_, 70_000)
    model.n_iter_ = 70_000
    again = from_bytes(to_bytes(model))
    assert len(again.mistakes_) == 70_000
    assert again.mistakes_[-1].tolist() == model.mistakes_[-1].tolist()


@pytest.mark.parametrize(
    ("model", "unknown"),
    [
        (LogisticRegression(), ("certificate_", "_evidence")),
        (LinearSVC(), ("certificate_",)),
        (Perceptron(), ("mistakes_", "mistake_counts_", "n_mistakes_")),
        (LinearSGD(), ("loss_curve_",)),
        (SVC(), ("_evidence",)),
    ],
    ids=repr,
)
def test_models_that_were_not_learnt_here_come_back_without_what_rows_tell(model, unknown, tmp_path):
    model, X = fitted(model, *numbers())
    for name in unknown:
        delattr(model, name)
    check_round_trip(model, X, tmp_path)


# ---- What cannot be saved.


def test_a_function_as_kernel_is_refused_with_what_to_do():
    X, y = numbers()
    model = SVC(kernel=lambda a, b: a @ b.T).fit(X, y)
    with pytest.raises(PersistenceError, match=r"kernel is a function .* files hold no code .*joblib"):
        to_bytes(model)
    model.kernel = "rbf"
    with pytest.raises(PersistenceError, match=r"function is a function of yours, and files hold no code"):
        to_bytes(model)


def test_a_file_of_a_machine_is_no_larger_than_what_it_needs():
    X, y = kernel_rows()
    assert len(to_bytes(SVC(kernel="precomputed").fit(X, y))) < X.nbytes + 8_000


def test_a_spectrum_kernel_alone_can_be_saved(tmp_path):
    kernel = SpectrumKernel(k=(2, 3), binary=True).fit([*texts()[0], ["to", "be"]])
    again = saved_and_loaded(kernel, tmp_path)
    assert again.pieces_ == kernel.pieces_
    assert (again.transform(["ham"]) != kernel.transform(["ham"])).nnz == 0
    assert repr(again) == repr(kernel)


def test_pegasos_keeps_how_often_vectors_were_too_close(tmp_path):
    model, _ = fitted(PegasosClassifier(kernel="rbf", max_iter=5), *two_words())
    assert differences(saved_and_loaded(model, tmp_path).beta_, model.beta_) == []
