"""LightGBM's models, read from the text that they are saved as."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from margin.errors import ConversionError
from margin.interop.boosters.made import made_of
from margin.interop.boosters.questions import Leaf, Node, Question, laid_out, of_categories
from margin.typing import LabelsLike

__all__ = ["from_lightgbm"]

WHO = "from_lightgbm"
#: What each objective is called here.
LOSSES = {
    "binary": "log_loss", "multiclass": "log_loss", "regression": "squared_error", "regression_l2": "squared_error",
    "regression_l1": "absolute_error", "quantile": "quantile", "huber": "huber", "poisson": "poisson",
}  # fmt: skip
#: Bits of a decision type: levels are asked for, missing cells go left; then what counts as missing.
CATEGORICAL, DEFAULT_LEFT, ZERO, NAN = 1, 2, 1, 2


def from_lightgbm(model: Any, *, classes: LabelsLike | None = None) -> Any:
    """The margin model that answers as a trained model of LightGBM does.

    Parameters
    ----------
    model
        A file that LightGBM wrote (``save_model``), or a trained ``Booster``, ``LGBMClassifier`` or ``LGBMRegressor``.
    classes
        The labels in the order of their codes, which files do not hold; those of an ``LGBMClassifier`` are known.

    Returns
    -------
    A fitted :class:`margin.GradientBoostingClassifier` or ``GradientBoostingRegressor``. All columns are numbers to it;
    categories are the numbers that LightGBM saw, and questions about sets of them become questions about thresholds.

    Raises
    ------
    ConversionError
        Where no model of margin gives the same answers: linear leaves, zeros that count as missing, forests, ranking.

    Examples
    --------
    >>> from_lightgbm("no/such/file.txt")
    Traceback (most recent call last):
        ...
    margin.errors.ConversionError: from_lightgbm: there is no file no/such/file.txt.
    """
    if classes is None and hasattr(model, "classes_"):
        classes = model.classes_
    head, trees = _sections(_text_of(model))
    objective = head.get("objective", "").split(" ")
    if objective[0] not in LOSSES:
        raise ConversionError(f"{WHO}: objective {objective[0]!r} is not known here; known are {', '.join(LOSSES)}.")
    if objective[0] == "binary" and "sigmoid:1" not in objective:
        raise ConversionError(f"{WHO}: a sigmoid other than 1 cannot be taken ({' '.join(objective)}).")
    if "sqrt" in objective or "average_output" in head:
        raise ConversionError(f"{WHO}: roots of targets and averages of trees (random forests) cannot be taken.")
    n_scores = int(head["num_tree_per_iteration"])
    names = head["feature_names"].split(" ")
    plain = names == [f"Column_{i}" for i in range(len(names))]
    made = laid_out([_root(tree) for tree in trees], np.zeros(n_scores), len(names))
    n_classes = {"binary": 2, "multiclass": n_scores}.get(objective[0], 0)
    return made_of(made, LOSSES[objective[0]], None if plain else names, classes, n_classes, WHO)


def _text_of(model: Any) -> str:
    booster = getattr(model, "booster_", model)
    if hasattr(booster, "model_to_string"):
        return str(booster.model_to_string())
    path = Path(os.fspath(model))
    if not path.is_file():
        raise ConversionError(f"{WHO}: there is no file {path}.")
    return path.read_text(encoding="utf-8")


def _sections(text: str) -> tuple[dict[str, str], list[dict[str, str]]]:
    """What is said of the model, and of each tree."""
    if not text.startswith("tree\n"):
        raise ConversionError(f"{WHO}: this is no model of LightGBM as save_model writes it.")
    head, *trees = text.split("\nend of trees", 1)[0].split("\nTree=")
    if not trees:
        raise ConversionError(f"{WHO}: the model has no trees.")
    return _said(head), [_said(tree) for tree in trees]


def _said(section: str) -> dict[str, str]:
    pairs = (line.partition("=") for line in section.split("\n"))
    return {name: value for name, _, value in pairs if name}


def _root(tree: dict[str, str]) -> Node:
    if tree.get("is_linear", "0") != "0":
        raise ConversionError(f"{WHO}: linear leaves cannot be taken.")
    try:
        values = _numbers(tree, "leaf_value")
        weights = _numbers(tree, "leaf_weight") if "leaf_weight" in tree else np.ones(len(values))
        if len(values) == 1:
            return Leaf(float(values[0]), float(weights[0]) if len(weights) else 0.0)
        return _nodes(tree, values, weights)
    except (KeyError, ValueError, IndexError) as error:
        raise ConversionError(f"{WHO}: the file is damaged ({error}).") from None


def _nodes(tree: dict[str, str], values: np.ndarray, weights: np.ndarray) -> Node:
    """All nodes from the last to the first: LightGBM numbers branches behind their node."""
    threshold, gain = _numbers(tree, "threshold"), _numbers(tree, "split_gain")
    column, kind = _numbers(tree, "split_feature", int), _numbers(tree, "decision_type", int)
    branches = _numbers(tree, "left_child", int), _numbers(tree, "right_child", int)
    sets = _numbers(tree, "cat_boundaries", int), _numbers(tree, "cat_threshold", int)
    made: dict[int, Node] = {~i: Leaf(float(v), float(w)) for i, (v, w) in enumerate(zip(values, weights, strict=True))}
    for i in reversed(range(len(threshold))):
        low, high = (made[int(branch[i])] for branch in branches)
        asked = Question(int(column[i]), float(threshold[i]), False, low, high, float(gain[i]), low.cover + high.cover)
        made[i] = _asked(asked, int(kind[i]), sets)
    return made[0]


def _asked(asked: Question, kind: int, sets: tuple[np.ndarray, np.ndarray]) -> Node:
    if kind & CATEGORICAL:
        first, last = sets[0][int(asked.threshold) : int(asked.threshold) + 2]
        words = sets[1][first:last]
        return of_categories(asked, [32 * i + b for i, word in enumerate(words) for b in range(32) if word >> b & 1])
    missing = kind >> 2 & 3
    if missing == ZERO:
        raise ConversionError(f"{WHO}: zeros that count as missing cells (zero_as_missing) cannot be taken.")
    # Where LightGBM saw no missing cells in training it takes them for 0.
    low = bool(kind & DEFAULT_LEFT) if missing == NAN else asked.threshold >= 0
    return Question(asked.column, asked.threshold, low, asked.low, asked.high, asked.gain, asked.cover)


def _numbers(tree: dict[str, str], name: str, kind: type = float) -> np.ndarray:
    text = tree.get(name, "") if name.startswith("cat_") else tree[name]
    return np.array([kind(word) for word in text.split()])
