"""Finding a learning rate for a network before it is trained."""

from __future__ import annotations

from typing import Any

from margin import params
from margin.base.sklearn_classes import clone
from margin.deep.fitting.trained_network import TrainedNetwork
from margin.deep.mlp.inputs import varying_columns
from margin.deep.mlp.network import MultilayerPerceptron
from margin.deep.mlp.rate_finder import BATCHES, RateCurve, curve_of_rates, try_rates
from margin.deep.mlp.splitting import read_split
from margin.errors import InputError, ParameterError
from margin.lazy import package_of_extra
from margin.typing import LabelsLike, TableLike, WeightsLike

__all__ = ["find_learning_rate"]


def find_learning_rate(
    model: Any,
    X: TableLike,
    y: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    *,
    n_batches: int = BATCHES,
) -> RateCurve:
    """Try rates that rise from batch to batch, and say which one to take. The model is not changed.

    The loss stays as it is while steps are too short, then falls, and runs away where they are too long. Suggested is
    a tenth of the rate at which it was smallest. ``learning_rate="auto"`` of networks on tables does the same inside
    ``fit``. Networks on PyTorch are tried in the same way; their cases may bring their labels along.

    >>> import numpy as np
    >>> from margin.deep import MLPClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 5))
    >>> curve = find_learning_rate(MLPClassifier(batch_size=32), X, X[:, 0] > 0)
    >>> len(curve.rates) <= 100, bool(1e-4 < curve.suggestion < 1)
    (True, True)
    """
    if not isinstance(model, MultilayerPerceptron | TrainedNetwork):
        raise InputError(f"find_learning_rate: {type(model).__name__} has no learning rate to find.")
    if not 10 <= n_batches <= BATCHES:
        raise ParameterError(f"find_learning_rate(n_batches={n_batches}): n_batches must be from 10 to {BATCHES}.")
    if isinstance(model, TrainedNetwork):
        return _tried_on_torch(model, X, y, sample_weight, n_batches)
    if model.solver == "lbfgs":
        raise ParameterError("find_learning_rate(solver='lbfgs'): 'lbfgs' looks for its steps itself.")
    if y is None:
        raise InputError("find_learning_rate: there are no targets (give y, one for each row).")
    tried = clone(model).set_params(checkpoint=None, resume=False, learning_rate="constant")
    params.check(tried)
    data, targets, rows, _ = read_split(tried, X, y, sample_weight, "find_learning_rate")
    columns = tried._lay_out(data.shape[1], varying_columns(data), targets)
    if tried.units_[0] == 0:
        raise InputError("find_learning_rate: no column varies, and so there is nothing to learn.")
    return try_rates(tried._run(data[:, columns], targets, rows, None, None), n_batches)


def _tried_on_torch(model: TrainedNetwork, X: Any, y: Any, weight: Any, n_batches: int) -> RateCurve:
    who = "find_learning_rate"
    tried = clone(model).set_params(checkpoint=None, resume=False, schedule="constant")
    params.check(tried)
    package_of_extra("torch", who)
    from margin.deep.fitting.runs import as_margin_says, run_of
    from margin.deep.training.loop import steps_of

    run = run_of(tried, tried._read_lessons(X, y, weight, who, None)[0], None)
    with as_margin_says(run, who), steps_of(run) as step:
        return curve_of_rates(step, n_batches, "rate")
