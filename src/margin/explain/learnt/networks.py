"""What networks have learnt: their layers, their loss curve, when they stopped."""

from __future__ import annotations

import numpy as np

from margin.deep.mlp.fitted import FittedNetwork
from margin.explain.learnt.describing import Given, sections_of
from margin.explain.learnt.linear import curve
from margin.explain.learnt.sections import Section, table

__all__: list[str] = []


@sections_of.register
def _(fitted: FittedNetwork, given: Given) -> list[Section]:
    found = [Section("Layers", lines=str(fitted.summary()))]
    stopped = "stopped before its last pass" if fitted.stopped_ else "went through all its passes"
    how = f"Training {stopped}; the best weights are those of pass {fitted.best_epoch_}."
    found += curve("Loss", how, fitted.loss_curve_)
    if fitted.validation_scores_ is not None:
        found += curve("Score of rows held back", "", fitted.validation_scores_)
    norms = [
        (k, *weights.shape, float(np.linalg.norm(weights)), float(np.abs(weights).max(initial=0.0)))
        for k, weights in enumerate(fitted.coefs_, 1)
    ]
    heads = ("layer", "inputs", "outputs", "norm", "largest")
    return [*found, table("Weights", "How large the weights of each linear layer are.", heads, norms)]
