"""One classifier many times over: classes against the rest, in pairs or by code words, labels in chains."""

from margin.multiclass.classifier_chain import ClassifierChain
from margin.multiclass.error_correcting_codes import ErrorCorrectingCodes
from margin.multiclass.one_vs_one import OneVsOne
from margin.multiclass.one_vs_rest import OneVsRest

__all__ = ["ClassifierChain", "ErrorCorrectingCodes", "OneVsOne", "OneVsRest"]
