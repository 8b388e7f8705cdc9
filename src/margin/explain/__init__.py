"""Why a model answers as it does, in the terms of its own method: of one case, and of the model as a whole."""

import margin.explain.bags
import margin.explain.boosting
import margin.explain.boosting_variants
import margin.explain.deep.networks
import margin.explain.deep.pictures
import margin.explain.deep.sequences
import margin.explain.distances
import margin.explain.forests
import margin.explain.generative
import margin.explain.learnt
import margin.explain.linear
import margin.explain.members
import margin.explain.searches
import margin.explain.svm
import margin.explain.trees
import margin.explain.voters  # noqa: F401  (registers its models)
from margin.explain.adaboost import rounds_text
from margin.explain.effects.accumulated import AccumulatedEffects, accumulated_effects
from margin.explain.effects.two_way import TwoWayDependence, two_way_dependence
from margin.explain.explanation import Explanation, Reason
from margin.explain.importances.importance import importance
from margin.explain.importances.result import Importance
from margin.explain.learnt.describing import model
from margin.explain.learnt.sections import Learnt, Section
from margin.explain.models import explain
from margin.explain.one_case.case import Case, case
from margin.explain.one_case.what_if import WhatIf, what_if
from margin.explain.partial_dependence import PartialDependence, partial_dependence
from margin.explain.shap import ShapValues, shap_values

__all__ = [
    "AccumulatedEffects",
    "Case",
    "Explanation",
    "Importance",
    "Learnt",
    "PartialDependence",
    "Reason",
    "Section",
    "ShapValues",
    "TwoWayDependence",
    "WhatIf",
    "accumulated_effects",
    "case",
    "explain",
    "importance",
    "model",
    "partial_dependence",
    "rounds_text",
    "shap_values",
    "two_way_dependence",
    "what_if",
]

# The function is the answer to "why this one row?", and leads to the longer ones: explain.case, explain.model.
explain.case = case  # type: ignore[attr-defined]
explain.model = model  # type: ignore[attr-defined]
explain.what_if = what_if  # type: ignore[attr-defined]
