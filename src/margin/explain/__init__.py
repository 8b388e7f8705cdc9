"""Why a model answers as it does, in the terms of its own method."""

import margin.explain.bags
import margin.explain.boosting
import margin.explain.boosting_variants
import margin.explain.distances
import margin.explain.forests
import margin.explain.generative
import margin.explain.linear
import margin.explain.members
import margin.explain.networks
import margin.explain.sequences
import margin.explain.svm
import margin.explain.trees  # noqa: F401  (registers its models)
from margin.explain.adaboost import rounds_text
from margin.explain.explanation import Explanation, Reason
from margin.explain.models import explain
from margin.explain.partial_dependence import PartialDependence, partial_dependence
from margin.explain.shap import ShapValues, shap_values

__all__ = [
    "Explanation",
    "PartialDependence",
    "Reason",
    "ShapValues",
    "explain",
    "partial_dependence",
    "rounds_text",
    "shap_values",
]
