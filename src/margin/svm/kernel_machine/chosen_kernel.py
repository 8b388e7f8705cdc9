"""What a user gave as the kernel of a machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from margin.svm.kernels.function import ALIASES
from margin.svm.kernels.object_kernel import ObjectKernel
from margin.svm.kernels.spectrum import SpectrumKernel

__all__ = ["ChosenKernel"]


@dataclass(frozen=True)
class ChosenKernel:
    """A name, a function of two sets of rows, a kernel of objects, or a spectrum kernel.

    Examples
    --------
    >>> ChosenKernel("gaussian").name, ChosenKernel(SpectrumKernel()).name, ChosenKernel(max).name
    ('rbf', 'linear', 'precomputed')
    """

    given: Any

    @property
    def name(self) -> str:
        """What the core knows: a spectrum kernel is linear in the counts of pieces, a function gives values."""
        if isinstance(self.given, SpectrumKernel):
            return "linear"
        return "precomputed" if callable(self.given) else ALIASES.get(self.given, str(self.given))

    @property
    def function(self) -> Callable[[Any, Any], Any] | None:
        """A user's own, which makes kernel values of rows."""
        return (
            self.given if callable(self.given) and not isinstance(self.given, (ObjectKernel, SpectrumKernel)) else None
        )

    @property
    def is_matrix(self) -> bool:
        """Whether rows are kernel values themselves: they were given, or made of objects."""
        return isinstance(self.given, ObjectKernel) or (isinstance(self.given, str) and self.given == "precomputed")
