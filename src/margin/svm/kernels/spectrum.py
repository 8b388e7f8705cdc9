"""The spectrum kernel: texts are alike if they share pieces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp

from margin import params
from margin.errors import InputError, InputTypeError, NotFittedError, ParameterError
from margin.params import Flag, Rule

__all__ = ["SpectrumKernel"]


def _are_lengths(k: Any) -> bool:
    pair = k if isinstance(k, tuple) else (k, k)
    whole = all(isinstance(each, (int, np.integer)) and not isinstance(each, bool) for each in pair)
    return len(pair) == 2 and whole and 1 <= pair[0] <= pair[1]


def _lengths_from(text: str) -> int | tuple[int, int]:
    first, *rest = (int(part) for part in text.strip("[]()").replace(",", " ").split())
    return (first, rest[0]) if rest else first


Lengths = Annotated[
    Any,
    Rule("a whole number of at least 1, or the shortest and the longest", _are_lengths, _lengths_from),
]


class SpectrumKernel:
    r"""Kernel of texts or lists of tokens: the product of the counts of their pieces of length k.

    :math:`k(s, t) = \sum_u \#_u(s)\, \#_u(t)` over all pieces u of k characters, or of k tokens in a row (k-grams);
    with ``normalize`` divided by :math:`\sqrt{k(s, s)\, k(t, t)}`, the cosine. A set of tokens has no order: each of
    them is a piece, whatever k.

    Called with two lists of texts it is a kernel like any other (:func:`margin.svm.kernel_matrix`,
    :func:`margin.svm.check_kernel`). As a transformer (``fit``, ``transform``) it gives the counts as CSR rows, whose
    linear kernel is the spectrum kernel: put it before ``SVC(kernel="linear")`` or any linear model in a pipeline.

    The dictionary of pieces is learnt from the training texts alone. A piece of a new text that no training text has
    adds nothing to its products with them and gets no column; but it is part of the text, so that it counts in the
    length that ``normalize`` divides by: values are those of the kernel itself, whatever the dictionary holds. A text
    without pieces has the kernel 0 with all.

    Parameters
    ----------
    k
        The length of a piece, or the shortest and the longest.
    normalize
        Divide counts by the length of their text's row.
    binary
        Whether a piece is there, instead of how often.
    lowercase
        Ignore upper case in texts.

    Attributes
    ----------
    pieces_
        The dictionary, sorted: the names of the columns.

    Examples
    --------
    >>> SpectrumKernel(k=2, normalize=False)(["banana"], ["bandana", "nab"])
    array([[7., 2.]])
    >>> SpectrumKernel(k=1, normalize=False)([["to", "be"]], [["to", "be", "or", "not", "to", "be"]])
    array([[4.]])
    >>> counts = SpectrumKernel(k=3).fit_transform(["spam and eggs", "eggs and spam", "ham"])
    >>> counts.shape
    (3, 16)

    References
    ----------
    Leslie, Eskin, Noble (2002).
    """

    def __init__(
        self, k: Lengths = 3, *, normalize: Flag = True, binary: Flag = False, lowercase: Flag = False
    ) -> None:
        self.k = k
        self.normalize = normalize
        self.binary = binary
        self.lowercase = lowercase

    def __call__(self, X: Iterable[Any], Z: Iterable[Any] | None = None) -> np.ndarray:
        """The kernel of every text of X with every text of Z."""
        those = self._counts(X if Z is None else Z)
        index = _index(those)
        right = self._rows(those, index)
        left = right if Z is None or Z is X else self._rows(self._counts(X), index)
        return np.asarray((left @ right.T).toarray())

    def fit(self, X: Iterable[Any], y: Any = None) -> SpectrumKernel:
        """Learn the pieces that there are."""
        self._learn(self._counts(X))
        return self

    def fit_transform(self, X: Iterable[Any], y: Any = None) -> sp.csr_array:
        """Learn the pieces, and count them."""
        counts = self._counts(X)
        return self._rows(counts, self._learn(counts))

    def transform(self, X: Iterable[Any]) -> sp.csr_array:
        """The counts of the pieces that were learnt: one row for each text, one column for each piece."""
        if not hasattr(self, "pieces_"):
            raise NotFittedError("SpectrumKernel.transform: call fit first.")
        return self._rows(self._counts(X), {piece: place for place, piece in enumerate(self.pieces_)})

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The pieces; those of tokens with spaces between."""
        return np.array([each if isinstance(each, str) else " ".join(each) for each in self.pieces_], dtype=object)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings, as scikit-learn asks for them."""
        return {name: getattr(self, name) for name in self._get_param_names()}

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return ["k", "normalize", "binary", "lowercase"]

    def set_params(self, **settings: Any) -> SpectrumKernel:
        """Change settings."""
        for name, value in settings.items():
            if name not in self.get_params():
                raise ParameterError(f"SpectrumKernel({name}={value!r}): {name} is not one of its parameters.")
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type="transformer",
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=[]),
            input_tags=InputTags(one_d_array=True, two_d_array=False, string=True, sparse=False),
            requires_fit=True,
        )

    def __repr__(self) -> str:
        return f"SpectrumKernel({', '.join(f'{name}={value!r}' for name, value in self.get_params().items())})"

    def _learn(self, counts: list[Counter[Any]]) -> dict[Any, int]:
        index = _index(counts)
        self.pieces_ = tuple(index)
        return index

    def _lengths(self) -> range:
        params.check(self)
        shortest, longest = self.k if isinstance(self.k, tuple) else (self.k, self.k)
        return range(shortest, longest + 1)

    def _counts(self, texts: Iterable[Any]) -> list[Counter[Any]]:
        if isinstance(texts, (str, bytes)):
            raise InputTypeError("SpectrumKernel: one text was given where a list of them is needed.")
        lengths = self._lengths()
        texts = np.asarray(texts, dtype=object)[:, 0] if getattr(texts, "ndim", 1) == 2 else texts
        return [self._count(text, row, lengths) for row, text in enumerate(texts)]

    def _count(self, text: object, row: int, lengths: range) -> Counter[Any]:
        if isinstance(text, Set):
            return Counter((token,) for token in _tokens(text, row))
        if isinstance(text, str):
            whole: Any = text.lower() if self.lowercase else text
        elif isinstance(text, (Sequence, np.ndarray)) and not isinstance(text, bytes):
            whole = tuple(_tokens(text, row))
        else:
            raise InputError(
                f"SpectrumKernel: row {row} must be a text, a list of tokens or a set of them, but is {text!r}."
            )
        found: Counter[Any] = Counter()
        for k in lengths[: max(0, len(whole) + 1 - lengths.start)]:  # no piece is longer than the text
            found.update(whole[i : i + k] for i in range(len(whole) - k + 1))
        return Counter(dict.fromkeys(found, 1)) if self.binary else found

    def _rows(self, counts: list[Counter[Any]], index: dict[Any, int]) -> sp.csr_array:
        columns, values, start = [], [], [0]
        for pieces in counts:
            known = sorted((index[piece], count) for piece, count in pieces.items() if piece in index)
            length = np.sqrt(float(sum(count * count for count in pieces.values()))) if self.normalize else 1.0
            columns += [place for place, _ in known]
            values += [count / length for _, count in known]
            start.append(len(columns))
        return sp.csr_array(
            (np.array(values, dtype=np.float64), np.array(columns, dtype=np.int32), np.array(start, dtype=np.int32)),
            shape=(len(counts), len(index)),
        )


def _tokens(text: Iterable[Any], row: int) -> list[str]:
    tokens = list(text)
    for token in tokens:
        if not isinstance(token, str):
            raise InputError(f"SpectrumKernel: tokens must be words, but row {row} has {token!r}.")
    return tokens


def _index(counts: list[Counter[Any]]) -> dict[Any, int]:
    """The place of every piece, in order; pieces of texts before those of tokens."""
    pieces = set().union(*counts)
    ordered = sorted(pieces, key=lambda piece: (not isinstance(piece, str), piece))
    return {piece: place for place, piece in enumerate(ordered)}
