"""XGBoost's models, read from the JSON that they are saved as."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from margin.errors import ConversionError
from margin.interop.boosters.made import made_of
from margin.interop.boosters.questions import Leaf, Node, Question, laid_out, of_categories
from margin.interop.thresholds import last_that, rounded
from margin.typing import LabelsLike

__all__ = ["from_xgboost"]

WHO = "from_xgboost"
#: What each objective is called here.
LOSSES = {
    "binary:logistic": "log_loss", "multi:softprob": "log_loss", "multi:softmax": "log_loss",
    "reg:squarederror": "squared_error", "reg:absoluteerror": "absolute_error", "count:poisson": "poisson",
}  # fmt: skip


def from_xgboost(model: Any, *, classes: LabelsLike | None = None) -> Any:
    """The margin model that answers as a trained model of XGBoost does.

    Parameters
    ----------
    model
        A file that XGBoost wrote (``save_model("model.json")``), or a trained ``Booster``, ``XGBClassifier`` or
        ``XGBRegressor``.
    classes
        The labels in the order of their codes, which files do not hold; those of an ``XGBClassifier`` are known.

    Returns
    -------
    A fitted :class:`margin.GradientBoostingClassifier` or ``GradientBoostingRegressor``. All columns are numbers to it;
    categories are the numbers that XGBoost saw, and questions about sets of them become questions about thresholds.
    Answers agree to about seven digits, since XGBoost adds up in single precision.

    Raises
    ------
    ConversionError
        Where no model of margin gives the same answers: DART, linear models, several trees a round, ranking.

    Examples
    --------
    >>> from_xgboost("no/such/file.json")
    Traceback (most recent call last):
        ...
    margin.errors.ConversionError: from_xgboost: there is no file no/such/file.json.
    """
    if classes is None and hasattr(model, "classes_"):
        classes = model.classes_
    try:
        learner = json.loads(_text_of(model))["learner"]
        booster, objective = learner["gradient_booster"], learner["objective"]["name"]
        if booster["name"] != "gbtree":
            raise ConversionError(f"{WHO}: a booster of kind {booster['name']!r} cannot be taken, only 'gbtree'.")
        if objective not in LOSSES:
            raise ConversionError(f"{WHO}: objective {objective!r} is not known here; known are {', '.join(LOSSES)}.")
        return _made(learner, booster["model"], objective, classes)
    except (KeyError, ValueError, TypeError, IndexError, AttributeError) as error:
        if isinstance(error, ConversionError):
            raise
        raise ConversionError(
            f"{WHO}: this is no model of XGBoost as save_model('….json') writes it ({error!r})."
        ) from None


def _text_of(model: Any) -> str:
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    if hasattr(booster, "save_raw"):
        return bytes(booster.save_raw("json")).decode()
    path = Path(os.fspath(model))
    if not path.is_file():
        raise ConversionError(f"{WHO}: there is no file {path}.")
    return path.read_text(encoding="utf-8")


def _made(learner: dict[str, Any], stored: dict[str, Any], objective: str, classes: LabelsLike | None) -> Any:
    if int(stored["gbtree_model_param"].get("num_parallel_tree", 1)) > 1:
        raise ConversionError(f"{WHO}: several trees a round (num_parallel_tree) cannot be taken.")
    about = learner["learner_model_param"]
    n_columns, n_scores = int(about["num_feature"]), max(1, int(about["num_class"]))
    if int(about.get("num_target", 1)) > 1:
        raise ConversionError(f"{WHO}: several targets cannot be taken.")
    if list(stored["tree_info"]) != [i % n_scores for i in range(len(stored["trees"]))] or not stored["trees"]:
        raise ConversionError(f"{WHO}: there must be a tree for each score in every round, in order.")
    given = json.loads(about["base_score"]) if isinstance(about["base_score"], str) else about["base_score"]
    base = np.broadcast_to(np.asarray(given, dtype=np.float64).ravel(), n_scores).copy()
    if objective == "binary:logistic":
        base = np.log(base / (1 - base))
    elif objective == "count:poisson":
        base = np.log(base)
    trees = laid_out([_root(tree) for tree in stored["trees"]], base, n_columns)
    n_classes = 0 if LOSSES[objective] != "log_loss" else max(2, n_scores)
    return made_of(trees, LOSSES[objective], learner.get("feature_names") or None, classes, n_classes, WHO)


def _root(tree: dict[str, Any]) -> Node:
    low, high = (np.asarray(tree[name]) for name in ("left_children", "right_children"))
    condition = np.asarray(tree["split_conditions"], dtype=np.float32)
    below = last_that(lambda x: rounded(x) < condition, len(condition))  # cells are rounded before they are compared
    sets = {
        node: tree["categories"][begin : begin + size]
        for node, begin, size in zip(
            tree["categories_nodes"], tree["categories_segments"], tree["categories_sizes"], strict=True
        )
    }
    made: dict[int, Node] = {}
    for i in reversed(_from_the_root(low, high)):
        cover = float(tree["sum_hessian"][i])
        if low[i] < 0:
            made[i] = Leaf(float(condition[i]), cover)
            continue
        branches, missing_low = (made[int(low[i])], made[int(high[i])]), bool(tree["default_left"][i])
        gain, column = float(tree["loss_changes"][i]), int(tree["split_indices"][i])
        if i in sets:  # levels of the set go right, and so does nothing else
            asked = Question(column, 0.0, not missing_low, branches[1], branches[0], gain, cover)
            made[i] = of_categories(asked, sets[i])
        else:
            made[i] = Question(column, float(below[i]), missing_low, *branches, gain, cover)
    return made[0]


def _from_the_root(low: np.ndarray, high: np.ndarray) -> list[int]:
    """Nodes that can be reached, each before its branches."""
    order = [0]
    for node in order:  # grows while it is gone through
        if low[node] >= 0:
            order += [int(low[node]), int(high[node])]
            if len(order) > len(low):
                raise ConversionError(f"{WHO}: the file is damaged (nodes lead back to one another).")
    return order
