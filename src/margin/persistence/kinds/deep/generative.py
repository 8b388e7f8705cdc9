"""Models that forge and translate: the frames of their cases, and the tensors of their networks.

Letters: ``s`` steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from margin import params
from margin.deep.generative.cyclegan import CycleGAN
from margin.deep.generative.dcgan import DCGAN
from margin.deep.generative.gan import GAN
from margin.deep.pictures.picture_encoder import PictureEncoder
from margin.errors import MarginError
from margin.persistence.objects.arrays import Array, at_least, finite
from margin.persistence.objects.fields import Absent, Field, Flag, MapOf, Object, Whole
from margin.persistence.objects.kind import Kind

__all__ = ["KINDS"]

RUN: dict[str, Field] = {
    "_tensors": Object("named-tensors"),
    "value_": Array("f8", "s", finite),
    "generator_losses_": Array("f8", "s", finite),
    "discriminator_losses_": Array("f8", "s", finite),
    "n_iter_": Whole(size="s"),
    "stopped_": Flag(),
}
FORGER: dict[str, Field] = {
    **RUN,
    "_encoder": Object("numeric-encoder", "picture-encoder"),
    "_columns": Absent(Object("columns")),
    "_ranges": Absent(Array("f8", 2, None)),
    "_pictures": Flag(),
    "variety_": Array("f8", None, 2, at_least(0), finite),
}
#: Made again of the columns, or of the tensors.
DERIVED = frozenset({"_modules", "n_features_in_", "feature_names_in_"})


def _networks(made: Any) -> str | None:
    """Parameters that may be such, and tensors of the networks that they ask for."""
    try:
        params.check(made)
        players = made._players(None)
    except (MarginError, TypeError, ValueError, RuntimeError) as error:
        return f"there are no such networks ({error})"
    return made._tensors.misfit(players)


def _forger(made: Any) -> str | None:
    if isinstance(made._encoder, PictureEncoder) != made._pictures:
        return "its encoder is for other cases than it forges"
    if not made._pictures and ("_columns" not in vars(made) or made._encoder.columns is not made._columns):
        return "its encoder knows other columns"
    if not made._pictures and vars(made).get("_ranges", np.zeros((2, 0))).shape[1] != len(made._encoder.center):
        return "it knows the ranges of other columns"
    if any(hasattr(given, "state_dict") for given in made.get_params(deep=False).values()):
        return "its networks are the user's own, and a file holds none"
    return _networks(made)


def _finished(made: Any) -> None:
    if not made._pictures:
        made._remember(made._columns)


def _translator(made: Any) -> str | None:
    if set(made._encoders) != {"a", "b"}:
        return "it must know two kinds of pictures"
    return _networks(made)


KINDS = (
    Kind("gan", GAN, FORGER, check=_forger, derived=DERIVED, finish=_finished),
    Kind("dcgan", DCGAN, FORGER, check=_forger, derived=DERIVED, finish=_finished),
    Kind(
        "cyclegan",
        CycleGAN,
        {**RUN, "_encoders": MapOf(Object("picture-encoder")), "cycle_losses_": Array("f8", "s", at_least(0), finite)},
        check=_translator,
        derived=frozenset({"_modules"}),
    ),
)
