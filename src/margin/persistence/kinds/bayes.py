"""Naive Bayes under all its names, and the joint model.

A model holds its statistics, by which it goes on learning, and what was learnt of them under the parameters of then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from margin.bayes.column_blocks import TextBlock
from margin.bayes.distributions.categorical import Categorical, CategoricalNumbers
from margin.bayes.distributions.smoothing import log_of
from margin.bayes.distributions.standard import Bernoulli, Complement, Gaussian, Multinomial
from margin.bayes.joint import JointBayes
from margin.bayes.naive import NaiveBayes
from margin.bayes.sklearn_names import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from margin.bayes.sufficient_statistics import WordSums
from margin.persistence.kinds.base import MIXED, classifier, shares
from margin.persistence.kinds.distributions import part_fits
from margin.persistence.objects.arrays import Array, at_least, finite
from margin.persistence.objects.fields import Absent, Field, Number, Object, TupleOf
from margin.persistence.objects.kind import Kind
from margin.persistence.objects.values import Labels

__all__ = ["KINDS", "generative"]


def generative(
    name: str, cls: type, fields: Mapping[str, Field], *, check: Callable[[Any], str | None], **more: Any
) -> Kind:
    """The kind of a model with priors that goes on learning from its statistics."""
    common: dict[str, Field] = {
        "priors_": Array("f8", "k", shares),
        "_declared_classes": Absent(Labels(distinct=True)),
    }

    def whole(model: Any) -> str | None:
        return check(model) if model.priors_.any() else "some class must have a prior above 0"

    return classifier(name, cls, {**common, **fields}, check=whole, **more)


def _begin(model: NaiveBayes) -> None:
    model._log_priors = log_of(model.priors_)
    model._start = model._log_priors if model.uses_priors else np.zeros(len(model.priors_))
    for block, part in zip(model._blocks, model._statistics.parts, strict=False):
        if isinstance(block, TextBlock) and isinstance(part, WordSums):
            block.words = part.words


def _naive(name: str, cls: type[NaiveBayes], *distributions: type) -> Kind:
    """Naive Bayes with these distributions; any, if there are none."""

    def check(model: NaiveBayes) -> str | None:
        blocks, parts = model._blocks, model._statistics.parts
        if len(blocks) != len(parts) or any(block.columns is not model._columns for block in blocks):
            return "its blocks are not those of its columns and statistics"
        positions = np.concatenate([np.empty(0, dtype=np.int64), *(block.positions for block in blocks)])
        n = model._columns.n
        if len(positions) != n or not np.array_equal(np.sort(positions), np.arange(n)):
            return "every column must stand in one block"
        used: list[Any] = [block.distribution for block in blocks]
        if distributions and any(type(each) not in distributions for each in used):
            return "it has a distribution of another model"
        if cls is GaussianNB and any(isinstance(each, Gaussian) and each.smoothing is None for each in used):
            return "its variances are always smoothed"
        wrong = (part_fits(block, part, len(model.classes_)) for block, part in zip(blocks, parts, strict=True))
        return next(filter(None, wrong), None)

    fields: dict[str, Field] = {
        "_statistics": Object("row-statistics", where={"k": lambda found: len(found.totals)}),
        "_blocks": TupleOf(Object("column-block", "text-block")),
    }
    return generative(
        name, cls, fields, sees=MIXED, check=check, finish=_begin, derived=frozenset({"_log_priors", "_start"})
    )


def _lay_out(model: JointBayes) -> None:
    model._lay_out_cells()
    model._lay_out_counts()


def _joint(model: JointBayes) -> str | None:
    seen, encoder, columns = model._statistics, model._encoder, model._columns
    n_numbers = columns.n if columns.schema is None else len(encoder.numeric_names)
    levels = [len(column.levels) for column in columns.schema or () if not column.is_numeric]
    if encoder.as_given or columns.text:
        return "it takes numbers and codes only"
    if len(seen.numbers) != n_numbers or list(seen.n_levels) != levels:
        return "its combinations are those of other columns or levels"
    if len(model._counts) != len(model._cells):
        return "there must be counts for every complete combination"
    if model._keys is not None and not (model._keys[1:] > model._keys[:-1]).all():
        return "combinations must be sorted, none twice"
    return None


KINDS = (
    _naive("naive-bayes", NaiveBayes),
    _naive("gaussian-nb", GaussianNB, Gaussian, Categorical),
    _naive("categorical-nb", CategoricalNB, Categorical, CategoricalNumbers),
    _naive("bernoulli-nb", BernoulliNB, Bernoulli, Categorical),
    _naive("multinomial-nb", MultinomialNB, Multinomial),
    _naive("complement-nb", ComplementNB, Complement),
    generative(
        "joint-bayes",
        JointBayes,
        {
            "_statistics": Object("combinations", where={"k": lambda found: len(found.weight)}),
            "_counts": Array("f8", "n", "k", at_least(0), finite, order="A"),
            "_alpha": Number(0),
        },
        sees=MIXED,
        check=_joint,
        finish=_lay_out,
        derived=frozenset(
            {"_log_priors", "_used", "_sizes", "_cells", "_log_alpha", "_log_counts", "_log_total", "_keys"}
        ),
    ),
)
