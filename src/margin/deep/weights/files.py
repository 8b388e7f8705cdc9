"""Weights from and to a file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from margin.errors import ParameterError, PersistenceError, closest, listing
from margin.lazy import package_of_extra

if TYPE_CHECKING:
    from torch import nn

    from margin.deep.weights.fitting import Fitted

__all__ = ["LoadedWeights", "load_weights", "noted_scale", "save_weights"]


@dataclass(frozen=True)
class LoadedWeights:
    """What became of the tensors of a file.

    Attributes
    ----------
    loaded
        Names of the tensors that the network has from the file.
    left
        Tensors that keep their first weights: a head that was to be replaced, auxiliary heads that the file has not.
    ignored
        Tensors of the file that were not used: the head that was replaced, auxiliary heads that the network has not.
    """

    loaded: tuple[str, ...]
    left: tuple[str, ...]
    ignored: tuple[str, ...]


def load_weights(
    net: nn.Module, path: str | os.PathLike[str], *, head: Literal["keep", "replace"] = "keep"
) -> LoadedWeights:
    """Set the weights of a network from a file on this machine.

    Missing, unexpected and misshapen tensors are all listed before one is set. Auxiliary heads may be absent on either
    side. Half precision (float16, bfloat16) becomes the network's own. Networks with an input transform (GoogLeNet,
    Inception v3) get it with weights that others have written, which expect it. What :func:`save_weights` notes of the
    scale of pixels and of the classes is set too.

    Parameters
    ----------
    path
        A ``.safetensors`` file, or one of torch with tensors and nothing else in it (``weights_only``).
    head
        "replace" leaves the last layer, and those of auxiliary heads, at their first weights: for other classes.

    Examples
    --------
    >>> from margin.deep import architectures
    >>> net, other = architectures.build("lenet5"), architectures.build("lenet5", n_classes=3, random_state=1)
    >>> save_weights(net, "lenet5.safetensors")
    >>> load_weights(other, "lenet5.safetensors", head="replace").left
    ('classifier.4.weight', 'classifier.4.bias')
    """
    who = f"load_weights({os.fspath(path)!r})"
    package_of_extra("torch", who)
    package_of_extra("safetensors", who)
    from margin.deep.weights.fitting import fit_tensors, put
    from margin.deep.weights.notes import read_notes
    from margin.deep.weights.tensor_files import read_tensors

    if head not in ("keep", "replace"):
        raise ParameterError(f"load_weights(head={head!r}): head must be 'keep' or 'replace'.")
    if head == "replace" and not hasattr(net, "head"):
        raise ParameterError(
            f"load_weights(head='replace'): {type(net).__name__} does not say which layer answers (an attribute "
            "'head' with its name)."
        )
    file = read_tensors(Path(path), who)
    found = fit_tensors(net, file.tensors, head == "replace")
    if wrong := _wrong(found, net, head):
        raise PersistenceError(f"{who}: {wrong}.")
    noted = read_notes(net, file.notes, head == "keep", who)
    put(net, found.tensors)
    for name, value in noted.items():
        setattr(net, name, value)
    return LoadedWeights(tuple(found.tensors), tuple(found.left), tuple(found.ignored))


def _wrong(found: Fitted, net: nn.Module, head: str) -> str:
    """All that does not fit, in one sentence; empty if everything does."""
    name = getattr(getattr(net, "plan", None), "name", type(net).__name__)
    parts = []
    if found.missing:
        parts.append(f"{len(found.missing)} tensors of {name} are missing: {listing(found.missing)}")
    if found.unexpected:
        hint = closest(found.unexpected[0], found.missing)
        parts.append(f"{len(found.unexpected)} tensors are unexpected: {listing(found.unexpected)}{hint}")
    if found.misshapen:
        parts.append(f"{len(found.misshapen)} tensors do not fit: {listing(found.misshapen)}")
    last = (f"{getattr(net, 'head', chr(0))}.", *getattr(net, "auxiliary_heads", ()))
    only_heads = not found.missing and not found.unexpected and all(each.startswith(last) for each in found.misshapen)
    if parts and only_heads and head == "keep":
        parts.append("the classes are others (head='replace' keeps everything but the last layer)")
    return "; ".join(parts)


def save_weights(net: nn.Module, path: str | os.PathLike[str]) -> None:
    """Write the weights of a network as ``.safetensors``, under the names that :func:`load_weights` and others know.

    The file is put in its place when it is whole: a file that was there before is there until then.
    """
    who = f"save_weights({os.fspath(path)!r})"
    package_of_extra("torch", who)
    package_of_extra("safetensors", who)
    from margin.deep.weights.notes import notes_of
    from margin.deep.weights.tensor_files import write_tensors

    if Path(path).suffix != ".safetensors":
        raise ParameterError(f"{who}: the name must end in .safetensors.")
    write_tensors(net.state_dict(), notes_of(net), Path(path), who)


def noted_scale(path: str | os.PathLike[str], who: str) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    """Mean and standard deviation of pixels that a file of :func:`save_weights` notes; None in files of others."""
    package_of_extra("torch", who)
    package_of_extra("safetensors", who)
    from margin.deep.weights.notes import read_scale
    from margin.deep.weights.tensor_files import read_tensors

    return read_scale(read_tensors(Path(path), who).notes, who)
