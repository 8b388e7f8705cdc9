"""Bayes' rule itself: from what a hypothesis makes probable to how probable it is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, overload

import numpy as np

from margin.errors import ParameterError, listing

__all__ = ["bayes_rule"]

#: How far priors may be from adding up to 1, and evidence from what it must be: the rounding of figures on paper.
TOLERANCE = 1e-6


@overload
def bayes_rule(likelihood: Mapping[Any, Any], prior: Mapping[Any, Any], evidence: Any = None) -> dict[Any, float]: ...
@overload
def bayes_rule(likelihood: float, prior: float, evidence: Any = None) -> float: ...
@overload
def bayes_rule(likelihood: Any, prior: Any, evidence: Any = None) -> Any: ...
def bayes_rule(likelihood: Any, prior: Any, evidence: Any = None) -> Any:
    r"""The probability of a hypothesis once the evidence is seen.

    .. math:: P(H \mid E) = \frac{P(E \mid H)\, P(H)}{P(E)}, \qquad P(E) = \sum_i P(E \mid H_i)\, P(H_i)

    Parameters
    ----------
    likelihood
        :math:`P(E \mid H)`: how probable the evidence is under the hypothesis. One number, one for each of several
        hypotheses that exclude each other, or a mapping from their names.
    prior
        :math:`P(H)`: how probable the hypothesis was before, in the same form. Several must add up to 1.
    evidence
        :math:`P(E)`: how probable the evidence is altogether. Needed for a single hypothesis; several hypotheses say
        it themselves, and a number given with them must agree.

    Returns
    -------
    float, array or dict
        The posterior, in the form of the input. Several are worked out as logarithms: likelihoods too small to be
        multiplied still tell hypotheses apart.

    Examples
    --------
    Half of the patients with meningitis have a stiff neck; 1 of 50 000 people has meningitis, 1 of 20 a stiff neck:

    >>> round(bayes_rule(0.5, 1 / 50_000, evidence=1 / 20), 6)
    0.0002

    A test that finds 99 of 100 ill and alarms for 2 of 100 well people, where 1 of 1000 is ill:

    >>> posterior = bayes_rule({"ill": 0.99, "well": 0.02}, {"ill": 0.001, "well": 0.999})
    >>> {name: round(share, 3) for name, share in posterior.items()}
    {'ill': 0.047, 'well': 0.953}
    """
    if isinstance(likelihood, Mapping) or isinstance(prior, Mapping):
        names = _names(likelihood, prior)
        found = _of_several([likelihood[name] for name in names], [prior[name] for name in names], evidence)
        return dict(zip(names, found.tolist()))
    if _is_one(likelihood) and _is_one(prior):
        return _of_one(likelihood, prior, evidence)
    return _of_several(likelihood, prior, evidence)


def _of_one(likelihood: Any, prior: Any, evidence: Any) -> float:
    likely, before = _probability("likelihood", likelihood), _probability("prior", prior)
    if evidence is None:
        raise ParameterError(
            "bayes_rule(evidence=None): the evidence's own probability is needed for a single hypothesis "
            "(or give the likelihoods and priors of all hypotheses)."
        )
    whole, both = _probability("evidence", evidence), likely * before
    _check_evidence(evidence, whole)
    if both > whole * (1 + TOLERANCE):
        raise ParameterError(
            f"bayes_rule(evidence={evidence!r}): evidence must be at least likelihood × prior = {both:g}, "
            "the share of cases that have both."
        )
    if whole > (both + 1 - before) * (1 + TOLERANCE):
        raise ParameterError(
            f"bayes_rule(evidence={evidence!r}): evidence can be at most {both + 1 - before:g}, which it is if "
            "every case without the hypothesis has it."
        )
    # Divided first where the product would vanish.
    return min(both / whole if both > 1e-290 else likely * (before / whole), 1.0)


def _of_several(likelihood: Any, prior: Any, evidence: Any) -> np.ndarray:
    likely, before = _probabilities("likelihood", likelihood), _probabilities("prior", prior)
    if likely.shape != before.shape:
        raise ParameterError(
            f"bayes_rule: every hypothesis needs a likelihood and a prior, but there are {likely.size} "
            f"and {before.size}."
        )
    if abs(before.sum() - 1) > TOLERANCE:
        raise ParameterError(
            f"bayes_rule(prior={prior!r}): priors of all hypotheses must add up to 1, not {before.sum():g}."
        )
    with np.errstate(divide="ignore"):
        both = np.log(likely) + np.log(before)
    most = both.max()
    if most == -math.inf:
        raise ParameterError(
            f"bayes_rule(likelihood={likelihood!r}): the evidence is impossible under every hypothesis "
            "that can be true."
        )
    odds = np.exp(both - most)
    if evidence is not None:
        whole = _probability("evidence", evidence)
        _check_evidence(evidence, whole)
        total = most + math.log(odds.sum())
        if abs(math.log(whole) - total) > TOLERANCE:
            raise ParameterError(
                f"bayes_rule(evidence={evidence!r}): evidence must be the sum of likelihood × prior over the "
                f"hypotheses, {math.exp(total):g} (or leave it out)."
            )
    return odds / odds.sum()


def _check_evidence(given: object, whole: float) -> None:
    if whole == 0:
        raise ParameterError(
            f"bayes_rule(evidence={given!r}): evidence must be above 0; what never happens is never seen."
        )


def _names(likelihood: Any, prior: Any) -> list[Any]:
    for what, given in (("likelihood", likelihood), ("prior", prior)):
        if not isinstance(given, Mapping):
            raise ParameterError(
                f"bayes_rule({what}={given!r}): likelihood and prior must both be mappings from names, or neither."
            )
    one_sided = [name for name in [*likelihood, *prior] if name not in likelihood or name not in prior]
    if one_sided:
        raise ParameterError(
            f"bayes_rule: every hypothesis needs a likelihood and a prior, but {listing(one_sided)} has only one."
        )
    return list(likelihood)


def _is_one(given: object) -> bool:
    return isinstance(given, (str, bytes)) or not hasattr(given, "__iter__") or getattr(given, "ndim", 1) == 0


def _probability(what: str, given: Any) -> float:
    try:
        share = float("nan") if isinstance(given, (str, bytes, bool)) else float(given)
    except (TypeError, ValueError, OverflowError):
        share = float("nan")
    if not 0 <= share <= 1:
        raise ParameterError(f"bayes_rule({what}={given!r}): {what} must be a probability, from 0 to 1.")
    return share


def _probabilities(what: str, given: Any) -> np.ndarray:
    shares = [given] if _is_one(given) else list(given)
    if not shares:
        raise ParameterError(f"bayes_rule({what}={given!r}): at least one hypothesis is needed.")
    return np.array([_probability(what, share) for share in shares])
