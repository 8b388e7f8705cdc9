"""margin.svm.kernels.spectrum: pieces counted by hand, then the definition, then as part of a pipeline."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from margin.errors import InputError, InputTypeError, NotFittedError, ParameterError
from margin.svm import SpectrumKernel, check_kernel, kernel_matrix


def definition(s, t, k):
    """Pairs of equal pieces."""
    pieces = [s[i : i + k] for i in range(len(s) - k + 1)]
    others = [t[i : i + k] for i in range(len(t) - k + 1)]
    return sum(a == b for a in pieces for b in others)


def test_pieces_are_counted_with_repetitions():
    kernel = SpectrumKernel(k=2, normalize=False).fit(["abab", "ba"])
    assert kernel.pieces_ == ("ab", "ba")
    assert kernel.transform(["abab", "ba", "xab"]).toarray().tolist() == [[2, 1], [0, 1], [1, 0]]
    binary = SpectrumKernel(k=2, normalize=False, binary=True).fit(["abab", "ba"])
    assert binary.transform(["abab"]).toarray().tolist() == [[1, 1]]


def test_pieces_of_several_lengths_are_counted_together():
    kernel = SpectrumKernel(k=(1, 2), normalize=False)
    assert kernel.fit(["aba"]).pieces_ == ("a", "ab", "b", "ba")
    assert kernel(["aba"], ["ab"]).tolist() == [[4.0]]


def test_tokens_have_an_order_in_lists_and_none_in_sets():
    pairs = SpectrumKernel(k=2, normalize=False)
    assert pairs([["a", "b", "c"]], [["b", "c", "a", "b"]]).tolist() == [[2.0]]
    assert pairs([{"a", "b", "c"}], [{"c", "a", "x"}]).tolist() == [[2.0]]
    assert SpectrumKernel(k=2).fit([["new", "york"]]).get_feature_names_out().tolist() == ["new york"]


def test_upper_case_can_be_ignored():
    assert SpectrumKernel(k=2, lowercase=True)(["AB"], ["ab"]).tolist() == [[1.0]]
    assert SpectrumKernel(k=2)(["AB"], ["ab"]).tolist() == [[0.0]]


@settings(max_examples=50, deadline=None)
@given(texts=st.lists(st.text("ab", max_size=8), min_size=1, max_size=5), k=st.integers(1, 3))
def test_the_kernel_is_the_number_of_pairs_of_equal_pieces(texts, k):
    want = np.array([[definition(s, t, k) for t in texts] for s in texts], dtype=float)
    assert SpectrumKernel(k, normalize=False)(texts).tolist() == want.tolist()
    length = np.sqrt(np.diag(want))
    length[length == 0] = 1
    assert SpectrumKernel(k)(texts) == pytest.approx(want / np.outer(length, length))
    assert check_kernel(SpectrumKernel(k), texts)


def test_unseen_pieces_get_no_column_but_count_in_the_length():
    kernel = SpectrumKernel(k=1)
    train, new = ["ab", "b"], ["abcc"]
    rows = kernel.fit_transform(train)
    products = (kernel.transform(new) @ rows.T).toarray()
    assert products == pytest.approx(kernel(new, train))
    assert products == pytest.approx(np.array([[2 / np.sqrt(6 * 2), 1 / np.sqrt(6)]]))


def test_a_text_without_pieces_is_unlike_all():
    kernel = SpectrumKernel(k=3)
    assert kernel(["ab", ""], ["abc", "ab"]).tolist() == [[0, 0], [0, 0]]
    assert kernel.fit_transform(["ab"]).shape == (1, 0)


def test_it_stands_in_a_pipeline_and_in_cross_validation():
    texts = np.array(["abcabc", "bcabca", "cabc", "xyzxy", "zxyz", "yzxyz"] * 5)
    y = np.array([0, 0, 0, 1, 1, 1] * 5)
    model = make_pipeline(SpectrumKernel(k=2), LogisticRegression(C=10))
    assert cross_val_score(model, texts, y, cv=3).mean() == 1
    assert clone(SpectrumKernel(k=(1, 4), binary=True)).get_params() == {
        "k": (1, 4),
        "normalize": True,
        "binary": True,
        "lowercase": False,
    }


def test_a_column_of_a_table_is_a_list_of_texts():
    column = np.array([["ab"], ["ba"]], dtype=object)
    assert SpectrumKernel(k=1)(column).tolist() == SpectrumKernel(k=1)(["ab", "ba"]).tolist()
    assert kernel_matrix(["ab", "ba"], kernel=SpectrumKernel(k=1)) == pytest.approx(np.ones((2, 2)))
    assert kernel_matrix([["a"], ["b", "a"]], kernel=SpectrumKernel(k=1))[0, 0] == 1


def test_what_is_no_text_is_refused():
    with pytest.raises(InputTypeError, match="one text was given"):
        SpectrumKernel().fit("text")
    with pytest.raises(InputError, match="row 1 must be a text"):
        SpectrumKernel().fit(["text", None])
    with pytest.raises(InputError, match="tokens must be words, but row 0 has 3"):
        SpectrumKernel().fit([["a", 3]])
    with pytest.raises(NotFittedError, match="call fit first"):
        SpectrumKernel().transform(["a"])
    for k in (0, 1.5, (3, 2), (1, 2, 3), "ab", True):
        with pytest.raises(ParameterError, match="k must be a whole number"):
            SpectrumKernel(k).fit(["a"])
    with pytest.raises(ParameterError, match="not one of its parameters"):
        SpectrumKernel().set_params(n=2)
