"""Support vector machines: the widest margin between classes, in the space of a kernel."""

from margin.svm.reject import Reject

__all__ = ["Reject"]
