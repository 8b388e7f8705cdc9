"""The steps before a model: what each transformer of scikit-learn makes of features.

To take another, write a function of the fitted transformer and its features, and put it into ``STEPS``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from margin.data.missing import is_missing
from margin.errors import ConversionError
from margin.interop.features import Affine, Feature

__all__ = ["STEPS", "after"]

Features = list[Feature]


def after(step: Any, features: Sequence[Feature]) -> Features:
    """The features that a fitted transformer gives, out of those it was given."""
    if step is None or isinstance(step, str):
        if step == "drop":
            return []
        return list(features)  # "passthrough", or None
    name = type(step).__name__
    convert = STEPS.get(name) if type(step).__module__.startswith("sklearn.") else None
    if convert is None:
        raise ConversionError(
            f"from_sklearn({name}): no such preparation is known here; known are {', '.join(STEPS)} "
            "(take the model alone, pipeline[-1], and give it prepared rows)."
        )
    return convert(step, list(features))


def _refuse(step: Any, setting: str, why: str) -> ConversionError:
    return ConversionError(f"from_sklearn({type(step).__name__}({setting})): {why}.")


def _pipeline(step: Any, features: Features) -> Features:
    for _, inner in step.steps:
        features = after(inner, features)
    return features


def _column_transformer(step: Any, features: Features) -> Features:
    if step.transformer_weights:
        raise _refuse(step, "transformer_weights=…", "weights of transformers cannot be said here; leave them out")
    found: list[tuple[int, Features]] = []
    for name, inner, _ in step.transformers_:
        taken = [features[i] for i in step._transformer_to_input_indices.get(name, ())]
        given = after(inner, taken) if taken else []
        where = step.output_indices_[name]
        if where.stop - where.start != len(given):
            raise _refuse(step, f"{name!r}", f"it gives {where.stop - where.start} columns, not {len(given)}")
        found.append((where.start, given))
    return [feature for _, given in sorted(found, key=lambda pair: pair[0]) for feature in given]


def _function(step: Any, features: Features) -> Features:
    if step.func is not None:
        raise _refuse(step, "func=…", "what a function does cannot be said here; apply it to the rows beforehand")
    return features


def _standard(step: Any, features: Features) -> Features:
    n = len(features)
    mean = np.zeros(n) if not step.with_mean else step.mean_
    spread = np.ones(n) if step.scale_ is None else step.scale_
    known = np.full(n, np.nan) if step.mean_ is None else np.asarray(step.mean_)
    return [
        replace(f, mean=f.unscaled(float(m)) if f.level is None else np.nan).then(
            Affine("standard", float(a), float(b))
        )
        for f, m, a, b in zip(features, known, mean, spread, strict=True)
    ]


def _range(step: Any, features: Features) -> Features:
    if step.clip:
        raise _refuse(step, "clip=True", "margin does not cut numbers off at the ends of their range")
    return [
        f.then(Affine("range", float(a), float(b))) for f, a, b in zip(features, step.scale_, step.min_, strict=True)
    ]


def _imputer(step: Any, features: Features) -> Features:
    if step.add_indicator:
        raise _refuse(step, "add_indicator=True", "margin has no column that says whether another is missing")
    if not (isinstance(step.missing_values, float) and np.isnan(step.missing_values)):
        raise _refuse(
            step, f"missing_values={step.missing_values!r}", "only NaN is a missing cell; make it NaN beforehand"
        )
    found = []
    for feature, value in zip(features, step.statistics_, strict=True):
        if feature.level is not None:
            found.append(feature)  # 0 or 1, never missing
        elif isinstance(value, str) or not np.isreal(value):
            raise _refuse(
                step,
                f"strategy={step.strategy!r}",
                "a missing category cannot be counted as another one, for margin does not tell it from one that was "
                "never seen; both say nothing (fill it beforehand)",
            )
        elif not np.isnan(value) or step.keep_empty_features:
            filled = feature.unscaled(0.0 if np.isnan(value) else float(value))
            found.append(replace(feature, fill=filled) if np.isnan(feature.fill) else feature)
    return found


def _levels_of(step: Any, feature: Feature, categories: np.ndarray) -> tuple[Any, ...]:
    if not feature.is_untouched:
        raise _refuse(step, "…", "the categories must be those of the table, and not filled or scaled before")
    return tuple(categories.tolist())


def _one_hot(step: Any, features: Features) -> Features:
    if any(places is not None for places in getattr(step, "_infrequent_indices", ())):
        raise _refuse(step, "min_frequency=…", "rare categories that share a column cannot be said here")
    dropped = [None] * len(features) if step.drop_idx_ is None else step.drop_idx_
    found = []
    for feature, categories, without in zip(features, step.categories_, dropped, strict=True):
        levels = _levels_of(step, feature, categories)
        if any(map(is_missing, levels)):
            raise _refuse(
                step,
                f"categories={levels!r}",
                "a missing cell is a category of its own there; here it says nothing (write a word for it beforehand)",
            )
        found += [Feature(feature.column, levels, at) for at in range(len(levels)) if at != without]
    return found


def _ordinal(step: Any, features: Features) -> Features:
    if any(places is not None for places in getattr(step, "_infrequent_indices", ())):
        raise _refuse(step, "min_frequency=…", "rare categories that share a number cannot be said here")
    unseen = float(step.unknown_value) if step.handle_unknown == "use_encoded_value" else None
    found = []
    for feature, categories in zip(features, step.categories_, strict=True):
        levels = _levels_of(step, feature, categories)
        known = tuple(level for level in levels if not is_missing(level))
        missing = float(step.encoded_missing_value) if len(known) < len(levels) else unseen
        if unseen is not None and missing is not None and not np.array_equal(unseen, missing, equal_nan=True):
            raise _refuse(
                step,
                f"unknown_value={unseen:g}, encoded_missing_value={missing:g}",
                "margin takes a category that was never seen for a missing one; both values must be the same",
            )
        fill = np.nan if missing is None and unseen is None else missing if unseen is None else unseen
        found.append(Feature(feature.column, known, None, np.nan if fill is None else fill))
    return found


#: What is known of each transformer, by the name of its class.
STEPS: dict[str, Callable[[Any, Features], Features]] = {
    "Pipeline": _pipeline,
    "ColumnTransformer": _column_transformer,
    "FunctionTransformer": _function,
    "StandardScaler": _standard,
    "MinMaxScaler": _range,
    "SimpleImputer": _imputer,
    "OneHotEncoder": _one_hot,
    "OrdinalEncoder": _ordinal,
}
