"""Which metric decides: accuracy says nothing of a class that is rare, so that such tables are ordered by others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from margin.experiment.read_out import label_text
from margin.experiment.spec import METRICS, Spec

__all__ = ["RARE", "rare_class", "settled"]

#: A class with a smaller part of the rows, and with less than half of an equal share, is rare.
RARE = 0.1


def rare_class(counts: Mapping[Any, int]) -> Any:
    """The rarest class, if it is rare; None otherwise. Of many classes of one size none is.

    >>> rare_class({"ok": 960, "fraud": 40}), rare_class({"a": 30, "b": 70})
    ('fraud', None)
    """
    label = min(counts, key=counts.__getitem__)
    share = counts[label] / sum(counts.values())
    return label if share < min(RARE, 0.5 / len(counts)) else None


def settled(spec: Spec, labels: np.ndarray) -> tuple[Spec, str]:
    """The spec with the metric that decides, and a sentence where it is not the first because a class is rare.

    Of two classes the average precision of the rare one decides, of more the balanced accuracy. What was asked for by
    name stays: a metric to sort by, metrics, the positive class.
    """
    counts = Counter(labels.tolist())
    rare = rare_class(counts)
    if spec.sort or spec.metrics != METRICS or rare is None:
        return replace(spec, sort=spec.sort or spec.metrics[0]), ""
    share = f"{100 * counts[rare] / len(labels):.1f} %"
    sort, about = "balanced_accuracy", ""
    if len(counts) == 2:
        spec = replace(spec, positive=spec.positive or label_text(rare))
        sort, about = "average_precision", f" of “{spec.positive}”"
    said = (
        f"“{label_text(rare)}” has only {share} of the rows: models are ordered by {sort.replace('_', ' ')}{about}, "
        "not by accuracy (--sort accuracy does that)."
    )
    return replace(spec, sort=sort, metrics=tuple(dict.fromkeys((*spec.metrics, sort)))), said
