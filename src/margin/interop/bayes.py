"""Naive Bayes: scikit-learn keeps the counts and moments that margin's own models settle from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from margin.base.representations.moments import Moments
from margin.bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from margin.bayes.sufficient_statistics import (
    ClassMoments,
    LevelCounts,
    NumberCounts,
    RowStatistics,
    Sums,
    firsts,
    together,
)
from margin.errors import ConversionError
from margin.interop.features import Preparation
from margin.interop.making import mixed, of_same_name, who_is

__all__ = ["bernoulli", "categorical", "complement", "gaussian", "multinomial"]

COUNTS = "as its cells are counts or marks"


def _settled(model: Any, fitted: Any, seen: Preparation, part: Any) -> Any:
    totals = np.array(fitted.class_count_, dtype=np.float64)
    with mixed(model, fitted, seen) as made:
        made._statistics = RowStatistics(totals, bool((totals == np.floor(totals)).all()), (part,))
        made._settle()
    return made


def _sums(fitted: Any) -> Sums:
    totals = np.array(fitted.class_count_, dtype=np.float64)[:, None]
    return Sums(np.array(fitted.feature_count_, dtype=np.float64), totals)


def _counted(kind: Any, fitted: Any, seen: Preparation, *further: str) -> Any:
    seen.refuse_any(who_is(fitted), COUNTS)
    settings = of_same_name(fitted, "alpha", "force_alpha", "fit_prior", "class_prior", *further)
    return _settled(kind(**settings), fitted, seen, _sums(fitted))


def multinomial(fitted: Any, seen: Preparation) -> MultinomialNB:
    return _counted(MultinomialNB, fitted, seen)


def complement(fitted: Any, seen: Preparation) -> ComplementNB:
    return _counted(ComplementNB, fitted, seen, "norm")


def bernoulli(fitted: Any, seen: Preparation) -> BernoulliNB:
    return _counted(BernoulliNB, fitted, seen, "binarize")


def categorical(fitted: Any, seen: Preparation) -> CategoricalNB:
    settings = of_same_name(fitted, "alpha", "force_alpha", "fit_prior", "class_prior", "min_categories")
    tables = [np.array(counts, dtype=np.float64).T for counts in fitted.category_count_]
    first = firsts([len(table) for table in tables])
    if seen.is_plain:
        values = tuple(np.arange(len(table), dtype=np.float64) for table in tables)
        return _settled(CategoricalNB(**settings), fitted, seen, NumberCounts(values, np.concatenate(tables)))
    who = who_is(fitted)
    if [f.column for f in seen.features] != list(range(seen.n)) or any(
        f.kind != "ordinal" or f.chain or not np.isnan(f.fill) for f in seen.features
    ):
        raise ConversionError(
            f"{who}: before it there may be an OrdinalEncoder over all columns that leaves missing cells alone, and "
            "nothing else (give it prepared rows: pipeline[-1])."
        )
    if any(len(table) != len(f.levels or ()) for table, f in zip(tables, seen.features)):
        raise ConversionError(f"{who}: min_categories must not be above the categories of the OrdinalEncoder.")
    settings["min_categories"] = None
    part = LevelCounts(np.concatenate(tables), first, tuple(range(seen.n)))
    return _settled(CategoricalNB(**settings), fitted, seen, part)


def gaussian(fitted: Any, seen: Preparation) -> GaussianNB:
    who = who_is(fitted)
    seen.refuse_twice(who)
    if len(seen.features) != seen.n or any(f.kind != "numeric" or not np.isnan(f.fill) for f in seen.features):
        raise ConversionError(
            f"{who}: before it numbers may be scaled, but not filled nor made of categories, for margin's naive Bayes "
            "leaves missing cells out and counts categories (take pipeline[-1], or fit margin's NaiveBayes)."
        )
    order = np.argsort([f.column for f in seen.features])
    center, spread = (np.array([getattr(f, name) for f in seen.features]) for name in ("center", "spread"))
    mean = (np.asarray(fitted.theta_, dtype=np.float64) * spread + center)[:, order]
    variance, added = np.asarray(fitted.var_, dtype=np.float64), float(fitted.epsilon_)
    # What was added to the variances is one number for all columns, but not once their units are no longer the same;
    # and partial_fit takes off what it adds to a new batch, not what it added to the last one.
    apart = bool((spread == 1).all() and (variance >= added * (1 - 1e-9)).all())
    smoothing, added = (float(fitted.var_smoothing), added) if apart else (0.0, 0.0)
    variance = np.maximum(variance - added, 0.0)
    moments = _moments(fitted, mean, (variance * spread**2)[:, order])
    whole = _with_largest(together(moments), added / smoothing) if smoothing > 0 else together(moments)
    model = GaussianNB(priors=fitted.priors, var_smoothing=smoothing)
    return _settled(model, fitted, seen, ClassMoments(moments, whole))


def _moments(fitted: Any, mean: np.ndarray, variance: np.ndarray) -> Moments:
    mean = np.ascontiguousarray(mean)
    weight = np.repeat(np.array(fitted.class_count_, dtype=np.float64)[:, None], mean.shape[1], axis=1)
    # The cells reach at least as far as the means; how far, is not known.
    ends = mean.min(axis=0), mean.max(axis=0)
    return Moments(weight, weight.copy(), mean, np.zeros_like(mean), variance * weight, np.ones(mean.shape[1]), *ends)


def _with_largest(whole: Moments, variance: float) -> Moments:
    """The moments of all rows, with the largest variance as scikit-learn has it: without weights, of the last batch."""
    found = float((whole.m2[0] / whole.weight[0]).max())
    if found == 0:
        return replace(whole, m2=np.full_like(whole.m2, variance * whole.weight[0, 0]))
    return replace(whole, m2=whole.m2 * (variance / found))
