"""Pictures with a question each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from margin.data.images import Images
from margin.deep.vision.captioning.words import texts_of
from margin.deep.vision.given import given_pictures
from margin.errors import InputError

__all__ = ["Asked"]


class Asked:
    """Questions about pictures: a case is a question and the picture it is about.

    ``which`` says for each question the place of its picture; without it there is a question for each picture, in their
    order.

    >>> asked = Asked(np.zeros((2, 8, 8), np.uint8), ["what is it", "is it black", "what is it"], [0, 0, 1])
    >>> asked, len(asked[1:])
    (<Asked: 3 questions about 2 pictures>, 2)
    """

    #: Rows are cases of their own and have no columns; models made of models hand them on as they are.
    holds_cases = True

    def __init__(self, pictures: Any, questions: Sequence[str], which: Any = None) -> None:
        who = "Asked"
        groups = [pictures] if isinstance(pictures, Images) else given_pictures(pictures, who)
        if len(groups) > 1:
            raise InputError(f"{who}: pictures must have one size (Images.framed makes them so).")
        self.pictures: Images = groups[0] if groups else Images.from_array(np.zeros((0, 1, 1), np.uint8))
        self.questions = np.array(texts_of(questions, "question", who), dtype=object)
        n = len(self.pictures)
        places = np.arange(len(self.questions)) if which is None else np.asarray(which)
        if places.shape != self.questions.shape or (which is None and len(places) != n):
            raise InputError(
                f"{who}: {len(self.questions)} questions were given for {n} pictures (which= says the picture of each)."
            )
        if places.dtype.kind not in "iu" or (len(places) and not (places.min() >= 0 and places.max() < n)):
            raise InputError(f"{who}(which=…): places of pictures must be whole numbers from 0 below {n}.")
        self.which = places.astype(np.int64)

    @classmethod
    def of(cls, X: Any, who: str) -> Asked:
        """Such questions, or a pair of pictures and questions, or three with ``which``."""
        if isinstance(X, Asked):
            return X
        if isinstance(X, tuple) and len(X) in (2, 3):
            return cls(*X)
        raise InputError(f"{who}: give pictures with questions, Asked(pictures, questions), or a pair of both.")

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.questions),)

    def __len__(self) -> int:
        return len(self.questions)

    def __getitem__(self, rows: Any) -> Self:
        """Some of the questions; the pictures are shared."""
        made = type(self).__new__(type(self))
        made.pictures = self.pictures
        chosen = np.arange(len(self))[rows] if isinstance(rows, slice) else np.atleast_1d(np.asarray(rows))
        made.questions, made.which = self.questions[chosen], self.which[chosen]
        return made

    take = __getitem__

    def __repr__(self) -> str:
        return f"<Asked: {len(self)} questions about {len(np.unique(self.which))} pictures>"
