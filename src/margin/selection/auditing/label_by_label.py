"""An audit of rows with several labels: label after label on the same splits, and what all have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from margin.data.label_sets import are_label_sets
from margin.evaluation.cross_validation.sealed import SealedTest
from margin.evaluation.predictions.label_sets import LabelSets
from margin.evaluation.predictions.targets import read_targets, sets_as_targets
from margin.evaluation.protocols.named import bound_protocol
from margin.evaluation.protocols.stratified import HoldOut
from margin.selection.auditing.result import Audit, Finding

__all__ = ["audit_each_label"]


def audit_each_label(one: Callable[..., Audit], X: Any, y: Any, split: Any, most_splits: int, **told: Any) -> Audit:
    """The audits of all labels by ``one``, put together; a finding of some labels only says which it is of."""
    X, targets = read_targets(X, y, "audit")
    test = told.pop("test")
    if split is None and test is None:
        split = next(iter(HoldOut(0.25, told["seed"]).split(targets.codes)))
    elif test is None:
        split = _pairs(split, X, targets.codes, told["groups"], most_splits)
    asked = None
    if test is not None and len(test) == 2 and test[1] is not None:
        y_test = test[1]
        if are_label_sets(y_test):
            asked = sets_as_targets(LabelSets.of(y_test, labels=targets.classes, who="audit(test=…)")).codes
    audits = {}
    for at, label in enumerate(targets.classes.tolist()):
        second = test if test is None else (test[0], None if asked is None else _words(asked[:, at]))
        audits[label] = one(X, _words(targets.codes[:, at]), split, test=second, **told)
    first = next(iter(audits.values()))
    return Audit.of(_together(audits), n_train=first.n_train, n_test=first.n_test, split=first.split, notes=first.notes)


def _words(has: np.ndarray) -> np.ndarray:
    return np.array(["no", "yes"])[has.astype(np.intp)]


def _pairs(split: Any, X: Any, codes: np.ndarray, groups: Any, most: int) -> Any:
    """The splits of a protocol, made once by all labels; rows and seals as they are."""
    rows = isinstance(split, (tuple, list)) and len(split) == 2 and not isinstance(split[0], (tuple, list))
    if rows or isinstance(split, (SealedTest, list, tuple)):
        return split
    has_own = getattr(split, "groups", None) is not None
    protocol, _ = bound_protocol(split, X, len(codes), None if has_own else groups, "audit")
    return list(islice(protocol.split(codes), most))


def _together(audits: dict[Any, Audit]) -> list[Finding]:
    """Findings that all labels share once; others with the label they are of."""
    shared = set.intersection(*({_key(finding) for finding in each.findings} for each in audits.values()))
    found = [finding for finding in next(iter(audits.values())).findings if _key(finding) in shared]
    for label, each in audits.items():
        found += [
            replace(finding, says=f"Label {label!r}: {finding.says}")
            for finding in each.findings
            if _key(finding) not in shared
        ]
    return found


def _key(finding: Finding) -> tuple[Any, ...]:
    return finding.kind, finding.columns, finding.says
