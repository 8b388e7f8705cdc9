"""margin.evaluation.predictions.confusion: worked by hand, then against the definition, then as a picture."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margin.errors import InputError, LabelError
from margin.evaluation import confusion

# Hand-worked: 10 patients, 4 of them ill. 3 of the ill are found, 1 of the healthy is alarmed.
ILL = ["ill"] * 4 + ["well"] * 6
SAID = ["ill", "ill", "ill", "well", "ill", "well", "well", "well", "well", "well"]


def test_every_ratio_of_the_ten_patients():
    matrix = confusion(ILL, SAID)
    assert matrix.labels.tolist() == ["ill", "well"]
    assert matrix.counts.tolist() == [[3, 1], [1, 5]]
    assert (matrix.accuracy, matrix.error) == (0.8, 0.2)
    assert matrix.precision == pytest.approx([3 / 4, 5 / 6])
    assert matrix.recall == pytest.approx([3 / 4, 5 / 6])
    assert matrix.tpr == pytest.approx([3 / 4, 5 / 6])
    assert matrix.fpr == pytest.approx([1 / 6, 1 / 4])
    assert matrix.specificity == pytest.approx([5 / 6, 3 / 4])
    assert matrix.f1 == pytest.approx([3 / 4, 5 / 6])
    assert matrix.support.tolist() == [4, 6]
    assert matrix.of("ill")["fpr"] == pytest.approx(1 / 6)


def test_abstentions_have_a_column_of_their_own_and_are_not_right_answers():
    matrix = confusion(["a", "a", "b", "b"], ["a", None, "b", None])
    assert matrix.counts.tolist() == [[1, 0], [0, 1]]
    assert matrix.abstained.tolist() == [1, 1]
    assert (matrix.accuracy, matrix.coverage) == (0.5, 0.5)
    assert matrix.recall.tolist() == [0.5, 0.5]
    assert matrix.precision.tolist() == [1.0, 1.0]
    assert "no answer" in str(matrix)
    assert "2 without an answer" in str(matrix)


def test_a_model_that_never_answers_is_never_right():
    matrix = confusion([1, 2], [None, None])
    assert matrix.accuracy == 0
    assert matrix.precision.tolist() == [0, 0]


def test_weights_are_added_instead_of_cases_counted():
    matrix = confusion([0, 0, 1], [0, 1, 1], sample_weight=[0.5, 2.0, 1.5])
    assert matrix.counts.tolist() == [[0.5, 2.0], [0.0, 1.5]]
    assert matrix.accuracy == 0.5


def test_labels_set_the_order_and_may_name_classes_without_cases():
    matrix = confusion([0, 1], [0, 0], labels=[2, 1, 0])
    assert matrix.labels.tolist() == [2, 1, 0]
    assert matrix.counts.tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 1]]


def test_a_ratio_of_nothing_is_zero():
    matrix = confusion(["a", "a"], ["a", "a"], labels=["a", "b"])
    assert matrix.precision.tolist() == [1, 0]
    assert matrix.fpr.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("labels", "fault"), [(["a"], "'b' is not"), (["a", "b", "b"], "once"), (["a", 1], "one kind")]
)
def test_labels_must_name_every_class_once(labels, fault):
    with pytest.raises(LabelError, match=fault):
        confusion(["a", "b"], ["a", "b"], labels=labels)


def test_unequal_lengths_and_mixed_kinds_are_refused():
    with pytest.raises(InputError, match="1 stand beside 2"):
        confusion([0, 1], [0])
    with pytest.raises(LabelError, match="one kind"):
        confusion([0, 1], ["0", "1"])


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(-2, 3), st.one_of(st.none(), st.integers(-2, 3))), min_size=1, max_size=60))
def test_counts_agree_with_counting_one_by_one_for_every_type_of_label(pairs):
    truth, said = zip(*pairs)
    for name in (int, str, float):
        named = [None if answer is None else name(answer) for answer in said]
        matrix = confusion([name(label) for label in truth], named)
        for row, true in enumerate(matrix.labels.tolist()):
            for column, answer in enumerate(matrix.labels.tolist()):
                expected = sum(name(t) == true and s == answer for t, s in zip(truth, named))
                assert matrix.counts[row, column] == expected
        assert matrix.abstained.sum() == said.count(None)
        assert matrix.total == len(pairs)


def test_many_classes_print_as_a_list_with_the_worst_confusions():
    truth = np.arange(400) % 20
    said = np.where(truth == 7, 3, truth)
    text = str(confusion(truth, said))
    assert "7 taken for 3: 20" in text
    assert len(text.splitlines()) == 1 + 20 + 1 + 1


def test_html_escapes_labels():
    shown = confusion(["<a>", "b"], ["<a>", None])._repr_html_()
    assert "&lt;a&gt;" in shown
    assert "<a>" not in shown
    assert "no answer" in shown
