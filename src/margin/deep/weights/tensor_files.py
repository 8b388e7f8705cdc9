"""Tensors by name out of a file. Nothing in a file is ever run: pickles are read with torch's list of plain types."""

from __future__ import annotations

import os
import pickle
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch

from margin.errors import PersistenceError

__all__ = ["TensorFile", "read_tensors", "write_tensors"]

#: What people wrap a dictionary of tensors in.
_WRAPPINGS = ("state_dict", "model_state_dict", "model", "net")


@dataclass(frozen=True)
class TensorFile:
    """Tensors by name, and what the writer of the file noted beside them."""

    tensors: dict[str, torch.Tensor]
    notes: dict[str, str]


def read_tensors(path: Path, who: str) -> TensorFile:
    """The tensors of a ``.safetensors`` file or of a file of torch; which of them it is, its first bytes say."""
    try:
        with path.open("rb") as file:
            start = file.read(9)
    except OSError as error:
        raise PersistenceError(f"{who}: the file cannot be read ({error.strerror}).") from None
    if start[8:9] == b"{":
        return _from_safetensors(path, who)
    return TensorFile(_plain(_from_torch(path, who), who), {})


def _from_safetensors(path: Path, who: str) -> TensorFile:
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            names = list(file.keys())
            return TensorFile({name: file.get_tensor(name) for name in names}, dict(file.metadata() or {}))
    except (safetensors.SafetensorError, OSError, ValueError) as error:
        raise PersistenceError(f"{who}: the file is damaged ({error}).") from None


def _from_torch(path: Path, who: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what torch thinks of a file that it then refuses
            return torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError:
        raise PersistenceError(
            f"{who}: the file is no file of tensors, is damaged, or holds Python objects, which are never loaded "
            "(write the state_dict alone, best as .safetensors)."
        ) from None
    except (RuntimeError, EOFError, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise PersistenceError(f"{who}: the file is no file of tensors, or is damaged ({error}).") from None


def _plain(found: Any, who: str) -> dict[str, torch.Tensor]:
    for wrapping in _WRAPPINGS:
        if isinstance(found, Mapping) and isinstance(found.get(wrapping), Mapping):
            found = found[wrapping]
            break
    if not isinstance(found, Mapping) or not all(isinstance(each, torch.Tensor) for each in found.values()):
        raise PersistenceError(f"{who}: the file holds something else than tensors by name (write the state_dict).")
    # Networks that were trained on several devices at once have this in front of every name.
    prefix = "module." if found and all(name.startswith("module.") for name in found) else ""
    return {name.removeprefix(prefix): each for name, each in found.items()}


def write_tensors(tensors: Mapping[str, torch.Tensor], notes: dict[str, str], path: Path, who: str) -> None:
    """A ``.safetensors`` file, put in its place when it is whole."""
    plain = {name: each.detach().cpu().contiguous().clone() for name, each in tensors.items()}
    try:
        handle, made = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        try:
            safetensors.torch.save_file(plain, made, notes)
            os.chmod(made, 0o666 & ~_umask())
            os.replace(made, path)
        except BaseException:
            os.unlink(made)
            raise
    except (OSError, safetensors.SafetensorError) as error:
        raise PersistenceError(f"{who}: the file cannot be written ({error}).") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
