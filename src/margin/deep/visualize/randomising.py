"""Whether a map says anything of what a network has learnt: new weights must change it (Adebayo et al. 2018)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from margin.errors import InputError
from margin.lazy import package_of_extra
from margin.random import seed_for
from margin.typing import SeedLike

__all__ = ["randomisation_check"]


def randomisation_check(
    model: Any, images: Any, ask: Callable[[Any, Any], Any], *, random_state: SeedLike = 0
) -> np.ndarray:
    """For each picture the rank correlation of its map with the one that the same network of new weights gives.

    ``ask`` takes a network and pictures and gives a map for each, as :func:`saliency` and :func:`grad_cam` do;
    magnitudes are compared, summed over colours where there are some. A correlation near 1 says that the map shows the
    picture rather than what was learnt. A map of one value has no ranks, and counts as 0.

    >>> from margin.deep import architectures, train
    >>> from margin.deep.visualize import saliency
    >>> pixels = np.zeros((40, 8, 8), np.uint8)
    >>> pixels[::2, :4] = 255  # light above
    >>> net = architectures.build("small", n_classes=2, image_size=8)
    >>> for epoch in train(net, (pixels, np.arange(40) % 2), epochs=3, batch_size=8, n_jobs=1):
    ...     pass
    >>> randomisation_check(net, pixels[:3], lambda net, x: saliency(net, x, target=0, n_jobs=1)).shape
    (3,)
    """
    package_of_extra("torch", "randomisation_check")
    from scipy import stats

    from margin.deep.training.surroundings import OwnRandom, threads_of_torch
    from margin.deep.visualize.looking import network_of

    net = network_of(model, "randomisation_check")
    other = copy.deepcopy(net)
    for name in ("classes_", "pixel_scale"):
        found = getattr(model, name, getattr(net, name, None))
        if found is not None:
            setattr(other, name, found)
    encoder = getattr(model, "_encoder", None)
    if getattr(other, "pixel_scale", None) is None and encoder is not None:
        other.pixel_scale = encoder.scale
    with threads_of_torch(1), OwnRandom(seed_for(random_state, "new weights", bits=63)):
        for module in other.modules():
            if callable(reset := getattr(module, "reset_parameters", None)):
                reset()
    learnt, drawn = (_flat(ask(each, images)) for each in (model, other))
    if learnt.shape != drawn.shape:
        raise InputError("randomisation_check: ask must give maps of one shape, whatever the weights.")
    found = np.zeros(len(learnt))
    for k, (one, two) in enumerate(zip(learnt, drawn, strict=True)):
        if np.ptp(one) > 0 and np.ptp(two) > 0:
            found[k] = stats.spearmanr(one, two).statistic
    return found


def _flat(maps: Any) -> np.ndarray:
    given = np.abs(np.asarray(maps, dtype=np.float64))
    if given.ndim not in (3, 4):
        raise InputError("randomisation_check: ask must give a map for each picture.")
    given = given.sum(axis=3) if given.ndim == 4 else given
    made: np.ndarray = given.reshape(len(given), -1)
    return made
