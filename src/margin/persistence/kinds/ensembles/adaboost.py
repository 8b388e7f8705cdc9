"""AdaBoost of classes, labels and numbers: trees or members, and the record of the rounds.

Letters: ``m`` rounds.
"""

from __future__ import annotations

from typing import Any

from margin.base.meta.members import Member
from margin.boosting.adaboost.classifier import AdaBoostClassifier
from margin.boosting.adaboost.label_boosting import AdaBoostMHClassifier
from margin.boosting.adaboost.regressor import AdaBoostRegressor
from margin.boosting.adaboost.rules import GivenRule
from margin.boosting.rounds import CELLS, FIELDS, RoundTable
from margin.boosting.tree_sum import TreeSum
from margin.errors import PersistenceError
from margin.persistence.kinds.base import MIXED, OUTPUTS, classifier, model
from margin.persistence.kinds.multiclass import unfit
from margin.persistence.objects.arrays import Array, at_least, finite
from margin.persistence.objects.fields import Absent, Flag, ListOf, Model, Number, Object, Text, Whole
from margin.persistence.objects.kind import Kind

__all__ = ["KINDS", "columns_fit"]


def _sound(trees: TreeSum) -> str | None:
    """The core looks at every node before it walks down any."""
    if len(trees.start) < 2:
        return "it has no trees"
    try:
        _ = trees.walker
    except PersistenceError as error:
        return str(error)
    return None


def _same_rounds(rounds: RoundTable) -> str | None:
    return None if len(rounds.numbers) == len(rounds.margins) else "there must be margins for each round"


def _fits(made: AdaBoostClassifier) -> str | None:
    n_rounds, n_classes = len(made._rounds), len(made.classes_)
    trees, members = vars(made).get("trees_"), vars(made).get("members_")
    prior = vars(made).get("_prior")
    if n_classes > 1 and (prior is None or len(prior) != (1 if n_classes == 2 else n_classes)):
        return "there must be votes for the shares of the classes"
    if (trees is None) == (members is None):
        return "it has trees or members, and not both"
    as_given = type(made._encoder).__name__ == "AsGivenEncoder"
    if as_given != (trees is None):
        return "its rows are read in another way"
    if members is not None:
        if len(members) != n_rounds:
            return "there must be a member for each round"
        learners = [one for one in members if isinstance(one, Member)]
        silent = any(not hasattr(one.model, "predict_proba") for one in learners if one.model is not None)
        if silent and vars(made).get("_algorithm") in ("SAMME.R", "M2"):
            return "a member gives no probabilities"
        if any(not isinstance(one, Member) and (one.code > 1 or n_classes != 2) for one in members):
            return "a rule speaks for a class that is not there"
        return unfit(learners, n_classes, None, alike=False)
    return _trees_fit(made, trees, n_rounds, n_classes)


def _trees_fit(made: Any, trees: Any, n_rounds: int, n_classes: int) -> str | None:
    if trees.width != (1 if n_classes == 2 else n_classes) or trees.n_trees != max(n_rounds, 1):
        return "its trees tell other classes apart"
    return columns_fit(made, trees)


def columns_fit(made: Any, trees: Any) -> str | None:
    """What is wrong with trees that shall ask for the columns of a model."""
    columns = made._columns
    if columns.text or trees.n_columns != columns.n:
        return "its trees know other columns"
    coded = [column for column in columns.schema or () if not column.is_numeric]
    if (trees.column[trees.is_subset] < columns.n - len(coded)).any():
        return "its trees ask for levels of a column of numbers"
    return None


def _labels_fit(made: AdaBoostMHClassifier) -> str | None:
    if isinstance(made.classes_, list) != made.outputs_2d_:
        return "it has other targets"
    sizes = [len(labels) for labels in made._class_lists()]
    if made.trees_.width != max(sum(n if n > 2 else n - 1 for n in sizes), 1):
        return "its trees say other labels"
    if made.trees_.n_trees != max(len(made._rounds), 1):
        return "there must be a tree for each round"
    return columns_fit(made, made.trees_)


def _numbers_fit(made: AdaBoostRegressor) -> str | None:
    trees, members = vars(made).get("trees_"), vars(made).get("members_")
    if (trees is None) == (members is None):
        return "it has trees or members, and not both"
    if (type(made._encoder).__name__ == "AsGivenEncoder") != (trees is None):
        return "its rows are read in another way"
    n = trees.n_trees if trees is not None else len(members or ())
    if n != len(made._record) or not n:
        return "there must be a member for each round"
    if any(hasattr(each, "classes_") for each in members or ()):
        return "a member is no regressor"
    return None if trees is None else columns_fit(made, trees)


def _rule(rule: GivenRule) -> str | None:
    return None if rule.text.strip() else "it says nothing"


KINDS: tuple[Kind, ...] = (
    Kind(
        "tree-sum",
        TreeSum,
        {
            "nodes": Array("u8", "n", 2),
            "start": Array("i8", None),
            "words": Array("u8", None),
            "values": Array("f8", None, None, finite),
            "n_columns": Whole(1),
        },
        check=_sound,
        derived=frozenset({"walker"}),
    ),
    Kind(
        "boosting-rounds",
        RoundTable,
        {"numbers": Array("f8", "m", len(FIELDS)), "margins": Array("f4", "m", CELLS, at_least(0.0))},
        check=_same_rounds,
    ),
    Kind("given-rule", GivenRule, {"text": Text(), "code": Whole(0, 1)}, check=_rule),
    classifier(
        "adaboost-classifier",
        AdaBoostClassifier,
        {
            "_rounds": Object("boosting-rounds"),
            "ended_": Text(),
            "_algorithm": Absent(Text("SAMME", "SAMME.R", "M1", "M2")),
            "_rate": Absent(Number(0.0)),
            "_prior": Absent(Array("f8", None, finite)),
            "trees_": Absent(Object("tree-sum")),
            "members_": Absent(ListOf(Object("member", "given-rule"))),
        },
        sees=Object("mixed-encoder", "as-given-encoder"),
        check=_fits,
    ),
    classifier(
        "adaboost-mh-classifier",
        AdaBoostMHClassifier,
        {
            "classes_": OUTPUTS,
            "outputs_2d_": Flag(),
            "_rounds": Object("boosting-rounds"),
            "ended_": Text(),
            "trees_": Object("tree-sum"),
        },
        sees=MIXED,
        check=_labels_fit,
    ),
    model(
        "adaboost-regressor",
        AdaBoostRegressor,
        {
            "_record": Array("f8", "m", 4, finite),
            "_validation": Absent(Array("f8", "m")),
            "ended_": Text(),
            "trees_": Absent(Object("additive-trees")),
            "members_": Absent(ListOf(Model())),
        },
        sees=Object("mixed-encoder", "as-given-encoder"),
        check=_numbers_fit,
    ),
)
