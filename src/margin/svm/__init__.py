"""Support vector machines: the widest margin between classes, in the space of a kernel."""

from margin.svm.linear_svc import LinearSVC

__all__ = ["LinearSVC"]
