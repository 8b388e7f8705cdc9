"""What networks on pictures share that answer with something else than a class of each: masks, sentences, proposals."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Self

from margin.deep.fitting.trained_network import TrainedNetwork
from margin.deep.mlp.training import Epoch
from margin.errors import ExportError, InputError
from margin.random import generator, seed_for

if TYPE_CHECKING:
    import numpy as np
    from torch import nn

    from margin.deep.training.lessons import Lessons

__all__ = ["PictureLearner", "rows_held_out_of"]


class PictureLearner(TrainedNetwork):
    """A network that learns from pictures and what belongs to each.

    A subclass writes ``_read(X, y, validation, who)``, which learns all that is known of pictures and gives the lessons
    to learn from and to judge by, ``_case_loss()`` and ``_network_on(device)``.

    Parameters
    ----------
    early_stopping
        Whether a share of the pictures is held out to judge every epoch by; the weights of the best one are kept.
    validation_fraction
        That share.

    Attributes
    ----------
    validation_scores_
        The score of every epoch on the pictures held out; None without.
    """

    takes_cases = True
    class_weight: Any = None

    def _read(self, X: Any, y: Any, validation: Any, who: str) -> tuple[Lessons, Lessons | None]:
        raise TypeError(f"{type(self).__name__} must say what it learns from: def _read(self, X, y, validation, who).")

    def _read_lessons(
        self, X: Any, y: Any, sample_weight: Any, who: str, validation: Any
    ) -> tuple[Lessons, Lessons | None]:
        if validation is not None and (not isinstance(validation, tuple) or len(validation) != 2):
            raise InputError(f"{who}(validation=…): validation must be a pair of pictures and what belongs to them.")
        return self._read(X, y, validation, who)

    def _network_on(self, device: str) -> nn.Module:
        raise TypeError(f"{type(self).__name__} must say what its network is: def _network_on(self, device).")

    def _case_loss(self) -> Any:
        raise TypeError(f"{type(self).__name__} must say what it minimises: def _case_loss(self).")

    def fit(self, X: Any, y: Any = None, *, validation: Any = None) -> Self:
        """Learn from pictures X and what belongs to them, y.

        ``validation``, a pair of further pictures and theirs, judges every epoch; the weights of the best one are kept.
        Ctrl-C is passed on; a network that has finished an epoch keeps what it has learnt until then (``stopped_``).
        """
        for _ in self.training(X, y, validation=validation):
            pass
        return self

    def training(self, X: Any, y: Any = None, *, validation: Any = None) -> Generator[Epoch, None, None]:
        """The same as a loop: one :class:`margin.deep.Epoch` a turn; break, and the network is as it was then."""
        yield from self._learnt_by(X, y, validation=validation)

    def to_onnx(self, path: Any = None, *, check: Any = None) -> Any:
        """Not there: a graph for ONNX answers rows of columns."""
        raise ExportError(f"{type(self).__name__}.to_onnx: models that answer pictures cannot be written as ONNX.")

    def _first_network(self) -> nn.Module:
        return self._network_on("cpu")

    def _bare_network(self) -> nn.Module:
        return self._network_on("meta")

    def _seed(self, what: str) -> int:
        return seed_for(self.random_state, what, bits=63)


def rows_held_out_of(n: int, model: Any, who: str) -> np.ndarray:
    """Which of n pictures are held out to judge by: a share drawn by the seed of a model."""
    import numpy as np

    held = np.zeros(n, bool)
    order = generator(model.random_state, "network", "held out").permutation(n)
    held[order[: round(n * model.validation_fraction)]] = True
    if not held.any() or held.all():
        raise InputError(
            f"{who}(early_stopping=True, validation_fraction={model.validation_fraction:g}): there are too few "
            f"pictures ({n}) to hold any out."
        )
    return held
