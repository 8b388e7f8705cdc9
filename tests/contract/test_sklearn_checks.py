"""All of scikit-learn's own checks of estimators, none expected to fail."""

import warnings

import pytest
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator

import margin
from margin.errors import MarginWarning
from margin.linear.online.streaming import StreamingClassifier
from tests.contract.estimators import ALL, draws_rows, estimator_classes, one_of_each_way_in, settings, shown


def suits(estimator, check) -> bool:
    """Whether a check asks for what an estimator can do.

    scikit-learn checks class weights on negative numbers, whatever an estimator says it can take. Of models that learn
    rows one after another, and of those that draw rows by their places, it asks not to notice that repeated rows come
    in another order, which they cannot but do (that weighted rows are as good as rows repeated in place is tested in
    test_labels_and_weights.py). And of those that learn in file order it asks to answer hardly anything but a class of
    very large weight; but mistakes on that class are no longer corrected once its rows are right, and the last rows of
    each pass have the last word.
    """
    name = getattr(check, "func", check).__name__
    if name == "check_class_weight_classifiers":
        return getattr(estimator, "shuffle", True) and not get_tags(estimator).input_tags.positive_only
    if draws_rows(estimator) and name.startswith("check_sample_weight_equivalence"):
        return False
    in_order = isinstance(estimator, StreamingClassifier) and getattr(estimator, "method", "") != "batch"
    return not (in_order and name.startswith("check_sample_weight_equivalence"))


#: Checks whose outcome follows from what a setting computes; the others look at the class, and at how it reads.
OF_SETTINGS = {
    "check_class_weight_classifiers",
    "check_classifiers_one_label",
    "check_classifiers_train",
    "check_decision_proba_consistency",
    "check_dict_unchanged",
    "check_estimators_overwrite_params",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_non_transformer_estimators_n_iter",
    "check_regressors_int",
    "check_regressors_train",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
    "check_transformer_general",
}

#: Checks of what an estimator reads, which two that read by the same code (``way_in``) pass or fail alike. What models
#: make of float32 and of sparse rows is compared for each of them in test_cells.py.
OF_READING = {
    "check_all_zero_sample_weights_error",
    "check_array_api_input",
    "check_classifier_data_not_an_array",
    "check_complex_data",
    "check_dtype_object",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimators_dtypes",
    "check_estimators_empty_data_messages",
    "check_f_contiguous_array_estimator",
    "check_fit1d",
    "check_fit2d_predict1d",
    "check_n_features_in",
    "check_readonly_memmap_input",
    "check_regressor_data_not_an_array",
    "check_requires_y_none",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_pandas_series",
    "check_sample_weights_shape",
    "check_supervised_y_2d",
    "check_supervised_y_no_nan",
    "check_transformer_data_not_an_array",
}


def checks():
    """Every check on every class, those of settings on every setting, and those of reading on one of each way in; in
    ``make test-all`` all on all."""
    met = set()
    readers = {shown(estimator) for estimator in one_of_each_way_in.args[1]}
    for estimator in settings():
        for i, (_, check) in enumerate(estimator_checks_generator(estimator, legacy=True)):
            name = getattr(check, "func", check).__name__
            # Checks come once more for other types of cells and for memory that is only read: ways to read.
            once_more = bool(getattr(check, "keywords", {}))
            of_class = shown(estimator) in readers if name in OF_READING else type(estimator) not in met
            wanted = ALL or (name in OF_SETTINGS and not once_more) or of_class
            if wanted and suits(estimator, check):
                yield pytest.param(estimator, check, id=f"{shown(estimator)}-{name}-{i}")
        met.add(type(estimator))


CHECKS = list(checks())


@pytest.mark.parametrize(("estimator", "check"), CHECKS)
def test_passes_the_checks_of_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MarginWarning)
        check(clone(estimator))


def test_every_check_that_is_left_to_some_estimators_is_one_of_scikit_learn():
    tried = {getattr(check.values[1], "func", check.values[1]).__name__ for check in CHECKS}
    assert tried >= OF_SETTINGS | OF_READING
    assert not OF_SETTINGS & OF_READING


@pytest.mark.parametrize("cls", estimator_classes(), ids=lambda c: c.__name__)
def test_every_estimator_is_a_public_name_of_margin(cls):
    assert getattr(margin, cls.__name__) is cls


def test_the_search_finds_estimators():
    assert {"KNeighborsClassifier", "MajorityClassifier", "NaiveBayes", "RoteClassifier"} <= {
        cls.__name__ for cls in estimator_classes()
    }
