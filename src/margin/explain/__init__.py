"""Why a model answers as it does, in the terms of its own method."""

from margin.explain.explanation import Explanation, Reason
from margin.explain.models import explain

__all__ = ["Explanation", "Reason", "explain"]
