"""What the tests of model files share: a model and everything it holds, looked through and compared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from margin.data.schema import Column
from margin.errors import MarginError
from margin.persistence import load, save
from margin.persistence.kinds import BY_CLASS
from margin.persistence.objects.kind import Kind, attributes_of
from margin.persistence.objects.packing import parameter_names

__all__ = [
    "differences",
    "objects_of",
    "same_answers",
    "same_state",
    "saved_and_loaded",
    "without_a_place",
]

#: Classes that stand inside a field of another kind, and so have none of their own.
INSIDE_A_FIELD = (Column,)
#: Made anew for every object that is read.
BOOK_KEEPING = frozenset({"_learnt"})
QUESTIONS = (
    *("predict", "predict_proba", "decision_function", "transform", "apply"),
    *("kneighbors", "matched", "centroid_distances"),
)


def saved_and_loaded(model: Any, tmp_path: Path, mmap: bool = False) -> Any:
    """A model by way of a file."""
    return load(save(model, tmp_path / "model.margin"), mmap=mmap)


def objects_of(value: Any) -> Iterator[tuple[str, Any]]:
    """Every object of margin that a value holds, itself first, each once, with the way to it; not what is derived."""
    seen: dict[int, Any] = {}  # values, so that no id is used twice
    waiting = [(type(value).__name__, value)]
    while waiting:
        path, here = waiting.pop()
        if id(here) in seen:
            continue
        seen[id(here)] = here
        if type(here).__module__.split(".")[0] == "margin":
            yield path, here
        waiting += reversed([(path + step, inner) for step, inner in _held(here)])


def _held(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [(f"[{key!r}]", inner) for key, item in value.items() for inner in (key, item)]
    if isinstance(value, (list, tuple, set, frozenset)) or (isinstance(value, np.ndarray) and value.dtype == object):
        return [(f"[{i}]", inner) for i, inner in enumerate(value)]
    if type(value).__module__.split(".")[0] == "margin" and not isinstance(value, type):
        kind = BY_CLASS.get(type(value))
        derived = kind.derived if kind else frozenset()
        return [(f".{name}", inner) for name, inner in attributes_of(value).items() if name not in derived]
    return []


def without_a_place(model: Any) -> list[str]:
    """What a file would lose: objects without a kind, attributes that are no field, no parameter and not derived."""
    lost = []
    for path, value in objects_of(model):
        kind = BY_CLASS.get(type(value))
        if kind is not None:
            known = {*kind.fields, *kind.derived, *_parameters(kind), *BOOK_KEEPING}
            lost += [f"{path}.{name}" for name in attributes_of(value) if name not in known]
        elif not isinstance(value, INSIDE_A_FIELD):
            lost.append(f"{path}: a {type(value).__name__} has no kind")
    return lost


def _parameters(kind: Kind) -> tuple[str, ...]:
    return parameter_names(kind.cls) if kind.is_model else ()


def same_state(a: Any, b: Any) -> bool:
    """Whether two models hold the same, bit for bit, what is derived aside."""
    return not differences(a, b)


def differences(a: Any, b: Any, derived: bool = False) -> list[str]:
    """Where two models do not hold the same: types, numbers in all bits, and who shares what with whom aside.

    With ``derived``, what the first holds of what is derived is in the second, too.
    """
    found: list[str] = []
    seen: dict[tuple[int, int], Any] = {}
    waiting = [(type(a).__name__, a, b)]
    while waiting:
        path, one, two = waiting.pop()
        if (id(one), id(two)) in seen:
            continue
        seen[id(one), id(two)] = (one, two)
        if type(one) is not type(two):
            found.append(f"{path}: {type(one).__name__} is now {type(two).__name__}")
        elif (inner := _pairs(one, two, derived)) is None:
            if not _equal(one, two):
                found.append(f"{path}: {one!r} is now {two!r}")
        elif isinstance(inner, str):
            found.append(f"{path}: {inner}")
        else:
            waiting += [(path + step, left, right) for step, left, right in inner]
    return found


def _pairs(one: Any, two: Any, derived: bool) -> list[tuple[str, Any, Any]] | str | None:
    """The parts of two values of one type, side by side; what is wrong with that; None for values without parts."""
    if isinstance(one, (list, tuple)) or (isinstance(one, np.ndarray) and one.dtype == object):
        if len(one) != len(two):
            return f"there were {len(one)} and are {len(two)}"
        return [(f"[{i}]", left, right) for i, (left, right) in enumerate(zip(one, two))]
    if isinstance(one, dict):
        if [*map(repr, one)] != [*map(repr, two)]:
            return f"the keys {[*one]} are now {[*two]}"
        return [(f"[{key!r}]", left, right) for (key, left), right in zip(one.items(), two.values())]
    if scipy.sparse.issparse(one):
        parts = ("data", "indices", "indptr", "shape")
        return [(f".{part}", getattr(one, part), getattr(two, part)) for part in parts]
    kind = BY_CLASS.get(type(one))
    if kind is None and (type(one).__module__.split(".")[0] != "margin" or callable(one)):
        return None
    again = kind.derived if kind else frozenset()
    left, right = ({n: v for n, v in attributes_of(each).items() if n not in BOOK_KEEPING} for each in (one, two))
    if left.keys() - again != right.keys() - again:
        return f"it had {sorted(left.keys() - right.keys())} and has {sorted(right.keys() - left.keys())}"
    return [(f".{name}", left[name], right.get(name)) for name in left if derived or name not in again]


def _equal(one: Any, two: Any) -> bool:
    if isinstance(one, np.ndarray):
        return one.dtype == two.dtype and one.shape == two.shape and one.tobytes() == two.tobytes()
    if isinstance(one, np.generic):
        return one.tobytes() == two.tobytes()
    if isinstance(one, float):
        return one.hex() == two.hex()
    return bool(one == two)


def same_answers(one: Any, two: Any, X: Any) -> bool:
    """Whether two models answer the same to the same rows, bit for bit, or refuse them in the same words."""
    asked = [name for name in QUESTIONS if hasattr(one, name)]
    assert asked, f"a {type(one).__name__} answers nothing"
    return all(hasattr(two, name) and same_state(_answer(one, name, X), _answer(two, name, X)) for name in asked)


def _answer(model: Any, name: str, X: Any) -> Any:
    try:
        return getattr(model, name)(X)
    except MarginError as error:
        return [type(error).__name__, str(error)]
