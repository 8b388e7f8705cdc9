"""margin.persistence.container.header:
what is counted before a header is parsed, against a count one sign at a time.
"""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from margin.persistence.container.limits import Malformed

header = importlib.import_module("margin.persistence.container.header")

texts = st.text('ab"\\[]{},:\n\u00e9', max_size=8)
documents = st.recursive(
    texts | st.integers() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
)


def counted(text: str) -> tuple[int, int]:
    """Signs that announce a value outside of texts, and how deep it goes."""
    values = depth = deepest = 0
    in_text = escaped = False
    for sign in text:
        if in_text:
            in_text = escaped or sign != '"'
            escaped = not escaped and sign == "\\"
        else:
            in_text = sign == '"'
            values += sign in "[{,:"
            depth += (sign in "[{") - (sign in "]}")
            deepest = max(deepest, depth)
    return values, deepest


@given(document=documents)
def test_values_and_depth_are_counted_as_by_hand(document: Any):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(header, "STEP", 7)  # so that texts are cut by the steps
        raw = header.canonical(document)
        values, deepest = counted(raw.decode())
        patch.setattr(header, "MOST_VALUES", values)
        header.look_over(raw, deepest)
        if deepest:
            with pytest.raises(Malformed, match="nested"):
                header.look_over(raw, deepest - 1)
        if values:
            patch.setattr(header, "MOST_VALUES", values - 1)
            with pytest.raises(Malformed, match="values"):
                header.look_over(raw, deepest)


def test_brackets_in_texts_are_no_depth():
    header.look_over(header.canonical({"a": "[" * 1000, 'b"\\': '\\"[[' * 1000}), deepest=1)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a":1,"a":2}',
        b'{"b":1,"a":2}',
        b'{"a": 1}',
        b'{"a":1e2}',
        b'{"a":NaN}',
        b'{"a":"\\u0041"}',
        b"[]",
        b"",
        b"\xff",
    ],
)
def test_what_is_not_canonical_is_refused(raw):
    with pytest.raises(Malformed):
        header.parsed(raw)


@given(document=st.dictionaries(texts, documents, max_size=4))
def test_canonical_documents_come_back(document: Any):
    assert header.parsed(header.canonical(document)) == document
