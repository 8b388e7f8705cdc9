"""What stands beside the tensors of a network and is needed to answer: classes, the scale of pixels, a transform."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from margin.deep.architectures.cards import CARDS
from margin.deep.training.pixel_scale import PixelScale
from margin.errors import PersistenceError

__all__ = ["notes_of", "read_notes"]


def notes_of(net: Any) -> dict[str, str]:
    """Words that others ignore."""
    notes = {"format": "pt"}
    if hasattr(net, "transform_input"):
        notes["transform_input"] = "yes" if net.transform_input else "no"
    if hasattr(net, "pixel_scale"):
        notes["mean"], notes["std"] = json.dumps(net.pixel_scale.mean), json.dumps(net.pixel_scale.std)
    if hasattr(net, "classes_"):
        notes["classes"] = json.dumps(net.classes_.tolist())
    return notes


def read_notes(net: Any, notes: dict[str, str], same_classes: bool, who: str) -> dict[str, Any]:
    """The attributes of a network that are noted; files of others have no notes, and expect the input transform."""
    found: dict[str, Any] = {}
    if hasattr(net, "transform_input"):
        plan = getattr(net, "plan", None)
        theirs = plan is not None and CARDS[plan.name].layout == "torchvision" and plan.channels == 3
        found["transform_input"] = notes["transform_input"] == "yes" if "transform_input" in notes else theirs
    if "mean" in notes and "std" in notes:
        mean, std = (_numbers(notes, name, who) for name in ("mean", "std"))
        if len(mean) != len(std) or min(std) <= 0:
            raise PersistenceError(f"{who}: the noted scale of pixels is none, mean {mean} and std {std}.")
        found["pixel_scale"] = PixelScale(mean, std)
    if "classes" in notes and same_classes:
        classes = _listed(notes, "classes", who)
        if not classes or not all(type(each) is type(classes[0]) and isinstance(each, str | int) for each in classes):
            raise PersistenceError(f"{who}: the noted classes are not words or whole numbers.")
        found["classes_"] = np.array(classes)
    return found


def _listed(notes: dict[str, str], name: str, who: str) -> list[Any]:
    try:
        found = json.loads(notes[name])
    except ValueError:
        found = None
    if not isinstance(found, list):
        raise PersistenceError(f"{who}: the note {name!r} is no list.")
    return found


def _numbers(notes: dict[str, str], name: str, who: str) -> tuple[float, ...]:
    found = _listed(notes, name, who)
    if not found or not all(isinstance(each, float | int) and np.isfinite(each) for each in found):
        raise PersistenceError(f"{who}: the note {name!r} holds something else than numbers.")
    return tuple(float(each) for each in found)
